/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commits of a repository as the mails that would make them again. */
#ifndef GIT_EXPORT_H
#define GIT_EXPORT_H

#include "base/strbuf.h"
#include "patches/git/repo.h"

#define EXPORT_MAX_COMMITS 2000

/*
 * range is "A..B", or one revision: then what it has and tip has not. Appended to out as mboxrd, a
 * mail a commit, in order; the first names the commit they stand on (base-commit:). Commits that
 * change no file are left out.
 *
 * ERR_MISSING: no such revision. ERR_CONFLICT: nothing in it, or a merge. ERR_LIMIT: too many
 * commits, or more than out's maximum.
 */
int export_range(struct repo *r, const char *range, const char *tip, struct strbuf *out,
	size_t *ret_n, struct error *e);

#endif

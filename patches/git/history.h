/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patches that are in a history already: found by patch id (the stable or the old one), or by a
 * message id or change id that a line of the commit's message names, as in
 * "Link: https://lore.kernel.org/r/ID".
 */
#ifndef GIT_HISTORY_H
#define GIT_HISTORY_H

#include "patches/git/repo.h"

#define HISTORY_MAX_COMMITS 5000 /* the newest that are looked at */
#define HISTORY_MAX_DIFF ((size_t)4 << 20) /* a commit with a larger diff is no patch */

enum sought_kind { SOUGHT_PATCH_ID, SOUGHT_TRAILER };

struct sought {
	enum sought_kind kind;
	const char *value;
	bool found;
	struct oid commit; /* where found */
};

/* Of all commits below and including one. What is found already stays. */
int history_find(
	struct repo *r, const struct oid *from, struct sought *list, size_t n, struct error *e);
/* Whether a commit is the other one or has it among its ancestors. */
int history_has(struct repo *r, const struct oid *commit, const struct oid *ancestor, bool *ret_has,
	struct error *e);

#endif

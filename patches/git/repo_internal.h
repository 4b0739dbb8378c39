/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libgit2's side of repo.h, for this folder only. */
#ifndef GIT_REPO_INTERNAL_H
#define GIT_REPO_INTERNAL_H

#include "patches/git/repo.h"

#include <git2.h>

struct staging;

struct repo {
	git_repository *git;
	git_odb *odb;
	char *path;
	struct staging *staging; /* the odb's; NULL: objects go to disk at once */
};

/*
 * An object into the repository, or into memory where that was started. like: an object that it
 * was made from, or NULL. libgit2's errors.
 */
int staging_write(struct repo *r, const void *data, size_t len, git_object_t type,
	const struct oid *like, struct oid *ret_id);

/* libgit2's last error as our sentence: "WHAT: its words". */
int repo_error(struct error *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

static inline git_oid to_git(const struct oid *id)
{
	git_oid out;

	memcpy(out.id, id->id, sizeof(out.id));
	return out;
}

static inline struct oid from_git(const git_oid *id)
{
	struct oid out;

	memcpy(out.id, id->id, sizeof(out.id));
	return out;
}

#endif

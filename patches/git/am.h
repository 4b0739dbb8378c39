/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patches onto a commit, as `git am -3` does it: exactly, else at an offset, else by a three-way
 * merge from the blobs that the index lines name; one that changes nothing any more is in the tree
 * already. docs/internals/apply.md.
 */
#ifndef GIT_AM_H
#define GIT_AM_H

#include "patches/git/apply.h"
#include "patches/git/commit.h"

enum am_how { AM_EXACT, AM_OFFSET, AM_MERGE, AM_ALREADY_IN };
/* exact offset merge already-in */
const char *am_how_name(enum am_how how);

struct am_patch {
	struct commit_info info;
	const char *diff;
	size_t diff_len;
};

/* One patch onto a commit. AM_ALREADY_IN leaves *ret_commit the parent. ERR_CONFLICT with
 * *ret_conflict filled; other errors are the lab's. */
int am_apply(struct repo *r, const struct oid *parent, const struct am_patch *patch,
	struct oid *ret_commit, enum am_how *ret_how, struct conflict *ret_conflict,
	struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The three-way way: the files that the index lines name are the ancestor, the diff applied to
 * them is one side, the tree is the other. Where git's merge would need renames that happened in
 * the tree, they are looked for among files of the same name.
 */
#ifndef GIT_MERGE_H
#define GIT_MERGE_H

#include "patches/git/apply.h"

/* ERR_CONFLICT: the blobs are not here, the diff does not fit them, or both sides changed the same
 * lines; *ret_conflict says which. */
int merge_apply(struct repo *r, const struct oid *tree, const struct diff *diff,
	struct oid *ret_tree, struct conflict *ret_conflict, struct error *e);

#endif

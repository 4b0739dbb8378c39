/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Git trees, read and rewritten only along the paths that are named. */
#ifndef GIT_TREE_H
#define GIT_TREE_H

#include "patches/git/repo.h"

#define TREE_MODE_DIR 0040000u

struct tree_change {
	const char *path; /* checked: see path_check() */
	unsigned mode; /* 0: taken away */
	struct oid id;
};

/*
 * What is at path: 1 with its mode and id, 0 where there is nothing. A path below something that
 * is no folder has nothing; *ret_blocked (may be NULL) is then the mode of what is in the way.
 */
int tree_find(struct repo *r, const struct oid *tree, const char *path, unsigned *ret_mode,
	struct oid *ret_id, unsigned *ret_blocked, struct error *e);

/* The tree with the changes made. They are sorted in place. Folders that become empty are gone.
 * ERR_CONFLICT where a file stands in the place of a folder or the other way round. */
int tree_write(struct repo *r, const struct oid *tree, struct tree_change *changes, size_t n,
	struct oid *ret_tree, struct error *e);

/* Calls back for every file below a tree, in git's order, until fn returns other than 0, which is
 * then returned. */
typedef int (*tree_fn)(const char *path, unsigned mode, const struct oid *id, void *data);
int tree_walk(struct repo *r, const struct oid *tree, tree_fn fn, void *data, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A diff onto files that are looked up by path, in memory: all of it applies, or nothing is
 * changed and the first thing that does not fit is told. The rules are `git apply`'s; besides, what
 * would leave the tree is refused: paths, submodules, symbolic links that point outside.
 */
#ifndef GIT_APPLY_H
#define GIT_APPLY_H

#include "patches/git/hunk.h"
#include "patches/git/repo.h"

/* Where files come from: a tree, or the blobs that index lines name. */
struct source {
	/* 1: there, 0: not there. *ret_blocked: mode of what is in the way of a folder, or 0. */
	int (*find)(struct source *s, const char *path, unsigned *ret_mode, struct oid *ret_id,
		unsigned *ret_blocked, struct error *e);
	struct repo *repo;
};

struct tree_source {
	struct source source;
	struct oid tree;
};
void tree_source_init(struct tree_source *s, struct repo *repo, const struct oid *tree);

/* What a diff makes of one path. The last change of a path is the one that counts. */
struct change {
	char *path;
	unsigned mode; /* 0: taken away */
	struct oid id; /* of the blob, which is written */
};

struct changes {
	struct change *list; /* each path once */
	size_t n;
	bool offset; /* a hunk was not at the line it names */
	size_t max_offset; /* lines, the farthest */
};
void changes_done(struct changes *c);
#define AUTO_CHANGES CLEANUP(changes_done)

/* ERR_CONFLICT with *ret_conflict filled; other errors are the lab's. */
int diff_apply(const struct diff *d, struct source *source, struct changes *ret_changes,
	struct conflict *ret_conflict, struct error *e);
/* The tree with the changes in it. */
int changes_write(const struct changes *c, struct repo *repo, const struct oid *tree,
	struct oid *ret_tree, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that was renamed in the tree. */
#ifndef GIT_RENAME_H
#define GIT_RENAME_H

#include "patches/git/pathmap.h"
#include "patches/git/repo.h"

/*
 * The path under which the tree has a file that once was `path` with content `id`: the same
 * content, or at least half of it. Not one of `known`. In large trees only files of the same name
 * in other folders, or in the same folder, are looked at for half the content. *ret_path: heap,
 * or NULL where there is none.
 */
int rename_find(struct repo *r, const struct oid *tree, const char *path, const struct oid *id,
	const struct pathmap *known, char **ret_path, struct error *e);

#endif

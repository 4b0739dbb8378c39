/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees that the lab follows: imported from a Debian source package, or mirrored from a git
 * repository. docs/internals/trees.md.
 */
#ifndef GIT_IMPORT_H
#define GIT_IMPORT_H

#include "patches/git/repo.h"

/* How far an import is; called from time to time. total may be unknown: -1. */
typedef void (*import_progress_fn)(const char *what, int64_t done, int64_t total, void *data);

struct import {
	const char *cache; /* folder for what can be made again */
	import_progress_fn progress;
	void *data;
};

/*
 * The tree in /usr/src/PACKAGE.tar.xz of a Debian package, as one commit whose id depends on the
 * package's content, name and version only. The tarball is the installed one, or it comes out of
 * the package that apt downloads into the cache. The imported pack is kept in the cache, so that a
 * second lab links it. *ret_version: heap.
 */
int import_deb(const struct import *in, const char *package, const char *repo_path,
	struct oid *ret_tip, char **ret_version, struct error *e);

/*
 * A mirror: seeded by `git clone --mirror`, then fetched with libgit2. The tip is that of the
 * repository's HEAD.
 */
int import_git(const struct import *in, const char *url, const char *repo_path, struct oid *ret_tip,
	struct error *e);

#endif

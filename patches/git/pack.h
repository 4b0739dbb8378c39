/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects as one pack with its index, both on disk when it returns; gitformat-pack(5), version 2 of
 * both. libgit2's own way unpacks and hashes each object once more, and takes twice as long.
 *
 * What changes one object into another is mostly one run of bytes: an object that is much like an
 * earlier one of the pack is written as what both ends have in common, and what is between.
 */
#ifndef GIT_PACK_H
#define GIT_PACK_H

#include "patches/git/repo.h"

#define PACK_MAX_BYTES ((size_t)1 << 30)
#define PACK_MAX_CHAIN 32 /* objects that have to be read for one */
#define PACK_NONE SIZE_MAX

struct pack_object {
	struct oid id;
	int type; /* as packs number them: 1 commit, 2 tree, 3 blob */
	void *data;
	size_t len;
	size_t like; /* an object before it whose bytes are much the same; PACK_NONE */
	unsigned chain; /* objects below it */
};

/* folder: "objects/pack" of a repository. */
int pack_write(const char *folder, const struct pack_object *objects, size_t n, struct error *e);

#endif

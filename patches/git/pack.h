/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects as one pack, in memory; gitformat-pack(5), version 2. To index it and to write it is
 * libgit2's, which unpacks and hashes each object once more: what is wrong here never gets to disk.
 *
 * What changes one object into another is mostly one run of bytes, and what it was made from is
 * known: an object is written as what both ends have in common, and what is between.
 * git_packbuilder finds that out by comparing each object with ten others. 100 patches onto 6.12 are
 * 715 objects: this and the index take 0.12 s, all the rest of applying them 0.13 s. git_packbuilder
 * takes 0.56 s (0.36 s where its names group what is alike) for a pack a quarter smaller, whole
 * objects 0.20 s for one half as large again. `git am` takes 5.5 s where nothing else runs, and
 * applying has to be 20 times as fast.
 */
#ifndef GIT_PACK_H
#define GIT_PACK_H

#include "base/strbuf.h"
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

/* The objects' pack, into out. */
int pack_fill(const struct pack_object *objects, size_t n, struct strbuf *out, struct error *e);

#endif

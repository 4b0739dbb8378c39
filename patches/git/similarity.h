/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of one file is in another, measured as git measures it when it looks for renames: by
 * the bytes of lines (cut at 64 bytes) that both have.
 */
#ifndef GIT_SIMILARITY_H
#define GIT_SIMILARITY_H

#include "base/util.h"

#define SIMILARITY_MAX 60000u

struct span {
	uint64_t hash;
	size_t bytes;
};

/* The lines of one file, sorted by hash, each once. */
struct spans {
	struct span *list;
	size_t n;
	size_t size; /* of the file */
};

void spans_init(struct spans *s, const char *data, size_t len);
void spans_done(struct spans *s);
/* 0 to SIMILARITY_MAX; 0 too where the sizes alone rule out `least`. */
unsigned similarity(const struct spans *from, const struct spans *to, unsigned least);

#endif

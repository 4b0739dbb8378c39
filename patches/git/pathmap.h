/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths to numbers: open addressing, FNV-1a. Paths stay the caller's. */
#ifndef GIT_PATHMAP_H
#define GIT_PATHMAP_H

#include "base/util.h"

#define PATHMAP_NONE SIZE_MAX

struct pathmap {
	struct {
		const char *path; /* NULL: free */
		size_t value;
	} * slots;
	size_t room; /* a power of two, or 0 */
	size_t n;
};

void pathmap_done(struct pathmap *m);
/* PATHMAP_NONE where it is not there. */
size_t pathmap_get(const struct pathmap *m, const char *path);
void pathmap_set(struct pathmap *m, const char *path, size_t value);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A text file and the hunks that change it, as `git apply` does it: at the line the hunk names,
 * else at the nearest place where all its context and removed lines stand, going out in both
 * directions; never over lines that an earlier hunk wrote, never with fuzz. A hunk that begins at
 * line 1 must match at the start, one without trailing context at the end.
 */
#ifndef GIT_HUNK_H
#define GIT_HUNK_H

#include "patches/git/diff.h"

struct line {
	const char *p; /* with its newline, if it has one */
	size_t len;
	bool written; /* by a hunk: not to be matched again */
};

/* Lines that looking for places and moving lines may cost a whole patch: a second. The kernel's
 * largest patches take a hundredth of it. */
#define HUNK_MAX_EFFORT 200000000u

struct image {
	struct line *lines; /* point into the file and the patch */
	size_t n;
	uint64_t effort; /* spent so far: a caller may carry it from file to file */
};

/* data must outlive the image, as must the text of the hunks that are applied. */
void image_init(struct image *img, const char *data, size_t len);
void image_done(struct image *img);
/* The file's bytes, heap, NUL behind. */
char *image_join(const struct image *img, size_t *ret_len);

/* Applies one hunk; *ret_offset is how far from the named line it was. ERR_CONFLICT: nowhere;
 * ERR_LIMIT: the effort is spent. */
int image_apply(struct image *img, const struct hunk *h, long *ret_offset);

struct conflict {
	char *file;
	int hunk; /* from 1; 0: not about a hunk */
	int line; /* in the file as it is, from 1; 0: unknown */
	char *expected; /* lines the hunk wants there; "" where it is not about lines */
	char *found; /* what stands there */
	char *why; /* one sentence */
};
void conflict_done(struct conflict *c);

/* Why the hunk did not apply: the most similar place and what differs there. */
void image_explain(const struct image *img, const char *file, const struct hunk *h,
	struct conflict *ret_conflict);

#endif

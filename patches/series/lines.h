/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as lines, and where two of them differ; see compare.h. */
#ifndef SERIES_LINES_H
#define SERIES_LINES_H

#include "base/strbuf.h"

struct line {
	const char *p; /* not NUL-terminated; the text's owner keeps it */
	size_t len; /* without the newline */
	uint64_t hash;
};

struct lines {
	struct line *v;
	size_t n;
};

void lines_done(struct lines *l);
#define AUTO_LINES CLEANUP(lines_done)

/* All lines of a text. */
void lines_of_text(const char *p, size_t len, struct lines *ret_lines);
/* Those of a diff that say what it changes: headers and hunks, without numbers and blob ids. */
void lines_of_diff(const char *p, size_t len, struct lines *ret_lines);

bool lines_equal(const struct lines *a, const struct lines *b);

/*
 * Appends the lines that differ, with three lines around them, each behind ' ', '-' or '+'.
 * Returns how many differ, or -1 where they are more than max.
 */
int lines_diff(const struct lines *a, const struct lines *b, int max, struct strbuf *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scanners share. Not for users of the library. */
#ifndef SCAN_INTERNAL_H
#define SCAN_INTERNAL_H

#include "scan/scan.h"

void scan_finding_done(struct scan_finding *f);
/* Take over what *f owns, or drop it where there are max already; *f is empty afterwards. */
void scan_findings_push(struct scan_findings *fs, struct scan_finding *f, size_t max);

/* Text without what drifts: tokens that start with a digit become "#", typographic quotes and
 * back-ticks become ', compiler-made suffixes of names go. Heap. */
char *scan_normalize(const char *text);
/* "foo.isra.0+0x12/0x40 [mod]" as "foo"; NULL where it does not start like a name. Heap. */
char *scan_function_name(const char *text);
bool scan_is_name_start(char c);
bool scan_is_name(char c);

/* Copy one line as a string: at most SCAN_MAX_LINE bytes, NUL bytes as '?'. */
void scan_copy_line(char *to, const char *from, size_t len);

/* A bounded excerpt: lines are added until it is full, then it ends in a line of "...". */
struct scan_excerpt {
	struct strbuf text;
	size_t lines, max_lines;
};
void scan_excerpt_init(struct scan_excerpt *x, size_t max, size_t max_lines);
void scan_excerpt_add(struct scan_excerpt *x, const char *line);
/* Heap, NULL where it is empty; *x is ready for the next. */
char *scan_excerpt_take(struct scan_excerpt *x);

#endif

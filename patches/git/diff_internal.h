/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that parse a diff; see diff.h. */
#ifndef GIT_DIFF_INTERNAL_H
#define GIT_DIFF_INTERNAL_H

#include "patches/git/diff.h"

/* Where the parser stands: always at the start of a line. */
struct scan {
	const char *p;
	const char *end;
	int line; /* from 1 */
};

/* Length of the line, with its newline. */
size_t scan_line(const struct scan *s);
bool scan_starts(const struct scan *s, const char *prefix);
void scan_skip(struct scan *s);

/* "@@ -1,2 +3,4 @@" at this line? Fills the four numbers. */
bool hunk_header(const struct scan *s, struct hunk *ret_hunk);
/* A file's header at this line: 1 and past it; 0 where there is none, and nothing moved. */
int header_parse(struct scan *s, struct diff_file *f, struct error *e);
/* Behind "GIT binary patch". */
int binary_parse(struct scan *s, struct diff_file *f, struct error *e);

#endif

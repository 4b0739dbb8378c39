/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of compiler output: is it the head of a diagnostic, and what does it say? */
#ifndef SCAN_COMPILER_INTERNAL_H
#define SCAN_COMPILER_INTERNAL_H

#include "scan/internal.h"

enum severity {
	SEVERITY_NOTE,
	SEVERITY_WARNING,
	SEVERITY_ERROR,
	SEVERITY_WEAK, /* says only that something failed before */
};

struct diagnostic_head {
	enum severity severity;
	const char *path; /* inside the line */
	size_t path_len; /* 0: none */
	int line;
	int column;
	const char *message; /* the rest of the line */
	bool in_function; /* what the last "In function" said holds for it */
};

bool scan_parse_head(const char *line, struct diagnostic_head *ret_head);
/* "  CC      drivers/vfio/vfio_main.o", "make[2]: Entering …", "1 warning generated." */
bool scan_is_build_step(const char *line);
/* The line with its leading path (also that behind "from ") as a path in the tree. Heap. */
char *scan_tidy_line(const char *line);

#endif

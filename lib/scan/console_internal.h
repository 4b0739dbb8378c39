/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What single lines of a kernel console mean. Lines come cleaned: no prefix, no timestamp. */
#ifndef SCAN_CONSOLE_INTERNAL_H
#define SCAN_CONSOLE_INTERNAL_H

#include "scan/internal.h"

enum report_end {
	END_LINE, /* the first line is all there is */
	END_TRACE, /* "---[ end trace" */
	END_STACK, /* the call trace's end */
	END_RULER, /* a line of "=" */
	END_PANIC, /* "---[ end Kernel panic" */
};

/* How the function that names a report is found. */
enum report_name {
	NAME_NONE, /* by its words alone */
	NAME_FIRST, /* in the first line */
	NAME_WHERE, /* where the CPU was: RIP or pc, else the call trace */
	NAME_STACK, /* the call trace, past the functions that only report or wait */
	NAME_LOCKS, /* the functions that take and hold the locks */
};

struct report_start {
	const char *words; /* of the signature; inside the line or static */
	size_t words_len;
	const char *function; /* NAME_FIRST: inside the line, or NULL */
	enum report_end end;
	enum report_name name;
	const char *joint; /* between words and function: ": " or " in " */
	bool fatal;
	bool panic;
};

/* Does a report begin here? after_ruler: the line before was one of "=". */
bool scan_report_start(const char *line, bool after_ruler, struct report_start *ret_start);
/* The bits of what this line says of a checker: enum scan_said. */
unsigned scan_said(const char *line);
/* "Oops: …", "general protection fault …": the second head of a BUG report. */
bool scan_is_die_line(const char *line);
bool scan_is_ruler(const char *line);
/* The function in "RIP: 0010:f+0x1/0x2", "pc : f+0x1/0x2"; else NULL. */
const char *scan_where(const char *line);
/* The function of a call trace line, " f+0x1/0x2" and not " ? f+…"; else NULL. */
const char *scan_stack_function(const char *line);
/* A function that reports or waits, so that it says nothing about who is at fault. */
bool scan_is_bystander(const char *function);
/* The line without prefixes; points inside. *ret_stamped: it had a printk timestamp. */
char *scan_clean_console_line(char *line, bool *ret_stamped);
/* Where, past the first byte, a printk timestamp begins (kernel text glued to another's); or NULL. */
char *scan_glued_stamp(char *line);

#endif

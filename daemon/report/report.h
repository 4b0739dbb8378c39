/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report on a run, of a series or of a comparison of two commits:
 * schemas/json/report.schema.json, and the same for people and for machines.
 * docs/internals/reports.md has what each looks like and why.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "daemon/verdict/verdict.h"

/* A new document; the caller's. */
cJSON *report_json(const struct facts *f, const struct verdict *v);

/* Everything else reads the JSON alone, clock and I/O aside: one report, one text. Where it does
 * not fit, out->overflow is set, and what is there is not to be used. */

/* For a terminal: errors in the compiler's words with new ones behind ">> ", boots, findings,
 * comparisons, timeline. */
void report_text(const cJSON *report, struct strbuf *out);
/* A mail in reply to the series, as the build and performance robots of kernel lists write theirs.
 * From and To are the sender's to add. */
void report_mail(const cJSON *report, struct strbuf *out);
/* JUnit XML. */
void report_junit(const cJSON *report, struct strbuf *out);

struct report_format {
	const char *name; /* json text mail junit */
	const char *accept; /* media types that ask for it, with blanks between */
	const char *type; /* Content-Type */
	void (*write)(const cJSON *report, struct strbuf *out); /* NULL: the JSON itself */
};
/* NULL where there is none of that name. */
const struct report_format *report_format_named(const char *name);
/* The format of the first type that an Accept header names; JSON where it is none of ours. */
const struct report_format *report_format_accepted(const char *accept);

#endif

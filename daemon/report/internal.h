/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the text report. They read the JSON report. */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "daemon/report/report.h"

/* "All errors and warnings …" of each build that has any to show. */
void text_diagnostics(const cJSON *report, struct strbuf *out);
/* Boots, what they complained of, what failed. */
void text_boots(const cJSON *report, struct strbuf *out);
/* What changed since the version before, and what replies gave. */
void text_versions(const cJSON *report, struct strbuf *out);
void text_comparisons(const cJSON *report, struct strbuf *out);
/* A sentence as lines of at most 98 columns: behind first, then behind rest. */
void text_wrapped(struct strbuf *out, const char *first, const char *rest, const char *text);
/* Each line of text behind a prefix. */
void text_indented(struct strbuf *out, const char *prefix, const char *text);

#endif

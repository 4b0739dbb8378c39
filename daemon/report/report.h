/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report on a run: schemas/json/report.schema.json, and the same as text for people.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "daemon/verdict/verdict.h"

/* A new document; the caller's. */
cJSON *report_json(const struct facts *f, const struct verdict *v);
/* The text report: errors in the compiler's words with new ones behind ">> ", boots, findings,
 * comparisons, timeline. Reads the JSON alone. */
void report_text(const cJSON *report, struct strbuf *out);

/* {"items":[…]}, one for each comparison of the report: what GET /comparisons gives. */
cJSON *report_comparisons(const cJSON *report);

#endif

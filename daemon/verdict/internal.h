/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a verdict. Each fills its members of struct verdict; reasons come last. */
#ifndef VERDICT_INTERNAL_H
#define VERDICT_INTERNAL_H

#include "daemon/verdict/verdict.h"

/* v->builds, v->boots */
void verdict_judge_builds(const struct facts *f, struct verdict *v);
void verdict_judge_boots(const struct facts *f, struct verdict *v);
/* v->unrepeated */
void verdict_canary(const struct facts *f, struct verdict *v);
/* v->comparisons */
void verdict_compare(const struct facts *f, struct verdict *v);
/* v->performance, and which comparisons decide it */
void verdict_performance(const struct facts *f, struct verdict *v);

/* The first of a metric in a boot, or NULL. */
const struct fact_sample *verdict_sample(const struct fact_boot *b, const char *metric);

/* A profile names metrics as the wall clock measures them; by the counted clock their twins count. */
bool verdict_is_primary(const struct facts *f, enum clock clock, const char *metric);
/* The name that the counted clock has for what this is by the wall clock; heap. NULL: none. */
char *verdict_counted_name(const char *metric);
/* lower higher none zero */
const char *verdict_better(const char *metric);

/* v->verdict and v->reasons, from everything above. */
void verdict_conclude(const struct facts *f, struct verdict *v);

#endif

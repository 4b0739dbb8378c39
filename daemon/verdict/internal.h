/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a verdict. Each fills its members of struct verdict; reasons come last. */
#ifndef VERDICT_INTERNAL_H
#define VERDICT_INTERNAL_H

#include "daemon/verdict/verdict.h"

/* v->builds, v->boots */
void verdict_judge_builds(const struct facts *f, struct verdict *v);
void verdict_judge_boots(const struct facts *f, struct verdict *v);
/* v->comparisons, v->wants_pairs */
void verdict_compare(const struct facts *f, struct verdict *v);
/* v->performance */
void verdict_performance(const struct facts *f, struct verdict *v);

bool verdict_is_primary(const struct facts *f, const char *metric);
/* lower higher none zero */
const char *verdict_better(const char *metric);

/* v->verdict and v->reasons, from everything above. */
void verdict_conclude(const struct facts *f, struct verdict *v);

#endif

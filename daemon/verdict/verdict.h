/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The judgement of a run, from its facts. Pure. The rule, its source and its assumptions are in
 * docs/internals/verdict.md.
 */
#ifndef VERDICT_VERDICT_H
#define VERDICT_VERDICT_H

#include "daemon/store/facts.h"

/* One finding with what the other side says about it. */
struct judged_finding {
	const struct fact_finding *finding; /* the facts' */
	bool is_new; /* not on the base, and confirmed where it needs that */
	bool confirmed; /* kernel findings: shown by enough boots */
	int since_patch; /* the first patch that shows it; 0: the base does; -1: unknown */
};

struct judged_findings {
	struct judged_finding *items;
	size_t n;
};

struct summary {
	size_t n;
	double median, mean, stddev;
	double *samples; /* in the order of pairs or seeds */
};

struct comparison {
	const char *machine;
	enum clock clock;
	bool primary;
	const char *better; /* lower higher none zero */
	char *metric;
	cJSON *params; /* or NULL */
	struct summary base, patched;
	double change; /* (patched - base) / base */
	double interval[2]; /* of change; NAN where it cannot be computed */
	double p; /* NAN likewise */
	const char *verdict; /* improvement no-change regression inconclusive */
};

struct verdict {
	const char *verdict; /* fail regression error held cancelled pass */
	const char *performance; /* improvement no-change regression mixed inconclusive none */
	char **reasons; /* one sentence each */
	size_t n_reasons;
	struct judged_findings *builds; /* parallel to facts->builds */
	struct judged_findings *boots; /* parallel to facts->boots */
	struct comparison *comparisons;
	size_t n_comparisons;
	const char *same_code_as; /* commit the tip inherits from, or NULL */
};

/* The facts must outlive the verdict. Works on unfinished runs too: what is known so far. */
struct verdict *verdict_new(const struct facts *f);
struct verdict *verdict_free(struct verdict *v);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Summaries of samples, and what pairs of them say about a change. A sample is one number from one
 * fresh boot. The rule and its assumptions: docs/internals/verdict.md. Distributions: GSL.
 */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "base/util.h"

/* NAN where there are too few samples: 1, and 2 for the deviation (n - 1 in the divisor). */
double stats_mean(const double *x, size_t n);
double stats_stddev(const double *x, size_t n);
double stats_median(const double *x, size_t n);
/* Linear between order statistics (Hyndman and Fan's type 7); p within [0, 1]. */
double stats_quantile(const double *x, size_t n, double p);

/* A relative change (patched - base) / base with its interval. */
struct stats_change {
	double change;
	double low, high; /* NAN with fewer than two pairs */
	double p; /* two-sided, against no change, before any correction; NAN likewise */
};

/*
 * Paired t interval on log ratios: the change is exp(mean(log(patched[i] / base[i]))) - 1, the
 * interval covers it with probability 1 - alpha where the log ratios are normal. -EDOM where a
 * sample is not positive or n is 0.
 */
int stats_paired_change(const double *base, const double *patched, size_t n, double alpha,
	struct stats_change *ret_change);

#define STATS_MIN_PAIRS 5 /* fewer never make a change */
#define STATS_SETTLED_PAIRS 7 /* fewer make one only beyond the allowance */

struct stats_rule {
	double threshold; /* relative: 0.02 */
	size_t comparisons; /* that share the report's error budget */
};

enum stats_decision { STATS_LOWER, STATS_HIGHER, STATS_SAME, STATS_UNCLEAR };

struct stats_comparison {
	struct stats_change change; /* interval at the report's level, with the allowance */
	enum stats_decision decision;
	bool wants_pairs; /* a change, were it not for the allowance: pairs up to
			     STATS_SETTLED_PAIRS would tell */
};

/* The decision about one metric on the wall clock. Errors as above. */
int stats_compare(const double *base, const double *patched, size_t n,
	const struct stats_rule *rule, struct stats_comparison *ret_comparison);

/*
 * The decision about one metric by the counted clock, whose boots repeat to the digit: pair i is the
 * layout of seed i on both sides. A change is one where there are STATS_MIN_PAIRS and all of them
 * agree, beyond both the threshold and the base's own spread over its layouts. The change is the median
 * of the pairs', low and high are the least and the greatest of them, p is NAN. -EDOM as above.
 */
int stats_compare_counted(const double *base, const double *patched, size_t n, double threshold,
	struct stats_comparison *ret_comparison);

/*
 * Fisher's exact test, one-sided: how probable it is that at least so many of the boots that show
 * a thing are patched ones, were it all the same to the thing. Of each side: boots that show it,
 * and all.
 */
double stats_fisher(size_t patched, size_t of_patched, size_t base, size_t of_base);

#endif

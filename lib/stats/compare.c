/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stats.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

/* Of whole reports about two identical kernels, how many may hold a change on the wall clock. The
 * lab's promise is 1 %; half of it is kept for later looks and the second clock. */
#define ERROR_BUDGET 0.005
/* The budget is shared by at least this many comparisons, so that a profile with fewer metrics is
 * not judged more boldly. */
#define MIN_SHARES 6
/* A machine whose boots fall into two states, half and half, puts all base boots into one and all
 * patched boots into the other with probability 2 * 4^-n: 0.2 % at five pairs, which no interval
 * computed from the samples can see. States up to this far apart are allowed for until there are
 * STATS_SETTLED_PAIRS (0.012 %). */
#define ALLOWANCE 0.10
/* "No change" is claimed when both one-sided tests against the threshold pass at this level
 * (TOST): it blames nobody, so it may be wrong more often. */
#define SAME_LEVEL 0.05

struct log_ratios {
	size_t n;
	double mean, error; /* of the mean; NAN for n < 2 */
};

static int log_ratios(const double *base, const double *patched, size_t n, struct log_ratios *ret)
{
	AUTO_FREE double *d = NULL;

	if (!n)
		return -EDOM;
	d = xreallocarray(NULL, n, sizeof(*d));
	for (size_t i = 0; i < n; i++) {
		if (!(base[i] > 0) || !(patched[i] > 0) || isinf(base[i]) || isinf(patched[i]))
			return -EDOM;
		d[i] = log(patched[i] / base[i]);
	}
	ret->n = n;
	ret->mean = stats_mean(d, n);
	ret->error = stats_stddev(d, n) / sqrt((double)n);
	return 0;
}

/* Half the width of the interval of the mean log ratio that covers with 1 - alpha. */
static double half_width(const struct log_ratios *r, double alpha)
{
	if (r->n < 2)
		return NAN;
	return gsl_cdf_tdist_Qinv(alpha / 2, (double)(r->n - 1)) * r->error;
}

static double two_sided_p(const struct log_ratios *r)
{
	if (r->n < 2)
		return NAN;
	if (r->error == 0)
		return r->mean == 0 ? 1 : 0;
	return 2 * gsl_cdf_tdist_Q(fabs(r->mean) / r->error, (double)(r->n - 1));
}

static struct stats_change change_within(const struct log_ratios *r, double half)
{
	return (struct stats_change){.change = expm1(r->mean),
		.low = expm1(r->mean - half),
		.high = expm1(r->mean + half),
		.p = two_sided_p(r)};
}

int stats_paired_change(const double *base, const double *patched, size_t n, double alpha,
	struct stats_change *ret_change)
{
	struct log_ratios r;
	int rc = log_ratios(base, patched, n, &r);

	if (rc < 0)
		return rc;
	*ret_change = change_within(&r, half_width(&r, alpha));
	return 0;
}

static bool is_change(const struct stats_change *c, double threshold)
{
	return fabs(c->change) > threshold && (c->low > 0 || c->high < 0);
}

int stats_compare(const double *base, const double *patched, size_t n,
	const struct stats_rule *rule, struct stats_comparison *ret_comparison)
{
	double alpha = ERROR_BUDGET / (double)MAX_OF(rule->comparisons, (size_t)MIN_SHARES);
	struct stats_comparison c = {.decision = STATS_UNCLEAR};
	struct stats_change plain, same;
	struct log_ratios r;
	int rc = log_ratios(base, patched, n, &r);

	if (rc < 0)
		return rc;
	plain = change_within(&r, half_width(&r, alpha));
	same = change_within(&r, half_width(&r, 2 * SAME_LEVEL));
	c.change = plain;
	if (n < STATS_SETTLED_PAIRS)
		c.change = change_within(&r, half_width(&r, alpha) + log1p(ALLOWANCE));
	if (n < STATS_MIN_PAIRS)
		c.decision = STATS_UNCLEAR;
	else if (is_change(&c.change, rule->threshold))
		c.decision = c.change.change < 0 ? STATS_LOWER : STATS_HIGHER;
	else if (is_change(&plain, rule->threshold))
		c.wants_pairs = true;
	else if (same.low > -rule->threshold && same.high < rule->threshold)
		c.decision = STATS_SAME;
	*ret_comparison = c;
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stats.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

static bool all_positive(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(x[i] > 0) || isinf(x[i]))
			return false;
	return true;
}

int stats_compare_counted(const double *base, const double *patched, size_t n, double threshold,
	struct stats_comparison *ret_comparison)
{
	struct stats_comparison c = {.decision = STATS_UNCLEAR};
	AUTO_FREE double *change = NULL;
	double spread, beyond;

	if (!n || !all_positive(base, n) || !all_positive(patched, n))
		return -EDOM;
	change = xreallocarray(NULL, n, sizeof(*change));
	for (size_t i = 0; i < n; i++)
		change[i] = (patched[i] - base[i]) / base[i];
	spread = (gsl_stats_max(base, 1, n) - gsl_stats_min(base, 1, n)) / stats_median(base, n);
	beyond = fmax(threshold, spread);
	c.change = (struct stats_change){.change = stats_median(change, n),
		.low = gsl_stats_min(change, 1, n),
		.high = gsl_stats_max(change, 1, n),
		.p = NAN};
	if (n < STATS_MIN_PAIRS)
		c.decision = STATS_UNCLEAR;
	else if (c.change.high < -beyond)
		c.decision = STATS_LOWER;
	else if (c.change.low > beyond)
		c.decision = STATS_HIGHER;
	else if (c.change.low >= -threshold && c.change.high <= threshold)
		c.decision = STATS_SAME;
	*ret_comparison = c;
	return 0;
}

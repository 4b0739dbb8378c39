/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stats.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

double stats_mean(const double *x, size_t n)
{
	return n ? gsl_stats_mean(x, 1, n) : NAN;
}

double stats_stddev(const double *x, size_t n)
{
	return n > 1 ? gsl_stats_sd(x, 1, n) : NAN;
}

double stats_quantile(const double *x, size_t n, double p)
{
	AUTO_FREE double *sorted = NULL;

	if (!n)
		return NAN;
	sorted = xreallocarray(NULL, n, sizeof(*sorted));
	memcpy(sorted, x, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	return gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

double stats_median(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.5);
}

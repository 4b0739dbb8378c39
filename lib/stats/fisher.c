/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stats.h"

#include <gsl/gsl_cdf.h>

double stats_fisher(size_t patched, size_t of_patched, size_t base, size_t of_base)
{
	size_t shown = patched + base, all = of_patched + of_base;

	if (!patched)
		return 1;
	/* Q is the probability of more than its first argument. */
	return gsl_cdf_hypergeometric_Q((unsigned)patched - 1, (unsigned)shown,
		(unsigned)(all - shown), (unsigned)of_patched);
}

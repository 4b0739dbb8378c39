/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stats.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <cmocka.h>

static void known_values(void **state)
{
	static const struct {
		size_t patched, of_patched, base, of_base;
		double p;
	} cases[] = {
		{0, 0, 0, 0, 1},
		{0, 5, 0, 5, 1},
		{0, 5, 5, 5, 1},
		{1, 1, 0, 1, 1.0 / 2},
		{2, 2, 0, 2, 1.0 / 6},
		{3, 3, 0, 3, 1.0 / 20},
		{4, 4, 0, 4, 1.0 / 70},
		{5, 5, 0, 5, 1.0 / 252},
		{5, 9, 0, 9, 126.0 / 8568},
		{4, 4, 0, 8, 1.0 / 495},
		{5, 5, 5, 5, 1},
		/* Fisher's lady, who told three of four cups. */
		{3, 4, 1, 4, 17.0 / 70},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double p = stats_fisher(
			cases[i].patched, cases[i].of_patched, cases[i].base, cases[i].of_base);

		if (!(fabs(p - cases[i].p) < 1e-12))
			fail_msg("case %zu: %g instead of %g", i, p, cases[i].p);
	}
}

#define ORDINARY 5
#define MOST 13
#define RUNS 20000

/* As the plan looks at it: after the ordinary pairs, then after each extra one. */
static bool is_blamed(gsl_rng *r, double rate, double level)
{
	size_t shown = 0;

	for (size_t pairs = 1; pairs <= MOST; pairs++) {
		if (gsl_rng_uniform(r) < rate)
			return false; /* the base shows it */
		shown += gsl_rng_uniform(r) < rate ? 1 : 0;
		if (pairs >= ORDINARY && stats_fisher(shown, pairs, 0, pairs) <= level)
			return true;
	}
	return false;
}

static void what_both_sides_show_now_and_then_is_not_blamed(void **state)
{
	static const double rates[] = {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
	gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		int blamed = 0;

		gsl_rng_set(r, 100 + i);
		for (int k = 0; k < RUNS; k++)
			blamed += is_blamed(r, rates[i], 0.01) ? 1 : 0;
		if (blamed > RUNS / 100)
			fail_msg("at a rate of %g, %d of %d runs blame", rates[i], blamed, RUNS);
	}
	gsl_rng_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(what_both_sides_show_now_and_then_is_not_blamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <cmocka.h>

#define N 5
_Static_assert(N == STATS_MIN_PAIRS, "one less is too few");

/* A base whose layouts lie this far apart, over all. */
static void fill(double *base, double spread)
{
	for (int i = 0; i < N; i++)
		base[i] = 23606112 * (1 + spread * (i / (double)(N - 1) - 0.5));
}

static void a_change_is_what_every_layout_shows(void **state)
{
	static const struct {
		double spread;
		double ratios[N];
		size_t n;
		enum stats_decision decision;
	} cases[] = {
		{0, {1, 1, 1, 1, 1}, 5, STATS_SAME},
		{0, {1.0056, 1.0056, 1.0056, 1.0056, 1.0056}, 5, STATS_SAME}, /* real, and small */
		{0, {1.015, 1.015, 1.015, 1.015, 1.015}, 5, STATS_HIGHER},
		{0.002, {0.4, 0.41, 0.39, 0.4, 0.4}, 5, STATS_LOWER},
		{0.002, {0.4, 0.41, 0.39, 0.4, 0.4}, 4, STATS_UNCLEAR}, /* too few layouts */
		{0.002, {1.015, 1.015, 1.015, 1.015, 1.0099}, 5, STATS_UNCLEAR},
		{0.002, {1.015, 1.015, 0.985, 1.015, 1.015}, 5, STATS_UNCLEAR},
		/* Memory that moves about does as much. */
		{0.10, {1.05, 1.05, 1.05, 1.05, 1.05}, 5, STATS_UNCLEAR},
		{0.10, {1.15, 1.15, 1.15, 1.15, 1.15}, 5, STATS_HIGHER},
		{0.10, {0.97, 1.03, 1, 1, 1}, 5, STATS_UNCLEAR},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stats_comparison c;
		double base[N], patched[N];

		fill(base, cases[i].spread);
		for (int k = 0; k < N; k++)
			patched[k] = base[k] * cases[i].ratios[k];
		assert_int_equal(stats_compare_counted(base, patched, cases[i].n, 0.01, &c), 0);
		if (c.decision != cases[i].decision)
			fail_msg("case %zu: %d", i, (int)c.decision);
	}
}

static void what_is_shown(void **state)
{
	static const double base[] = {100, 100, 100, 100, 100};
	static const double patched[] = {105, 101, 102, 104, 103};
	struct stats_comparison c;

	assert_int_equal(stats_compare_counted(base, patched, 5, 0.005, &c), 0);
	assert_float_equal(c.change.change, 0.03, 1e-12);
	assert_float_equal(c.change.low, 0.01, 1e-12);
	assert_float_equal(c.change.high, 0.05, 1e-12);
	assert_true(isnan(c.change.p));
	assert_int_equal(c.decision, STATS_HIGHER);
	assert_false(c.wants_pairs);
}

static void what_is_no_count(void **state)
{
	static const double zero[] = {1, 0, 1}, one[] = {1, 1, 1}, endless[] = {1, INFINITY, 1};
	struct stats_comparison c;

	assert_int_equal(stats_compare_counted(one, one, 0, 0.01, &c), -EDOM);
	assert_int_equal(stats_compare_counted(zero, one, 3, 0.01, &c), -EDOM);
	assert_int_equal(stats_compare_counted(one, zero, 3, 0.01, &c), -EDOM);
	assert_int_equal(stats_compare_counted(one, endless, 3, 0.01, &c), -EDOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_what_every_layout_shows),
		cmocka_unit_test(what_is_shown),
		cmocka_unit_test(what_is_no_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

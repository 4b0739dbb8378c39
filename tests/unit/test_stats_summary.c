/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <cmocka.h>

static void close_to(double value, double wanted, double within)
{
	if (!(fabs(value - wanted) <= within)) {
		print_error("%.9g is not %.9g\n", value, wanted);
		fail();
	}
}

static void summaries(void **state)
{
	/* NIST's example for the deviation of 2 4 4 4 5 5 7 9: 2 as a population, 2.138 as a sample. */
	static const double x[] = {9, 2, 4, 5, 4, 7, 4, 5};

	close_to(stats_mean(x, 8), 5, 1e-12);
	close_to(stats_stddev(x, 8), sqrt(32.0 / 7), 1e-12);
	close_to(stats_median(x, 8), 4.5, 1e-12);
	close_to(stats_median(x, 7), 4, 1e-12); /* 2 4 4 4 5 7 9 */
	close_to(stats_quantile(x, 8, 0), 2, 1e-12);
	close_to(stats_quantile(x, 8, 1), 9, 1e-12);
	close_to(stats_quantile(x, 8, 0.25), 4, 1e-12);
	close_to(stats_quantile(x, 8, 0.9), 7.6, 1e-12); /* type 7: at 6.3 of 0..7 */
	assert_true(x[0] == 9); /* the order of samples is kept */
}

static void too_few_samples(void **state)
{
	static const double x[] = {3};

	assert_true(isnan(stats_mean(x, 0)));
	assert_true(isnan(stats_median(x, 0)));
	assert_true(isnan(stats_stddev(x, 1)));
	close_to(stats_median(x, 1), 3, 0);
}

/*
 * Log ratios 0.1 … 0.5: mean 0.3, deviation sqrt(0.025). The constants come from the closed form of
 * Student's distribution with 4 degrees of freedom, F(t) = 1/2 + x/2 (1 + (1 - x²)/2) with
 * x = t / sqrt(4 + t²): its 97.5 % point is 2.776445, 99.5 % is 4.604095.
 */
static void the_paired_interval(void **state)
{
	double base[5], patched[5];
	struct stats_change c;
	double error = sqrt(0.025 / 5);

	for (int i = 0; i < 5; i++) {
		base[i] = 0.01 * (i + 1);
		patched[i] = base[i] * exp(0.1 * (i + 1));
	}
	assert_int_equal(stats_paired_change(base, patched, 5, 0.05, &c), 0);
	close_to(c.change, exp(0.3) - 1, 1e-9);
	close_to(c.low, exp(0.3 - 2.776445 * error) - 1, 1e-6);
	close_to(c.high, exp(0.3 + 2.776445 * error) - 1, 1e-6);
	close_to(c.p, 0.0132357, 1e-6);
	assert_int_equal(stats_paired_change(base, patched, 5, 0.01, &c), 0);
	close_to(c.low, exp(0.3 - 4.604095 * error) - 1, 1e-6);

	/* The other way round it is the inverse, at both ends. */
	assert_int_equal(stats_paired_change(patched, base, 5, 0.05, &c), 0);
	close_to(c.low, exp(-0.3 - 2.776445 * error) - 1, 1e-6);
}

static void what_has_no_ratio_is_refused(void **state)
{
	static const double good[] = {1, 2}, zero[] = {1, 0}, less[] = {-1, 2};
	struct stats_change c = {.change = 42};

	assert_true(stats_paired_change(good, zero, 2, 0.05, &c) < 0);
	assert_true(stats_paired_change(less, good, 2, 0.05, &c) < 0);
	assert_true(stats_paired_change(good, good, 0, 0.05, &c) < 0);
	close_to(c.change, 42, 0);
	assert_int_equal(stats_paired_change(good, good, 1, 0.05, &c), 0);
	assert_true(isnan(c.low) && isnan(c.high) && isnan(c.p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summaries),
		cmocka_unit_test(too_few_samples),
		cmocka_unit_test(the_paired_interval),
		cmocka_unit_test(what_has_no_ratio_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

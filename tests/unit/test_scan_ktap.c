/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scan/ktap.h"
#include "base/strbuf.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct ktap_scan *scan;

static const struct ktap_results *read_all(const char *text)
{
	scan = ktap_free(scan);
	scan = ktap_new();
	ktap_feed(scan, text, strlen(text));
	return ktap_end(scan);
}

static int teardown(void **state)
{
	scan = ktap_free(scan);
	return 0;
}

static void expect_case(
	const struct ktap_results *r, size_t i, const char *name, enum ktap_result result)
{
	assert_true(i < r->n_cases);
	assert_string_equal(r->cases[i].name, name);
	assert_int_equal(r->cases[i].result, result);
}

/* Its last value. */
static void expect_metric(
	const struct ktap_results *r, size_t i, const char *name, size_t n, double value)
{
	assert_true(i < r->n_metrics);
	assert_string_equal(r->metrics[i].name, name);
	assert_int_equal(r->metrics[i].n, n);
	assert_float_equal(r->metrics[i].values[n - 1], value, value * 1e-12);
}

/* As a selftest that uses the kernel's harness prints it. */
static void test_harness(void **state)
{
	const struct ktap_results *r = read_all("TAP version 13\n1..3\n# Starting 3 tests\n"
						"#  RUN           global.map ...\n"
						"#            OK  global.map\nok 1 global.map\n"
						"# unmap.c:12:unmap:Expected 0 (0) == rc (-1)\n"
						"not ok 2 global.unmap\n"
						"ok 3 global.huge # SKIP no huge pages\n"
						"# Totals: pass:1 fail:1 xfail:0 skip:1\n");

	assert_int_equal(r->planned, 3);
	assert_int_equal(r->outermost, 3);
	assert_int_equal(r->n_cases, 3);
	expect_case(r, 0, "global.map", KTAP_OK);
	expect_case(r, 1, "global.unmap", KTAP_NOT_OK);
	expect_case(r, 2, "global.huge", KTAP_SKIP);
	assert_int_equal(r->n_metrics, 0);
	assert_null(r->bail_out);
}

static void test_nested(void **state)
{
	const struct ktap_results *r = read_all("KTAP version 1\n1..2\n  KTAP version 1\n  1..2\n"
						"    1..1\n    ok 1 inner\n  ok 1 first\n"
						"  not ok 2 - second # TODO later\nok 1 suite\n"
						"not ok 2 other\n");

	assert_int_equal(r->planned, 2);
	assert_int_equal(r->outermost, 2);
	expect_case(r, 0, "suite/first/inner", KTAP_OK);
	expect_case(r, 1, "suite/first", KTAP_OK);
	expect_case(r, 2, "suite/second", KTAP_SKIP);
	expect_case(r, 3, "suite", KTAP_OK);
	expect_case(r, 4, "other", KTAP_NOT_OK);
}

/* The selftests' runner puts "# " before what a program prints. */
static void test_runner(void **state)
{
	const struct ktap_results *r =
		read_all("TAP version 13\n1..1\n# timeout set to 45\n# TAP version 13\n# 1..1\n"
			 "# not ok 1 map\nnot ok 1 selftests: iommu: iommufd # exit=1\n");

	assert_int_equal(r->outermost, 1);
	expect_case(r, 0, "selftests: iommu: iommufd/map", KTAP_NOT_OK);
	expect_case(r, 1, "selftests: iommu: iommufd", KTAP_NOT_OK);
}

static void test_results_that_say_little(void **state)
{
	const struct ktap_results *r = read_all("ok\nnot ok 2\nok 3 # SKIP\nokay 4\nnot okay\n"
						"ok 5 - # skip why\nok 6 x # TODO\nok7\n");

	assert_int_equal(r->n_cases, 5);
	expect_case(r, 0, "", KTAP_OK);
	expect_case(r, 1, "2", KTAP_NOT_OK);
	expect_case(r, 2, "3", KTAP_SKIP);
	expect_case(r, 3, "5", KTAP_SKIP);
	expect_case(r, 4, "x", KTAP_OK); /* it was to fail, and did not */
	assert_int_equal(r->planned, -1);
}

static void test_skip_all_and_bail_out(void **state)
{
	const struct ktap_results *r = read_all("1..0 # SKIP needs /dev/iommu\n");

	assert_int_equal(r->planned, 0);
	assert_string_equal(r->skip_all, "needs /dev/iommu");
	r = read_all("1..5\nok 1 a\nBail out! the device is gone\n");
	assert_string_equal(r->bail_out, "the device is gone");
	assert_int_equal(r->planned, 5);
	assert_int_equal(r->outermost, 1);
}

static void test_metrics(void **state)
{
	const struct ktap_results *r = read_all(
		"unmap 12.5 ms\n# rate 2 GiB/s\nunmap 11.5 ms\nunmap 50 ms\nlost 0 errors\r\n"
		"n 7 count\nloop 1e3 ops/s\n"
		/* none of them is one */
		"x nan s\nx 1 parsec\nx 1 s 2\nx 1\n1x 1 s\nx 0x10 s\nx inf s\nx 1e308 GiB/s\n"
		"x -e s\nx,y 1 s\n");

	assert_int_equal(r->n_metrics, 5);
	expect_metric(r, 0, "unmap_seconds", 3, 0.05);
	assert_float_equal(r->metrics[0].values[0], 0.0125, 1e-12);
	expect_metric(r, 1, "rate_bytes_per_second", 1, 2147483648.0);
	expect_metric(r, 2, "lost_errors", 1, 0);
	expect_metric(r, 3, "n", 1, 7);
	expect_metric(r, 4, "loop_per_second", 1, 1000);
}

static void test_no_line_feed_at_the_end(void **state)
{
	const struct ktap_results *r = read_all("1..1\nok 1 last");

	assert_int_equal(r->n_cases, 1);
	expect_case(r, 0, "last", KTAP_OK);
}

/* Each limit, at it and one past it. */
static void test_limits(void **state)
{
	AUTO_STRBUF struct strbuf text;
	const struct ktap_results *r;

	strbuf_init(&text, 4 * 1024 * 1024);
	for (int i = 1; i <= KTAP_MAX_CASES; i++)
		strbuf_addf(&text, "ok %d c\n", i);
	for (int i = 0; i < KTAP_MAX_METRICS; i++)
		strbuf_addf(&text, "m%d 1 s\n", i);
	for (int i = 1; i < KTAP_MAX_VALUES; i++)
		strbuf_adds(&text, "m0 1 s\n");
	r = read_all(text.buf);
	assert_int_equal(r->n_cases, KTAP_MAX_CASES);
	assert_int_equal(r->n_metrics, KTAP_MAX_METRICS);
	assert_int_equal(r->metrics[0].n, KTAP_MAX_VALUES);
	assert_int_equal(r->dropped, 0);
	strbuf_adds(&text, "ok 1 one more\nanother 1 s\nm0 1 s\n");
	r = read_all(text.buf);
	assert_int_equal(r->n_cases, KTAP_MAX_CASES);
	assert_int_equal(r->outermost, KTAP_MAX_CASES + 1);
	assert_int_equal(r->n_metrics, KTAP_MAX_METRICS);
	assert_int_equal(r->dropped, 3);

	strbuf_truncate(&text, 0);
	strbuf_adds(&text, "ok 1 ");
	for (int i = 0; i < 2 * KTAP_MAX_NAME; i++)
		strbuf_addc(&text, 'n');
	r = read_all(text.buf);
	assert_int_equal(strlen(r->cases[0].name), KTAP_MAX_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_harness, teardown),
		cmocka_unit_test_teardown(test_nested, teardown),
		cmocka_unit_test_teardown(test_runner, teardown),
		cmocka_unit_test_teardown(test_results_that_say_little, teardown),
		cmocka_unit_test_teardown(test_skip_all_and_bail_out, teardown),
		cmocka_unit_test_teardown(test_metrics, teardown),
		cmocka_unit_test_teardown(test_no_line_feed_at_the_end, teardown),
		cmocka_unit_test_teardown(test_limits, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the lab's own tests of a boot came to. */
#include "daemon/worker/boot_tests.h"
#include "base/strbuf.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Findings and samples as lines. */
static struct strbuf said;

static void on_finding(const struct scan_finding *f, void *data)
{
	strbuf_addf(&said, "! %s\n", f->signature);
}

static void on_sample(const char *metric, double value, cJSON *params, void *data)
{
	int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(params, "values"));

	strbuf_addf(&said, "%s=%g", metric, value);
	if (n > 1)
		strbuf_addf(&said, " of %d", n);
	strbuf_addc(&said, '\n');
	cJSON_Delete(params);
}

struct program {
	const char *test, *text;
	int status;
	const char *how;
};

/* problem: what it returns, NULL: nothing. */
static void expect(const struct program *programs, size_t n, const char *lines, const char *problem)
{
	const struct boot_tests_out out = {on_finding, on_sample, NULL};
	struct boot_tests *t = boot_tests_new(&out);
	const char *is;

	strbuf_init(&said, 1 << 20);
	for (size_t i = 0; i < n; i++) {
		struct scan_record r = {
			.type = SCAN_OUTPUT, .test = programs[i].test, .text = programs[i].text};

		boot_tests_take(t, &r);
		r = (struct scan_record){.type = SCAN_EXIT,
			.test = programs[i].test,
			.status = programs[i].status,
			.how = programs[i].how};
		boot_tests_take(t, &r);
	}
	is = boot_tests_end(t);
	assert_string_equal(said.buf, lines);
	if (problem && (!is || !strstr(is, problem)))
		fail_msg("'%s' does not say '%s'", is ? is : "", problem);
	if (!problem)
		assert_null(is);
	strbuf_done(&said);
	boot_tests_free(t);
}

#define EXPECT(lines, problem, ...)                                                            \
	expect((const struct program[]){__VA_ARGS__},                                          \
		sizeof((const struct program[]){__VA_ARGS__}) / sizeof(struct program), lines, \
		problem)

static void test_cases_and_metrics(void **state)
{
	EXPECT("! test io: not ok: b\ntest.io.lap_seconds=0.002\ntest.io.ok=1\n"
	       "test.io.not_ok=1\ntest.io.skipped=1\n",
		NULL,
		{"io", "1..3\nok 1 a\nlap 2 ms\nnot ok 2 b\nok 3 c # SKIP\n", 1, "exit status 1"});
}

/* The median, with all of them beside it. */
static void test_a_metric_of_several_values(void **state)
{
	EXPECT("test.a.lap_seconds=0.0025 of 4\ntest.a.ok=1\ntest.a.not_ok=0\ntest.a.skipped=0\n",
		NULL, {"a", "lap 9 ms\nlap 2 ms\nlap 1 ms\nlap 3 ms\n", 0, "exit status 0"});
}

static void test_without_ktap(void **state)
{
	EXPECT("test.a.ok=1\ntest.a.not_ok=0\ntest.a.skipped=0\n", NULL,
		{"a", "hello\n", 0, "exit status 0"});
	EXPECT("! test a: exit status 3\ntest.a.ok=0\ntest.a.not_ok=1\ntest.a.skipped=0\n", NULL,
		{"a", "hello\n", 3, "exit status 3"});
}

static void test_folder(void **state)
{
	EXPECT("test.k.iommu.iommufd.n=4\n! test k/iommu/fail: killed by signal 11\n"
	       "test.k.ok=1\ntest.k.not_ok=1\ntest.k.skipped=0\n",
		NULL, {"k/iommu/iommufd", "ok 1 x\nn 4 count\n", 0, "exit status 0"},
		{"k/iommu/fail", "", -1, "killed by signal 11"});
}

/* Nothing of it is no pass. */
static void test_nothing_asked(void **state)
{
	EXPECT("test.a.ok=0\ntest.a.not_ok=0\ntest.a.skipped=1\n", "no /dev/iommu",
		{"a", "1..0 # SKIP no /dev/iommu\n", 4, "exit status 4"});
	EXPECT("test.a.ok=0\ntest.a.not_ok=0\ntest.a.skipped=1\n", "all of it was skipped",
		{"a", "1..1\nok 1 x # SKIP\n", 0, "exit status 0"});
}

static void test_ends_that_results_hide(void **state)
{
	EXPECT("! test a: it reported less than it had planned\ntest.a.ok=1\ntest.a.not_ok=0\n"
	       "test.a.skipped=0\n",
		NULL, {"a", "1..2\nok 1 x\n", 0, "exit status 0"});
	EXPECT("! test a: it bailed out\ntest.a.ok=1\ntest.a.not_ok=0\ntest.a.skipped=0\n", NULL,
		{"a", "1..2\nok 1 x\nBail out!\n", 0, "exit status 0"});
	EXPECT("! test a: no end after 60 s\ntest.a.ok=1\ntest.a.not_ok=0\ntest.a.skipped=0\n",
		NULL, {"a", "1..2\nok 1 x\n", -1, "no end after 60 s"});
	EXPECT("! test a: exit status 1\ntest.a.ok=1\ntest.a.not_ok=0\ntest.a.skipped=0\n", NULL,
		{"a", "1..1\nok 1 x\n", 1, "exit status 1"});
}

static void test_limits(void **state)
{
	const struct boot_tests_out out = {on_finding, on_sample, NULL};
	struct boot_tests *t = boot_tests_new(&out);
	AUTO_STRBUF struct strbuf text;
	struct scan_record r = {.type = SCAN_OUTPUT, .test = "a"};

	strbuf_init(&said, 1 << 20);
	strbuf_init(&text, 1 << 20);
	for (int i = 0; i <= BOOT_TESTS_MAX_FINDINGS; i++)
		strbuf_addf(&text, "not ok %d c%d\n", i + 1, i);
	r.text = text.buf;
	boot_tests_take(t, &r);
	r.type = SCAN_EXIT;
	r.how = "exit status 1";
	r.status = 1;
	boot_tests_take(t, &r);
	assert_int_equal(boot_tests_dropped(t), 1);
	assert_null(boot_tests_end(t));
	assert_null(strstr(said.buf, "c200"));
	assert_non_null(strstr(said.buf, "c199"));
	strbuf_done(&said);
	boot_tests_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases_and_metrics),
		cmocka_unit_test(test_a_metric_of_several_values),
		cmocka_unit_test(test_without_ktap),
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_nothing_asked),
		cmocka_unit_test(test_ends_that_results_hide),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/hostload.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_parse(void **state)
{
	double busy = 0, steal = 0;

	assert_true(hostload_parse(
		"cpu  100 20 30 4000 50 6 4 70 80 0\ncpu0 1 2 3 4 5 6 7 8\n", 100, &busy, &steal));
	assert_float_equal(busy, 1.6, 1e-9);
	assert_float_equal(steal, 0.7, 1e-9);
	assert_false(hostload_parse("cpu 1 2 3\n", 100, &busy, &steal));
	assert_false(hostload_parse("", 100, &busy, &steal));
	assert_false(hostload_parse("cpu  100 20 30 4000 50 6 4 70\n", 0, &busy, &steal));
}

/* This process's own work is nobody else's. */
static void test_own_work_is_not_foreign(void **state)
{
	AUTO_STRBUF struct strbuf json;
	struct hostload before;
	volatile double x = 0;

	hostload_now(&before);
	assert_true(before.busy_s > 0);
	for (int i = 0; i < 1000000; i++)
		x += i;
	assert_true(x > 0);
	strbuf_init(&json, 4096);
	hostload_add(&json, &before);
	assert_non_null(strstr(json.buf, "\"foreign_cpus\":"));
	assert_non_null(strstr(json.buf, "\"numa_nodes\":"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_own_work_is_not_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

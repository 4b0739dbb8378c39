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

static double member(const char *json, const char *key)
{
	const char *at = strstr(json, key);

	assert_non_null(at);
	return strtod(at + strlen(key), NULL);
}

/* Over 100 s in which the host's processors were busy for 7000 s, and this process's work was 2000 s
 * of it. What really happens meanwhile is less than what is allowed for. */
static void test_own_work_is_not_foreign(void **state)
{
	AUTO_STRBUF struct strbuf json;
	struct hostload before;

	hostload_now(&before);
	assert_true(before.busy_s > 0);
	before.busy_s -= 7000;
	before.own_s -= 2000;
	before.steal_s -= 3000;
	before.at_ms -= 100 * 1000;
	strbuf_init(&json, 4096);
	hostload_add(&json, &before);
	assert_float_equal(member(json.buf, "\"foreign_cpus\":"), 50, 5);
	assert_float_equal(member(json.buf, "\"stolen_cpus\":"), 30, 3);
	assert_int_equal(member(json.buf, "\"cpus\":"), sysconf(_SC_NPROCESSORS_ONLN));
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void the_median_in_the_clocks_unit(void **state)
{
	static const struct {
		uint64_t ns[4];
		size_t n;
		double seconds, instructions;
	} cases[] = {
		{{10}, 1, 1e-8, 5},
		{{30, 10, 20}, 3, 2e-8, 10},
		{{40, 10, 20, 30}, 4, 2.5e-8, 12}, /* a whole number */
		{{UINT64_C(188461000001), UINT64_C(188461000000)}, 2, 188.4610000005, 94230500000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_float_equal(timing_median(TARGET_WALL, cases[i].ns, cases[i].n),
			cases[i].seconds, cases[i].seconds * 1e-12);
		assert_true(timing_median(TARGET_COUNTED, cases[i].ns, cases[i].n) ==
			    cases[i].instructions);
	}
}

static void the_metric_ends_in_the_unit(void **state)
{
	static const uint64_t ns[] = {2000000000};
	struct channel out;
	char text[512] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	channel_init(&out, ends[1], false);
	timing_report(&out, TARGET_WALL, "b.c.map", ns, 1, "{}");
	timing_report(&out, TARGET_COUNTED, "b.c.map", ns, 1, "{\"a\":1}");
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text,
		"{\"type\":\"sample\",\"metric\":\"b.c.map_seconds\",\"value\":2,\"params\":{}}"
		"\n"
		"{\"type\":\"sample\",\"metric\":\"b.c.map_instructions\",\"value\":1000000000,"
		"\"params\":{\"a\":1}}\n");
	close(ends[0]);
	close(ends[1]);
}

static void both_clocks_go_on(void **state)
{
	for (enum target_clock clock = TARGET_WALL; clock <= TARGET_COUNTED; clock++) {
		uint64_t before = timing_now_ns(clock);

		assert_true(timing_now_ns(clock) >= before);
		assert_true(before > 0);
	}
	assert_string_equal(timing_clock_name(TARGET_WALL), "wall");
	assert_string_equal(timing_clock_name(TARGET_COUNTED), "counted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_in_the_clocks_unit),
		cmocka_unit_test(the_metric_ends_in_the_unit),
		cmocka_unit_test(both_clocks_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/range.h"
#include "base/util.h"
#include <setjmp.h>
#include <cmocka.h>

static const struct {
	const char *header;
	uint64_t size;
	enum range want;
	uint64_t first, last;
} cases[] = {
	{NULL, 10, RANGE_ALL, 0, 0},
	{"", 10, RANGE_ALL, 0, 0},
	{"bytes=0-9", 10, RANGE_PART, 0, 9},
	{"bytes=0-0", 10, RANGE_PART, 0, 0},
	{"BYTES=3-5", 10, RANGE_PART, 3, 5},
	{"bytes=9-", 10, RANGE_PART, 9, 9},
	{"bytes=10-", 10, RANGE_OUTSIDE, 0, 0},
	{"bytes=5-99", 10, RANGE_PART, 5, 9},
	{"bytes=-3", 10, RANGE_PART, 7, 9},
	{"bytes=-10", 10, RANGE_PART, 0, 9},
	{"bytes=-11", 10, RANGE_PART, 0, 9},
	{"bytes=-0", 10, RANGE_OUTSIDE, 0, 0},
	{"bytes=0-", 0, RANGE_OUTSIDE, 0, 0},
	{"bytes=-1", 0, RANGE_OUTSIDE, 0, 0},
	{"bytes=5-4", 10, RANGE_ALL, 0, 0},
	{"bytes=-", 10, RANGE_ALL, 0, 0},
	{"bytes=1", 10, RANGE_ALL, 0, 0},
	{"bytes=1-2,4-5", 10, RANGE_ALL, 0, 0},
	{"bytes=1-2x", 10, RANGE_ALL, 0, 0},
	{"bytes= 1-2", 10, RANGE_ALL, 0, 0},
	{"lines=1-2", 10, RANGE_ALL, 0, 0},
	{"bytes=0-18446744073709551615", 10, RANGE_PART, 0, 9},
	{"bytes=18446744073709551616-", 10, RANGE_OUTSIDE, 0, 0},
	{"bytes=-99999999999999999999", 10, RANGE_PART, 0, 9},
};

static void test_cases(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t first = 0, last = 0;
		enum range got = range_parse(cases[i].header, cases[i].size, &first, &last);

		if (got != cases[i].want || first != cases[i].first || last != cases[i].last)
			fail_msg("%s of %llu: %d %llu-%llu", cases[i].header,
				(unsigned long long)cases[i].size, got, (unsigned long long)first,
				(unsigned long long)last);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

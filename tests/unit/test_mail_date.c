/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/date.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void reads_dates(void **state)
{
	static const struct {
		const char *text;
		int64_t unix_s;
		int offset_min;
	} cases[] = {
		{"Mon, 30 Nov 2026 15:57:08 +0000", 1796054228, 0},
		{"Mon, 30 Nov 2026 15:57:08 +0000 (UTC)", 1796054228, 0},
		{"30 Nov 2026 15:57:08 GMT", 1796054228, 0},
		{"Mon Nov 30 15:57:08 2026 +0100", 1796050628, 60},
		{"Mon, 30 Nov 26 07:57:08 -0800", 1796054228, -480},
		{"2026-11-30T15:57:08Z", 1796054228, 0},
		{"2026-11-30 21:27:08.123 +05:30", 1796054228, 330},
		{"2026-11-30 15:57", 1796054220, 0},
		{"Mon, 30 Nov 2026 10:57:08 EST", 1796054228, -300},
		{"30.11.2026 15:57:08", 1796054228, 0},
		{"11/30/2026 3:57:08 PM", 1796054228, 0},
		{"@1796054228 +0200", 1796054228, 120},
		{"1796054228", 1796054228, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t unix_s = 0;
		int offset_min = -1;

		assert_int_equal(date_parse(cases[i].text, &unix_s, &offset_min), 0);
		assert_int_equal(unix_s, cases[i].unix_s);
		assert_int_equal(offset_min, cases[i].offset_min);
	}
}

static void refuses_what_is_no_date(void **state)
{
	static const char *const texts[] = {"", "yesterday", "Mon, 32 Nov 2026 15:57:08 +0000",
		"Mon, 30 Nov 2026 25:00:00 +0000", "30 Foo 2026 15:57:08", "2026-13-01 00:00:00",
		"15:57:08", "Mon, 30 Nov 1926 15:57:08 +0000"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int64_t unix_s = 7;
		int offset_min = 7;

		assert_int_equal(date_parse(texts[i], &unix_s, &offset_min), ERR_SYNTAX);
		assert_int_equal(unix_s, 7);
		assert_int_equal(offset_min, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_dates),
		cmocka_unit_test(refuses_what_is_no_date),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/util.h"

#include <errno.h>
#include <limits.h>

static void test_parse_int64(void **state)
{
	static const struct {
		const char *text;
		int ok;
		int64_t n;
	} cases[] = {
		{"0", 1, 0},
		{"-5", 1, -5},
		{"100", 1, 100},
		{"101", 0, 0},
		{"-6", 0, 0},
		{"", 0, 0},
		{" 1", 0, 0},
		{"+1", 0, 0},
		{"1 ", 0, 0},
		{"1x", 0, 0},
		{"-", 0, 0},
		{"0x10", 0, 0},
		{"99999999999999999999", 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t n = 77;
		int r = parse_int64(cases[i].text, -5, 100, &n);

		assert_int_equal(r, cases[i].ok ? 0 : -EINVAL);
		assert_int_equal(n, cases[i].ok ? cases[i].n : 77);
	}
}

static void test_int64_limits(void **state)
{
	int64_t n;

	assert_int_equal(parse_int64("9223372036854775807", INT64_MIN, INT64_MAX, &n), 0);
	assert_true(n == INT64_MAX);
	assert_int_equal(parse_int64("-9223372036854775808", INT64_MIN, INT64_MAX, &n), 0);
	assert_true(n == INT64_MIN);
	assert_int_equal(parse_int64("9223372036854775808", INT64_MIN, INT64_MAX, &n), -EINVAL);
}

static void test_ends_with(void **state)
{
	assert_true(ends_with("a.patch", ".patch"));
	assert_true(ends_with(".patch", ".patch"));
	assert_true(ends_with("x", ""));
	assert_false(ends_with("patch", ".patch"));
	assert_false(ends_with("", "x"));
}

static void test_error_prefix_keeps_the_sentence(void **state)
{
	struct error e = ERROR_INIT;

	assert_int_equal(error_set(&e, ERR_LIMIT, "over %d bytes", 5), ERR_LIMIT);
	assert_int_equal(error_prefix(&e, "file %s", "x"), ERR_LIMIT);
	assert_string_equal(e.msg, "file x: over 5 bytes");
	/* Its own sentence as an argument. */
	error_set(&e, ERR_LINK, "again: %s", e.msg);
	assert_string_equal(e.msg, "again: file x: over 5 bytes");
}

static void test_error_errno(void **state)
{
	struct error e = ERROR_INIT;

	errno = ENOENT;
	assert_int_equal(error_errno(&e, "cannot open %s", "f"), -ENOENT);
	assert_string_equal(e.msg, "cannot open f: No such file or directory");
	errno = EACCES;
	assert_int_equal(error_errno(NULL, "nobody listens"), -EACCES);
}

static void test_error_is_cut_at_its_size(void **state)
{
	struct error e = ERROR_INIT;
	char text[4096];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&e, ERR_SYNTAX, "%s", text);
	error_prefix(&e, "%s", text);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
}

static void test_strbuf_limit(void **state)
{
	AUTO_STRBUF struct strbuf sb;

	strbuf_init(&sb, 5);
	assert_string_equal(sb.buf, "");
	assert_int_equal(strbuf_add(&sb, "12345", 5), 0);
	assert_false(sb.overflow);
	assert_int_equal(strbuf_addc(&sb, '6'), ERR_LIMIT);
	assert_true(sb.overflow);
	assert_string_equal(sb.buf, "12345");
}

static void test_strbuf_keeps_what_fits(void **state)
{
	AUTO_STRBUF struct strbuf sb;

	strbuf_init(&sb, 5);
	assert_int_equal(strbuf_adds(&sb, "1234567"), ERR_LIMIT);
	assert_string_equal(sb.buf, "12345");
	assert_int_equal(strbuf_addf(&sb, "%d", 1), ERR_LIMIT);
	assert_int_equal(sb.len, 5);
}

static void test_strbuf_without_room(void **state)
{
	AUTO_STRBUF struct strbuf sb;

	strbuf_init(&sb, 0);
	assert_int_equal(strbuf_addc(&sb, 'x'), ERR_LIMIT);
	assert_int_equal(strbuf_add(&sb, "", 0), 0);
	assert_string_equal(sb.buf, "");
}

static void test_strbuf_format_longer_than_its_first_try(void **state)
{
	AUTO_STRBUF struct strbuf sb;
	char text[2000];

	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	strbuf_init(&sb, 10000);
	assert_int_equal(strbuf_addf(&sb, "<%s>", text), 0);
	assert_int_equal(sb.len, sizeof(text) + 1);
	assert_int_equal(sb.buf[sb.len - 1], '>');
}

static void test_strbuf_consume_and_detach(void **state)
{
	AUTO_STRBUF struct strbuf sb;
	AUTO_FREE char *s = NULL;
	size_t len;

	strbuf_init(&sb, 100);
	strbuf_adds(&sb, "hello world");
	strbuf_consume(&sb, 6);
	assert_string_equal(sb.buf, "world");
	strbuf_truncate(&sb, 3);
	assert_string_equal(sb.buf, "wor");
	s = strbuf_detach(&sb, &len);
	assert_string_equal(s, "wor");
	assert_int_equal(len, 3);
	assert_int_equal(sb.len, 0);
	strbuf_adds(&sb, "new");
	strbuf_consume(&sb, 1000);
	assert_string_equal(sb.buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_int64),
		cmocka_unit_test(test_int64_limits),
		cmocka_unit_test(test_ends_with),
		cmocka_unit_test(test_error_prefix_keeps_the_sentence),
		cmocka_unit_test(test_error_errno),
		cmocka_unit_test(test_error_is_cut_at_its_size),
		cmocka_unit_test(test_strbuf_limit),
		cmocka_unit_test(test_strbuf_keeps_what_fits),
		cmocka_unit_test(test_strbuf_without_room),
		cmocka_unit_test(test_strbuf_format_longer_than_its_first_try),
		cmocka_unit_test(test_strbuf_consume_and_detach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

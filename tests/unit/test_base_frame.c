/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/frame.h"
#include "base/jsonw.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>

static void test_frame_there_and_back(void **state)
{
	AUTO_STRBUF struct strbuf sb;
	enum frame_type type;
	const char *payload;
	size_t len, total;

	strbuf_init(&sb, 1000);
	assert_int_equal(frame_add(&sb, FRAME_EVENT, "{}", 2), 0);
	assert_int_equal(frame_add(&sb, FRAME_BEAT, "", 0), 0);
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), 1);
	assert_int_equal(type, FRAME_EVENT);
	assert_int_equal(len, 2);
	assert_memory_equal(payload, "{}", 2);
	strbuf_consume(&sb, total);
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), 1);
	assert_int_equal(type, FRAME_BEAT);
	assert_int_equal(len, 0);
	strbuf_consume(&sb, total);
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), 0);
}

static void test_frame_in_pieces(void **state)
{
	AUTO_STRBUF struct strbuf whole, part;
	enum frame_type type;
	const char *payload;
	size_t len, total;

	strbuf_init(&whole, 1000);
	strbuf_init(&part, 1000);
	frame_add(&whole, FRAME_LOG, "hello", 5);
	for (size_t i = 0; i < whole.len; i++) {
		assert_int_equal(frame_next(&part, &type, &payload, &len, &total), 0);
		strbuf_addc(&part, whole.buf[i]);
	}
	assert_int_equal(frame_next(&part, &type, &payload, &len, &total), 1);
}

static void test_frame_limits(void **state)
{
	AUTO_STRBUF struct strbuf sb, small;
	AUTO_FREE char *big = xcalloc(1, FRAME_MAX + 1);
	enum frame_type type;
	const char *payload;
	size_t len, total;

	strbuf_init(&sb, 2 * FRAME_MAX);
	assert_int_equal(frame_add(&sb, FRAME_LOG, big, FRAME_MAX), 0);
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), 1);
	assert_int_equal(len, FRAME_MAX);
	assert_int_equal(frame_add(&sb, FRAME_LOG, big, FRAME_MAX + 1), ERR_LIMIT);
	assert_int_equal(frame_write(-1, FRAME_LOG, big, FRAME_MAX + 1), -EMSGSIZE);
	/* Never half a frame. */
	strbuf_init(&small, 8);
	assert_int_equal(frame_add(&small, FRAME_LOG, "abcd", 4), ERR_LIMIT);
	assert_int_equal(small.len, 0);
	/* A length over the limit is known from the header alone. */
	strbuf_truncate(&sb, 0);
	strbuf_add(&sb, "L\x00\x04\x00\x01", 5);
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), ERR_LIMIT);
}

static void test_frame_unknown_type(void **state)
{
	AUTO_STRBUF struct strbuf sb;
	enum frame_type type;
	const char *payload;
	size_t len, total;

	strbuf_init(&sb, 100);
	strbuf_addc(&sb, 'W');
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), ERR_SYNTAX);
	strbuf_truncate(&sb, 0);
	strbuf_addc(&sb, '\0');
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), ERR_SYNTAX);
}

static void test_frame_write_to_a_pipe(void **state)
{
	AUTO_STRBUF struct strbuf sb;
	enum frame_type type;
	const char *payload;
	size_t len, total;
	char buf[64];
	int fds[2];
	ssize_t n;

	strbuf_init(&sb, 100);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(frame_write(fds[1], FRAME_STOP, "why", 3), 0);
	n = read(fds[0], buf, sizeof(buf));
	assert_int_equal(n, 8);
	strbuf_add(&sb, buf, (size_t)n);
	assert_int_equal(frame_next(&sb, &type, &payload, &len, &total), 1);
	assert_int_equal(type, FRAME_STOP);
	assert_memory_equal(payload, "why", 3);
	close(fds[0]);
	close(fds[1]);
}

static void test_jsonw_places_commas(void **state)
{
	AUTO_STRBUF struct strbuf sb;

	strbuf_init(&sb, 1000);
	jsonw_begin(&sb, NULL, '{');
	jsonw_str(&sb, "s", "x");
	jsonw_int(&sb, "i", -3);
	jsonw_bool(&sb, "b", true);
	jsonw_str(&sb, "n", NULL);
	jsonw_begin(&sb, "a", '[');
	jsonw_int(&sb, NULL, 1);
	jsonw_int(&sb, NULL, 2);
	jsonw_begin(&sb, NULL, '{');
	jsonw_end(&sb, '}');
	jsonw_end(&sb, ']');
	jsonw_raw(&sb, "r", "[]");
	jsonw_end(&sb, '}');
	assert_string_equal(
		sb.buf, "{\"s\":\"x\",\"i\":-3,\"b\":true,\"n\":null,\"a\":[1,2,{}],\"r\":[]}");
	/* A next line is a document of its own. */
	strbuf_addc(&sb, '\n');
	jsonw_begin(&sb, NULL, '{');
	assert_true(ends_with(sb.buf, "}\n{"));
}

static void test_jsonw_escapes(void **state)
{
	static const struct {
		const char *in;
		size_t len;
		const char *out;
	} cases[] = {
		{"a\"b\\c", 5, "\"a\\\"b\\\\c\""},
		{"\b\t\n\v\f\r\x01\x7f", 8, "\"\\b\\t\\n\\u000b\\f\\r\\u0001\\u007f\""},
		{"\0", 1, "\"\\u0000\""},
		{"gr\xc3\xbc\xc3\x9f", 6, "\"gr\xc3\xbc\xc3\x9f\""},
		{"\xf0\x9f\x90\xa7", 4, "\"\xf0\x9f\x90\xa7\""},
		/* not UTF-8: a stray byte, a cut, an overlong form, a surrogate, past U+10FFFF */
		{"a\xff z", 4, "\"a\xef\xbf\xbd z\""},
		{"\xc3", 1, "\"\xef\xbf\xbd\""},
		{"\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xf4\x90\x80\x80", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_STRBUF struct strbuf sb;

		strbuf_init(&sb, 1000);
		jsonw_strn(&sb, NULL, cases[i].in, cases[i].len);
		assert_string_equal(sb.buf, cases[i].out);
	}
}

static void test_jsonw_numbers(void **state)
{
	AUTO_STRBUF struct strbuf sb;
	double x = 0.1 + 0.2;

	strbuf_init(&sb, 1000);
	jsonw_num(&sb, NULL, x);
	assert_true(strtod(sb.buf, NULL) == x);
	strbuf_truncate(&sb, 0);
	jsonw_num(&sb, NULL, NAN);
	assert_string_equal(sb.buf, "null");
	strbuf_truncate(&sb, 0);
	jsonw_num(&sb, NULL, -INFINITY);
	assert_string_equal(sb.buf, "null");
	strbuf_truncate(&sb, 0);
	jsonw_int(&sb, NULL, INT64_MIN);
	assert_string_equal(sb.buf, "-9223372036854775808");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_there_and_back),
		cmocka_unit_test(test_frame_in_pieces),
		cmocka_unit_test(test_frame_limits),
		cmocka_unit_test(test_frame_unknown_type),
		cmocka_unit_test(test_frame_write_to_a_pipe),
		cmocka_unit_test(test_jsonw_places_commas),
		cmocka_unit_test(test_jsonw_escapes),
		cmocka_unit_test(test_jsonw_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

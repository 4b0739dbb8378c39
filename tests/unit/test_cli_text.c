/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/follow.h"
#include "daemon/cli/text.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/* What a function writes to a stream; heap. */
static char *safe(const char *text, bool multi_line)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	text_safe(f, text, strlen(text), multi_line);
	assert_int_equal(fclose(f), 0);
	return out;
}

static void assert_safe(const char *text, bool multi_line, const char *wanted)
{
	AUTO_FREE char *out = safe(text, multi_line);

	assert_string_equal(out, wanted);
}

static void test_terminal_gets_no_control_characters(void **state)
{
	assert_safe("\033[31mred\033]0;title\a", false, "?[31mred?]0;title?");
	assert_safe("one\ntwo\tthree", false, "one two three");
	assert_safe("one\r\ntwo\tthree\b", true, "one\ntwo\tthree?");
	assert_safe("caf\xC3\xA9 \xC2\x9B"
		    "31m \xC2\xA0x",
		false, "caf\xC3\xA9 ?31m \xC2\xA0x");
	assert_safe("\x7F", false, "?");
}

static void test_width_counts_characters(void **state)
{
	assert_int_equal(text_width("caf\xC3\xA9"), 4);
	assert_int_equal(text_cut("caf\xC3\xA9!", 4), 5);
	assert_int_equal(text_cut("caf\xC3\xA9!", 3), 3);
	assert_int_equal(text_cut("ab", 10), 2);
	assert_int_equal(text_cut("ab", 0), 0);
}

static void test_elapsed(void **state)
{
	static const struct {
		int64_t ms;
		const char *wanted;
	} rows[] = {{0, "0:00"}, {59999, "0:59"}, {60000, "1:00"}, {3599999, "59:59"},
		{3600000, "1:00:00"}, {-5, "0:00"}};
	char buf[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(text_elapsed(rows[i].ms, buf, sizeof(buf)), rows[i].wanted);
}

static void test_table(void **state)
{
	static const struct column columns[] = {{"ID", "id", COLUMN_TEXT},
		{"TIP", "tip", COLUMN_COMMIT}, {"TAGS", "tags", COLUMN_LIST}, {NULL, NULL, 0}};
	static const char text[] =
		"[{\"id\":1,\"tip\":\"0123456789abcdef\",\"tags\":[\"a\",\"b\"]},"
		"{\"id\":20,\"tip\":null,\"tags\":[]}]";
	AUTO_JSON cJSON *items = NULL;
	AUTO_FREE char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	assert_int_equal(json_parse(text, strlen(text), &items, NULL), 0);
	text_table(f, items, columns);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(out, "ID  TIP           TAGS\n"
				 "1   0123456789ab  a,b\n"
				 "20                \n");
}

static void test_exit_follows_the_verdict(void **state)
{
	static const struct {
		const char *series;
		int wanted;
	} rows[] = {
		{"{\"state\":\"done\",\"verdict\":\"pass\",\"performance\":\"inconclusive\"}", 0},
		{"{\"state\":\"done\",\"verdict\":\"fail\"}", 1},
		{"{\"state\":\"done\",\"verdict\":\"regression\"}", 1},
		{"{\"state\":\"done\",\"verdict\":\"error\"}", 3},
		{"{\"state\":\"done\"}", 3},
		{"{\"state\":\"held\",\"input_at_fault\":true}", 2},
		{"{\"state\":\"held\",\"input_at_fault\":false}", 3},
		{"{\"state\":\"cancelled\"}", 3},
		{"{\"state\":\"testing\",\"verdict\":\"pass\"}", 3},
		{"{}", 3},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_JSON cJSON *series = NULL;

		assert_int_equal(
			json_parse(rows[i].series, strlen(rows[i].series), &series, NULL), 0);
		assert_int_equal(follow_exit(series), rows[i].wanted);
	}
}

static void test_exit_follows_the_error(void **state)
{
	static const struct {
		int code;
		int wanted;
	} rows[] = {{ERR_SYNTAX, 2}, {ERR_LIMIT, 2}, {ERR_CONFLICT, 2}, {ERR_MISSING, 2},
		{ERR_AUTH, 2}, {-EINVAL, 2}, {-ENOENT, 2}, {ERR_LINK, 3}, {ERR_TIMEOUT, 3},
		{ERR_STATE, 3}, {-EIO, 3}, {-ENOSPC, 3}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(cli_exit_of(rows[i].code), rows[i].wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminal_gets_no_control_characters),
		cmocka_unit_test(test_width_counts_characters),
		cmocka_unit_test(test_elapsed),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_exit_follows_the_verdict),
		cmocka_unit_test(test_exit_follows_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

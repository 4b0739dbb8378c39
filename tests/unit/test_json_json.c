/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"

#include <math.h>

static int parse(const char *text, cJSON **ret_json, struct error *e)
{
	return json_parse(text, strlen(text), ret_json, e);
}

static cJSON *must_parse(const char *text)
{
	struct error e = ERROR_INIT;
	cJSON *j = NULL;

	if (parse(text, &j, &e))
		fail_msg("%s", e.msg);
	return j;
}

static void test_whole_text_is_one_document(void **state)
{
	static const char *const bad[] = {"", " ", "{", "{}x", "{} {}", "[1,]", "\"a", "{\"a\"}",
		"nul", "{\"a\":\"\\u0000\"}", "{\"\\u0000\":1}", "\"\xff\"", "\"\xc3\""};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error e = ERROR_INIT;
		cJSON *j = NULL;

		if (parse(bad[i], &j, &e) != ERR_SYNTAX)
			fail_msg("taken: %s", bad[i]);
		assert_null(j);
		assert_true(*e.msg);
	}
}

static void test_space_around_is_fine(void **state)
{
	AUTO_JSON cJSON *j = must_parse(" \t\r\n{\"a\":1} \n");

	assert_int_equal(json_int(j, "a", 0), 1);
}

static void test_text_without_nul_behind_it(void **state)
{
	char text[4] = {'[', '1', ']', '7'};
	cJSON *j = NULL;

	assert_int_equal(json_parse(text, 3, &j, NULL), 0);
	assert_int_equal(cJSON_GetArraySize(j), 1);
	cJSON_Delete(j);
	text[1] = '\0';
	assert_int_equal(json_parse(text, 3, &j, NULL), ERR_SYNTAX);
}

static void test_escaped_escape_is_no_nul(void **state)
{
	AUTO_JSON cJSON *j = must_parse("{\"a\":\"\\\\u0000\"}");

	assert_string_equal(json_str(j, "a", ""), "\\u0000");
}

static void test_depth_limit(void **state)
{
	char text[2 * JSON_MAX_DEPTH + 4] = "";
	struct error e = ERROR_INIT;
	cJSON *j = NULL;

	memset(text, '[', JSON_MAX_DEPTH);
	memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	assert_int_equal(parse(text, &j, &e), 0);
	cJSON_Delete(j);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
	assert_int_equal(parse(text, &j, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "64"));
}

static void test_brackets_in_strings_do_not_count(void **state)
{
	char text[300] = "\"";
	AUTO_JSON cJSON *j = NULL;

	memset(text + 1, '[', 200);
	text[201] = '"';
	j = must_parse(text);
	assert_non_null(j);
}

static void test_members_and_defaults(void **state)
{
	AUTO_JSON cJSON *j = must_parse(
		"{\"s\":\"x\",\"i\":-7,\"d\":0.5,\"t\":true,\"n\":null,\"S\":\"other\"}");

	assert_string_equal(json_str(j, "s", "def"), "x");
	assert_string_equal(json_str(j, "S", "def"), "other");
	assert_string_equal(json_str(j, "i", "def"), "def");
	assert_string_equal(json_str(j, "n", "def"), "def");
	assert_int_equal(json_int(j, "i", 3), -7);
	assert_int_equal(json_int(j, "d", 3), 3);
	assert_int_equal(json_int(j, "s", 3), 3);
	assert_true(json_num(j, "d", 1) == 0.5);
	assert_true(json_bool(j, "t", false));
	assert_true(json_bool(j, "s", true));
	assert_null(json_get(j, "n"));
	assert_null(json_get(j, "absent"));
	assert_null(json_get(NULL, "s"));
	assert_string_equal(json_str(NULL, "s", "def"), "def");
}

static void test_needed_members(void **state)
{
	AUTO_JSON cJSON *j = must_parse("{\"s\":\"x\",\"i\":5,\"d\":1.5,\"big\":1e300}");
	struct error e = ERROR_INIT;
	const char *s;
	int64_t n = 0;

	assert_int_equal(json_need_str(j, "s", &s, &e), 0);
	assert_int_equal(json_need_str(j, "gone", &s, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "\"gone\""));
	assert_int_equal(json_need_int(j, "i", 5, 5, &n, &e), 0);
	assert_int_equal(n, 5);
	assert_int_equal(json_need_int(j, "i", 6, 9, &n, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "from 6 to 9"));
	assert_int_equal(json_need_int(j, "i", 1, 4, &n, &e), ERR_LIMIT);
	assert_int_equal(json_need_int(j, "d", 0, 9, &n, &e), ERR_SYNTAX);
	assert_int_equal(json_need_int(j, "big", 0, 9, &n, &e), ERR_SYNTAX);
	assert_int_equal(json_need_int(j, "s", 0, 9, &n, &e), ERR_SYNTAX);
}

static void test_building(void **state)
{
	AUTO_JSON cJSON *j = cJSON_CreateObject();
	AUTO_FREE char *text = NULL;

	json_set_str(j, "a", "old");
	json_set_str(j, "a", "new");
	json_set_str(j, "none", NULL);
	json_set_int(j, "big", INT64_MAX);
	json_set_int(j, "i", 9007199254740992);
	json_set_num(j, "nan", NAN);
	json_set_bool(j, "b", false);
	json_set(j, "null", NULL);
	json_set_int(json_add_object(j, "o"), "x", 1);
	json_add_array(j, "l");
	assert_int_equal(json_int(j, "big", 0), INT64_MAX);
	text = json_text(j);
	assert_string_equal(text,
		"{\"a\":\"new\",\"none\":null,\"big\":9223372036854775807,\"i\":9007199254740992,"
		"\"nan\":null,\"b\":false,\"null\":null,\"o\":{\"x\":1},\"l\":[]}");
}

static void test_bytes_that_are_no_text(void **state)
{
	AUTO_JSON cJSON *j = cJSON_CreateObject();

	json_set_str(j, "a", "x\xff y\xc3\xbc");
	assert_string_equal(json_str(j, "a", ""), "x\xef\xbf\xbd y\xc3\xbc");
}

static void test_file(void **state)
{
	struct error e = ERROR_INIT;
	cJSON *j = NULL;

	assert_true(json_read_file("/nowhere.json", 100, &j, &e) < 0);
	assert_int_equal(json_read_file("/proc/self/status", 100000, &j, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "/proc/self/status"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_text_is_one_document),
		cmocka_unit_test(test_space_around_is_fine),
		cmocka_unit_test(test_text_without_nul_behind_it),
		cmocka_unit_test(test_escaped_escape_is_no_nul),
		cmocka_unit_test(test_depth_limit),
		cmocka_unit_test(test_brackets_in_strings_do_not_count),
		cmocka_unit_test(test_members_and_defaults),
		cmocka_unit_test(test_needed_members),
		cmocka_unit_test(test_building),
		cmocka_unit_test(test_bytes_that_are_no_text),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

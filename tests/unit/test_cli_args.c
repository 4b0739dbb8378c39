/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/series.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define ARGV(...)                             \
	(const char *[])                      \
	{                                     \
		"patchbay", __VA_ARGS__, NULL \
	}

static int count(const char **argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return n;
}

static void parse(struct cli *c, const char **argv)
{
	struct error e = ERROR_INIT;

	memset(c, 0, sizeof(*c));
	if (cli_parse(c, count(argv), argv, &e) < 0)
		fail_msg("%s", e.msg);
}

static void refuse(const char **argv, const char *part_of_sentence)
{
	struct cli c = {0};
	struct error e = ERROR_INIT;

	assert_true(cli_parse(&c, count(argv), argv, &e) < 0);
	if (!strstr(e.msg, part_of_sentence))
		fail_msg("\"%s\" is not in \"%s\"", part_of_sentence, e.msg);
	free(c.state_dir);
}

static void test_options_stand_anywhere(void **state)
{
	struct cli c;

	parse(&c, ARGV("--json", "series", "report", "--format", "text", "7", "--state=/s"));
	assert_string_equal(c.command->name, "series report");
	assert_true(c.json);
	assert_string_equal(c.state_dir, "/s");
	assert_int_equal(c.n_args, 1);
	assert_string_equal(c.args[0], "7");
	assert_string_equal(cli_opt(&c, "format"), "text");
	assert_null(cli_opt(&c, "wait"));
	free(c.state_dir);
	parse(&c, ARGV("--state", "series", "job", "log", "-f", "3"));
	assert_string_equal(c.command->name, "job log");
	assert_string_equal(c.state_dir, "series");
	assert_non_null(cli_opt(&c, "follow"));
	free(c.state_dir);
}

static void test_repeated_options_keep_their_order(void **state)
{
	struct cli c;

	parse(&c, ARGV("submit", "--needs", "a", "x.mbox", "--needs=2"));
	assert_string_equal(cli_opt_nth(&c, "needs", 0), "a");
	assert_string_equal(cli_opt_nth(&c, "needs", 1), "2");
	assert_null(cli_opt_nth(&c, "needs", 2));
	free(c.state_dir);
}

static void test_dash_and_double_dash(void **state)
{
	struct cli c;

	parse(&c, ARGV("submit", "-"));
	assert_string_equal(c.args[0], "-");
	free(c.state_dir);
	parse(&c, ARGV("submit", "--", "--json"));
	assert_string_equal(c.args[0], "--json");
	free(c.state_dir);
}

static void test_refusals_say_what_to_do(void **state)
{
	refuse(ARGV("sumbit", "x"), "did you mean `patchbay submit`");
	refuse(ARGV("series", "lss"), "did you mean `patchbay series ls`");
	refuse(ARGV("series"), "patchbay help series");
	refuse(ARGV("xyzzy"), "patchbay help");
	refuse(ARGV("submit", "x", "--tre", "y"), "did you mean `--tree`");
	refuse(ARGV("submit", "x", "--zzzzzz"), "patchbay help submit");
	refuse(ARGV("submit", "x", "--tree"), "needs a value: TREE");
	refuse(ARGV("submit", "x", "--wait=1"), "takes no value");
	refuse(ARGV("job", "show"), "usage: patchbay job show");
	refuse(ARGV("job", "show", "1", "2"), "usage: patchbay job show");
}

static void test_limits(void **state)
{
	const char *many[CLI_OPTIONS_MAX + 4] = {"patchbay", "submit", "x"};
	struct cli c;

	for (size_t i = 0; i < CLI_OPTIONS_MAX; i++)
		many[3 + i] = "--wait";
	parse(&c, many);
	free(c.state_dir);

	const char *more[CLI_OPTIONS_MAX + 5];

	memcpy(more, many, sizeof(many));
	more[3 + CLI_OPTIONS_MAX] = "--wait";
	more[4 + CLI_OPTIONS_MAX] = NULL;
	refuse(more, "more than 64 options");
}

static void test_json_is_known_before_anything_fails(void **state)
{
	struct cli c = {0};

	assert_true(cli_parse(&c, 3, ARGV("nonsense", "--json"), NULL) < 0);
	assert_true(c.json);
}

static void test_ids(void **state)
{
	struct error e = ERROR_INIT;
	int64_t id = 0;

	assert_int_equal(cli_id("17", "job", &id, &e), 0);
	assert_int_equal(id, 17);
	assert_true(cli_id("0", "job", &id, &e) < 0);
	assert_true(cli_id("-1", "job", &id, &e) < 0);
	assert_true(cli_id("1x", "job", &id, &e) < 0);
	assert_true(cli_id("9223372036854775808", "job", &id, &e) < 0);
	assert_int_equal(id, 17);
}

static void test_commands_know_what_they_are_about(void **state)
{
	static const struct {
		const char *words[2];
		const struct subject *about;
	} rows[] = {
		{{"series", "ls"}, &series_subject},
		{{"submit", "a.mbox"}, &series_subject},
		{{"comparison", "ls"}, &comparison_subject},
		{{"compare", "a"}, &comparison_subject},
		{{"job", "ls"}, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error e = ERROR_INIT;
		struct cli c = {0};

		(void)cli_parse(&c, 3, ARGV(rows[i].words[0], rows[i].words[1]), &e);
		assert_ptr_equal(c.about, rows[i].about);
		free(c.state_dir);
	}
}

static void test_every_command_explains_itself(void **state)
{
	for (const struct command_table *t = cli_tables; t->commands; t++)
		for (const struct command *k = t->commands; k->name; k++) {
			assert_non_null(k->synopsis);
			assert_true(strlen(k->summary) > 10);
			assert_non_null(k->run);
			assert_true(k->min_args <= k->max_args);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_stand_anywhere),
		cmocka_unit_test(test_repeated_options_keep_their_order),
		cmocka_unit_test(test_dash_and_double_dash),
		cmocka_unit_test(test_refusals_say_what_to_do),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_json_is_known_before_anything_fails),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_commands_know_what_they_are_about),
		cmocka_unit_test(test_every_command_explains_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

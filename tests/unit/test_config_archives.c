/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/archives.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int parse(const char *text, cJSON **ret_config, struct error *e)
{
	return archives_parse("archives.yaml", text, strlen(text), ret_config, e);
}

static void what_is_left_out_has_a_meaning(void **state)
{
	AUTO_JSON cJSON *config = NULL;
	AUTO_JSON cJSON *none = NULL;
	const cJSON *a;
	struct error e = ERROR_INIT;

	(void)state;
	if (parse("archives:\n  - name: kvm\n    url: https://lore.kernel.org/kvm/\n", &config, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(json_str(config, "fetch", ""), ARCHIVES_FETCH);
	a = cJSON_GetArrayItem(json_get(config, "archives"), 0);
	assert_string_equal(json_str(a, "name", ""), "kvm");
	assert_string_equal(json_str(a, "profile", ""), "dma");
	assert_string_equal(json_str(a, "until", ""), "test");
	assert_null(json_get(a, "tree"));
	assert_int_equal(json_int(a, "every_seconds", 0), 300);
	assert_int_equal(json_int(a, "history_seconds", -1), 0);
	assert_int_equal(cJSON_GetArraySize(json_get(a, "allow")), 0);
	assert_int_equal(archives_load("/nowhere/archives.yaml", &none, &e), 0);
	assert_int_equal(cJSON_GetArraySize(json_get(none, "archives")), 0);
}

static void all_of_it(void **state)
{
	AUTO_JSON cJSON *config = NULL;
	AUTO_FREE char *text = NULL;
	struct error e = ERROR_INIT;

	(void)state;
	if (parse("fetch: http://h/all/\n"
		  "archives:\n"
		  "  - name: l\n"
		  "    url: /srv/l\n"
		  "    tree: t\n"
		  "    profile: p\n"
		  "    until: build\n"
		  "    every: 5s\n"
		  "    history: 2h\n"
		  "    paths: [drivers/vfio, mm]\n"
		  "    lists: [l@h]\n"
		  "    allow: [a@b, \"@c\"]\n"
		  "    trust: [mx]\n",
		    &config, &e))
		fail_msg("%s", e.msg);
	text = json_text(config);
	assert_string_equal(text,
		"{\"fetch\":\"http://h/all/\",\"archives\":[{\"name\":\"l\",\"address\":\"/srv/l\","
		"\"tree\":\"t\",\"profile\":\"p\",\"until\":\"build\",\"every_seconds\":5,"
		"\"history_seconds\":7200,\"paths\":[\"drivers/vfio\",\"mm\"],\"lists\":[\"l@h\"],"
		"\"allow\":[\"a@b\",\"@c\"],\"trust\":[\"mx\"]}]}");
}

static void what_is_wrong_is_said(void **state)
{
#define ONE "archives:\n  - name: a\n    url: https://h/a/\n"
	static const struct {
		const char *text, *words;
	} bad[] = {
		{"archives:\n  - url: https://h/\n", "needs 'name:'"},
		{"archives:\n  - name: ../a\n    url: https://h/\n", "unlike ../a"},
		{"archives:\n  - name: a\n", "url: is missing"},
		{"archives:\n  - name: a\n    url: git://h/\n", "git://h/ is not"},
		{"archives:\n  - name: a\n    url: relative\n", "is not"},
		{ONE "  - name: a\n    url: https://h/b/\n", "two archives 'a'"},
		{ONE "    until: never\n", "'never' is not apply"},
		{ONE "    every: 4s\n", "less than 5 s"},
		{ONE "    every: soon\n", "every"},
		{ONE "    history: -1h\n", "history"},
		{ONE "    allow: [somebody]\n    trust: [mx]\n", "'somebody' is no sender"},
		{ONE "    allow: [a@b]\n", "needs 'trust:'"},
		{ONE "    paths: [\"a b\"]\n", "not one word"},
		{ONE "    colour: blue\n", "colour"},
		{"fetch: lore\n", "fetch"},
		{"archives: 7\n", "archives"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		AUTO_JSON cJSON *config = NULL;
		struct error e = ERROR_INIT;

		assert_int_not_equal(parse(bad[i].text, &config, &e), 0);
		if (!strstr(e.msg, bad[i].words) || !strstr(e.msg, "archives.yaml"))
			fail_msg("wanted '%s', got: %s", bad[i].words, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_out_has_a_meaning),
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

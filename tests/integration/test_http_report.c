/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports: the format that is asked for, by name or by type. */
#include "http_lab.h"

#define MAIL "From nobody Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\nbody\n"

static int64_t submit(struct lab *lab)
{
	AUTO_ANSWER struct answer a =
		ask(lab, "POST /api/v1/series?tree=tree&until=apply", lab->submit, NULL, MAIL);
	AUTO_JSON cJSON *series = cJSON_Parse(a.body);

	assert_true(a.status == 201 || a.status == 200);
	return json_int(series, "id", 0);
}

static void test_formats(void **state)
{
	static const struct {
		const char *query, *accept;
		const char *type, *begins;
	} cases[] = {
		{"", NULL, "application/json", "{"},
		{"", "*/*", "application/json", "{"},
		{"", "text/html,application/xhtml+xml", "application/json", "{"},
		{"", "text/plain, */*;q=0.5", "text/plain; charset=utf-8", "Series "},
		{"", "TEXT/PLAIN;q=1", "text/plain; charset=utf-8", "Series "},
		{"", "message/rfc822", "message/rfc822", "Subject: [tree] "},
		{"", "application/xml", "application/xml; charset=utf-8", "<?xml "},
		{"", "text/xml", "application/xml; charset=utf-8", "<?xml "},
		{"?format=json", "text/plain", "application/json", "{"},
		{"?format=text", NULL, "text/plain; charset=utf-8", "Series "},
		{"?format=mail", NULL, "message/rfc822", "Subject: [tree] "},
		{"?format=junit", NULL, "application/xml; charset=utf-8", "<?xml "},
	};
	struct lab *lab = *state;
	int64_t id = submit(lab);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *line = xasprintf(
			"GET /api/v1/series/%lld/report%s", (long long)id, cases[i].query);
		AUTO_FREE char *accept =
			cases[i].accept ? xasprintf("Accept: %s\r\n", cases[i].accept) : NULL;
		AUTO_ANSWER struct answer a = ask(lab, line, lab->read, accept, NULL);
		AUTO_FREE char *type = header_of(&a, "Content-Type");
		AUTO_FREE char *vary = header_of(&a, "Vary");

		assert_int_equal(a.status, 200);
		assert_string_equal(type, cases[i].type);
		assert_string_equal(vary, "Accept");
		assert_true(starts_with(a.body, cases[i].begins));
	}
}

static void test_no_such_format(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *line =
		xasprintf("GET /api/v1/series/%lld/report?format=html", (long long)submit(lab));
	AUTO_ANSWER struct answer a = ask(lab, line, lab->read, NULL, NULL);

	assert_problem(&a, 400, "json, text, mail or junit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_no_such_format),
	};

	return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}

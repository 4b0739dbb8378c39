/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /comparisons: what is refused, how they stand beside series, and where their jobs show. */
#include "http_lab.h"

#define POST "POST /api/v1/comparisons"
#define JSON "Content-Type: application/json\r\n"
#define GOOD "{\"tree\":\"tree\",\"base\":\"v1\",\"patched\":\"topic\"}"
#define MAIL "From nobody Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\nbody\n"

static void test_refused(void **state)
{
	struct lab *lab = *state;
	static const struct {
		const char *body;
		int status;
		const char *words;
	} cases[] = {
		{"", 400, "base"},
		{"[]", 400, "object"},
		{"{\"base\":\"a\"}", 400, "patched"},
		{"{\"patched\":\"a\"}", 400, "base"},
		{"{\"base\":1,\"patched\":\"b\"}", 400, "text"},
		{"{\"base\":\"a\",\"patched\":\"b\",\"no_inherit\":1}", 400, "true or false"},
		{"{\"base\":\"a\",\"patched\":\"b\",\"until\":\"apply\"}", 400, "\"until\""},
		{"{\"base\":\"a\",\"patched\":\"b\",\"tree\":\"nope\"}", 404, "nope"},
		{"{\"base\":\"a\",\"patched\":\"b\",\"profile\":\"nope\"}", 404, "nope"},
		{"{\"base\":\"--upload-pack\",\"patched\":\"b\"}", 400, "revision"},
		{"{\"base\":\"a\",\"patched\":\"b:c\"}", 400, "character"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ANSWER struct answer a = ask(lab, POST, lab->submit, JSON, cases[i].body);

		assert_problem(&a, cases[i].status, cases[i].words);
	}
}

static void test_twice_is_once(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer a = ask(lab, POST, lab->submit, JSON, GOOD);
	AUTO_JSON cJSON *comparison = cJSON_Parse(a.body);
	AUTO_ANSWER struct answer b = ask(lab, POST, lab->submit, JSON, GOOD);
	AUTO_JSON cJSON *again = cJSON_Parse(b.body);
	AUTO_FREE char *where = header_of(&a, "Location");

	assert_int_equal(a.status, 201);
	assert_int_equal(b.status, 200);
	assert_int_equal(json_int(again, "id", 0), 1);
	assert_string_equal(where, "/api/v1/comparisons/1");
	assert_int_equal(json_int(comparison, "id", 0), 1);
	assert_string_equal(json_str(comparison, "base_asked", ""), "v1");
	assert_string_equal(json_str(comparison, "patched_asked", ""), "topic");
	assert_true(cJSON_HasObjectItem(comparison, "patched"));
	assert_false(cJSON_HasObjectItem(comparison, "patches"));
}

/* The numbers are shared; each is one thing only. */
static void test_beside_series(void **state)
{
	struct lab *lab = *state;
	static const struct {
		const char *line;
		int status;
		const char *words;
	} cases[] = {
		{"GET /api/v1/series/1", 404, "1 is no series but a comparison"},
		{"GET /api/v1/series/1/report", 404, "patchbay comparison show 1"},
		{"POST /api/v1/series/1/rerun", 404, "comparison"},
		{"POST /api/v1/series/1/cancel", 404, "comparison"},
		{"POST /api/v1/series/1/approve", 404, "comparison"},
		{"GET /api/v1/comparisons/2", 404, "2 is no comparison but a series"},
		{"GET /api/v1/comparisons/2/report", 404, "patchbay series show 2"},
		{"POST /api/v1/comparisons/2/cancel", 404, "series"},
		{"GET /api/v1/comparisons/3", 404, "There is no comparison 3"},
		{"GET /api/v1/comparisons?series=1", 400, "There is no parameter 'series'"},
	};
	AUTO_ANSWER struct answer one = ask(lab, POST, lab->submit, JSON, GOOD);
	AUTO_ANSWER struct answer two =
		ask(lab, "POST /api/v1/series?tree=tree&until=apply", lab->submit, NULL, MAIL);

	assert_int_equal(one.status, 201);
	assert_int_equal(two.status, 201);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ANSWER struct answer a = ask(lab, cases[i].line, lab->admin, NULL, NULL);

		assert_problem(&a, cases[i].status, cases[i].words);
	}
	{
		AUTO_ANSWER struct answer list =
			ask(lab, "GET /api/v1/comparisons", lab->read, NULL, NULL);
		AUTO_ANSWER struct answer series =
			ask(lab, "GET /api/v1/series", lab->read, NULL, NULL);
		AUTO_ANSWER struct answer report =
			ask(lab, "GET /api/v1/comparisons/1/report", lab->read, NULL, NULL);
		AUTO_ANSWER struct answer jobs =
			ask(lab, "GET /api/v1/jobs?comparison=1", lab->read, NULL, NULL);
		AUTO_JSON cJSON *comparisons = cJSON_Parse(list.body);
		AUTO_JSON cJSON *all = cJSON_Parse(series.body);
		AUTO_JSON cJSON *reported = cJSON_Parse(report.body);
		AUTO_JSON cJSON *done = cJSON_Parse(jobs.body);
		const cJSON *job = cJSON_GetArrayItem(json_get(done, "items"), 0);

		assert_int_equal(cJSON_GetArraySize(json_get(comparisons, "items")), 1);
		assert_int_equal(
			json_int(cJSON_GetArrayItem(json_get(comparisons, "items"), 0), "id", 0),
			1);
		assert_int_equal(cJSON_GetArraySize(json_get(all, "items")), 1);
		assert_int_equal(
			json_int(cJSON_GetArrayItem(json_get(all, "items"), 0), "id", 0), 2);
		assert_false(cJSON_HasObjectItem(reported, "series"));
		assert_int_equal(json_int(json_get(reported, "comparison"), "id", 0), 1);
		assert_string_equal(json_str(job, "kind", ""), "resolve");
		assert_int_equal(json_int(job, "comparison", 0), 1);
		assert_null(json_get(job, "series"));
	}
}

static bool is_over(struct lab *lab)
{
	AUTO_ANSWER struct answer a = ask(lab, "GET /api/v1/comparisons/1", lab->read, NULL, NULL);
	AUTO_JSON cJSON *comparison = cJSON_Parse(a.body);

	return json_get(comparison, "finished") != NULL;
}

/* The lab's worker says nothing, which is the lab's trouble. */
static void test_to_the_end(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer a = ask(lab, POST, lab->submit, JSON, GOOD);

	assert_int_equal(a.status, 201);
	wait_until(lab, is_over, "the comparison is over");
	{
		AUTO_ANSWER struct answer got = ask(
			lab, "GET /api/v1/comparisons/1/report?format=text", lab->read, NULL, NULL);
		AUTO_ANSWER struct answer rerun =
			ask(lab, "POST /api/v1/comparisons/1/rerun", lab->submit, NULL, NULL);
		AUTO_JSON cJSON *again = cJSON_Parse(rerun.body);

		assert_int_equal(got.status, 200);
		assert_non_null(strstr(got.body, "Comparison 1: topic against v1"));
		assert_non_null(strstr(got.body, "Verdict: error"));
		assert_int_equal(rerun.status, 200);
		assert_int_equal(json_int(again, "run", 0), 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, lab_setup, lab_teardown)
		T(test_refused),
		T(test_twice_is_once),
		T(test_beside_series),
		T(test_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/report.h"
#include "make_facts.h"

#include <math.h>
#include <setjmp.h>
#include <cmocka.h>

#define UNMAP "dma-map.hugetlbfs.unmap_seconds"

/* The report on f, which is freed. */
static cJSON *report_of(struct facts *f)
{
	struct verdict *v = verdict_new(f);
	cJSON *r = report_json(f, v);

	verdict_free(v);
	facts_free(f);
	return r;
}

static void set_state(struct facts *f, const char *state)
{
	free(f->state);
	f->state = xstrdup(state);
}

static const cJSON *at(const cJSON *array, int i)
{
	const cJSON *item = cJSON_GetArrayItem(array, i);

	assert_non_null(item);
	return item;
}

static void a_run_that_has_just_begun(void **state)
{
	AUTO_JSON cJSON *r = report_of(make_received());
	static const char *const empty[] = {"builds", "boots", "extra_boots", "comparisons"};

	assert_null(json_get(r, "verdict"));
	assert_true(cJSON_HasObjectItem(r, "verdict"));
	assert_string_equal(json_str(r, "state", ""), "received");
	assert_string_equal(json_str(r, "performance", ""), "none");
	assert_null(json_get(json_get(r, "apply"), "status"));
	assert_null(json_get(json_get(r, "series"), "message_id"));
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		assert_true(cJSON_IsArray(json_get(r, empty[i])));
		assert_int_equal(cJSON_GetArraySize(json_get(r, empty[i])), 0);
	}
}

static void builds_and_their_findings(void **state)
{
	struct facts *f = make_applied(2);
	AUTO_JSON cJSON *r = NULL;
	const cJSON *build, *finding;

	(void)add_build(f, 0, STATUS_PASS);
	find_in_build(
		add_build(f, 1, STATUS_FAIL), "error", "drivers/vfio/a.c", 719, "no such function");
	free(add_build(f, 2, STATUS_PASS)->code_sha256);
	f->builds[2].code_sha256 = xstrdup("code0");
	set_state(f, "done");
	r = report_of(f);
	assert_string_equal(json_str(r, "verdict", ""), "fail");
	build = at(json_get(r, "builds"), 1);
	assert_int_equal(json_int(build, "patch", -1), 1);
	assert_string_equal(json_str(build, "status", ""), "fail");
	assert_null(json_get(build, "same_code_as"));
	finding = at(json_get(build, "findings"), 0);
	assert_true(json_bool(finding, "new", false));
	assert_int_equal(json_int(finding, "since_patch", -1), 1);
	assert_int_equal(json_int(finding, "line", 0), 719);
	build = at(json_get(r, "builds"), 2);
	assert_string_equal(
		json_str(build, "same_code_as", ""), "ba5e000000000000000000000000000000000000");
}

static void extra_boots_stand_apart(void **state)
{
	struct facts *f = make_built(1);
	AUTO_JSON cJSON *r = NULL;
	const cJSON *boot;

	(void)add_boot(f, SIDE_BASE, BOOT_PAIR, 1, STATUS_PASS);
	find_in_boot(add_boot(f, SIDE_PATCHED, BOOT_PAIR, 1, STATUS_FAIL), "panic: X");
	for (int i = 1; i <= 3; i++) {
		(void)add_boot(f, SIDE_BASE, BOOT_EXTRA, i, STATUS_PASS);
		find_in_boot(add_boot(f, SIDE_PATCHED, BOOT_EXTRA, i, STATUS_FAIL), "panic: X");
	}
	r = report_of(f);
	assert_int_equal(cJSON_GetArraySize(json_get(r, "boots")), 2);
	assert_int_equal(cJSON_GetArraySize(json_get(r, "extra_boots")), 6);
	boot = at(json_get(r, "boots"), 1);
	assert_string_equal(json_str(boot, "side", ""), "patched");
	assert_string_equal(json_str(boot, "started", ""), "1970-01-01T00:18:35.000Z");
	assert_string_equal(
		json_str(at(json_get(boot, "findings"), 0), "signature", ""), "panic: X");
	assert_true(json_bool(at(json_get(boot, "findings"), 0), "new", false));
}

static void two_commits_are_no_series(void **state)
{
	static const char *const absent[] = {"series", "apply", "previous", "trailers"};
	struct facts *f = make_resolved(false);
	AUTO_JSON cJSON *r = NULL;
	const cJSON *patched;

	(void)add_build(f, 0, STATUS_PASS);
	(void)add_build(f, 1, STATUS_FAIL);
	set_state(f, "done");
	r = report_of(f);
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_false(cJSON_HasObjectItem(r, absent[i]));
	assert_int_equal(json_int(json_get(r, "comparison"), "id", 0), 3);
	patched = json_get(json_get(r, "comparison"), "patched");
	assert_string_equal(json_str(patched, "asked", ""), "topic");
	assert_string_equal(
		json_str(patched, "commit", ""), "c0de000000000000000000000000000000000001");
	assert_string_equal(json_str(json_get(patched, "author"), "email", ""), "dev@example.org");
	assert_string_equal(json_str(json_get(r, "base"), "asked", ""), "main");
	assert_string_equal(json_str(r, "verdict", ""), "fail");
	assert_string_equal(at(json_get(r, "reasons"), 0)->valuestring,
		"commit c0de00000000 does not build: its log says why");
}

static void a_commit_against_itself_inherits(void **state)
{
	struct facts *f = make_resolved(true);
	AUTO_JSON cJSON *r = NULL;

	set_state(f, "done");
	r = report_of(f);
	assert_string_equal(json_str(r, "verdict", ""), "pass");
	assert_string_equal(json_str(r, "performance", ""), "no-change");
	assert_int_equal(cJSON_GetArraySize(json_get(r, "boots")), 0);
	assert_non_null(strstr(at(json_get(r, "reasons"), 0)->valuestring, "the same commit"));
	assert_non_null(strstr(at(json_get(r, "reasons"), 0)->valuestring, "--no-inherit"));
}

static void comparisons_have_numbers_or_null(void **state)
{
	static const double base[] = {0.0541, 0.0543, 0.0539, 0.0545, 0.0540};
	static const double patched[] = {0.0170, 0.0171, 0.0169, 0.0172, 0.0170};
	struct facts *f = make_built(1);
	AUTO_JSON cJSON *r = NULL;
	AUTO_FREE char *text = NULL;
	const cJSON *c;

	add_measured_pairs(f, UNMAP, base, patched, 5);
	r = report_of(f);
	c = at(json_get(r, "comparisons"), 0);
	assert_string_equal(json_str(c, "verdict", ""), "improvement");
	assert_true(json_num(c, "change", 0) < -0.5);
	assert_true(at(json_get(c, "interval"), 1)->valuedouble < -0.5);
	assert_int_equal(json_int(json_get(c, "base"), "n", 0), 5);
	assert_int_equal(cJSON_GetArraySize(json_get(json_get(c, "base"), "samples")), 5);
	assert_true(json_num(json_get(c, "params"), "backing_coverage", 0) == 1.0);

	/* One pair: a change, but nothing to say how sure it is. */
	cJSON_Delete(r);
	f = make_built(1);
	add_measured_pairs(f, UNMAP, base, patched, 1);
	r = report_of(f);
	c = at(json_get(r, "comparisons"), 0);
	assert_null(json_get(c, "interval"));
	assert_null(json_get(c, "p"));
	assert_null(json_get(json_get(c, "base"), "stddev"));
	text = json_text(r);
	assert_null(strstr(text, "nan"));
}

/* Every second of the run is somewhere, and what others did on the host is not the lab's own. */
static void the_timeline_accounts_for_everything(void **state)
{
	struct facts *f = make_applied(1); /* parse 0.1 s, apply 0.3 s, from 1000.0 s on */
	AUTO_JSON cJSON *r = NULL;
	const cJSON *stage;
	double seconds = 0, lab = 0;

	add_job(f, "build", STATUS_PASS, 1002000, 1012000, 9000);
	add_job(f, "boot", STATUS_PASS, 1020000, 1035000, 14500);
	f->finished_ms = 1040000;
	f->busy_elsewhere_ms = 7000;
	r = report_of(f);
	json_for_each (stage, json_get(r, "timeline")) {
		seconds += json_num(stage, "seconds", 0);
		lab += json_num(stage, "lab_seconds", 0);
		if (streq(json_str(stage, "stage", ""), "build"))
			assert_true(fabs(json_num(stage, "lab_seconds", 0) - 1.0) < 1e-9);
	}
	assert_true(fabs(seconds - 40) < 1e-9);
	/* 0.4 of parse and apply, 1 of the build, 0.5 of the boot, 14.6 of waiting less 7. */
	assert_true(fabs(lab - 9.5) < 1e-9);
}

static void a_held_series_says_why(void **state)
{
	struct facts *f = make_received();
	AUTO_JSON cJSON *r = NULL;

	set_state(f, "held");
	f->held = xstrdup("there is no patch in it");
	r = report_of(f);
	assert_string_equal(json_str(r, "verdict", ""), "held");
	assert_int_equal(cJSON_GetArraySize(json_get(r, "reasons")), 1);
	assert_string_equal(at(json_get(r, "reasons"), 0)->valuestring, "there is no patch in it");
}

static void what_was_decided_stands(void **state)
{
	struct facts *f = make_applied(1);
	AUTO_JSON cJSON *r = NULL;

	set_state(f, "done");
	f->verdict = xstrdup("error");
	f->reasons = cJSON_CreateArray();
	cJSON_AddItemToArray(f->reasons, cJSON_CreateString("The lab cannot go on with it."));
	r = report_of(f);
	assert_string_equal(json_str(r, "verdict", ""), "error");
	assert_string_equal(
		at(json_get(r, "reasons"), 0)->valuestring, "The lab cannot go on with it.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_has_just_begun),
		cmocka_unit_test(builds_and_their_findings),
		cmocka_unit_test(extra_boots_stand_apart),
		cmocka_unit_test(two_commits_are_no_series),
		cmocka_unit_test(a_commit_against_itself_inherits),
		cmocka_unit_test(comparisons_have_numbers_or_null),
		cmocka_unit_test(the_timeline_accounts_for_everything),
		cmocka_unit_test(a_held_series_says_why),
		cmocka_unit_test(what_was_decided_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

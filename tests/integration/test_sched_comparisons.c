/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons of two commits: the way of a series, from two revisions in place of mail. */
#include "tests/integration/sched_lab.h"

#define SAME                                                                  \
	END("pass", "{\"base\":{\"commit\":\"" TIP "\",\"subject\":\"one\"}," \
		    "\"patched\":{\"commit\":\"" TIP "\",\"subject\":\"one\"}}")

static int compare(struct lab *lab, const char *base, const char *patched, bool no_inherit,
	int64_t *ret_id, bool *ret_created, struct error *e)
{
	const struct submit_opts o = {
		.tree = "t", .base = base, .patched = patched, .no_inherit = no_inherit};
	AUTO_SERIES struct series_row row = {0};
	int err = sched_submit(lab->sched, &o, &row, ret_created, e);

	if (err >= 0)
		*ret_id = row.id;
	return err;
}

static int64_t run_comparison(
	struct lab *lab, const char *base, const char *patched, bool no_inherit)
{
	struct error e = ERROR_INIT;
	bool created = false;
	int64_t id = 0;

	if (compare(lab, base, patched, no_inherit, &id, &created, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(created);
	wait_for(lab, id, 0);
	return id;
}

static cJSON *report_of(struct lab *lab, int64_t id)
{
	cJSON *report = NULL;

	assert_int_equal(sched_report(lab->sched, id, &report, NULL), 0);
	return report;
}

static int count(const cJSON *report, const char *key)
{
	return cJSON_GetArraySize(json_get(report, key));
}

static void two_commits_are_built_booted_and_judged(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_JSON cJSON *report = NULL;
	const cJSON *c;
	int64_t id;

	add_tree(lab);
	add_host(lab);
	id = run_comparison(lab, "main", "topic", false);
	get(lab, id, &row);
	assert_string_equal(row.state, "done");
	assert_string_equal(row.verdict, "pass");
	assert_string_equal(row.title, "222222222222 (\"two\") against 111111111111 (\"one\")");
	assert_string_equal(row.base_commit, TIP);
	assert_string_equal(row.patched_commit, PATCHED);
	report = report_of(lab, id);
	assert_false(cJSON_HasObjectItem(report, "series"));
	assert_false(cJSON_HasObjectItem(report, "apply"));
	assert_int_equal(count(report, "builds"), 2);
	assert_true(count(report, "boots") >= 10);
	assert_true(count(report, "comparisons") >= 5);
	json_for_each (c, json_get(report, "comparisons"))
		assert_string_equal(json_str(c, "verdict", ""), "no-change");
	assert_string_equal(json_str(report, "performance", ""), "no-change");
}

static void one_commit_is_not_booted_unless_asked(void **state)
{
	struct lab *lab = *state;
	AUTO_JSON cJSON *inherited = NULL, *booted = NULL;
	const cJSON *boot;
	int64_t id;
	int patched = 0;

	add_tree(lab);
	add_host(lab);
	set_worker(lab, "resolve", SAME);
	id = run_comparison(lab, "main", "v1", false);
	inherited = report_of(lab, id);
	assert_string_equal(json_str(inherited, "verdict", ""), "pass");
	assert_string_equal(json_str(inherited, "performance", ""), "no-change");
	assert_int_equal(count(inherited, "builds"), 0);
	assert_int_equal(count(inherited, "boots"), 0);
	assert_non_null(strstr(
		cJSON_GetArrayItem(json_get(inherited, "reasons"), 0)->valuestring, "same commit"));

	assert_int_not_equal(run_comparison(lab, "main", "v1", true), id);
	booted = report_of(lab, id + 1);
	assert_string_equal(json_str(booted, "verdict", ""), "pass");
	assert_true(count(booted, "boots") >= 10);
	json_for_each (boot, json_get(booted, "boots"))
		patched += streq(json_str(boot, "side", ""), "patched");
	assert_true(patched >= 5);
}

static void what_is_worse_is_said_of_the_commit(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};

	add_tree(lab);
	add_host(lab);
	set_worker(lab, "build",
		"doc=$(cat)\n"
		"case $doc in *'\"commit\":\"" TIP "\"'*) printf %s \"$doc\" | \"$0.ok\"; exit;; "
		"esac\n" END("fail", "null"));
	set_worker(lab, "build.ok", build_ok);
	get(lab, run_comparison(lab, "main", "topic", false), &row);
	assert_string_equal(row.verdict, "fail");
	assert_string_equal(cJSON_GetArrayItem(row.reasons, 0)->valuestring,
		"commit 222222222222 does not build: its log says why");
}

static void a_revision_that_is_not_there_is_held(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	bool created;
	int64_t id, again = 0;

	add_tree(lab);
	add_host(lab);
	set_worker(lab, "resolve",
		"echo '{\"event\":\"end\",\"status\":\"fail\",\"reason\":\"no commit topic\"}' "
		">&3\n");
	id = run_comparison(lab, TIP, "topic", false);
	get(lab, id, &row);
	assert_string_equal(row.state, "held");
	assert_string_equal(row.held, "no commit topic");
	assert_true(row.input_at_fault);
	/* It may have come since: the same is asked anew. */
	set_worker(lab, "resolve", resolve_ok);
	assert_int_equal(compare(lab, TIP, "topic", false, &again, &created, NULL), 0);
	assert_true(created);
	wait_for(lab, again, 0);
	get(lab, again, &row);
	assert_string_equal(row.verdict, "pass");
}

static void trouble_of_the_lab_blames_nobody(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};

	add_tree(lab);
	add_host(lab);
	set_worker(lab, "resolve", END("pass", "{\"base\":{\"commit\":\"" TIP "\"}}"));
	get(lab, run_comparison(lab, "main", "topic", false), &row);
	assert_string_equal(row.verdict, "error");
	assert_non_null(strstr(cJSON_GetArrayItem(row.reasons, 0)->valuestring, "names no commit"));
}

static void the_same_again_is_the_same_comparison(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	bool created = true;
	int64_t id, other = 0;

	add_tree(lab);
	add_host(lab);
	id = run_comparison(lab, "main", "topic", false);
	assert_int_equal(compare(lab, "main", "topic", false, &other, &created, NULL), 0);
	assert_false(created);
	assert_int_equal(other, id);
	assert_int_equal(compare(lab, "topic", "main", false, &other, &created, NULL), 0);
	assert_true(created);
	assert_int_equal(sched_cancel(lab->sched, other, &row, NULL), 0);
	assert_string_equal(row.state, "cancelled");
	series_done(&row);
	assert_int_equal(sched_rerun(lab->sched, id, &row, NULL), 0);
	assert_int_equal(row.run, 2);
	assert_string_equal(row.state, "received");
}

static void a_restart_goes_on_where_it_was(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_FACTS struct facts *f = NULL;
	bool created;
	int64_t id = 0;

	add_tree(lab);
	add_host(lab);
	assert_int_equal(compare(lab, "main", "topic", false, &id, &created, NULL), 0);
	stop(lab);
	start(lab);
	wait_for(lab, id, 0);
	get(lab, id, &row);
	assert_string_equal(row.verdict, "pass");
	assert_int_equal(facts_load(lab->store, id, 0, FACTS_JUDGED, &f, NULL), 0);
	/* One resolve, the builds and the boots: no job twice. */
	assert_int_equal(f->n_builds, 2);
	assert_int_equal(f->n_jobs, 1 + f->n_builds + f->n_boots);
}

static void what_cannot_be_compared_is_refused(void **state)
{
	struct lab *lab = *state;
	struct submit_opts o = {.tree = "t", .base = "main", .patched = "topic"};
	AUTO_SERIES struct series_row row = {0};
	AUTO_TREE struct tree_row tree = {0};
	struct error e = ERROR_INIT;
	int64_t id = 0, other = 0;
	bool created;

	add_tree(lab);
	/* No machine boots the profile. */
	assert_int_equal(sched_submit(lab->sched, &o, &row, &created, &e), ERR_STATE);
	add_host(lab);
	assert_int_equal(compare(lab, NULL, "topic", false, &id, &created, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "two revisions"));
	assert_int_equal(compare(lab, "-x", "topic", false, &id, &created, &e), ERR_SYNTAX);
	assert_int_equal(compare(lab, "main", "--all", false, &id, &created, &e), ERR_SYNTAX);
	assert_int_equal(compare(lab, "main", "a..b c", false, &id, &created, &e), ERR_SYNTAX);
	assert_int_equal(compare(lab, "main", "", false, &id, &created, &e), ERR_SYNTAX);
	o.profile = "nope";
	assert_int_equal(sched_submit(lab->sched, &o, &row, &created, &e), ERR_MISSING);
	o.profile = NULL;
	o.tree = "nope";
	assert_int_equal(sched_submit(lab->sched, &o, &row, &created, &e), ERR_MISSING);
	o.tree = NULL;
	assert_int_equal(sched_tree_add(lab->sched, "u", "linux-source", NULL, &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	assert_int_equal(sched_submit(lab->sched, &o, &row, &created, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "several trees"));
	/* Nothing stands on one. */
	id = run_comparison(lab, "main", "topic", false);
	assert_int_equal(submit(lab, "mail", "test", &id, 1, &other, &created, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "comparison of two commits"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(two_commits_are_built_booted_and_judged),
		T(one_commit_is_not_booted_unless_asked),
		T(what_is_worse_is_said_of_the_commit),
		T(a_revision_that_is_not_there_is_held),
		T(trouble_of_the_lab_blames_nobody),
		T(the_same_again_is_the_same_comparison),
		T(a_restart_goes_on_where_it_was),
		T(what_cannot_be_compared_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

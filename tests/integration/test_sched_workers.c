/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduler with worker programs of the test's own: a shell script for each kind of job, which
 * says what a worker might say and ends as a worker might end. The real worker has tests of its
 * own, and tests/e2e runs both together.
 */
#include "tests/integration/sched_lab.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void a_series_goes_all_the_way(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_TREE struct tree_row tree = {0};
	AUTO_HOST struct host_row host = {0};
	AUTO_JSON cJSON *report = NULL;
	int64_t id;

	add_tree(lab);
	add_host(lab);
	assert_int_equal(tree_get(lab->store, "t", &tree, NULL), 0);
	assert_string_equal(tree.state, "ready");
	assert_string_equal(tree.tip, TIP);
	assert_int_equal(host_get(lab->store, "h", &host, NULL), 0);
	assert_int_equal(json_int(host.facts, "cpus", 0), 2);
	id = run_series(lab, "mail", NULL);
	get(lab, id, &row);
	assert_string_equal(row.state, "done");
	assert_string_equal(row.verdict, "pass");
	assert_string_equal(row.title, "a title");
	assert_int_equal(row.version, 5);
	assert_int_equal(row.patches, 1);
	assert_string_equal(row.base_commit, TIP);
	assert_string_equal(row.machine, "m");
	assert_int_equal(sched_report(lab->sched, id, &report, NULL), 0);
	assert_int_equal(cJSON_GetArraySize(json_get(report, "builds")), 2);
	assert_true(cJSON_GetArraySize(json_get(report, "boots")) >= 10);
	assert_true(lab->n_log >= 2);
	assert_int_equal(lab->log_size, 5);
	assert_true(lab->n_progress > 0);
}

struct odd {
	const char *script;
	const char *reason; /* in the job's */
};

static void odd_workers_are_errors_of_the_lab(void **state)
{
	static const struct odd odds[] = {
		{"exit 0\n", "without a result (exit status 0)"},
		{"echo oh no >&2; exit 3\n", "exit status 3); it said: oh no"},
		{"kill -SEGV $$\n", "killed by signal 11"},
		{"echo rubbish >&3; sleep 60\n", "not JSON"},
		{"printf '%s' '{\"event\":\"end\",\"status\":\"pass\"}' >&3\n", "without a result"},
		{"echo '{\"event\":\"end\",\"status\":\"fine\"}' >&3\n", "a status that is none"},
		{"echo '{\"event\":\"end\",\"status\":\"queued\"}' >&3\n", "a status that is none"},
		{END("pass", "null") "exit 1\n", "gave a result and then failed (exit status 1)"},
		{END("pass", "null") END("pass", "null") "sleep 60\n", "went on after its end"},
		{"head -c 8500000 /dev/zero | tr '\\0' a >&3; sleep 60\n", "more than 8 MiB"},
		{"yes '{\"event\":\"sample\",\"metric\":\"m\",\"value\":1}' >&3\n",
			"more than the lab stores"},
		{END("error", "null"), NULL},
	};
	struct lab *lab = *state;

	add_tree(lab);
	for (size_t i = 0; i < ARRAY_SIZE(odds); i++) {
		AUTO_FREE char *mail = xasprintf("mail %zu", i);
		AUTO_SERIES struct series_row row = {0};
		struct job_filter filter = {0};
		struct page page = PAGE_ALL;
		struct job_row *jobs = NULL;
		size_t n = 0;

		set_worker(lab, "parse", odds[i].script);
		filter.series_id = run_series(lab, mail, "apply");
		get(lab, filter.series_id, &row);
		assert_string_equal(row.verdict, "error");
		assert_int_equal(
			job_list(lab->store, &filter, &page, &jobs, &n, &page.after, NULL), 0);
		assert_int_equal(n, 1);
		assert_int_equal(jobs[0].status, STATUS_ERROR);
		if (odds[i].reason && !strstr(jobs[0].reason, odds[i].reason))
			fail_msg("'%s' is not in '%s'", odds[i].reason, jobs[0].reason);
		job_free_all(jobs, n);
	}
}

static void what_a_worker_leaves_behind_is_killed(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *script = NULL, *pid_file = path_join(lab->dir, "pid"), *text = NULL;
	int64_t pid = 0;

	/* It holds the event pipe open, too. */
	script = xasprintf("sleep 600 & echo $! >%s\n%s", pid_file, parse_ok);
	set_worker(lab, "parse", script);
	add_tree(lab);
	run_series(lab, "mail", "apply");
	assert_int_equal(file_read(pid_file, 64, &text, NULL, NULL), 0);
	text[strcspn(text, "\n")] = '\0';
	assert_int_equal(parse_int64(text, 1, INT32_MAX, &pid), 0);
	/* Killed; whether init has reaped it yet is another matter. */
	AUTO_FREE char *stat_path = xasprintf("/proc/%lld/stat", (long long)pid);
	AUTO_FREE char *stat_text = NULL;

	if (file_read(stat_path, 4096, &stat_text, NULL, NULL) == 0)
		assert_non_null(strstr(stat_text, ") Z "));
}

static void what_cannot_be_read_is_held(void **state)
{
	static const struct {
		const char *result;
		const char *held;
		bool input_at_fault;
	} cases[] = {
		{"{\"series\":[],\"ignored\":[{\"why\":\"no mail in it\"}]}", "no mail in it",
			true},
		{"{\"series\":[{\"title\":\"a\",\"patches\":[]}]}", "cover letter", true},
		{"{\"series\":[{\"title\":\"a\"},{\"title\":\"b\"}]}", "2 series", true},
		{"{\"series\":[{\"title\":\"a\",\"complete\":false,\"patches\":[{\"n\":1}]}]}",
			"missing", false},
		{"{\"series\":[{\"title\":\"a\",\"held\":\"1 of 2\",\"patches\":[{\"n\":1}]}]}",
			"1 of 2", false},
	};
	struct lab *lab = *state;

	add_tree(lab);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *script = xasprintf(
			"echo '{\"event\":\"end\",\"status\":\"pass\",\"result\":%s}' >&3\n",
			cases[i].result);
		AUTO_FREE char *mail = xasprintf("mail %zu", i);
		AUTO_SERIES struct series_row row = {0};

		set_worker(lab, "parse", script);
		get(lab, run_series(lab, mail, "apply"), &row);
		assert_string_equal(row.state, "held");
		assert_non_null(strstr(row.held, cases[i].held));
		assert_int_equal(row.input_at_fault, cases[i].input_at_fault);
	}
}

static void a_result_that_does_not_fit_is_an_error(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};

	/* The same patch twice. */
	set_worker(lab, "parse",
		END("pass", "{\"series\":[{\"title\":\"a\",\"patches\":[{\"n\":1},{\"n\":1}]}]}"));
	add_tree(lab);
	get(lab, run_series(lab, "mail", "apply"), &row);
	assert_string_equal(row.verdict, "error");
	assert_int_equal(row.patches, 0);
}

static void a_conflict_is_the_series_fault(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_JSON cJSON *report = NULL;
	int64_t id;

	set_worker(lab, "apply",
		END("pass", "{\"status\":\"conflict\",\"base\":\"" TIP "\",\"chosen_by\":\"tip\","
			    "\"patches\":[{\"n\":1,\"conflict\":{\"file\":\"a.c\",\"hunk\":1,"
			    "\"line\":5,"
			    "\"expected\":\"x\",\"found\":\"y\",\"why\":\"it differs\"}}]}"));
	add_tree(lab);
	add_host(lab);
	id = run_series(lab, "mail", "test");
	get(lab, id, &row);
	assert_string_equal(row.verdict, "fail");
	assert_int_equal(sched_report(lab->sched, id, &report, NULL), 0);
	assert_int_equal(cJSON_GetArraySize(json_get(report, "builds")), 0);
	assert_string_equal(json_str(json_get(report, "apply"), "status", ""), "conflict");
}

static void open_gate(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	(void)fputs("go\n", f);
	(void)fclose(f);
}

/* A file that may not grow stands for a full disk. */
static void set_disk_full(bool full)
{
	struct rlimit limit;

	(void)signal(SIGXFSZ, full ? SIG_IGN : SIG_DFL);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = full ? 4096 : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_result_waits_for_room_on_the_disk(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_FREE char *gate = path_join(lab->dir, "gate"), *script = NULL;
	AUTO_TREE struct tree_row tree = {0};
	int64_t id = 0;
	bool created;

	assert_int_equal(mkfifo(gate, 0600), 0);
	script = xasprintf("read line <%s\n%s", gate, parse_ok);
	add_tree(lab);
	set_worker(lab, "parse", script);
	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &id, &created, NULL), 0);
	assert_int_equal(sched_tree_fetch(lab->sched, "t", &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	open_gate(gate);
	set_disk_full(true);
	/* Long enough to end, too short to be tried again. */
	loop_set_timer(lab->timeout, clock_mono_ms() + 3000);
	assert_int_equal(loop_run(lab->loop, NULL), 0);
	set_disk_full(false);
	get(lab, id, &row);
	assert_int_equal(row.patches, 0);
	assert_int_equal(row.finished_ms, 0);
	wait_for(lab, id, 0);
	get(lab, id, &row);
	assert_string_equal(row.verdict, "pass");
	assert_int_equal(row.patches, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(a_series_goes_all_the_way),
		T(odd_workers_are_errors_of_the_lab),
		T(what_a_worker_leaves_behind_is_killed),
		T(what_cannot_be_read_is_held),
		T(a_result_that_does_not_fit_is_an_error),
		T(a_conflict_is_the_series_fault),
		T(a_result_waits_for_room_on_the_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduler with worker programs of the test's own: a shell script for each kind of job, which
 * says what a worker might say and ends as a worker might end. The real worker has tests of its
 * own, and tests/integration/test_http_lab.c runs both together.
 */
#include "base/sha256.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "daemon/sched/sched.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "tests/integration/sched_scripts.h"

#define TIMEOUT_MS 30000

struct lab {
	char dir[64];
	char *worker;
	struct loop *loop;
	struct store *store;
	struct sched *sched;
	struct loop_source *timeout;
	int64_t series, job; /* what is waited for */
	bool timed_out;
	int64_t log_size;
	size_t n_log, n_progress;
};

static void set_worker(struct lab *lab, const char *kind, const char *script)
{
	set_worker_at(lab->worker, kind, script);
}

static bool is_over(struct lab *lab)
{
	if (lab->series) {
		AUTO_SERIES struct series_row row = {0};

		assert_int_equal(series_get(lab->store, lab->series, &row, NULL), 0);
		return row.finished_ms > 0;
	}
	AUTO_JOB struct job_row job = {0};

	assert_int_equal(job_get(lab->store, lab->job, &job, NULL), 0);
	return job.ended_ms > 0;
}

static void on_change(const struct change *change, void *data)
{
	struct lab *lab = data;

	if (change->kind == CHANGE_LOG) {
		lab->n_log++;
		lab->log_size = change->log_size;
	}
	lab->n_progress += change->kind == CHANGE_PROGRESS;
	if ((lab->series || lab->job) && is_over(lab))
		loop_stop(lab->loop);
}

static void on_timeout(struct loop *loop, void *data)
{
	struct lab *lab = data;

	lab->timed_out = true;
	loop_stop(loop);
}

static void start(struct lab *lab)
{
	struct sched_config config = {
		.state = lab->dir,
		.share = TEST_SOURCE_DIR,
		.worker = lab->worker,
		.cache = lab->dir,
	};
	struct error e = ERROR_INIT;

	if (loop_new(&lab->loop, &e) < 0 || store_open(lab->dir, &lab->store, &e) < 0 ||
		sched_new(&config, lab->loop, lab->store, &lab->sched, &e) < 0)
		fail_msg("%s", e.msg);
	sched_observe(lab->sched, on_change, lab);
	lab->timeout = loop_add_timer(lab->loop, -1, on_timeout, lab);
}

static void stop(struct lab *lab)
{
	lab->sched = sched_free(lab->sched);
	lab->store = store_close(lab->store);
	lab->loop = loop_free(lab->loop);
}

static void wait_for(struct lab *lab, int64_t series, int64_t job)
{
	lab->series = series;
	lab->job = job;
	lab->timed_out = false;
	loop_set_timer(lab->timeout, clock_mono_ms() + TIMEOUT_MS);
	if (!is_over(lab))
		assert_int_equal(loop_run(lab->loop, NULL), 0);
	loop_set_timer(lab->timeout, -1);
	lab->series = lab->job = 0;
	assert_false(lab->timed_out);
}

static int setup(void **state)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));

	(void)snprintf(lab->dir, sizeof(lab->dir), "/tmp/patchbay-sched-XXXXXX");
	assert_non_null(mkdtemp(lab->dir));
	lab->worker = path_join(lab->dir, "worker");
	make_workers(lab->worker);
	start(lab);
	*state = lab;
	return 0;
}

static int teardown(void **state)
{
	struct lab *lab = *state;

	stop(lab);
	file_remove_tree(lab->dir, NULL);
	free(lab->worker);
	free(lab);
	return 0;
}

static void add_tree(struct lab *lab)
{
	AUTO_TREE struct tree_row tree = {0};

	assert_int_equal(
		sched_tree_add(lab->sched, "t", "linux-source-6.12", NULL, &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
}

static void add_host(struct lab *lab)
{
	struct host_row host = {
		.name = (char *)"h",
		.address = (char *)"127.0.0.1",
		.port = 22,
		.user = (char *)"u",
		.key = (char *)"/k",
		.host_key = (char *)"ssh-ed25519 AAAA",
	};
	struct machine_row machine = {
		.name = (char *)"m",
		.host = (char *)"h",
		.model = (char *)"q35-vtd",
		.memory_mib = 4096,
		.cpus = 2,
	};
	AUTO_HOST struct host_row got_host = {0};
	AUTO_MACHINE struct machine_row got_machine = {0};

	assert_int_equal(sched_host_add(lab->sched, &host, &got_host, NULL), 0);
	machine.tags = cJSON_Parse("[\"vtd\"]");
	assert_int_equal(sched_machine_add(lab->sched, &machine, &got_machine, NULL), 0);
	cJSON_Delete(machine.tags);
	wait_for(lab, 0, got_host.job_id);
}

/* Returns what sched_submit() says. */
static int submit(struct lab *lab, const char *mail, const char *until, const int64_t *needs,
	size_t n_needs, int64_t *ret_id, bool *ret_created, struct error *e)
{
	AUTO_FREE char *path = path_join(sched_incoming(lab->sched), "upload");
	AUTO_SERIES struct series_row row = {0};
	char hash[SHA256_HEX];
	struct submit_opts o = {
		.mail_path = path,
		.mail_sha256 = hash,
		.mail_size = (int64_t)strlen(mail),
		.tree = "t",
		.until = until,
		.needs = needs,
		.n_needs = n_needs,
	};
	int err;

	sha256_of(mail, strlen(mail), hash);
	assert_int_equal(file_write_atomic(path, mail, strlen(mail), 0600, NULL), 0);
	err = sched_submit(lab->sched, &o, &row, ret_created, e);
	if (err >= 0) {
		assert_false(file_exists(path));
		*ret_id = row.id;
	}
	return err;
}

static int64_t run_series(struct lab *lab, const char *mail, const char *until)
{
	struct error e = ERROR_INIT;
	int64_t id = 0;
	bool created;

	if (submit(lab, mail, until, NULL, 0, &id, &created, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(created);
	wait_for(lab, id, 0);
	return id;
}

static void get(struct lab *lab, int64_t id, struct series_row *row)
{
	series_done(row);
	assert_int_equal(series_get(lab->store, id, row, NULL), 0);
}

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

static void the_same_again_is_the_same_series(void **state)
{
	struct lab *lab = *state;
	int64_t id, again = 0;
	bool created = true;

	add_tree(lab);
	id = run_series(lab, "mail", "apply");
	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &again, &created, NULL), 0);
	assert_false(created);
	assert_int_equal(again, id);
	assert_int_not_equal(run_series(lab, "another mail", "apply"), id);
	/* Another tip is another base. */
	set_worker(lab, "tree", END("pass", "{\"tip\":\"" PATCHED "\"}"));
	AUTO_TREE struct tree_row tree = {0};

	assert_int_equal(sched_tree_fetch(lab->sched, "t", &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	assert_int_not_equal(run_series(lab, "mail", "apply"), id);
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
		{"head -c 1100000 /dev/zero | tr '\\0' a >&3; sleep 60\n", "more than 1 MiB"},
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

static void one_that_needs_another_waits_for_it(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_FREE char *gate = path_join(lab->dir, "gate"), *script = NULL;
	int64_t need = 0, id = 0, held = 0;
	AUTO_CLOSE int gate_fd = -1;
	bool created;

	/* A parse that goes on when the test lets it: it opens a FIFO. */
	assert_int_equal(mkfifo(gate, 0600), 0);
	script = xasprintf("read line <%s\n%s", gate, parse_ok);
	add_tree(lab);
	set_worker(lab, "parse", script);
	assert_int_equal(submit(lab, "first", "apply", NULL, 0, &need, &created, NULL), 0);
	/* The rest of the loop has its turn when something is waited for. */
	AUTO_TREE struct tree_row tree = {0};

	assert_int_equal(sched_tree_fetch(lab->sched, "t", &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	/* Returns when the first parse reads from it, and so is past the script's name. */
	gate_fd = open(gate, O_WRONLY | O_CLOEXEC);
	assert_true(gate_fd >= 0);
	set_worker(lab, "parse", parse_ok);
	assert_int_equal(submit(lab, "second", "apply", &need, 1, &id, &created, NULL), 0);
	/* Nothing of it is applied until the need is parsed. */
	tree_done(&tree);
	assert_int_equal(sched_tree_fetch(lab->sched, "t", &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	get(lab, id, &row);
	assert_int_equal(row.finished_ms, 0);
	assert_string_not_equal(row.state, "applying");
	assert_int_equal(write_all(gate_fd, "\n", 1), 0);
	wait_for(lab, id, 0);
	get(lab, id, &row);
	assert_string_equal(row.verdict, "pass");

	/* One whose need has no patch is held. */
	set_worker(lab, "parse", END("pass", "{\"series\":[]}"));
	need = run_series(lab, "nothing", "apply");
	set_worker(lab, "parse", parse_ok);
	assert_int_equal(submit(lab, "third", "apply", &need, 1, &held, &created, NULL), 0);
	wait_for(lab, held, 0);
	get(lab, held, &row);
	assert_string_equal(row.verdict, "held");
	assert_false(row.input_at_fault);
}

static void cancel_ends_what_runs(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_JOB struct job_row job = {0};
	struct job_filter filter = {.kind = "parse"};
	struct page page = PAGE_ALL;
	struct job_row *jobs = NULL;
	AUTO_TREE struct tree_row tree = {0};
	int64_t id = 0;
	size_t n = 0;
	bool created;

	/* Deaf to SIGTERM: it takes the SIGKILL. */
	set_worker(lab, "parse", "trap '' TERM; while :; do sleep 1; done\n");
	add_tree(lab);
	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &id, &created, NULL), 0);
	assert_int_equal(sched_tree_fetch(lab->sched, "t", &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	assert_int_equal(sched_cancel(lab->sched, id, &row, NULL), 0);
	assert_string_equal(row.state, "cancelled");
	series_done(&row);
	assert_int_equal(sched_cancel(lab->sched, id, &row, NULL), ERR_STATE);
	assert_int_equal(job_list(lab->store, &filter, &page, &jobs, &n, &page.after, NULL), 0);
	assert_int_equal(n, 1);
	id = jobs[0].id;
	job_free_all(jobs, n);
	wait_for(lab, 0, id);
	assert_int_equal(job_get(lab->store, id, &job, NULL), 0);
	assert_int_equal(job.status, STATUS_CANCELLED);
	/* And it can be run again. */
	set_worker(lab, "parse", parse_ok);
	id = job.series_id;
	assert_int_equal(sched_rerun(lab->sched, id, &row, NULL), 0);
	assert_int_equal(row.run, 2);
	wait_for(lab, id, 0);
	get(lab, id, &row);
	assert_string_equal(row.verdict, "pass");
}

static void a_restart_runs_what_was_cut_again(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_TREE struct tree_row tree = {0};
	struct job_filter filter = {0};
	struct page page = PAGE_ALL;
	struct job_row *jobs = NULL;
	AUTO_FREE char *left = path_join(lab->dir, "incoming/left");
	int64_t id = 0;
	size_t n = 0;
	bool created;

	set_worker(lab, "parse", "sleep 600\n");
	add_tree(lab);
	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &id, &created, NULL), 0);
	assert_int_equal(sched_tree_fetch(lab->sched, "t", &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	assert_int_equal(file_write_atomic(left, "x", 1, 0600, NULL), 0);
	stop(lab);
	set_worker(lab, "parse", parse_ok);
	start(lab);
	assert_false(file_exists(left));
	wait_for(lab, id, 0);
	get(lab, id, &row);
	assert_string_equal(row.verdict, "pass");
	assert_int_equal(row.run, 1);
	filter.series_id = id;
	assert_int_equal(job_list(lab->store, &filter, &page, &jobs, &n, &page.after, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(jobs[0].attempt, 2);
	assert_int_equal(jobs[1].attempt, 1);
	job_free_all(jobs, n);
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

static void what_cannot_run_here_is_refused(void **state)
{
	struct lab *lab = *state;
	struct error e = ERROR_INIT;
	AUTO_TREE struct tree_row tree = {0};
	int64_t id = 0, nobody = 77;
	bool created;

	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &id, &created, &e), ERR_MISSING);
	set_worker(lab, "tree", "echo no such package >&2; exit 1\n");
	assert_int_equal(sched_tree_add(lab->sched, "t", "linux-none", NULL, &tree, NULL), 0);
	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &id, &created, &e), ERR_STATE);
	wait_for(lab, 0, tree.job_id);
	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &id, &created, &e), ERR_STATE);
	assert_non_null(strstr(e.msg, "no such package"));
	/* Another source under that name is refused; the same one is tried again. */
	set_worker(lab, "tree", tree_ok);
	tree_done(&tree);
	assert_int_equal(
		sched_tree_add(lab->sched, "t", "linux-other", NULL, &tree, NULL), ERR_CONFLICT);
	assert_int_equal(sched_tree_add(lab->sched, "t", "linux-none", NULL, &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
	assert_int_equal(submit(lab, "", "apply", NULL, 0, &id, &created, &e), ERR_SYNTAX);
	assert_int_equal(submit(lab, "mail", "later", NULL, 0, &id, &created, &e), ERR_SYNTAX);
	assert_int_equal(submit(lab, "mail", "apply", &nobody, 1, &id, &created, &e), ERR_MISSING);
	/* No machine yet: what would boot nothing is told at once. */
	assert_int_equal(submit(lab, "mail", "test", NULL, 0, &id, &created, &e), ERR_STATE);
	assert_int_equal(submit(lab, "mail", "apply", NULL, 0, &id, &created, &e), 0);
}

static void mail_never_waits_for_imports(void **state)
{
	struct lab *lab = *state;
	AUTO_TREE struct tree_row one = {0};
	AUTO_TREE struct tree_row two = {0};
	AUTO_JOB struct job_row job = {0};

	add_tree(lab);
	set_worker(lab, "tree", "sleep 600\n");
	assert_int_equal(sched_tree_add(lab->sched, "one", "linux-one", NULL, &one, NULL), 0);
	assert_int_equal(sched_tree_add(lab->sched, "two", "linux-two", NULL, &two, NULL), 0);
	run_series(lab, "mail", "apply");
	assert_int_equal(job_get(lab->store, one.job_id, &job, NULL), 0);
	assert_int_equal(job.status, STATUS_RUNNING);
	job_done(&job);
	assert_int_equal(job_get(lab->store, two.job_id, &job, NULL), 0);
	assert_int_equal(job.status, STATUS_QUEUED);
}

static void names_and_urls_are_checked(void **state)
{
	static const char *const bad_names[] = {"", "../x", "a/b", "-x", ".x", "a..b", "x.lock",
		"x.git", "a b", "x.",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	static const char *const bad_urls[] = {
		"ext::sh -c id", "--upload-pack=id", "x", "file://x", "https://a\nb", ""};
	struct lab *lab = *state;
	AUTO_TREE struct tree_row tree = {0};

	for (size_t i = 0; i < ARRAY_SIZE(bad_names); i++)
		assert_int_equal(
			sched_tree_add(lab->sched, bad_names[i], "linux-source", NULL, &tree, NULL),
			ERR_SYNTAX);
	for (size_t i = 0; i < ARRAY_SIZE(bad_urls); i++)
		assert_int_equal(sched_tree_add(lab->sched, "x", NULL, bad_urls[i], &tree, NULL),
			ERR_SYNTAX);
	assert_int_equal(sched_tree_add(lab->sched, "x", NULL, NULL, &tree, NULL), ERR_SYNTAX);
	assert_int_equal(sched_tree_add(lab->sched, "x", "a1", "/x", &tree, NULL), ERR_SYNTAX);
	assert_int_equal(sched_tree_add(lab->sched, "x", "-rf", NULL, &tree, NULL), ERR_SYNTAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(a_series_goes_all_the_way),
		T(the_same_again_is_the_same_series),
		T(odd_workers_are_errors_of_the_lab),
		T(what_a_worker_leaves_behind_is_killed),
		T(what_cannot_be_read_is_held),
		T(a_result_that_does_not_fit_is_an_error),
		T(a_conflict_is_the_series_fault),
		T(one_that_needs_another_waits_for_it),
		T(cancel_ends_what_runs),
		T(a_restart_runs_what_was_cut_again),
		T(a_result_waits_for_room_on_the_disk),
		T(what_cannot_run_here_is_refused),
		T(mail_never_waits_for_imports),
		T(names_and_urls_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of the scheduler: submit, rerun, cancel, trees; and a restart in between. */
#include "tests/integration/sched_lab.h"
#include <fcntl.h>
#include <sys/stat.h>

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
		T(the_same_again_is_the_same_series),
		T(one_that_needs_another_waits_for_it),
		T(cancel_ends_what_runs),
		T(a_restart_runs_what_was_cut_again),
		T(what_cannot_run_here_is_refused),
		T(mail_never_waits_for_imports),
		T(names_and_urls_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

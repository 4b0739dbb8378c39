/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scheduler in a folder of its own, with the worker programs of sched_scripts.h, for cmocka's
 * setup and teardown. Included by one file of a program.
 */
#ifndef TEST_SCHED_LAB_H
#define TEST_SCHED_LAB_H

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"
#include "daemon/sched/sched.h"
#include <errno.h>
#include <setjmp.h>
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

static inline void set_worker(struct lab *lab, const char *kind, const char *script)
{
	set_worker_at(lab->worker, kind, script);
}

static inline bool is_over(struct lab *lab)
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

static inline void on_change(const struct change *change, void *data)
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

static inline void on_timeout(struct loop *loop, void *data)
{
	struct lab *lab = data;

	lab->timed_out = true;
	loop_stop(loop);
}

static inline void start(struct lab *lab)
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

static inline void stop(struct lab *lab)
{
	lab->sched = sched_free(lab->sched);
	lab->store = store_close(lab->store);
	lab->loop = loop_free(lab->loop);
}

static inline void wait_for(struct lab *lab, int64_t series, int64_t job)
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

static inline int setup(void **state)
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

static inline int teardown(void **state)
{
	struct lab *lab = *state;

	stop(lab);
	file_remove_tree(lab->dir, NULL);
	free(lab->worker);
	free(lab);
	return 0;
}

static inline void add_tree(struct lab *lab)
{
	AUTO_TREE struct tree_row tree = {0};

	assert_int_equal(
		sched_tree_add(lab->sched, "t", "linux-source-6.12", NULL, &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
}

static inline void add_host(struct lab *lab)
{
	int64_t probe = 0;

	assert_int_equal(add_host_and_machine(lab->sched, &probe), 0);
	wait_for(lab, 0, probe);
}

/* Returns what sched_submit() says. */
static inline int submit(struct lab *lab, const char *mail, const char *until, const int64_t *needs,
	size_t n_needs, int64_t *ret_id, bool *ret_created, struct error *e)
{
	const struct submit_opts o = {
		.tree = "t", .until = until, .needs = needs, .n_needs = n_needs};
	AUTO_FREE char *path = path_join(sched_incoming(lab->sched), "upload");
	int err = submit_text(lab->sched, mail, o, ret_id, ret_created, e);

	if (err >= 0)
		assert_false(file_exists(path));
	return err;
}

static inline int64_t run_series(struct lab *lab, const char *mail, const char *until)
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

static inline void get(struct lab *lab, int64_t id, struct series_row *row)
{
	series_done(row);
	assert_int_equal(series_get(lab->store, id, row, NULL), 0);
}

#endif

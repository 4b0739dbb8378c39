/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A daemon that is killed again and again, at any instant, while it answers several series and
 * compares two commits: in the end all is answered, and everything is there exactly once.
 */
#include "base/clock.h"
#include "base/sha256.h"
#include "daemon/sched/sched.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <poll.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "tests/integration/sched_scripts.h"

#define SERIES 3
#define COMPARISON (SERIES + 1) /* its id */
#define KILLS 30
#define SAMPLES_OF_A_BOOT 5

/* Both clocks, so that canaries are killed too. */
#define PROFILE                                                                      \
	"profiles:\n"                                                                \
	"  - name: both\n"                                                           \
	"    clocks: { wall: { pairs: 5, max_pairs: 20 }, counted: { seeds: 5 } }\n" \
	"    benchmarks: [ { run: dma-map, primary: [ hugetlbfs.unmap_seconds ] } ]\n"

struct daemon {
	struct loop *loop;
	struct store *store;
	struct sched *sched;
};

static bool nothing_runs(struct store *store)
{
	AUTO_FREE int64_t *running = NULL;
	size_t n = 0;

	return job_running(store, &running, &n, NULL) == 0 && n == 0;
}

static size_t finished(struct store *store, bool comparisons)
{
	struct series_filter all = {.comparisons = comparisons};
	struct page page = PAGE_ALL;
	struct series_row *rows = NULL;
	size_t n = 0, ended = 0;
	int64_t next;

	if (series_list(store, &all, &page, &rows, &n, &next, NULL) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		ended += rows[i].finished_ms > 0;
	series_free_all(rows, n);
	return ended;
}

/* A start probes the host again, so there is more to wait for than what was submitted. */
static bool all_done(struct store *store)
{
	return finished(store, false) == SERIES && finished(store, true) == 1 &&
	       nothing_runs(store);
}

/* What a client would do: again and again until it is acknowledged. Same content, same series. */
static int submit(struct daemon *d, int number)
{
	AUTO_FREE char *mail = xasprintf("mail %d", number);
	int64_t id;
	bool created;

	return submit_text(d->sched, mail, (struct submit_opts){.tree = "t", .profile = "both"},
		&id, &created, NULL);
}

static int compare(struct daemon *d)
{
	const struct submit_opts o = {
		.tree = "t", .base = "main", .patched = "topic", .profile = "both"};
	AUTO_SERIES struct series_row row = {0};
	bool created;

	return sched_submit(d->sched, &o, &row, &created, NULL);
}

static int set_up(struct daemon *d)
{
	AUTO_TREE struct tree_row tree = {0};
	int64_t probe;

	if (sched_tree_add(d->sched, "t", "linux-source", NULL, &tree, NULL) < 0)
		return -EIO;
	return add_host_and_machine(d->sched, &probe);
}

static void on_change(const struct change *change, void *data)
{
	struct daemon *d = data;

	(void)change;
	if (all_done(d->store))
		loop_stop(d->loop);
}

static void on_submit(struct loop *loop, void *data)
{
	struct daemon *d = data;

	for (int i = 0; i < SERIES; i++)
		(void)submit(d, i); /* refused while the tree is imported: the next start tries */
	(void)compare(d);
	if (all_done(d->store))
		loop_stop(loop);
}

/* The daemon's process: exit status 0 once all is answered. */
static void run_daemon(const char *dir, const char *worker)
{
	struct daemon d = {0};
	struct sched_config config = {
		.state = dir,
		.share = TEST_SOURCE_DIR,
		.worker = worker,
		.cache = dir,
	};
	struct error e = ERROR_INIT;

	if (loop_new(&d.loop, &e) < 0 || store_open(dir, &d.store, &e) < 0 ||
		sched_new(&config, d.loop, d.store, &d.sched, &e) < 0 || set_up(&d) < 0) {
		(void)fprintf(stderr, "%s\n", e.msg);
		_exit(1);
	}
	sched_observe(d.sched, on_change, &d);
	loop_add_timer(d.loop, clock_mono_ms() + 100, on_submit, &d);
	if (loop_run(d.loop, NULL) < 0)
		_exit(1);
	_exit(0);
}

/* Start it, kill it after so long (-1: let it end). Returns whether it had ended by itself. */
static bool run_for(const char *dir, const char *worker, int ms)
{
	struct pollfd fd = {.events = POLLIN};
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		run_daemon(dir, worker);
	assert_true(pid > 0);
	fd.fd = pidfd_open(pid, 0);
	assert_true(fd.fd >= 0);
	assert_true(poll(&fd, 1, ms < 0 ? 120000 : ms) >= 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd.fd);
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFEXITED(status);
}

/* Boots of one side that do the same as this one. */
static size_t count_like(const struct facts *f, const struct fact_boot *like, enum side side)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		n += b->side == side && b->role == like->role && b->clock == like->clock &&
		     b->pair == like->pair && streq(b->part, like->part);
	}
	return n;
}

/* jobs: how many there are before the builds. */
static void check_run(struct store *store, int64_t id, size_t jobs)
{
	AUTO_SERIES struct series_row row = {0};
	struct facts *f = NULL;
	size_t canaries = 0;

	assert_int_equal(series_get(store, id, &row, NULL), 0);
	assert_string_equal(row.verdict, "pass");
	assert_int_equal(row.run, 1);
	assert_int_equal(facts_load(store, id, 0, FACTS_JUDGED, &f, NULL), 0);
	assert_int_equal(f->n_builds, 2);
	for (size_t i = 0; i < f->n_builds; i++)
		assert_int_equal(f->builds[i].n_findings, 1);
	assert_true(f->n_boots >= 10);
	for (size_t i = 0; i < f->n_boots; i++) {
		assert_int_equal(f->boots[i].status, STATUS_PASS);
		assert_int_equal(f->boots[i].n_samples, SAMPLES_OF_A_BOOT);
		canaries += f->boots[i].role == BOOT_CANARY;
		if (f->boots[i].role == BOOT_CANARY)
			continue;
		/* Both of a pair, and each once. */
		assert_int_equal(count_like(f, &f->boots[i], SIDE_BASE), 1);
		assert_int_equal(count_like(f, &f->boots[i], SIDE_PATCHED), 1);
	}
	assert_int_equal(canaries, 1);
	/* No job twice. */
	assert_int_equal(f->n_jobs, jobs + f->n_builds + f->n_boots);
	facts_free(f);
}

static void everything_is_there_once_however_often_it_is_killed(void **state)
{
	char dir[] = "/tmp/patchbay-crash-XXXXXX";
	AUTO_FREE char *worker = NULL, *profiles = NULL, *profile = NULL;
	struct store *store = NULL;
	unsigned draw = 12345;
	bool ended = false;

	assert_non_null(mkdtemp(dir));
	worker = path_join(dir, "worker");
	make_workers(worker);
	profiles = path_join(dir, "profiles");
	profile = path_join(profiles, "both.yaml");
	assert_int_equal(file_mkdirs(profiles, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(profile, PROFILE, strlen(PROFILE), 0600, NULL), 0);
	for (int i = 0; i < KILLS && !ended; i++) {
		draw = draw * 1103515245 + 12345;
		ended = run_for(dir, worker, 60 + (int)(draw >> 16) % 500);
	}
	while (!ended)
		ended = run_for(dir, worker, -1);
	assert_int_equal(store_open(dir, &store, NULL), 0);
	for (int64_t id = 1; id <= SERIES; id++)
		check_run(store, id, 2); /* parse and apply */
	check_run(store, COMPARISON, 1); /* resolve */
	assert_true(nothing_runs(store));
	store_close(store);
	file_remove_tree(dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_there_once_however_often_it_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

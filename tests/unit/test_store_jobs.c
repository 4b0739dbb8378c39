/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which machine a run is given, and which job comes next. */
#include "store_lab.h"
#include "daemon/store/job.h"
#include "daemon/store/machine.h"

static int64_t add_machine(struct store *s, const char *name, const char *host, const char *tags)
{
	struct machine_row machine = {
		.name = (char *)name,
		.host = (char *)host,
		.kind = (char *)"qemu",
		.model = (char *)"q35-vtd",
		.arch = (char *)"x86_64",
		.memory_mib = 4096,
		.cpus = 2,
	};
	int64_t id = 0;

	machine.tags = parse(tags);
	assert_int_equal(machine_put(s, &machine, &id, NULL), 0);
	cJSON_Delete(machine.tags);
	return id;
}

static void a_machine_is_chosen_by_tags_and_load(void **state)
{
	struct lab *lab = *state;
	struct machine_row got = {0};
	cJSON *vtd = parse("[\"vtd\"]"), *both = parse("[\"vtd\",\"big\"]");
	cJSON *none = parse("[\"vtd\",\"arm\"]");
	int64_t id, series;

	add_tree(lab->store);
	add_host(lab->store, "a");
	add_host(lab->store, "b");
	id = add_machine(lab->store, "m1", "a", "[\"vtd\"]");
	add_machine(lab->store, "m2", "b", "[\"big\",\"vtd\"]");
	assert_int_equal(add_machine(lab->store, "m1", "a", "[\"vtd\"]"), id);

	assert_int_equal(machine_choose(lab->store, "x86_64", vtd, &got, NULL), 0);
	assert_string_equal(got.name, "m1");
	machine_done(&got);
	assert_int_equal(machine_choose(lab->store, "x86_64", both, &got, NULL), 0);
	assert_string_equal(got.name, "m2");
	machine_done(&got);
	assert_int_equal(machine_choose(lab->store, "x86_64", none, &got, NULL), ERR_MISSING);
	assert_int_equal(machine_choose(lab->store, "arm64", NULL, &got, NULL), ERR_MISSING);
	series = add_series(lab->store, "d", NULL, 0);
	assert_int_equal(series_set_place(lab->store, series, 1, "a", "m1", NULL), 0);
	assert_int_equal(machine_choose(lab->store, "x86_64", vtd, &got, NULL), 0);
	assert_string_equal(got.name, "m2");
	machine_done(&got);
	assert_int_equal(host_set_drained(lab->store, "b", true, NULL), 0);
	assert_int_equal(machine_choose(lab->store, "x86_64", vtd, &got, NULL), 0);
	assert_string_equal(got.name, "m1");
	machine_done(&got);
	assert_int_equal(machine_set_drained(lab->store, "m1", true, NULL), 0);
	assert_int_equal(machine_choose(lab->store, "x86_64", vtd, &got, NULL), ERR_MISSING);
	cJSON_Delete(vtd);
	cJSON_Delete(both);
	cJSON_Delete(none);
}

static void a_machine_needs_its_host(void **state)
{
	struct lab *lab = *state;
	struct machine_row m = {.name = (char *)"m",
		.host = (char *)"nowhere",
		.kind = (char *)"qemu",
		.model = (char *)"x",
		.arch = (char *)"x86_64",
		.memory_mib = 1,
		.cpus = 1};
	int64_t id;

	m.tags = parse("[]");
	assert_int_equal(machine_put(lab->store, &m, &id, NULL), ERR_MISSING);
	cJSON_Delete(m.tags);
}

static int64_t add_build(struct store *s, int64_t series, const char *host, int patch)
{
	struct job_row job = {
		.kind = (char *)"build",
		.series_id = series,
		.run = 1,
		.host = (char *)host,
		.patch = patch,
		.commit = (char *)TIP,
		.arch = (char *)"x86_64",
	};
	int64_t id = 0;

	assert_int_equal(job_insert(s, &job, &id, NULL), 0);
	return id;
}

static int64_t add_boot(struct store *s, int64_t series, const char *side, int64_t batch)
{
	struct job_row job = {
		.kind = (char *)"boot",
		.series_id = series,
		.run = 1,
		.host = (char *)"a",
		.machine = (char *)"m",
		.batch = batch,
		.commit = (char *)TIP,
		.side = (char *)side,
		.role = (char *)"pair",
		.clock = (char *)"wall",
		.pair = 1,
		.seed = 1,
	};
	int64_t id = 0;

	assert_int_equal(job_insert(s, &job, &id, NULL), 0);
	return id;
}

/* Start the next job of host a, which has to be `id`, and end it. */
static void do_next(struct store *s, int64_t id)
{
	struct job_row job = {0};

	assert_int_equal(job_next(s, "a", &(struct job_left_out){0}, &job, NULL), 0);
	assert_int_equal(job.id, id);
	assert_int_equal(job_set_started(s, &job, NULL), 0);
	assert_int_equal(job_set_ended(s, id, STATUS_PASS, NULL, 1, 2, NULL, NULL), 0);
	job_done(&job);
}

static void the_queue_keeps_leases_and_pairs(void **state)
{
	struct lab *lab = *state;
	struct job_row job = {0};
	int64_t one, two, first, pair, mate, other;

	add_tree(lab->store);
	add_host(lab->store, "a");
	add_machine(lab->store, "m", "a", "[]");
	one = add_series(lab->store, "1", NULL, 0);
	two = add_series(lab->store, "2", NULL, 0);

	/* Series 2 has begun to build when series 1, which is older, comes. */
	first = add_build(lab->store, two, "a", 0);
	do_next(lab->store, first);
	other = add_build(lab->store, one, "a", 0);
	first = add_build(lab->store, two, "a", 1);
	do_next(lab->store, first);
	/* Its builds are done: the older one's turn, and its mate at once behind a boot. */
	pair = add_boot(lab->store, two, "base", 0);
	mate = add_boot(lab->store, two, "patched", pair);
	do_next(lab->store, other);
	do_next(lab->store, pair);
	other = add_build(lab->store, one, "a", 1);
	do_next(lab->store, mate);
	assert_int_equal(host_set_drained(lab->store, "a", true, NULL), 0);
	assert_int_equal(
		job_next(lab->store, "a", &(struct job_left_out){0}, &job, NULL), ERR_MISSING);
	assert_int_equal(host_set_drained(lab->store, "a", false, NULL), 0);
	do_next(lab->store, other);
	assert_int_equal(
		job_next(lab->store, "a", &(struct job_left_out){0}, &job, NULL), ERR_MISSING);
	assert_int_equal(
		job_next(lab->store, NULL, &(struct job_left_out){0}, &job, NULL), ERR_MISSING);
}

static void an_interrupted_job_is_a_new_attempt_with_a_higher_epoch(void **state)
{
	struct lab *lab = *state;
	struct job_row job = {0};
	AUTO_FREE int64_t *ids = NULL;
	int64_t id, epoch;
	size_t n = 0;

	add_tree(lab->store);
	add_host(lab->store, "a");
	id = add_build(lab->store, add_series(lab->store, "1", NULL, 0), "a", 0);
	assert_int_equal(job_get(lab->store, id, &job, NULL), 0);
	assert_int_equal(job.attempt, 0);
	assert_int_equal(job_set_started(lab->store, &job, NULL), 0);
	assert_int_equal(job.attempt, 1);
	epoch = job.epoch;
	assert_true(epoch > 0);
	/* Two at a time is none. */
	assert_int_equal(job_set_started(lab->store, &job, NULL), ERR_MISSING);
	assert_int_equal(job_running(lab->store, &ids, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(job_set_interrupted(lab->store, id, NULL), 0);
	/* The old attempt's end comes too late. */
	assert_int_equal(
		job_set_ended(lab->store, id, STATUS_PASS, NULL, 0, 0, NULL, NULL), ERR_MISSING);
	assert_int_equal(job_set_started(lab->store, &job, NULL), 0);
	assert_int_equal(job.attempt, 2);
	assert_true(job.epoch > epoch);
	job_done(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_machine_is_chosen_by_tags_and_load),
		STORE_TEST(a_machine_needs_its_host),
		STORE_TEST(the_queue_keeps_leases_and_pairs),
		STORE_TEST(an_interrupted_job_is_a_new_attempt_with_a_higher_epoch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

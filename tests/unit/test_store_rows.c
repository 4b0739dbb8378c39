/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every table through its own functions, on a database in a temporary folder. */
#include "base/clock.h"
#include "base/file.h"
#include "daemon/store/host.h"
#include "daemon/store/job.h"
#include "daemon/store/machine.h"
#include "daemon/store/result.h"
#include "daemon/store/series.h"
#include "daemon/store/token.h"
#include "daemon/store/tree.h"
#include <errno.h>
#include <setjmp.h>
#include <cmocka.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TIP "1111111111111111111111111111111111111111"

struct lab {
	char dir[64];
	struct store *store;
};

static int setup(void **state)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));

	(void)snprintf(lab->dir, sizeof(lab->dir), "/tmp/patchbay-store-XXXXXX");
	assert_non_null(mkdtemp(lab->dir));
	struct error e = ERROR_INIT;

	if (store_open(lab->dir, &lab->store, &e) < 0)
		fail_msg("%s", e.msg);
	*state = lab;
	return 0;
}

static int teardown(void **state)
{
	struct lab *lab = *state;

	store_close(lab->store);
	file_remove_tree(lab->dir, NULL);
	free(lab);
	return 0;
}

static cJSON *parse(const char *text)
{
	cJSON *json = NULL;

	assert_int_equal(json_parse(text, strlen(text), &json, NULL), 0);
	return json;
}

static void add_tree(struct store *s)
{
	struct tree_row tree = {.name = (char *)"t", .path = (char *)"/trees/t.git"};
	int64_t id;

	tree.source = parse("{\"deb\":\"linux-source-6.12\"}");
	assert_int_equal(tree_insert(s, &tree, &id, NULL), 0);
	assert_int_equal(tree_insert(s, &tree, &id, NULL), ERR_CONFLICT);
	assert_int_equal(tree_set_tip(s, id, TIP, "6.12", 5, NULL), 0);
	cJSON_Delete(tree.source);
}

/* patched: of a comparison; or NULL */
static int64_t add_submission(struct store *s, const char *dedup, const char *patched,
	const int64_t *needs, size_t n_needs)
{
	struct series_row row = {
		.base_text = (char *)(patched ? "main" : NULL),
		.patched_text = (char *)patched,
		.mail_sha256 = (char *)SHA,
		.mail_size = 10,
		.dedup = (char *)dedup,
		.tree = (char *)"t",
		.tip = (char *)TIP,
		.profile_name = (char *)"dma",
		.until = (char *)"test",
		.draw = 42,
	};
	int64_t id = 0;

	row.profile = parse("{\"name\":\"dma\"}");
	assert_int_equal(series_insert(s, &row, needs, n_needs, &id, NULL), 0);
	cJSON_Delete(row.profile);
	return id;
}

static int64_t add_series(struct store *s, const char *dedup, const int64_t *needs, size_t n_needs)
{
	return add_submission(s, dedup, NULL, needs, n_needs);
}

static void add_host(struct store *s, const char *name)
{
	struct host_row host = {
		.name = (char *)name,
		.address = (char *)"127.0.0.1",
		.port = 22,
		.user = (char *)"u",
		.key = (char *)"/k",
		.host_key = (char *)"ssh-ed25519 A",
	};
	int64_t id;

	assert_int_equal(host_put(s, &host, &id, NULL), 0);
}

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

static void sessions_end(void **state)
{
	struct lab *lab = *state;
	char token[TOKEN_SIZE], session[TOKEN_SIZE], over[TOKEN_SIZE];
	struct token_row row, seen;
	int64_t now = clock_unix_ms();

	assert_int_equal(token_create(lab->store, SCOPE_ADMIN, token, &row, NULL), 0);
	assert_int_equal(token_create_session(lab->store, row.id, SCOPE_SUBMIT, now + 60000,
				 session, &seen, NULL),
		0);
	assert_int_equal(
		token_create_session(lab->store, row.id, SCOPE_SUBMIT, now, over, &seen, NULL), 0);
	assert_int_equal(token_check(lab->store, session, SCOPE_SUBMIT, &seen, NULL), 0);
	assert_int_equal(seen.parent_id, row.id);
	assert_int_equal(token_check(lab->store, over, SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_revoke(lab->store, row.id, NULL), 0);
	assert_int_equal(token_check(lab->store, session, SCOPE_READ, &seen, NULL), ERR_AUTH);
}

static void tokens_are_checked_by_scope_and_revoked(void **state)
{
	struct lab *lab = *state;
	char token[TOKEN_SIZE], other[TOKEN_SIZE];
	struct token_row row, seen;
	struct page page = {0, 1};
	struct token_row *rows = NULL;
	size_t n = 0;

	assert_int_equal(token_create(lab->store, SCOPE_SUBMIT, token, &row, NULL), 0);
	assert_int_equal(token_create(lab->store, SCOPE_READ, other, &seen, NULL), 0);
	assert_int_equal(strlen(token), TOKEN_SIZE - 1);
	assert_string_not_equal(token, other);
	assert_int_equal(token_check(lab->store, token, SCOPE_READ, &seen, NULL), 0);
	assert_int_equal(seen.id, row.id);
	assert_int_equal(token_check(lab->store, token, SCOPE_SUBMIT, &seen, NULL), 0);
	assert_int_equal(token_check(lab->store, token, SCOPE_ADMIN, &seen, NULL), -EACCES);
	assert_int_equal(token_check(lab->store, "wrong", SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_check(lab->store, "", SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_revoke(lab->store, row.id, NULL), 0);
	assert_int_equal(token_revoke(lab->store, row.id, NULL), 0);
	assert_int_equal(token_check(lab->store, token, SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_revoke(lab->store, 99, NULL), ERR_MISSING);

	assert_int_equal(token_list(lab->store, &page, &rows, &n, &page.after, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(page.after, row.id);
	free(rows);
	assert_int_equal(token_list(lab->store, &page, &rows, &n, &page.after, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(page.after, 0);
	free(rows);
}

static void no_token_is_in_the_file(void **state)
{
	struct lab *lab = *state;
	char token[TOKEN_SIZE];
	struct token_row row;
	AUTO_FREE char *path = path_join(lab->dir, "patchbay.db-wal");
	AUTO_FREE char *data = NULL;
	size_t len = 0;

	assert_int_equal(token_create(lab->store, SCOPE_ADMIN, token, &row, NULL), 0);
	assert_int_equal(file_read(path, 1 << 24, &data, &len, NULL), 0);
	assert_true(len > 0);
	assert_null(memmem(data, len, token + 3, strlen(token) - 3));
}

static void a_page_has_limits(void **state)
{
	struct lab *lab = *state;
	struct series_row *rows = NULL;
	struct series_filter all = {0};
	size_t n = 0;
	int64_t next;

	for (int i = 0; i < 2; i++) {
		struct page page = {0, i ? PAGE_MAX + 1 : 0};

		assert_int_equal(
			series_list(lab->store, &all, &page, &rows, &n, &next, NULL), ERR_LIMIT);
	}
	struct page page = {0, PAGE_MAX};

	assert_int_equal(series_list(lab->store, &all, &page, &rows, &n, &next, NULL), 0);
	assert_int_equal(n, 0);
	assert_int_equal(next, 0);
}

static void series_come_newest_first_and_filtered(void **state)
{
	struct lab *lab = *state;
	struct series_filter filter = {.state = "held"};
	struct page page = {0, 2};
	struct series_row *rows = NULL;
	size_t n = 0;
	int64_t ids[3], next;

	add_tree(lab->store);
	for (int i = 0; i < 3; i++)
		ids[i] = add_series(lab->store, "same", NULL, 0);
	assert_int_equal(series_set_held(lab->store, ids[0], 1, "why", true, NULL), 0);
	assert_int_equal(series_list(lab->store, &filter, &page, &rows, &n, &next, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].id, ids[0]);
	assert_string_equal(rows[0].verdict, "held");
	assert_string_equal(rows[0].held, "why");
	assert_true(rows[0].input_at_fault);
	assert_true(rows[0].finished_ms > 0);
	series_free_all(rows, n);

	filter.state = NULL;
	assert_int_equal(series_list(lab->store, &filter, &page, &rows, &n, &page.after, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(rows[0].id, ids[2]);
	assert_int_equal(page.after, ids[1]);
	series_free_all(rows, n);
	assert_int_equal(series_list(lab->store, &filter, &page, &rows, &n, &page.after, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].id, ids[0]);
	assert_int_equal(page.after, 0);
	series_free_all(rows, n);
}

/* The ids of a list, newest first, as "3 1 ". */
static char *listed(struct store *s, bool comparisons)
{
	struct series_filter filter = {.comparisons = comparisons};
	struct page page = {0, 10};
	struct series_row *rows = NULL;
	char *text = xstrdup("");
	size_t n = 0;
	int64_t next;

	assert_int_equal(series_list(s, &filter, &page, &rows, &n, &next, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		char *more = xasprintf("%s%lld ", text, (long long)rows[i].id);

		assert_int_equal(rows[i].patched_text != NULL, comparisons);
		free(text);
		text = more;
	}
	series_free_all(rows, n);
	return text;
}

static void comparisons_are_listed_apart(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *series = NULL, *comparisons = NULL;

	add_tree(lab->store);
	assert_int_equal(add_series(lab->store, "a", NULL, 0), 1);
	assert_int_equal(add_submission(lab->store, "b", "topic", NULL, 0), 2);
	assert_int_equal(add_series(lab->store, "c", NULL, 0), 3);
	assert_int_equal(add_submission(lab->store, "d", "topic", NULL, 0), 4);
	series = listed(lab->store, false);
	comparisons = listed(lab->store, true);
	assert_string_equal(series, "3 1 ");
	assert_string_equal(comparisons, "4 2 ");
}

static void a_comparison_is_resolved(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_FACTS struct facts *f = NULL;
	AUTO_JOB struct job_row job = {0};
	struct job_row resolve = {.kind = (char *)"resolve", .run = 1};
	AUTO_JSON cJSON *half = parse("{\"base\":{\"commit\":\"" TIP "\"}}");
	AUTO_JSON cJSON *whole = parse("{\"base\":{\"commit\":\"" TIP
				       "\",\"subject\":\"one\"},\"patched\":{\"commit\":\"2222\","
				       "\"subject\":\"two\",\"author\":{\"name\":\"A\","
				       "\"email\":\"a@b\"}}}");

	add_tree(lab->store);
	resolve.series_id = add_submission(lab->store, "b", "topic", NULL, 0);
	assert_int_equal(job_insert(lab->store, &resolve, &resolve.id, NULL), 0);
	assert_int_equal(job_get(lab->store, resolve.id, &job, NULL), 0);
	assert_true(job.of_comparison);
	assert_int_equal(facts_load(lab->store, resolve.series_id, 0, FACTS_JUDGED, &f, NULL), 0);
	assert_true(facts_is_comparison(f));
	assert_string_equal(f->title, "topic against main");
	assert_int_equal(
		series_set_resolved(lab->store, resolve.series_id, 1, half, NULL), -EINVAL);
	assert_int_equal(series_set_resolved(lab->store, resolve.series_id, 1, whole, NULL), 0);
	f = facts_free(f);
	assert_int_equal(facts_load(lab->store, resolve.series_id, 0, FACTS_JUDGED, &f, NULL), 0);
	assert_string_equal(f->base_commit, TIP);
	assert_int_equal(f->n_patches, 1);
	assert_string_equal(f->patches[0].commit, "2222");
	assert_string_equal(f->title, "2222 (\"two\") against 111111111111 (\"one\")");
	assert_int_equal(series_get(lab->store, resolve.series_id, &row, NULL), 0);
	assert_string_equal(row.patched_text, "topic");
	assert_string_equal(row.patched_commit, "2222");
}

static void the_same_is_found_unless_it_ended_in_error(void **state)
{
	struct lab *lab = *state;
	int64_t id, found = 0;
	int run = 0;

	add_tree(lab->store);
	id = add_series(lab->store, "same", NULL, 0);
	assert_int_equal(series_find(lab->store, "same", &found, NULL), 0);
	assert_int_equal(found, id);
	assert_int_equal(series_find(lab->store, "other", &found, NULL), ERR_MISSING);
	assert_int_equal(series_set_verdict(lab->store, id, 1, "error", "none", NULL, NULL), 0);
	assert_int_equal(series_find(lab->store, "same", &found, NULL), ERR_MISSING);
	/* A rerun that ends well counts again. */
	assert_int_equal(series_add_run(lab->store, id, 7, &run, NULL), 0);
	assert_int_equal(run, 2);
	assert_int_equal(series_find(lab->store, "same", &found, NULL), 0);
	assert_int_equal(series_set_cancelled(lab->store, id, 2, "It was cancelled.", NULL), 0);
	assert_int_equal(series_find(lab->store, "same", &found, NULL), ERR_MISSING);
	/* What has ended stays as it ended. */
	assert_int_equal(series_set_state(lab->store, id, 2, "building", NULL), ERR_MISSING);
	assert_int_equal(
		series_set_verdict(lab->store, id, 2, "pass", "none", NULL, NULL), ERR_MISSING);
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

static void nothing_of_a_cut_transaction_stays(void **state)
{
	struct lab *lab = *state;
	struct series_row *rows = NULL;
	struct series_filter all = {0};
	struct page page = PAGE_ALL;
	size_t n = 9;
	int64_t next;

	add_tree(lab->store);
	{
		AUTO_TX struct tx tx = TX_INIT;

		assert_int_equal(store_begin(lab->store, &tx, NULL), 0);
		add_series(lab->store, "1", NULL, 0); /* a transaction within */
	}
	assert_int_equal(series_list(lab->store, &all, &page, &rows, &n, &next, NULL), 0);
	assert_int_equal(n, 0);
	{
		/* An inner one that was given up takes the outer one with it. */
		AUTO_TX struct tx outer = TX_INIT;

		assert_int_equal(store_begin(lab->store, &outer, NULL), 0);
		add_series(lab->store, "1", NULL, 0);
		{
			AUTO_TX struct tx inner = TX_INIT;

			assert_int_equal(store_begin(lab->store, &inner, NULL), 0);
		}
		assert_int_not_equal(store_commit(&outer, NULL), 0);
	}
	assert_int_equal(series_list(lab->store, &all, &page, &rows, &n, &next, NULL), 0);
	assert_int_equal(n, 0);
}

static void needs_are_known_both_ways(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE int64_t *ids = NULL;
	int64_t needs[2], missing = 99, id;
	struct series_row row = {0};
	size_t n = 0;

	add_tree(lab->store);
	needs[1] = add_series(lab->store, "1", NULL, 0);
	needs[0] = add_series(lab->store, "2", NULL, 0);
	id = add_series(lab->store, "3", needs, 2);
	assert_int_equal(series_needs(lab->store, id, &ids, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(ids[0], needs[0]);
	assert_int_equal(ids[1], needs[1]);
	free(steal_ptr(ids));
	assert_int_equal(series_needed_by(lab->store, needs[0], &ids, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(ids[0], id);

	row.mail_sha256 = (char *)SHA;
	row.dedup = row.tip = row.profile_name = (char *)"x";
	row.tree = (char *)"t";
	row.until = (char *)"test";
	row.profile = parse("{}");
	assert_int_equal(series_insert(lab->store, &row, &missing, 1, &id, NULL), ERR_MISSING);
	cJSON_Delete(row.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(sessions_end),
		T(tokens_are_checked_by_scope_and_revoked),
		T(no_token_is_in_the_file),
		T(a_page_has_limits),
		T(series_come_newest_first_and_filtered),
		T(comparisons_are_listed_apart),
		T(a_comparison_is_resolved),
		T(the_same_is_found_unless_it_ended_in_error),
		T(a_machine_is_chosen_by_tags_and_load),
		T(a_machine_needs_its_host),
		T(the_queue_keeps_leases_and_pairs),
		T(an_interrupted_job_is_a_new_attempt_with_a_higher_epoch),
		T(nothing_of_a_cut_transaction_stays),
		T(needs_are_known_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

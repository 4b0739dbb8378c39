/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was sent, and its runs. */
#include "store_lab.h"
#include "daemon/store/job.h"
#include "daemon/store/result.h"
#include <errno.h>

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
		STORE_TEST(a_page_has_limits),
		STORE_TEST(series_come_newest_first_and_filtered),
		STORE_TEST(comparisons_are_listed_apart),
		STORE_TEST(a_comparison_is_resolved),
		STORE_TEST(the_same_is_found_unless_it_ended_in_error),
		STORE_TEST(nothing_of_a_cut_transaction_stays),
		STORE_TEST(needs_are_known_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

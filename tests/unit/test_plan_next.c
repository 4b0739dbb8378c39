/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/plan/plan.h"
#include "make_facts.h"

#include <setjmp.h>
#include <cmocka.h>

#define METRIC "dma-map.hugetlbfs.unmap_seconds"

/* The plan for f, which is freed. */
static struct plan next(struct facts *f)
{
	struct plan p;

	plan_next(f, 7, &p);
	facts_free(f);
	return p;
}

static void the_way_to_the_boots(void **state)
{
	struct facts *f;

	assert_int_equal(next(make_received()).kind, PLAN_PARSE);

	f = make_received();
	add_job(f, "parse", STATUS_RUNNING, 1, 0, 0);
	assert_int_equal(next(f).kind, PLAN_WAIT);

	f = make_received();
	add_job(f, "parse", STATUS_PASS, 1, 2, 0);
	assert_int_equal(next(f).kind, PLAN_HOLD); /* no patch in it */

	f = make_applied(2);
	f->n_jobs--;
	free(f->jobs[1].kind);
	assert_int_equal(next(f).kind, PLAN_APPLY);

	for (int built = 0; built <= 2; built++) {
		struct plan p;

		f = make_applied(2);
		for (int i = 0; i < built; i++)
			(void)add_build(f, i, STATUS_PASS);
		p = next(f);
		assert_int_equal(p.kind, PLAN_BUILD);
		assert_int_equal(p.patch, built);
	}
	assert_int_equal(next(make_built(2)).kind, PLAN_BOOT);
}

static void the_way_of_a_comparison(void **state)
{
	struct facts *f = make_received();
	struct plan p;

	f->patched_text = xstrdup("topic");
	assert_int_equal(next(f).kind, PLAN_RESOLVE);

	f = make_received();
	f->patched_text = xstrdup("topic");
	add_job(f, "resolve", STATUS_RUNNING, 1, 0, 0);
	assert_int_equal(next(f).kind, PLAN_WAIT);

	f = make_received();
	f->patched_text = xstrdup("topic");
	add_job(f, "resolve", STATUS_FAIL, 1, 2, 0);
	f->jobs[0].reason = xstrdup("tree t has no commit \"topic\"");
	p = next(f);
	assert_int_equal(p.kind, PLAN_HOLD);
	assert_string_equal(p.reason, "tree t has no commit \"topic\"");

	for (int built = 0; built <= 1; built++) {
		f = make_resolved(false);
		for (int i = 0; i < built; i++)
			(void)add_build(f, i, STATUS_PASS);
		p = next(f);
		assert_int_equal(p.kind, PLAN_BUILD);
		assert_int_equal(p.patch, built);
	}
	f = make_resolved(false);
	(void)add_build(f, 0, STATUS_PASS);
	(void)add_build(f, 1, STATUS_PASS);
	assert_int_equal(next(f).kind, PLAN_BOOT);
}

static void a_commit_against_itself(void **state)
{
	struct facts *f = make_resolved(true);

	assert_int_equal(next(f).kind, PLAN_FINISH);
	f = make_resolved(true);
	f->no_inherit = true;
	assert_int_equal(next(f).kind, PLAN_BUILD);

	f = make_resolved(true);
	f->no_inherit = true;
	for (int i = 0; i <= 1; i++) {
		free(add_build(f, i, STATUS_PASS)->code_sha256);
		f->builds[i].code_sha256 = xstrdup("code");
	}
	assert_int_equal(next(f).kind, PLAN_BOOT);

	/* Other commits of the same code are found out by building them. */
	f = make_resolved(false);
	for (int i = 0; i <= 1; i++) {
		free(add_build(f, i, STATUS_PASS)->code_sha256);
		f->builds[i].code_sha256 = xstrdup("code");
	}
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void until_is_honoured(void **state)
{
	struct facts *f = make_applied(1);

	free(f->until);
	f->until = xstrdup("apply");
	assert_int_equal(next(f).kind, PLAN_FINISH);
	f = make_built(1);
	free(f->until);
	f->until = xstrdup("build");
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void a_conflict_builds_nothing(void **state)
{
	struct facts *f = make_applied(1);

	f->patches[0].conflict = xcalloc(1, sizeof(struct fact_conflict));
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void a_base_that_does_not_build_is_held(void **state)
{
	struct facts *f = make_applied(1);
	struct plan p;

	add_build(f, 0, STATUS_FAIL)->reason = xstrdup("make ended with 2");
	p = next(f);
	assert_int_equal(p.kind, PLAN_HOLD);
	assert_string_equal(p.reason, "the base does not build: make ended with 2");
}

static void a_broken_patch_does_not_stop_the_tip(void **state)
{
	struct facts *f = make_applied(2);
	struct plan p;

	(void)add_build(f, 0, STATUS_PASS);
	(void)add_build(f, 1, STATUS_FAIL);
	p = next(f);
	assert_int_equal(p.kind, PLAN_BUILD);
	assert_int_equal(p.patch, 2);

	f = make_applied(2);
	(void)add_build(f, 0, STATUS_PASS);
	(void)add_build(f, 1, STATUS_FAIL);
	(void)add_build(f, 2, STATUS_PASS);
	assert_int_equal(next(f).kind, PLAN_BOOT);

	f = make_applied(2);
	(void)add_build(f, 0, STATUS_PASS);
	(void)add_build(f, 1, STATUS_FAIL);
	(void)add_build(f, 2, STATUS_FAIL);
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void same_code_is_not_booted(void **state)
{
	struct facts *f = make_built(1);

	free(f->builds[1].code_sha256);
	f->builds[1].code_sha256 = xstrdup("code0");
	assert_int_equal(next(f).kind, PLAN_FINISH);

	f = make_built(1);
	free(f->builds[1].code_sha256);
	f->builds[1].code_sha256 = xstrdup("code0");
	f->no_inherit = true;
	assert_int_equal(next(f).kind, PLAN_BOOT);

	/* The same code under another config is not the same. */
	f = make_built(1);
	free(f->builds[1].code_sha256);
	f->builds[1].code_sha256 = xstrdup("code0");
	free(f->builds[1].config_sha256);
	f->builds[1].config_sha256 = xstrdup("c0f2");
	assert_int_equal(next(f).kind, PLAN_BOOT);
}

static void trouble_of_the_lab_ends_the_run(void **state)
{
	struct facts *f = make_built(1);

	(void)add_boot(f, SIDE_BASE, BOOT_PAIR, 1, STATUS_ERROR);
	(void)add_boot(f, SIDE_PATCHED, BOOT_PAIR, 1, STATUS_QUEUED);
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void add_pair(
	struct facts *f, enum boot_role role, int n, enum status base, enum status patched)
{
	(void)add_boot(f, SIDE_BASE, role, n, base);
	(void)add_boot(f, SIDE_PATCHED, role, n, patched);
}

static void pairs_come_one_by_one(void **state)
{
	struct facts *f;
	struct plan p;

	for (int done = 0; done < 5; done++) {
		f = make_built(3);
		for (int i = 1; i <= done; i++)
			add_pair(f, BOOT_PAIR, i, STATUS_PASS, STATUS_PASS);
		p = next(f);
		assert_int_equal(p.kind, PLAN_BOOT);
		assert_int_equal(p.n_boots, 2);
		assert_int_not_equal(p.boots[0].side, p.boots[1].side);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(p.boots[i].pair, done + 1);
			assert_int_equal(p.boots[i].seed, done + 1);
			assert_int_equal(p.boots[i].role, BOOT_PAIR);
			assert_int_equal(p.boots[i].patch, p.boots[i].side == SIDE_BASE ? 0 : 3);
		}
	}
	f = make_built(1);
	for (int i = 1; i <= 5; i++)
		add_pair(f, BOOT_PAIR, i, STATUS_PASS, STATUS_PASS);
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static bool patched_first(int pair, uint64_t draw)
{
	struct facts *f = make_built(1);
	struct plan p;

	for (int i = 1; i < pair; i++)
		add_pair(f, BOOT_PAIR, i, STATUS_PASS, STATUS_PASS);
	plan_next(f, draw, &p);
	facts_free(f);
	assert_int_equal(p.kind, PLAN_BOOT);
	return p.boots[0].side == SIDE_PATCHED;
}

static void the_order_is_drawn_and_balanced(void **state)
{
	int first = 0, third = 0, both = 0;

	for (uint64_t draw = 0; draw < 1000; draw++) {
		bool a = patched_first(1, draw), c = patched_first(3, draw);

		assert_int_not_equal(a, patched_first(2, draw));
		assert_int_not_equal(c, patched_first(4, draw));
		first += a;
		third += c;
		both += a && c;
	}
	/* Five standard deviations of 1000 tosses. */
	assert_in_range(first, 420, 580);
	assert_in_range(third, 420, 580);
	assert_in_range(both, 180, 320);
}

static void a_close_change_is_given_more_pairs(void **state)
{
	static const double base[] = {1.00, 1.001, 0.999, 1.002, 0.998, 1.0, 1.001};
	static const double patched[] = {1.08, 1.081, 1.079, 1.082, 1.078, 1.08, 1.081};
	static const double twice[] = {2.0, 2.001, 1.999, 2.002, 1.998, 2.0, 2.001};
	struct facts *f = make_built(1);

	add_measured_pairs(f, METRIC, base, patched, 5);
	assert_int_equal(next(f).kind, PLAN_BOOT);
	f = make_built(1);
	add_measured_pairs(f, METRIC, base, patched, 7);
	assert_int_equal(next(f).kind, PLAN_FINISH);
	f = make_built(1);
	add_measured_pairs(f, METRIC, base, twice, 5);
	assert_int_equal(next(f).kind, PLAN_FINISH);
	/* A metric that does not decide is not worth more boots. */
	f = make_built(1);
	add_measured_pairs(f, "dma-map.other.unmap_seconds", base, patched, 5);
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void without_benchmarks_one_pair_is_enough(void **state)
{
	struct facts *f = make_built(1);

	cJSON_DeleteItemFromObject(f->profile, "benchmarks");
	json_add_array(f->profile, "benchmarks");
	add_pair(f, BOOT_PAIR, 1, STATUS_PASS, STATUS_PASS);
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void a_panic_is_confirmed_and_then_measuring_stops(void **state)
{
	struct facts *f;
	struct plan p;

	for (int extra = 0; extra <= 3; extra++) {
		f = make_built(1);
		add_pair(f, BOOT_PAIR, 1, STATUS_PASS, STATUS_FAIL);
		for (int i = 1; i <= extra; i++)
			add_pair(f, BOOT_EXTRA, i, STATUS_PASS, STATUS_FAIL);
		p = next(f);
		assert_int_equal(p.kind, extra < 3 ? PLAN_BOOT : PLAN_FINISH);
		if (extra < 3) {
			assert_int_equal(p.boots[0].role, BOOT_EXTRA);
			assert_int_equal(p.boots[0].pair, extra + 1);
		}
	}

	/* It does not happen again: 4 of 10 would not be enough any more. */
	f = make_built(1);
	add_pair(f, BOOT_PAIR, 1, STATUS_PASS, STATUS_PASS);
	add_pair(f, BOOT_PAIR, 2, STATUS_PASS, STATUS_FAIL);
	for (int i = 1; i <= 4; i++)
		add_pair(f, BOOT_EXTRA, i, STATUS_PASS, STATUS_PASS);
	plan_next(f, 7, &p);
	assert_int_equal(p.kind, PLAN_BOOT);
	assert_int_equal(p.boots[0].seed, 2); /* the layout that failed */
	add_pair(f, BOOT_EXTRA, 5, STATUS_PASS, STATUS_PASS);
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

static void a_base_that_does_not_boot_is_held(void **state)
{
	struct facts *f = make_built(1);
	struct plan p;

	add_pair(f, BOOT_PAIR, 1, STATUS_FAIL, STATUS_FAIL);
	p = next(f);
	assert_int_equal(p.kind, PLAN_HOLD);
	assert_non_null(strstr(p.reason, "the base does not boot"));

	/* What is proved stays proved. */
	f = make_built(2);
	f->builds[1].status = STATUS_FAIL;
	add_pair(f, BOOT_PAIR, 1, STATUS_FAIL, STATUS_PASS);
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

/* Five ordinary pairs, then extra ones; a W for each patched boot that shows the finding. */
static struct facts *make_findings(const char *patched)
{
	struct facts *f = make_built(1);

	for (int i = 1; patched[i - 1]; i++) {
		add_pair(f, i <= 5 ? BOOT_PAIR : BOOT_EXTRA, i <= 5 ? i : i - 5, STATUS_PASS,
			STATUS_PASS);
		if (patched[i - 1] == 'W')
			find_in_boot(&f->boots[f->n_boots - 1], "WARNING: f");
	}
	return f;
}

static void a_finding_gets_extra_boots_until_it_is_decided(void **state)
{
	static const struct {
		const char *patched;
		int seed; /* of the next extra pair; 0: none */
	} cases[] = {
		{"WWWWW", 0},
		{"---W-", 4},
		{"WWWW-", 1},
		{"WWWW-W", 0}, /* 5 of 6: 0.008 */
		{"---W---", 4}, /* 7 of 13 can be had: 0.003 */
		{"---W----", 4}, /* 6 of 13: 0.007 */
		{"---W-----", 0}, /* 5 of 13: 0.02 */
		{"-WWWW--------", 0},
	};
	struct facts *f;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan p = next(make_findings(cases[i].patched));

		assert_int_equal(p.kind, cases[i].seed ? PLAN_BOOT : PLAN_FINISH);
		if (!cases[i].seed)
			continue;
		assert_int_equal(p.boots[0].role, BOOT_EXTRA);
		assert_int_equal(p.boots[0].seed, cases[i].seed);
	}

	/* What the base shows too needs no confirmation. */
	f = make_built(1);
	for (int i = 1; i <= 5; i++)
		add_pair(f, BOOT_PAIR, i, STATUS_PASS, STATUS_PASS);
	find_in_boot(&f->boots[7], "WARNING: f");
	find_in_boot(&f->boots[0], "WARNING: f");
	assert_int_equal(next(f).kind, PLAN_FINISH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_way_to_the_boots),
		cmocka_unit_test(the_way_of_a_comparison),
		cmocka_unit_test(a_commit_against_itself),
		cmocka_unit_test(until_is_honoured),
		cmocka_unit_test(a_conflict_builds_nothing),
		cmocka_unit_test(a_base_that_does_not_build_is_held),
		cmocka_unit_test(a_broken_patch_does_not_stop_the_tip),
		cmocka_unit_test(same_code_is_not_booted),
		cmocka_unit_test(trouble_of_the_lab_ends_the_run),
		cmocka_unit_test(pairs_come_one_by_one),
		cmocka_unit_test(the_order_is_drawn_and_balanced),
		cmocka_unit_test(a_close_change_is_given_more_pairs),
		cmocka_unit_test(without_benchmarks_one_pair_is_enough),
		cmocka_unit_test(a_panic_is_confirmed_and_then_measuring_stops),
		cmocka_unit_test(a_base_that_does_not_boot_is_held),
		cmocka_unit_test(a_finding_gets_extra_boots_until_it_is_decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

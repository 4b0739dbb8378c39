/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/verdict/verdict.h"
#include "make_facts.h"

#include <math.h>
#include <setjmp.h>
#include <cmocka.h>

#define UNMAP "dma-map.hugetlbfs.unmap_seconds"
#define MAP "dma-map.hugetlbfs.map_seconds"
#define OTHER "dma-map.map_populate.map_seconds" /* not primary */
#define PAIRS 7

static const double wobble[PAIRS] = {1.000, 1.001, 0.999, 1.002, 0.998, 1.001, 1.000};

static struct facts *run_with(double unmap_ratio, double map_ratio, double other_ratio)
{
	struct facts *f = make_built(1);

	for (int i = 0; i < PAIRS; i++) {
		struct fact_boot *b = add_boot(f, SIDE_BASE, BOOT_PAIR, i + 1, STATUS_PASS);

		add_sample(b, UNMAP, 0.05 * wobble[i]);
		add_sample(b, MAP, 0.02 * wobble[i]);
		add_sample(b, OTHER, 0.3 * wobble[i]);
		b = add_boot(f, SIDE_PATCHED, BOOT_PAIR, i + 1, STATUS_PASS);
		add_sample(b, UNMAP, 0.05 * unmap_ratio * wobble[PAIRS - 1 - i]);
		add_sample(b, MAP, 0.02 * map_ratio * wobble[PAIRS - 1 - i]);
		add_sample(b, OTHER, 0.3 * other_ratio * wobble[PAIRS - 1 - i]);
	}
	return f;
}

static void performance_is_read_off_the_primary_metrics(void **state)
{
	static const struct {
		double unmap, map, other;
		const char *performance, *verdict;
	} cases[] = {
		{0.36, 1.00, 1.00, "improvement", "pass"},
		{1.17, 1.00, 1.00, "regression", "regression"},
		{0.36, 1.17, 1.00, "mixed", "regression"},
		{1.00, 1.00, 1.00, "no-change", "pass"},
		{1.00, 1.00, 1.30, "no-change", "pass"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts *f = run_with(cases[i].unmap, cases[i].map, cases[i].other);
		struct verdict *v = verdict_new(f);

		assert_int_equal(v->n_comparisons, 3);
		assert_string_equal(v->performance, cases[i].performance);
		assert_string_equal(v->verdict, cases[i].verdict);
		verdict_free(v);
		facts_free(f);
	}
}

static void a_comparison_holds_the_samples_in_order(void **state)
{
	struct facts *f = run_with(0.36, 1, 1);
	struct verdict *v = verdict_new(f);
	const struct comparison *c = &v->comparisons[0];

	assert_string_equal(c->metric, UNMAP);
	assert_string_equal(c->better, "lower");
	assert_true(c->primary);
	assert_false(v->comparisons[2].primary);
	assert_int_equal(c->base.n, PAIRS);
	for (int i = 0; i < PAIRS; i++)
		assert_true(c->base.samples[i] == 0.05 * wobble[i]);
	assert_true(c->change < -0.6 && c->interval[0] < c->change && c->change < c->interval[1]);
	assert_true(c->interval[1] < -0.5);
	assert_int_equal(json_int(c->params, "size_mib", 0), 1024);
	assert_null(json_get(c->params, "iterations_ns"));
	verdict_free(v);
	facts_free(f);
}

static void the_worst_backing_is_what_is_shown(void **state)
{
	struct facts *f = run_with(1, 1, 1);
	struct verdict *v;
	cJSON *params = f->boots[5].samples[0].params;

	cJSON_ReplaceItemInObject(params, "backing_coverage", cJSON_CreateNumber(0.5));
	v = verdict_new(f);
	assert_true(json_num(v->comparisons[0].params, "backing_coverage", 0) == 0.5);
	verdict_free(v);
	facts_free(f);
}

static void half_a_pair_does_not_count(void **state)
{
	struct facts *f = run_with(1, 1, 1);
	struct verdict *v;

	f->boots[3].status = STATUS_FAIL;
	v = verdict_new(f);
	assert_int_equal(v->comparisons[0].base.n, PAIRS - 1);
	assert_int_equal(v->comparisons[0].patched.n, PAIRS - 1);
	verdict_free(v);
	facts_free(f);
}

/* A host that had to fall back to emulation for one pair: its seconds are another clock's. */
static void pairs_of_another_acceleration_stand_apart(void **state)
{
	struct facts *f = run_with(0.36, 1, 1);
	struct verdict *v;

	for (int side = 0; side < 2; side++) {
		free(f->boots[side].accel);
		f->boots[side].accel = xstrdup("kvm");
	}
	v = verdict_new(f);
	assert_int_equal(v->n_comparisons, 6);
	assert_string_equal(v->comparisons[0].accel, "kvm");
	assert_int_equal(v->comparisons[0].base.n, 1);
	assert_int_equal(v->comparisons[3].base.n, PAIRS - 1);
	verdict_free(v);
	facts_free(f);
}

static void counts_that_may_be_zero(void **state)
{
	static const struct {
		const char *metric;
		double base, patched;
		const char *verdict, *overall;
	} cases[] = {
		{"viommu-replay.n64.lost_maps", 0, 0, "no-change", "pass"},
		{"viommu-replay.n64.lost_maps", 0, 1, "regression", "fail"},
		{"viommu-replay.n64.device_maps", 64, 64, "no-change", "pass"},
		{"viommu-replay.n64.device_maps", 64, 63, "inconclusive", "pass"},
		{"viommu-replay.n64.sync_requests", 65, 1, "improvement", "pass"},
		{"viommu-replay.n64.sync_requests", 1, 65, "regression",
			"pass"}, /* not primary here */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts *f = make_built(1);
		struct verdict *v;

		cJSON_DeleteItemFromObject(f->profile, "benchmarks");
		for (int n = 1; n <= 5; n++) {
			add_sample(add_boot(f, SIDE_BASE, BOOT_PAIR, n, STATUS_PASS),
				cases[i].metric, cases[i].base);
			add_sample(add_boot(f, SIDE_PATCHED, BOOT_PAIR, n, STATUS_PASS),
				cases[i].metric, cases[i].patched);
		}
		v = verdict_new(f);
		assert_string_equal(v->comparisons[0].verdict, cases[i].verdict);
		assert_string_equal(v->verdict, cases[i].overall);
		verdict_free(v);
		facts_free(f);
	}
}

static bool says(const struct verdict *v, const char *part)
{
	for (size_t i = 0; i < v->n_reasons; i++)
		if (strstr(v->reasons[i], part))
			return true;
	return false;
}

static void what_a_side_did_not_measure_is_said(void **state)
{
	static const struct {
		const char *base[3], *patched[3]; /* metrics */
		const char *verdict, *reason;
	} cases[] = {
		{{UNMAP, MAP}, {UNMAP, MAP}, "pass", NULL},
		{{UNMAP, MAP}, {UNMAP}, "error",
			"no boot of the patched side measured the primary metric " MAP},
		{{UNMAP}, {UNMAP, MAP}, "error", "no boot of the base measured"},
		{{NULL}, {NULL}, "error", "no boot of either side measured"},
		{{UNMAP, MAP, OTHER}, {UNMAP, MAP}, "pass",
			"not compared: only the base measured " OTHER},
		{{UNMAP, MAP}, {UNMAP, MAP, OTHER}, "pass",
			"not compared: only the patched side measured " OTHER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts *f = make_built(1);
		struct verdict *v;

		for (int n = 1; n <= 2; n++) {
			struct fact_boot *b = add_boot(f, SIDE_BASE, BOOT_PAIR, n, STATUS_PASS);

			for (int k = 0; k < 3 && cases[i].base[k]; k++)
				add_sample(b, cases[i].base[k], 1);
			b = add_boot(f, SIDE_PATCHED, BOOT_PAIR, n, STATUS_PASS);
			for (int k = 0; k < 3 && cases[i].patched[k]; k++)
				add_sample(b, cases[i].patched[k], 1);
		}
		v = verdict_new(f);
		assert_string_equal(v->verdict, cases[i].verdict);
		assert_int_equal(says(v, "measured"), cases[i].reason != NULL);
		if (cases[i].reason)
			assert_true(says(v, cases[i].reason));
		verdict_free(v);
		facts_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(performance_is_read_off_the_primary_metrics),
		cmocka_unit_test(what_a_side_did_not_measure_is_said),
		cmocka_unit_test(a_comparison_holds_the_samples_in_order),
		cmocka_unit_test(the_worst_backing_is_what_is_shown),
		cmocka_unit_test(half_a_pair_does_not_count),
		cmocka_unit_test(pairs_of_another_acceleration_stand_apart),
		cmocka_unit_test(counts_that_may_be_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

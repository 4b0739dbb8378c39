/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two clocks are two witnesses; and one of them is tried first. */
#include "daemon/verdict/verdict.h"
#include "make_facts.h"

#include <math.h>
#include <setjmp.h>
#include <cmocka.h>

#define WALL "dma-map.hugetlbfs.unmap_seconds"
#define COUNTED "dma-map.hugetlbfs.unmap_instructions"
#define PROFILE                                                                               \
	"{\"name\":\"dma\",\"clocks\":{\"wall\":{\"pairs\":5,\"max_pairs\":20},\"counted\":{" \
	"\"seeds\":5}},\"benchmarks\":[{\"run\":\"dma-map\",\"primary\":[\"" WALL "\"]}],"    \
	"\"thresholds\":{\"wall\":0.02,\"counted\":0.01}}"
#define PAIRS 7 /* of the wall clock: settled */
#define SEEDS 5

static bool says(const struct verdict *v, const char *part)
{
	for (size_t i = 0; i < v->n_reasons; i++)
		if (strstr(v->reasons[i], part))
			return true;
	return false;
}

/* wobble: the wall clock's noise. A ratio of 0: this clock measured nothing. */
static struct facts *run_with(double wall, double wobble, double counted)
{
	static const double noise[PAIRS] = {0, 0.5, -0.5, 1, -1, 0.5, 0};
	struct facts *f = make_built(1);

	set_profile(f, PROFILE);
	for (int i = 0; i < PAIRS && wall > 0; i++) {
		add_sample(add_boot(f, SIDE_BASE, BOOT_PAIR, i + 1, STATUS_PASS), WALL,
			0.05 * (1 + wobble * noise[i]));
		add_sample(add_boot(f, SIDE_PATCHED, BOOT_PAIR, i + 1, STATUS_PASS), WALL,
			0.05 * wall * (1 + wobble * noise[PAIRS - 1 - i]));
	}
	for (int i = 0; i < SEEDS && counted > 0; i++) {
		add_sample(add_stream_boot(
				   f, CLOCK_COUNTED, "", SIDE_BASE, BOOT_PAIR, i + 1, STATUS_PASS),
			COUNTED, 23606112 + 100 * i);
		add_sample(add_stream_boot(f, CLOCK_COUNTED, "", SIDE_PATCHED, BOOT_PAIR, i + 1,
				   STATUS_PASS),
			COUNTED, (23606112 + 100 * i) * counted);
	}
	if (counted > 0)
		add_sample(add_stream_boot(
				   f, CLOCK_COUNTED, "", SIDE_BASE, BOOT_CANARY, 1, STATUS_PASS),
			COUNTED, 23606112);
	return f;
}

static void the_clocks_are_combined(void **state)
{
	static const struct {
		double wall, wobble, counted;
		const char *of_wall, *of_counted, *performance, *verdict, *reason;
	} cases[] = {
		/* They agree. */
		{1, 0.001, 1, "no-change", "no-change", "no-change", "pass", NULL},
		{0.36, 0.001, 0.4, "improvement", "improvement", "improvement", "pass", NULL},
		{1.1, 0.001, 1.08, "regression", "regression", "regression", "regression", NULL},
		/* The wall clock cannot tell, so the counted one does. */
		{1.015, 0.15, 1.015, "inconclusive", "regression", "regression", "regression",
			COUNTED},
		{1, 0.15, 1, "inconclusive", "no-change", "no-change", "pass", NULL},
		/* Neither can: one layout in five disagrees. */
		{1, 0.15, -1, "inconclusive", "inconclusive", "inconclusive", "pass", NULL},
		/* The wall clock can, and the counted one cannot. */
		{1.1, 0.001, -1, "regression", "inconclusive", "regression", "regression", NULL},
		{1, 0.001, -1, "no-change", "inconclusive", "no-change", "pass", NULL},
		/* What the wall clock is sure of stands, and the other is said. */
		{1, 0.001, 1.015, "no-change", "regression", "no-change", "pass",
			"see different things"},
		{0.9, 0.001, 1, "improvement", "no-change", "improvement", "pass",
			"see different things"},
		/* One swears to the opposite of the other. */
		{0.9, 0.001, 1.1, "improvement", "regression", "mixed", "regression",
			"the two clocks contradict each other: " WALL},
		{1.1, 0.001, 0.9, "regression", "improvement", "mixed", "regression",
			"contradict each other"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double counted = fabs(cases[i].counted);
		AUTO_FACTS struct facts *f = run_with(cases[i].wall, cases[i].wobble, counted);
		AUTO_VERDICT struct verdict *v = NULL;

		if (cases[i].counted < 0) /* the last patched boot but the canary */
			f->boots[f->n_boots - 2].samples[0].value *= 1.5;
		v = verdict_new(f);
		assert_int_equal(v->n_comparisons, 2);
		assert_string_equal(v->comparisons[0].verdict, cases[i].of_wall);
		assert_string_equal(v->comparisons[1].verdict, cases[i].of_counted);
		assert_true(v->comparisons[0].primary && v->comparisons[1].primary);
		assert_string_equal(v->performance, cases[i].performance);
		assert_string_equal(v->verdict, cases[i].verdict);
		if (cases[i].reason && !says(v, cases[i].reason))
			fail_msg("case %zu does not say '%s'", i, cases[i].reason);
		if (!cases[i].reason)
			assert_false(says(v, "clocks"));
	}
}

static void one_clock_is_enough(void **state)
{
	AUTO_FACTS struct facts *f = run_with(0, 0, 0.4);
	AUTO_VERDICT struct verdict *v = NULL;

	cJSON_DeleteItemFromObjectCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(f->profile, "clocks"), "wall");
	v = verdict_new(f);
	assert_int_equal(v->n_comparisons, 1);
	assert_string_equal(v->performance, "improvement");
	assert_string_equal(v->verdict, "pass");
	assert_int_equal(v->comparisons[0].base.n, SEEDS);
	assert_true(isnan(v->comparisons[0].p));
	assert_false(isnan(v->comparisons[0].interval[0]));
}

static void what_one_clock_did_not_measure(void **state)
{
	AUTO_FACTS struct facts *f = run_with(0, 0, 1), *lost = run_with(1, 0.001, 1);
	AUTO_FACTS struct facts *uncounted = run_with(1, 0.001, 0);
	AUTO_VERDICT struct verdict *v = verdict_new(f), *w = NULL, *u = verdict_new(uncounted);

	/* The profile reads the wall clock. */
	assert_string_equal(v->verdict, "error");
	assert_true(says(v, "either side measured the primary metric " WALL));
	/* Only one side of the counted boots has it. */
	for (size_t i = 0; i < lost->n_boots; i++) {
		struct fact_boot *b = &lost->boots[i];

		if (b->clock == CLOCK_COUNTED && b->side == SIDE_PATCHED) {
			free(b->samples[0].metric);
			b->samples[0].metric = xstrdup("dma-map.other");
		}
	}
	w = verdict_new(lost);
	assert_string_equal(w->verdict, "error");
	assert_true(says(w, "the patched side measured the primary metric " COUNTED));
	/* Not everything can be counted. */
	assert_string_equal(u->verdict, "pass");
}

static void counted_time_that_does_not_repeat_is_an_error(void **state)
{
	AUTO_FACTS struct facts *f = run_with(1, 0.001, 1.2);
	AUTO_VERDICT struct verdict *v = NULL;

	f->boots[f->n_boots - 1].samples[0].value += 1;
	v = verdict_new(f);
	assert_string_equal(v->verdict, "error");
	assert_string_equal(v->performance, "no-change"); /* the wall clock's word */
	assert_string_equal(v->comparisons[1].verdict, "inconclusive");
	assert_string_equal(v->unrepeated,
		"counted time does not repeat on q35-vtd: " COUNTED
		" was 23606112 and then 23606113, in two boots of one image with one seed");
	assert_string_equal(v->reasons[0], v->unrepeated);
}

static void a_metric_that_the_canary_lacks_is_an_error(void **state)
{
	for (int which = 0; which < 2; which++) {
		AUTO_FACTS struct facts *f = run_with(1, 0.001, 1);
		AUTO_VERDICT struct verdict *v = NULL;
		struct fact_boot *canary = &f->boots[f->n_boots - 1];

		if (which == 0)
			add_sample(canary, "dma-map.other_instructions", 7);
		else
			add_sample(&f->boots[2 * PAIRS], "dma-map.other_instructions", 7);
		v = verdict_new(f);
		assert_string_equal(v->verdict, "error");
		assert_true(says(v, which == 0 ? "other_instructions was not measured and then 7"
					       : "other_instructions was 7 and then not measured"));
	}
}

/* It is no new evidence, but it may clear a patch. */
static void a_canary_is_not_one_more_boot(void **state)
{
	AUTO_FACTS struct facts *f = run_with(1, 0.001, 1);

	assert_int_equal(verdict_boot_counts(f, NULL, SIDE_BASE).ended, PAIRS + SEEDS);
	f->boots[f->n_boots - 1].status = STATUS_FAIL;
	assert_int_equal(verdict_boot_counts(f, NULL, SIDE_BASE).ended, PAIRS + SEEDS);
	assert_int_equal(verdict_boot_counts(f, NULL, SIDE_BASE).failed, 1);
}

/* Boots of different parts are no pair, and their metrics not one comparison. */
static void parts_are_compared_apart(void **state)
{
	AUTO_FACTS struct facts *f = make_built(1);
	AUTO_VERDICT struct verdict *v = NULL;

	for (int i = 1; i <= 5; i++) {
		add_sample(
			add_stream_boot(f, CLOCK_WALL, "a", SIDE_BASE, BOOT_PAIR, i, STATUS_PASS),
			"b.m_seconds", 1);
		add_sample(add_stream_boot(
				   f, CLOCK_WALL, "b", SIDE_PATCHED, BOOT_PAIR, i, STATUS_PASS),
			"b.m_seconds", 2);
	}
	v = verdict_new(f);
	assert_int_equal(v->n_comparisons, 0);
	verdict_free(steal_ptr(v));
	for (int i = 1; i <= 5; i++)
		add_sample(
			add_stream_boot(f, CLOCK_WALL, "b", SIDE_BASE, BOOT_PAIR, i, STATUS_PASS),
			"b.m_seconds", 2);
	v = verdict_new(f);
	assert_int_equal(v->n_comparisons, 1);
	assert_string_equal(v->comparisons[0].part, "b");
	assert_string_equal(v->comparisons[0].verdict, "no-change");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clocks_are_combined),
		cmocka_unit_test(one_clock_is_enough),
		cmocka_unit_test(what_one_clock_did_not_measure),
		cmocka_unit_test(counted_time_that_does_not_repeat_is_an_error),
		cmocka_unit_test(a_metric_that_the_canary_lacks_is_an_error),
		cmocka_unit_test(a_canary_is_not_one_more_boot),
		cmocka_unit_test(parts_are_compared_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

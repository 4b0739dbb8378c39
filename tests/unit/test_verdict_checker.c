/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs under one of the kernel's checkers, and findings of the lab's own tests. */
#include "daemon/verdict/verdict.h"
#include "make_facts.h"

#include <setjmp.h>
#include <cmocka.h>

#define CIRCULAR "lockdep: possible circular locking dependency detected: map, unmap"
#define PROFILE(checker)                                                                   \
	"{\"name\":\"x\",\"checker\":\"" checker                                           \
	"\",\"clocks\":{\"wall\":{\"pairs\":1,\"max_pairs\":1}},\"benchmarks\":[{\"run\":" \
	"\"dma-map\",\"primary\":[]}],\"thresholds\":{\"wall\":0.02}}"

static bool has_reason(const struct verdict *v, const char *part)
{
	for (size_t i = 0; i < v->n_reasons; i++)
		if (strstr(v->reasons[i], part))
			return true;
	return false;
}

/* n pairs; what their boots find, or NULL. */
static struct facts *pairs(const char *profile, int n, const char *base, const char *patched)
{
	struct facts *f = make_built(1);

	set_profile(f, profile);
	for (int i = 0; i < n; i++) {
		enum boot_role role = i ? BOOT_EXTRA : BOOT_PAIR;
		struct fact_boot *b = add_boot(f, SIDE_BASE, role, i ? i : 1, STATUS_PASS);

		if (base)
			find_in_boot(b, base);
		b = add_boot(f, SIDE_PATCHED, role, i ? i : 1, STATUS_PASS);
		if (patched)
			find_in_boot(b, patched);
	}
	return f;
}

static void expect(struct facts *f, const char *verdict, const char *reason)
{
	struct verdict *v = verdict_new(f);

	assert_string_equal(v->verdict, verdict);
	if (reason && !has_reason(v, reason))
		fail_msg("no reason says '%s'", reason);
	verdict_free(v);
	facts_free(f);
}

static void a_report_of_the_patch_fails(void **state)
{
	expect(pairs(PROFILE("lockdep"), 1, NULL, NULL), "pass", NULL);
	expect(pairs(PROFILE("lockdep"), 1, NULL, CIRCULAR), "pass", "unconfirmed");
	expect(pairs(PROFILE("lockdep"), 5, NULL, CIRCULAR), "fail", "circular locking");
}

/* After its first report lockdep watches no more. */
static void a_report_of_the_base_hides_the_patch(void **state)
{
	expect(pairs(PROFILE("lockdep"), 1, CIRCULAR, CIRCULAR), "error", "watches no more");
	expect(pairs(PROFILE("lockdep"), 1, "lockdep: suspicious RCU usage: f", NULL), "pass",
		NULL);
	expect(pairs(PROFILE("kasan"), 1, "KASAN: slab-out-of-bounds in f",
		       "KASAN: slab-out-of-bounds in f"),
		"pass", NULL);
}

static void times_are_not_compared_and_losses_are(void **state)
{
	static const double none[] = {0, 0, 0, 0, 0}, some[] = {1, 1, 1, 1, 1};
	struct facts *f = make_built(1);
	struct verdict *v;

	set_profile(f, PROFILE("kcsan"));
	add_measured_pairs(f, "viommu-replay.race.lost_maps", none, some, 5);
	for (size_t i = 0; i < f->n_boots; i++)
		add_sample(&f->boots[i], "dma-map.hugetlbfs.unmap_seconds",
			f->boots[i].side == SIDE_BASE ? 1 : 3);
	v = verdict_new(f);
	assert_int_equal(v->n_comparisons, 1);
	assert_string_equal(v->comparisons[0].metric, "viommu-replay.race.lost_maps");
	assert_string_equal(v->verdict, "fail");
	assert_string_equal(v->performance, "none");
	verdict_free(v);
	facts_free(f);
}

static void a_test_of_the_labs_own_is_named_as_one(void **state)
{
	expect(pairs(PROFILE_TEXT, 5, NULL, "test iommu: not ok: map"), "fail",
		"makes the lab's own test report \"test iommu: not ok: map\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_of_the_patch_fails),
		cmocka_unit_test(a_report_of_the_base_hides_the_patch),
		cmocka_unit_test(times_are_not_compared_and_losses_are),
		cmocka_unit_test(a_test_of_the_labs_own_is_named_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

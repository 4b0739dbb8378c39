/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/verdict/verdict.h"
#include "make_facts.h"

#include <setjmp.h>
#include <cmocka.h>

static void finish(struct facts *f, struct verdict *v)
{
	verdict_free(v);
	facts_free(f);
}

static bool has_reason(const struct verdict *v, const char *part)
{
	for (size_t i = 0; i < v->n_reasons; i++)
		if (strstr(v->reasons[i], part))
			return true;
	return false;
}

static void a_new_error_blames_its_patch(void **state)
{
	struct facts *f = make_applied(2);
	struct verdict *v;
	struct fact_build *b;

	(void)add_build(f, 0, STATUS_PASS);
	b = add_build(f, 1, STATUS_FAIL);
	find_in_build(b, "error", "drivers/vfio/a.c", 719, "implicit declaration of 'vpfn_pages'");
	b = add_build(f, 2, STATUS_FAIL);
	find_in_build(b, "error", "drivers/vfio/a.c", 725, "implicit declaration of 'vpfn_pages'");
	v = verdict_new(f);
	assert_string_equal(v->verdict, "fail");
	assert_true(has_reason(v, "patch 1 does not build: drivers/vfio/a.c:719: implicit "
				  "declaration of 'vpfn_pages'"));
	assert_true(has_reason(v, "nothing was booted"));
	assert_true(v->builds[1].items[0].is_new);
	assert_int_equal(v->builds[1].items[0].since_patch, 1);
	assert_int_equal(v->builds[2].items[0].since_patch, 1);
	finish(f, v);
}

static void a_moved_warning_is_not_new_and_a_second_one_is(void **state)
{
	struct facts *f = make_applied(3);
	struct verdict *v;
	struct fact_build *b;

	b = add_build(f, 0, STATUS_PASS);
	find_in_build(b, "warning", "kernel/a.c", 10, "unused variable 'i'");
	b = add_build(f, 1, STATUS_PASS);
	find_in_build(b, "warning", "kernel/a.c", 17, "unused variable 'i'");
	b = add_build(f, 2, STATUS_PASS);
	find_in_build(b, "warning", "kernel/a.c", 17, "unused variable 'i'");
	find_in_build(b, "warning", "kernel/a.c", 90, "unused variable 'i'");
	b = add_build(f, 3, STATUS_PASS);
	find_in_build(b, "warning", "kernel/a.c", 17, "unused variable 'i'");
	find_in_build(b, "warning", "kernel/a.c", 90, "unused variable 'i'");
	v = verdict_new(f);
	assert_false(v->builds[1].items[0].is_new);
	assert_int_equal(v->builds[1].items[0].since_patch, 0);
	assert_false(v->builds[2].items[0].is_new);
	assert_true(v->builds[2].items[1].is_new);
	assert_int_equal(v->builds[2].items[1].since_patch, 2);
	assert_int_equal(v->builds[3].items[1].since_patch, 2);
	assert_true(
		has_reason(v, "patch 2 brings a new warning: kernel/a.c:90: unused variable 'i'"));
	finish(f, v);
}

static void a_warning_that_comes_back_belongs_to_who_brought_it_back(void **state)
{
	struct facts *f = make_applied(3);
	struct verdict *v;

	(void)add_build(f, 0, STATUS_PASS);
	find_in_build(add_build(f, 1, STATUS_PASS), "warning", "a.c", 1, "w");
	(void)add_build(f, 2, STATUS_PASS);
	find_in_build(add_build(f, 3, STATUS_PASS), "warning", "a.c", 1, "w");
	v = verdict_new(f);
	assert_int_equal(v->builds[1].items[0].since_patch, 1);
	assert_int_equal(v->builds[3].items[0].since_patch, 3);
	finish(f, v);
}

static void a_failed_build_hides_no_origin(void **state)
{
	struct facts *f = make_applied(3);
	struct verdict *v;

	(void)add_build(f, 0, STATUS_PASS);
	find_in_build(add_build(f, 1, STATUS_PASS), "warning", "a.c", 1, "w");
	find_in_build(add_build(f, 2, STATUS_FAIL), "error", "b.c", 1, "e");
	find_in_build(add_build(f, 3, STATUS_PASS), "warning", "a.c", 1, "w");
	v = verdict_new(f);
	assert_int_equal(v->builds[3].items[0].since_patch, 1);
	finish(f, v);
}

static void a_list_that_was_cut_judges_errors_only(void **state)
{
	static const struct {
		int64_t base, patched;
		bool is_new;
	} cases[] = {{0, 0, true}, {1, 0, false}, {0, 1, false}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts *f = make_applied(1);
		struct fact_build *b;
		struct verdict *v;

		add_build(f, 0, STATUS_PASS)->findings_dropped = cases[i].base;
		b = add_build(f, 1, STATUS_FAIL);
		b->findings_dropped = cases[i].patched;
		find_in_build(b, "warning", "a.c", 1, "w");
		find_in_build(b, "error", "a.c", 2, "e");
		v = verdict_new(f);
		assert_int_equal(v->builds[1].items[0].is_new, cases[i].is_new);
		assert_true(v->builds[1].items[1].is_new);
		assert_int_equal(
			has_reason(v, "found 1 more than the lab keeps"), !cases[i].is_new);
		finish(f, v);
	}
}

static void add_pair(struct facts *f, int n, const char *base, const char *patched)
{
	struct fact_boot *b = add_boot(f, SIDE_BASE, BOOT_PAIR, n, STATUS_PASS);

	if (base)
		find_in_boot(b, base);
	b = add_boot(f, SIDE_PATCHED, BOOT_PAIR, n, STATUS_PASS);
	if (patched)
		find_in_boot(b, patched);
}

static void a_kernel_finding_is_new_when_confirmed(void **state)
{
	static const struct {
		const char *base, *patched; /* a letter for each pair: what it shows */
		bool is_new, confirmed;
		const char *verdict;
	} cases[] = {
		{"-", "W", false, false, "pass"},
		{"----", "WWWW", false, false, "pass"},
		{"-----", "WWWWW", true, true, "fail"},
		{"-----", "WW---", false, false, "pass"},
		{"-----", "WWWW-", false, false, "pass"},
		{"----------", "WWWWW-----", false, false, "pass"},
		{"----------", "WWWWWW----", true, true, "fail"},
		{"----W", "WWWWW", false, true, "pass"},
		{"----V", "WWWWW", true, true, "fail"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts *f = make_built(1);
		struct verdict *v;

		for (int n = 0; cases[i].base[n]; n++) {
			char base[] = {cases[i].base[n], '\0'};
			char patched[] = {cases[i].patched[n], '\0'};

			cJSON_DeleteItemFromObject(f->profile, "benchmarks");
			add_pair(f, n + 1, *base == '-' ? NULL : base,
				*patched == '-' ? NULL : patched);
		}
		v = verdict_new(f);
		assert_int_equal(v->boots[1].n, 1);
		assert_int_equal(v->boots[1].items[0].is_new, cases[i].is_new);
		assert_int_equal(v->boots[1].items[0].confirmed, cases[i].confirmed);
		assert_string_equal(v->verdict, cases[i].verdict);
		assert_int_equal(has_reason(v, "makes the kernel report \"W\""), cases[i].is_new);
		assert_int_equal(has_reason(v, "unconfirmed"), !cases[i].confirmed);
		finish(f, v);
	}
}

static void a_tip_that_does_not_boot_fails_when_confirmed(void **state)
{
	for (int pairs = 3; pairs <= 4; pairs++) {
		struct facts *f = make_built(3);
		struct verdict *v;

		for (int i = 0; i < pairs; i++) {
			(void)add_boot(f, SIDE_BASE, BOOT_EXTRA, i, STATUS_PASS);
			find_in_boot(
				add_boot(f, SIDE_PATCHED, BOOT_EXTRA, i, STATUS_FAIL), "panic: X");
		}
		v = verdict_new(f);
		assert_string_equal(v->verdict, pairs == 4 ? "fail" : "error");
		assert_int_equal(has_reason(v, "the series makes the kernel fail in 4 of 4 boots"),
			pairs == 4);
		assert_int_equal(v->boots[1].items[0].is_new, pairs == 4);
		assert_int_equal(v->boots[1].items[0].since_patch, -1);
		finish(f, v);
	}
}

static void a_failure_that_does_not_repeat_blames_nobody(void **state)
{
	struct facts *f = make_built(1);
	struct verdict *v;

	(void)add_boot(f, SIDE_BASE, BOOT_PAIR, 1, STATUS_PASS);
	(void)add_boot(f, SIDE_PATCHED, BOOT_PAIR, 1, STATUS_FAIL);
	for (int i = 1; i <= 5; i++) {
		(void)add_boot(f, SIDE_BASE, BOOT_EXTRA, i, STATUS_PASS);
		(void)add_boot(f, SIDE_PATCHED, BOOT_EXTRA, i, STATUS_PASS);
	}
	v = verdict_new(f);
	assert_string_equal(v->verdict, "error");
	assert_true(has_reason(v, "failed in 1 of 6 boots"));
	finish(f, v);
}

static void a_base_that_fails_blames_nobody(void **state)
{
	struct facts *f = make_built(1);
	struct verdict *v;

	(void)add_boot(f, SIDE_BASE, BOOT_PAIR, 1, STATUS_FAIL);
	(void)add_boot(f, SIDE_PATCHED, BOOT_PAIR, 1, STATUS_FAIL);
	(void)add_boot(f, SIDE_BASE, BOOT_EXTRA, 1, STATUS_PASS);
	(void)add_boot(f, SIDE_PATCHED, BOOT_EXTRA, 1, STATUS_FAIL);
	v = verdict_new(f);
	assert_string_equal(v->verdict, "held");
	finish(f, v);
}

static void trouble_of_the_lab_is_error(void **state)
{
	struct facts *f = make_built(1);
	struct verdict *v;

	(void)add_boot(f, SIDE_BASE, BOOT_PAIR, 1, STATUS_ERROR);
	f->jobs[f->n_jobs - 1].reason = xstrdup("the host went away");
	v = verdict_new(f);
	assert_string_equal(v->verdict, "error");
	assert_true(has_reason(v, "the host went away"));
	finish(f, v);

	/* What the kernel said until then is kept; it blames nobody, and on the base it clears. */
	f = make_built(1);
	find_in_boot(add_boot(f, SIDE_PATCHED, BOOT_PAIR, 1, STATUS_ERROR), "W");
	v = verdict_new(f);
	assert_false(v->boots[0].items[0].is_new);
	assert_true(has_reason(v, "reported \"W\" in a boot that the lab did not finish"));
	finish(f, v);
	f = make_built(1);
	for (int i = 1; i <= 5; i++)
		add_pair(f, i, NULL, "W");
	find_in_boot(add_boot(f, SIDE_BASE, BOOT_EXTRA, 1, STATUS_ERROR), "W");
	v = verdict_new(f);
	assert_false(v->boots[1].items[0].is_new);
	assert_string_equal(v->verdict, "error");
	finish(f, v);

	/* A patch that is known not to build stays at fault. */
	f = make_applied(2);
	(void)add_build(f, 0, STATUS_PASS);
	find_in_build(add_build(f, 1, STATUS_FAIL), "error", "a.c", 1, "e");
	(void)add_build(f, 2, STATUS_ERROR);
	v = verdict_new(f);
	assert_string_equal(v->verdict, "fail");
	finish(f, v);
}

static void nothing_booted_is_no_pass(void **state)
{
	struct facts *f = make_built(1);
	struct verdict *v = verdict_new(f);

	assert_string_equal(v->verdict, "error");
	finish(f, v);
	f = make_built(1);
	free(f->until);
	f->until = xstrdup("build");
	v = verdict_new(f);
	assert_string_equal(v->verdict, "pass");
	finish(f, v);
}

static void same_code_passes_without_a_boot(void **state)
{
	struct facts *f = make_built(1);
	struct verdict *v;

	free(f->builds[1].code_sha256);
	f->builds[1].code_sha256 = xstrdup("code0");
	v = verdict_new(f);
	assert_string_equal(v->verdict, "pass");
	assert_string_equal(v->performance, "no-change");
	assert_string_equal(v->same_code_as, f->builds[0].commit);
	finish(f, v);
}

static void a_conflict_fails(void **state)
{
	struct facts *f = make_applied(3);
	struct verdict *v;

	f->patches[1].conflict = xcalloc(1, sizeof(struct fact_conflict));
	*f->patches[1].conflict = (struct fact_conflict){
		xstrdup("drivers/vfio/a.c"), 2, 805, xstrdup("x"), xstrdup("y"), NULL};
	v = verdict_new(f);
	assert_string_equal(v->verdict, "fail");
	assert_true(has_reason(v, "patch 2 does not apply: drivers/vfio/a.c, hunk 2, line 805"));
	finish(f, v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_error_blames_its_patch),
		cmocka_unit_test(a_moved_warning_is_not_new_and_a_second_one_is),
		cmocka_unit_test(a_warning_that_comes_back_belongs_to_who_brought_it_back),
		cmocka_unit_test(a_failed_build_hides_no_origin),
		cmocka_unit_test(a_list_that_was_cut_judges_errors_only),
		cmocka_unit_test(a_kernel_finding_is_new_when_confirmed),
		cmocka_unit_test(a_tip_that_does_not_boot_fails_when_confirmed),
		cmocka_unit_test(a_failure_that_does_not_repeat_blames_nobody),
		cmocka_unit_test(a_base_that_fails_blames_nobody),
		cmocka_unit_test(trouble_of_the_lab_is_error),
		cmocka_unit_test(nothing_booted_is_no_pass),
		cmocka_unit_test(same_code_passes_without_a_boot),
		cmocka_unit_test(a_conflict_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report_fixture.h"
#include "make_facts.h"

#define BASE                                           \
	{                                              \
		0.0541, 0.0543, 0.0539, 0.0545, 0.0540 \
	}
#define PATCHED                                        \
	{                                              \
		0.0170, 0.0171, 0.0169, 0.0172, 0.0170 \
	}

static char *text_of(struct facts *f)
{
	struct verdict *v = verdict_new(f);
	cJSON *report = report_json(f, v);
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	report_text(report, &sb);
	cJSON_Delete(report);
	verdict_free(v);
	facts_free(f);
	return strbuf_detach(&sb, NULL);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part)) {
		print_error("%s\nlacks: %s\n", text, part);
		fail();
	}
}

/* In characters, not bytes. */
static size_t widest_line(const char *text)
{
	size_t widest = 0, n = 0;

	for (; *text; text++) {
		if (*text == '\n')
			n = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80)
			n++;
		widest = MAX_OF(widest, n);
	}
	return widest;
}

static void two_commits_are_named(void **state)
{
	struct facts *f = make_resolved(false);
	struct fact_build *b = add_build(f, 0, STATUS_PASS);
	AUTO_FREE char *text = NULL;

	free(f->title);
	f->title = xstrdup("c0de00000000 (\"vfio: a step\") against ba5e00000000 (\"Linux 6.12\")");
	b = add_build(f, 1, STATUS_PASS);
	find_in_build(b, "warning", "a.c", 7, "unused");
	text = text_of(f);
	assert_has(text, "Comparison 3: c0de00000000 (\"vfio: a step\") against ba5e00000000");
	assert_has(text, "topic against main of tree debian-6.12, profile dma\n");
	assert_has(text, "  patched  pass");
	assert_has(text, "Errors and warnings of the patched side (new ones");
	assert_has(text, "  - commit c0de00000000 brings a new warning: a.c:7: unused\n");
	assert_null(strstr(text, "patch 1"));
	assert_null(strstr(text, "Series"));
}

static void new_errors_are_marked(void **state)
{
	struct facts *f = make_applied(1);
	struct fact_build *b = add_build(f, 0, STATUS_PASS);
	AUTO_FREE char *text = NULL;

	find_in_build(b, "warning", "kernel/old.c", 3, "old one");
	b = add_build(f, 1, STATUS_FAIL);
	find_in_build(b, "error", "drivers/vfio/a.c", 719,
		"implicit declaration of function 'vpfn_pages'");
	find_in_build(b, "warning", "kernel/old.c", 4, "old one");
	text = text_of(f);
	assert_has(text, "\n>> drivers/vfio/a.c:719:3: error: implicit declaration of function "
			 "'vpfn_pages'\n"
			 "     719 |\tcode\n");
	assert_null(strstr(text, ">> kernel/old.c"));
}

static void a_measured_run_fits_the_page(void **state)
{
	struct facts *f = make_built(1);
	double base[] = BASE, patched[] = PATCHED;
	AUTO_FREE char *text = NULL;

	/* One primary metric is enough here. */
	cJSON_DeleteItemFromArray(
		cJSON_GetObjectItem(
			cJSON_GetArrayItem(cJSON_GetObjectItem(f->profile, "benchmarks"), 0),
			"primary"),
		1);
	add_measured_pairs(f, "dma-map.hugetlbfs.unmap_seconds", base, patched, 5);
	free(f->state);
	f->state = xstrdup("done");
	text = text_of(f);
	assert_has(text, "Verdict: pass, performance: improvement\n");
	assert_has(text, "hugetlbfs");
	assert_true(widest_line(text) <= 100);
}

static void a_conflict_shows_both_sides(void **state)
{
	struct facts *f = make_applied(2);
	struct fact_conflict *c = xcalloc(1, sizeof(*c));
	AUTO_FREE char *text = NULL;

	*c = (struct fact_conflict){xstrdup("drivers/vfio/a.c"), 1, 805, xstrdup("\told();\n"),
		xstrdup("\tother();\n"), NULL};
	f->patches[0].conflict = c;
	free(steal_ptr(f->patches[0].commit));
	free(steal_ptr(f->patches[0].how));
	text = text_of(f);
	assert_has(text, "drivers/vfio/a.c, hunk 1, line 805");
	assert_has(text, "| \told();\n");
	assert_has(text, "| \tother();\n");
}

static void a_kernel_report_is_shown_once(void **state)
{
	struct facts *f = make_built(1);
	AUTO_FREE char *text = NULL;
	const char *first;

	for (int i = 1; i <= 5; i++) {
		(void)add_boot(f, SIDE_BASE, BOOT_PAIR, i, STATUS_PASS);
		find_in_boot(add_boot(f, SIDE_PATCHED, BOOT_PAIR, i, STATUS_PASS),
			"WARNING: vfio_unpin_pages_remote");
	}
	text = text_of(f);
	assert_has(text, ">> WARNING: vfio_unpin_pages_remote\n");
	first = strstr(text, ">> WARNING");
	assert_null(strstr(first + 1, ">> WARNING"));
}

static void long_reasons_are_wrapped(void **state)
{
	struct facts *f = make_received();
	AUTO_FREE char *text = NULL;

	free(f->state);
	f->state = xstrdup("held");
	f->held = xasprintf("the base does not build: %s",
		"a long story \u2018of words\u2019 that goes on "
		"and on, past the end of any line that a "
		"person would like to read in a terminal");
	text = text_of(f);
	assert_true(widest_line(text) <= 98);
	assert_has(text, "past the end of any line\n    that a person");
}

/* Each part of a benchmark by itself, whichever clock saw it. */
static void parts_stand_apart(void **state)
{
	static const char json[] =
		"{\"boots\":["
		"{\"side\":\"base\",\"status\":\"pass\",\"machine\":\"m\",\"clock\":\"wall\","
		"\"part\":\"calls\",\"accel\":\"tcg\",\"role\":\"pair\"},"
		"{\"side\":\"base\",\"status\":\"pass\",\"machine\":\"m\",\"clock\":\"counted\","
		"\"part\":\"attach\",\"accel\":\"tcg\",\"role\":\"pair\"},"
		"{\"side\":\"base\",\"status\":\"pass\",\"machine\":\"m\",\"clock\":\"counted\","
		"\"part\":\"attach\",\"accel\":\"tcg\",\"role\":\"canary\"}],"
		"\"comparisons\":["
		"{\"machine\":\"m\",\"clock\":\"wall\",\"part\":\"attach\",\"metric\":\"v.n1.t_"
		"seconds\","
		"\"base\":{\"n\":5,\"median\":0.002},\"patched\":{\"n\":5,\"median\":0.001},"
		"\"change\":-0.5,\"interval\":[-0.6,-0.4],\"verdict\":\"improvement\"},"
		"{\"machine\":\"m\",\"clock\":\"wall\",\"part\":\"calls\",\"metric\":\"v.n1."
		"calls\","
		"\"primary\":true,\"base\":{\"n\":5,\"median\":1025},"
		"\"patched\":{\"n\":5,\"median\":1},\"change\":-0.999,\"verdict\":\"improvement\"},"
		"{\"machine\":\"m\",\"clock\":\"counted\",\"part\":\"attach\","
		"\"metric\":\"v.n1.t_instructions\",\"base\":{\"n\":5,\"median\":1000},"
		"\"patched\":{\"n\":5,\"median\":1200},\"change\":0.2,\"verdict\":\"regression\"}]"
		"}";
	AUTO_JSON cJSON *report = cJSON_Parse(json);
	AUTO_FREE char *text = NULL;

	assert_non_null(report);
	text = written_as("text", report);
	assert_has(text, "\nBoot\n"
			 "  m (tcg), wall clock, part calls: base 1 of 1 passed\n"
			 "  m (tcg), counted time, part attach: base 1 of 1 passed\n");
	assert_has(text, "\n  v, part attach on m (tcg): wall clock, 5 pairs; instructions "
			 "counted, 5 layouts\n"
			 "                                base                  patched  change\n"
			 "    n1.t_seconds\n"
			 "    wall                    2.000 ms                 1.000 ms  "
			 "-50.0% [-60.0, -40.0]   improvement\n"
			 "    counted                    1,000                    1,200  "
			 "+20.0%                  regression\n"
			 "    (the two clocks contradict each other)\n"
			 "\n  v, part calls on m (tcg): wall clock, 5 pairs\n"
			 "                                base                  patched  change\n"
			 "  * n1.calls\n"
			 "    wall                       1,025                        1  "
			 "-99.9%                  improvement\n");
}

static void real_runs_as_text(void **state)
{
	static const char *const names[] = {
		"unbuildable", "conflict", "measured", "complaint", "panic", "clocks"};

	AUTO_JSON cJSON *report = fixture_report("clocks");
	AUTO_FREE char *text = written_as("text", report);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_fixture(names[i], "text", "txt");
	assert_true(widest_line(text) <= 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_commits_are_named),
		cmocka_unit_test(new_errors_are_marked),
		cmocka_unit_test(a_measured_run_fits_the_page),
		cmocka_unit_test(a_conflict_shows_both_sides),
		cmocka_unit_test(a_kernel_report_is_shown_once),
		cmocka_unit_test(long_reasons_are_wrapped),
		cmocka_unit_test(parts_stand_apart),
		cmocka_unit_test(real_runs_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

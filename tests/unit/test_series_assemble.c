/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/series.h"

#include "base/file.h"
#include "series_mails.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CASES TEST_SOURCE_DIR "/../shared/cases/threads/"

#define REQUEST_PULL                                                                 \
	"Hello,\n\nThe following changes since commit "                              \
	"0123456789012345678901234567890123456789:\n\n  Subject (2026-11-30)\n\n"    \
	"are available in the Git repository at:\n\n  https://example.org/r tag\n\n" \
	"for you to fetch changes up to 9876543210987654321098765432109876543210:\n\n"
#define DIFF "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"

/* What came of it: "title vN placed/total[+cover][+replies][!held]; ..." and the ignored ids. */
static char *summary(const struct mail *mails, size_t n)
{
	struct series_set set;
	struct strbuf text;
	struct error e = ERROR_INIT;

	strbuf_init(&box, 1 << 20);
	strbuf_init(&text, 10000);
	series_set_init(&set);
	for (size_t i = 0; i < n && mails[i].subject; i++)
		add_mail(&mails[i]);
	if (series_set_read(&set, box.buf, box.len, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < set.n_series; i++) {
		const struct series *s = &set.series[i];

		assert_true(s->complete || s->held);
		(void)strbuf_addf(&text, "%s v%d", s->title, s->version);
		for (size_t p = 0; p < s->n_patches; p++)
			(void)strbuf_addf(&text, " %d", s->patches[p].n);
		(void)strbuf_addf(&text, "/%d%s", s->total, s->cover ? " cover" : "");
		if (s->n_replies)
			(void)strbuf_addf(&text, " replies %zu", s->n_replies);
		(void)strbuf_addf(&text, "%s; ", s->held ? " held" : "");
	}
	for (size_t i = 0; i < set.n_ignored; i++)
		(void)strbuf_addf(&text, "-%s ", set.ignored[i].message_id);
	series_set_done(&set);
	strbuf_done(&box);
	return strbuf_detach(&text, NULL);
}

static void puts_series_together(void **state)
{
	static const struct {
		struct mail mails[8];
		const char *summary;
	} cases[] = {
		{{{.subject = "[PATCH] one", .id = "1"}}, "one v1 1/1; "},
		{{{.subject = "one without a tag", .id = "1"}}, "one without a tag v1 1/1; "},
		/* numbers and a cover letter, out of order */
		{{{.subject = "[PATCH v2 2/2] b", .id = "3", .parent = "1"},
			 {.subject = "[PATCH v2 0/2] t", .id = "1", .text = "x"},
			 {.subject = "[PATCH v2 1/2] a", .id = "2", .parent = "1"}},
			"t v2 1 2/2 cover; "},
		{{{.subject = "[PATCH 1/2] a", .id = "1"},
			 {.subject = "[PATCH 2/2] b", .id = "2", .parent = "1"}},
			"a v1 1 2/2; "},
		/* each answers the one before */
		{{{.subject = "[PATCH 0/2] t", .id = "1", .text = "x"},
			 {.subject = "[PATCH 1/2] a", .id = "2", .parent = "1"},
			 {.subject = "[PATCH 2/2] b", .id = "3", .parent = "2"}},
			"t v1 1 2/2 cover; "},
		/* only the cover letter says the version */
		{{{.subject = "[PATCH v3 0/2] t", .id = "1", .text = "x"},
			 {.subject = "[PATCH 1/2] a", .id = "2", .parent = "1"},
			 {.subject = "[PATCH 2/2] b", .id = "3", .parent = "1"}},
			"t v3 1 2/2 cover; "},
		/* only the patches say it */
		{{{.subject = "[PATCH 0/2] t", .id = "1", .text = "x"},
			 {.subject = "[PATCH v3 1/2] a", .id = "2", .parent = "1"},
			 {.subject = "[PATCH v3 2/2] b", .id = "3", .parent = "1"}},
			"t v3 1 2/2 cover; "},
		/* a second version in the first one's thread */
		{{{.subject = "[PATCH 0/1] t", .id = "1", .text = "x"},
			 {.subject = "[PATCH 1/1] a", .id = "2", .parent = "1"},
			 {.subject = "[PATCH v2 0/1] t", .id = "3", .parent = "1", .text = "x"},
			 {.subject = "[PATCH v2 1/1] a", .id = "4", .parent = "3"}},
			"t v1 1/1 cover; t v2 1/1 cover; "},
		/* nobody refers to anybody: together in time, or not */
		{{{.subject = "[PATCH 1/2] a", .id = "1"},
			 {.subject = "[Patch 2/2]: b", .id = "2", .minute = 60}},
			"a v1 1 2/2; "},
		{{{.subject = "[PATCH 1/2] a", .id = "1"},
			 {.subject = "[PATCH 2/2] b", .id = "2", .minute = 61}},
			"a v1 1/2 held; b v1 2/2 held; "},
		{{{.subject = "[PATCH 1/2] a", .id = "1"},
			 {.subject = "[PATCH 2/2] b", .id = "2", .sender = "b@example.org"}},
			"a v1 1/2 held; b v1 2/2 held; "},
		{{{.subject = "[PATCH 1/2] a", .id = "1"},
			 {.subject = "[PATCH v2 2/2] b", .id = "2"}},
			"a v1 1/2 held; b v2 2/2 held; "},
		/* which of two first patches is meant? */
		{{{.subject = "[PATCH 1/2] a", .id = "1"},
			 {.subject = "[PATCH 1/2] c", .id = "2", .minute = 1},
			 {.subject = "[PATCH 2/2] b", .id = "3", .minute = 2}},
			"a v1 1/2 held; c v1 1 2/2 held; "},
		/* one after the other is clear */
		{{{.subject = "[PATCH 1/2] a", .id = "1"}, {.subject = "[PATCH 2/2] b", .id = "2"},
			 {.subject = "[PATCH 1/2] c", .id = "3", .minute = 1},
			 {.subject = "[PATCH 2/2] d", .id = "4", .minute = 1}},
			"a v1 1 2/2; c v1 1 2/2; "},
		/* something is missing, or too much */
		{{{.subject = "[PATCH 0/2] t", .id = "1", .text = "x"},
			 {.subject = "[PATCH 1/2] a", .id = "2", .parent = "1"}},
			"t v1 1/2 cover held; "},
		{{{.subject = "[PATCH 0/2] t", .id = "1", .text = "x"}}, "t v1/2 cover held; "},
		{{{.subject = "[PATCH 1/1] a", .id = "1"},
			 {.subject = "[PATCH 2/1] b", .id = "2", .parent = "1"}},
			"a v1 1/1; -2 "},
		{{{.subject = "[PATCH 1/1] a", .id = "1"},
			 {.subject = "[PATCH 1/1] b", .id = "2", .parent = "1"}},
			"a v1 1/1 held; -2 "},
		{{{.subject = "[PATCH 1/1] a", .id = "1"}, {.subject = "[PATCH 1/1] a", .id = "1"}},
			"a v1 1/1; -1 "},
		/* a resend is no double */
		{{{.subject = "[PATCH 1/1] a", .id = "1"},
			 {.subject = "[PATCH RESEND 1/1] a", .id = "2", .parent = "1"}},
			"a v1 1/1; a v1 1/1; "},
		/* replies, with and without a diff */
		{{{.subject = "[PATCH 1/1] a", .id = "1"},
			 {.subject = "Re: [PATCH 1/1] a",
				 .id = "2",
				 .parent = "1",
				 .sender = "b@x",
				 .text = "fine"},
			 {.subject = "Re: [PATCH 1/1] a",
				 .id = "3",
				 .parent = "2",
				 .sender = "c@x"},
			 {.subject = "no mark",
				 .id = "4",
				 .parent = "3",
				 .sender = "d@x",
				 .text = "also"}},
			"a v1 1/1 replies 3; -3 "},
		{{{.subject = "[PATCH 1/1] a", .id = "1"}, {.subject = "Re: [PATCH 1/1] a",
								   .id = "2",
								   .parent = "gone",
								   .sender = "b@x",
								   .text = "fine"}},
			"a v1 1/1 replies 1; "},
		{{{.subject = "[PATCH 1/1] a", .id = "1"}, {.subject = "Re: other",
								   .id = "2",
								   .parent = "gone",
								   .sender = "b@x",
								   .text = "fine"}},
			"a v1 1/1; -2 "},
		{{{.subject = "[PATCH 1/1] a", .id = "1"},
			 {.subject = "maybe so", .id = "2", .parent = "1", .sender = "b@x"}},
			"a v1 1/1 replies 1; -2 "},
		/* what is no patch */
		{{{.subject = "hello", .id = "1", .text = "x"}}, "-1 "},
		{{{.subject = "[GIT PULL] things", .id = "1", .text = "x"}}, "-1 "},
		{{{.subject = "things for 6.13", .id = "1", .text = REQUEST_PULL}}, "-1 "},
		{{{.subject = "[PATCH] things", .id = "1", .text = REQUEST_PULL}}, "-1 "},
		/* with -p it brings the diff along */
		{{{.subject = "things", .id = "1", .text = REQUEST_PULL DIFF}}, "-1 "},
		/* a cover letter may say where its patches are, too */
		{{{.subject = "[PATCH 0/1] t", .id = "1", .text = REQUEST_PULL},
			 {.subject = "[PATCH 1/1] a", .id = "2", .parent = "1"}},
			"t v1 1/1 cover; "},
		{{{.subject = "[PATCH] the words", .id = "1", .text = REQUEST_PULL "---\n" DIFF}},
			"the words v1 1/1; "},
		{{{.subject = "[PATCH 1/2] empty", .id = "1", .text = "x"}}, "-1 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = summary(cases[i].mails, ARRAY_SIZE(cases[i].mails));

		if (!streq(text, cases[i].summary))
			fail_msg("case %zu: \"%s\", wanted \"%s\"", i, text, cases[i].summary);
	}
}

static void says_what_is_missing(void **state)
{
	static const struct mail mails[] = {{.subject = "[PATCH 0/4] t", .id = "1", .text = "x"},
		{.subject = "[PATCH 2/4] b", .id = "2", .parent = "1"}};
	struct series_set set;
	const struct series *only;
	struct error e = ERROR_INIT;

	(void)state;
	strbuf_init(&box, 1 << 20);
	series_set_init(&set);
	add_mail(&mails[0]);
	add_mail(&mails[1]);
	assert_int_equal(series_set_read(&set, box.buf, box.len, &e), 0);
	assert_int_equal(series_set_only(&set, &only, &e), ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "patches 1/4, 3/4, 4/4 are missing: 1 of 4 came"));
	series_set_done(&set);
	strbuf_done(&box);
}

static void reads_what_it_stands_on(void **state)
{
	static const char text[] =
		"x\n\nbase-commit: 0123456789012345678901234567890123456789\n"
		"prerequisite-patch-id: 1111111111111111111111111111111111111111\n"
		"prerequisite-patch-id: 1111111111111111111111111111111111111111\n"
		"prerequisite-patch-id: not one\nprerequisite-message-id: <a@b>\n"
		"change-id: 2026-it\nDepends-on: https://example.org/x\n";
	const struct mail cover = {.subject = "[PATCH 0/1] t", .id = "1", .text = text};
	const struct mail patch = {.subject = "[PATCH 1/1] a", .id = "2", .parent = "1"};
	struct series_set set;
	const struct series *s;
	struct error e = ERROR_INIT;

	(void)state;
	strbuf_init(&box, 1 << 20);
	series_set_init(&set);
	add_mail(&cover);
	add_mail(&patch);
	(void)strbuf_adds(&box, "base-commit: 9999999999999999999999999999999999999999\n");
	assert_int_equal(series_set_read(&set, box.buf, box.len, &e), 0);
	assert_int_equal(series_set_only(&set, &s, &e), 0);
	assert_string_equal(s->base_commit, "0123456789012345678901234567890123456789");
	assert_string_equal(s->change_id, "2026-it");
	assert_int_equal(s->n_prerequisites, 3);
	assert_int_equal(s->prerequisites[0].kind, PREREQUISITE_PATCH_ID);
	assert_string_equal(s->prerequisites[1].value, "a@b");
	assert_string_equal(s->prerequisites[2].value, "https://example.org/x");
	series_set_done(&set);
	strbuf_done(&box);
}

/* Thousands of mails that could belong together any way take time in proportion. */
static void ends_soon_with_many_mails(void **state)
{
	struct series_set set;
	struct error e = ERROR_INIT;

	(void)state;
	strbuf_init(&box, 1 << 24);
	series_set_init(&set);
	for (int i = 0; i < 20000; i++) {
		AUTO_FREE char *subject = xasprintf("[PATCH %d/2000] a", i % 2000 + 1);
		AUTO_FREE char *id = xasprintf("%d", i);
		struct mail m = {.subject = subject, .id = id, .minute = i % 1400};

		add_mail(&m);
	}
	assert_int_equal(series_set_read(&set, box.buf, box.len, &e), 0);
	assert_true(set.n_series > 0);
	series_set_done(&set);
	strbuf_done(&box);
}

static void reads_real_threads(void **state)
{
	static const struct {
		const char *name;
		size_t patches, ignored;
		int version;
		bool complete;
	} cases[] = {
		{"base-cover-letter", 2, 0, 1, true},
		{"base-deep-threaded", 2, 0, 1, true},
		{"base-different-versions", 4, 0, 3, true},
		{"base-extra-patches", 2, 1, 1, true},
		{"base-incomplete", 1, 0, 1, false},
		{"base-no-cover-letter", 2, 0, 1, true},
		{"base-no-references-no-cover", 2, 0, 1, true},
		{"base-no-references", 2, 0, 2, true},
		{"base-out-of-order", 2, 0, 1, true},
		{"base-single-patch", 1, 0, 1, true},
	};

	(void)state;
	if (!file_exists(CASES)) {
		print_message("left out: " CASES " is not here\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *path = xasprintf(CASES "%s.mbox", cases[i].name);
		AUTO_FREE char *data = NULL;
		struct series_set set;
		struct error e = ERROR_INIT;
		size_t len;

		series_set_init(&set);
		if (file_read(path, 1 << 20, &data, &len, &e) ||
			series_set_read(&set, data, len, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(set.n_series, 1);
		assert_int_equal(set.series[0].n_patches, cases[i].patches);
		assert_int_equal(set.series[0].version, cases[i].version);
		assert_int_equal(set.series[0].complete, cases[i].complete);
		assert_int_equal(set.n_ignored, cases[i].ignored);
		series_set_done(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_series_together),
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(reads_what_it_stands_on),
		cmocka_unit_test(ends_soon_with_many_mails),
		cmocka_unit_test(reads_real_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

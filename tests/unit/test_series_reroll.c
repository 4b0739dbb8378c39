/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/series.h"

#include "series_mails.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define DIFF(to) "---\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+" to

static void read_mails(const struct mail *mails, size_t n, struct series_set *ret_set)
{
	struct error e = ERROR_INIT;

	strbuf_init(&box, 1 << 20);
	series_set_init(ret_set);
	for (size_t i = 0; i < n && mails[i].subject; i++)
		add_mail(&mails[i]);
	if (series_set_read(ret_set, box.buf, box.len, &e))
		fail_msg("%s", e.msg);
	strbuf_done(&box);
}

/* "title vN[ < vM by LINK][ of PLACE:VERSION...][ held]; ", then "= title vN" as a submission. */
static char *summary(const struct mail *mails, size_t n)
{
	struct series_set set;
	struct strbuf text;
	const struct series *only;
	struct error e = ERROR_INIT;

	strbuf_init(&text, 10000);
	read_mails(mails, n, &set);
	for (size_t i = 0; i < set.n_series; i++) {
		const struct series *s = &set.series[i];

		(void)strbuf_addf(&text, "%s v%d", s->title, s->version);
		if (s->previous)
			(void)strbuf_addf(&text, " < v%d by %s", s->previous->version,
				series_link_name(s->link));
		for (size_t p = 0; p < s->n_patches && s->partial; p++)
			(void)strbuf_addf(&text, " %d:v%d", s->patches[p].n, s->patches[p].version);
		(void)strbuf_addf(&text, "%s; ", s->held ? " held" : "");
	}
	if (series_set_only(&set, &only, &e))
		(void)strbuf_adds(&text, "= held");
	else
		(void)strbuf_addf(&text, "= %s v%d", only->title, only->version);
	series_set_done(&set);
	return strbuf_detach(&text, NULL);
}

#define V1                                                                \
	{.subject = "[PATCH 0/2] t", .id = "10", .text = "x"},            \
		{.subject = "[PATCH 1/2] a", .id = "11", .parent = "10"}, \
	{                                                                 \
		.subject = "[PATCH 2/2] b", .id = "12", .parent = "10"    \
	}

static void links_versions(void **state)
{
	static const struct {
		struct mail mails[9];
		const char *summary;
	} cases[] = {
		/* in reply to the cover letter of the version before, under another title */
		{{V1, {.subject = "[PATCH v2 0/1] u", .id = "20", .parent = "10", .text = "x"},
			 {.subject = "[PATCH v2 1/1] c", .id = "21", .parent = "20"}},
			"t v1; u v2 < v1 by in-reply-to; = u v2"},
		/* in a thread of its own under the same title; it came before */
		{{{.subject = "[PATCH v2 0/1] t", .id = "20", .text = "x"},
			 {.subject = "[PATCH v2 1/1] c", .id = "21", .parent = "20"}, V1},
			"t v2 < v1 by title; t v1; = t v2"},
		{{V1, {.subject = "[PATCH v2 0/1] t", .id = "20", .text = "x", .sender = "b@x"},
			 {.subject = "[PATCH v2 1/1] c",
				 .id = "21",
				 .parent = "20",
				 .sender = "b@x"}},
			"t v1; t v2; = held"},
		/* the change-id counts most, and through a version that is missing */
		{{{.subject = "[PATCH] a", .id = "1", .text = "change-id: it\n" DIFF("1")},
			 {.subject = "[PATCH v3] b",
				 .id = "3",
				 .text = "change-id: it\n" DIFF("3")},
			 {.subject = "[PATCH v2] b",
				 .id = "2",
				 .text = "change-id: no\n" DIFF("2")}},
			"a v1; b v3 < v1 by change-id; b v2; = held"},
		{{{.subject = "[PATCH] a", .id = "1"}, {.subject = "[PATCH v2] a", .id = "2"},
			 {.subject = "[PATCH v4] a", .id = "4"}},
			"a v1; a v2 < v1 by title; a v4 < v2 by title; = a v4"},
		{{{.subject = "[PATCH] a", .id = "1"}, {.subject = "[PATCH RESEND] a", .id = "2"}},
			"a v1; a v1 < v1 by title; = a v1"},
		/* two of one version: nobody knows which is meant */
		{{{.subject = "[PATCH] a", .id = "1"}, {.subject = "[PATCH v2] a", .id = "2"},
			 {.subject = "[PATCH v2] a", .id = "3"}},
			"a v1; a v2 < v1 by title; a v2 < v1 by title; = held"},
		/* another series in the same thread is no version of it */
		{{V1, {.subject = "[PATCH] c", .id = "20", .parent = "12"}}, "t v1; c v1; = held"},
		{{V1, {.subject = "[PATCH v2] c", .id = "20", .parent = "10", .sender = "b@x"}},
			"t v1; c v2; = held"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = summary(cases[i].mails, ARRAY_SIZE(cases[i].mails));

		if (!streq(text, cases[i].summary))
			fail_msg("case %zu: \"%s\", wanted \"%s\"", i, text, cases[i].summary);
	}
}

static void completes_partial_rerolls(void **state)
{
	static const struct {
		struct mail mails[9];
		const char *summary;
	} cases[] = {
		{{V1, {.subject = "[PATCH v2 2/2] b", .id = "22", .parent = "12"}},
			"t v1; t v2 < v1 by in-reply-to 1:v1 2:v2; = t v2"},
		/* below a reply to it; then the other one, on top of that */
		{{V1, {.subject = "Re: [PATCH 2/2] b", .id = "13", .parent = "12", .text = "no"},
			 {.subject = "[PATCH v2 2/2] c", .id = "22", .parent = "13"},
			 {.subject = "[PATCH v3 1/2] a", .id = "31", .parent = "11"}},
			"t v1; t v2 < v1 by in-reply-to 1:v1 2:v2; "
			"t v3 < v1 by in-reply-to 1:v3 2:v1; = held"},
		{{V1, {.subject = "[PATCH v2 2/2] c", .id = "22", .parent = "12"},
			 {.subject = "[PATCH v3 2/2] d", .id = "32", .parent = "22"}},
			"t v1; t v2 < v1 by in-reply-to 1:v1 2:v2; "
			"t v3 < v2 by in-reply-to 1:v1 2:v3; = t v3"},
		/* without a number the subject has to say which */
		{{V1, {.subject = "[PATCH v2] b", .id = "22", .parent = "12"}},
			"t v1; t v2 < v1 by in-reply-to 1:v1 2:v2; = t v2"},
		{{V1, {.subject = "[PATCH v2] c", .id = "22", .parent = "12"}},
			"t v1; c v2 < v1 by in-reply-to held; = held"},
		/* in reply to the cover letter the rest is missing; so it is for somebody else */
		{{V1, {.subject = "[PATCH v2 2/2] b", .id = "22", .parent = "10"}},
			"t v1; b v2 < v1 by in-reply-to held; = held"},
		{{V1, {.subject = "[PATCH v2 2/2] b", .id = "22", .parent = "12", .sender = "b@x"}},
			"t v1; b v2 held; = held"},
		/* the wrong place; the wrong number */
		{{V1, {.subject = "[PATCH v2 1/2] b", .id = "22", .parent = "12"}},
			"t v1; b v2 < v1 by in-reply-to held; = held"},
		{{V1, {.subject = "[PATCH v2 2/3] b", .id = "22", .parent = "12"}},
			"t v1; b v2 < v1 by in-reply-to held; = held"},
		/* what it rests on is not whole */
		{{{.subject = "[PATCH 2/3] b", .id = "12"},
			 {.subject = "[PATCH v2 2/3] b", .id = "22", .parent = "12"}},
			"b v1 held; b v2 < v1 by in-reply-to 2:v2 held; = held"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = summary(cases[i].mails, ARRAY_SIZE(cases[i].mails));

		if (!streq(text, cases[i].summary))
			fail_msg("case %zu: \"%s\", wanted \"%s\"", i, text, cases[i].summary);
	}
}

/* "PLACE NAME: VALUE[ refused][ <]; ", "<" for a reply. */
static char *trailers(const struct series *s)
{
	struct strbuf text;

	strbuf_init(&text, 10000);
	for (size_t i = 0; i < s->n_trailers; i++) {
		const struct series_trailer *t = &s->trailers[i];

		(void)strbuf_addf(&text, "%d %s: %s%s%s; ", t->patch, t->name, t->value,
			t->reply ? " <" : "", t->refused ? " refused" : "");
	}
	return strbuf_detach(&text, NULL);
}

static void collects_trailers(void **state)
{
	static const struct {
		struct mail mails[9];
		const char *trailers; /* of the last series */
	} cases[] = {
		{{{.subject = "[PATCH] a",
			 .id = "1",
			 .text = "Why.\n\nReported-by: R <r@x>\nFixes: y\nSigned-off-by: A "
				 "<a@x>\n" DIFF("1")}},
			"1 Reported-by: R <r@x>; 1 Signed-off-by: A <a@x>; "},
		/* to a patch, to the cover letter, below another reply; again, and by somebody else */
		{{V1,
			 {.subject = "Re: [PATCH 2/2] b",
				 .id = "13",
				 .parent = "12",
				 .sender = "R@x",
				 .text = "> Acked-by: no <r@x>\n\nTested-by: R <r@X>\nReviewed-by: "
					 "R\n"
					 "  <r@x>\nSigned-off-by: R <r@x>\n-- \nAcked-by: R <r@x>"},
			 {.subject = "Re: [PATCH 0/2] t",
				 .id = "14",
				 .parent = "10",
				 .sender = "s+lists@x",
				 .text = "Acked-by: S <s@x> # for it"},
			 {.subject = "Re: [PATCH 2/2] b",
				 .id = "15",
				 .parent = "13",
				 .sender = "s@x",
				 .text = "Tested-by: R <r@X>\nReviewed-by: S <s@x>\nAcked-by: "
					 "nobody"}},
			"2 Tested-by: R <r@X> <; 2 Reviewed-by: R <r@x> <; "
			"0 Acked-by: S <s@x> # for it <; "
			"2 Reviewed-by: S <s@x> <; 2 Acked-by: nobody < refused; "},
		/* what was not sent again keeps what was said of it */
		{{V1,
			 {.subject = "Re: [PATCH 1/2] a",
				 .id = "13",
				 .parent = "11",
				 .sender = "r@x",
				 .text = "Acked-by: R <r@x>"},
			 {.subject = "Re: [PATCH 2/2] b",
				 .id = "14",
				 .parent = "12",
				 .sender = "r@x",
				 .text = "Nacked-by: R <r@x>"},
			 {.subject = "Re: [PATCH 0/2] t",
				 .id = "15",
				 .parent = "10",
				 .sender = "r@x",
				 .text = "Tested-by: R <r@x>"},
			 {.subject = "[PATCH v2 2/2] b", .id = "22", .parent = "12"}},
			"1 Acked-by: R <r@x> <; "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = NULL;
		struct series_set set;

		read_mails(cases[i].mails, ARRAY_SIZE(cases[i].mails), &set);
		text = trailers(&set.series[set.n_series - 1]);
		series_set_done(&set);
		if (!streq(text, cases[i].trailers))
			fail_msg("case %zu: \"%s\", wanted \"%s\"", i, text, cases[i].trailers);
	}
}

static void says_why_a_trailer_is_refused(void **state)
{
	static const struct mail mails[] = {
		{.subject = "[PATCH] a", .id = "1"}, {.subject = "Re: [PATCH] a",
							     .id = "2",
							     .parent = "1",
							     .sender = "s@x",
							     .text = "Reviewed-by: R <r@x>"}};
	struct series_set set;

	(void)state;
	read_mails(mails, ARRAY_SIZE(mails), &set);
	assert_int_equal(set.series[0].n_trailers, 1);
	assert_string_equal(set.series[0].trailers[0].refused,
		"it names r@x, and the mail with it came from s@x: only who it names can give it");
	series_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_versions),
		cmocka_unit_test(completes_partial_rerolls),
		cmocka_unit_test(collects_trailers),
		cmocka_unit_test(says_why_a_trailer_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

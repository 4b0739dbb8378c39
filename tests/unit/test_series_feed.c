/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/feed.h"

#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct mail {
	const char *subject;
	const char *id;
	const char *parent; /* or NULL */
	const char *text; /* NULL: a patch of its own */
	int minute; /* when it was sent; it arrives then */
};

static void add(struct series_feed *f, int64_t origin, const struct mail *m)
{
	AUTO_FREE char *reply = m->parent ? xasprintf("In-Reply-To: <%s>\n", m->parent) : NULL;
	AUTO_FREE char *diff = xasprintf(
		"Text.\n---\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+%s\n", m->id);
	AUTO_FREE char *text = xasprintf("From: <a@example.org>\nSubject: %s\nMessage-ID: <%s>\n"
					 "Date: Mon, 30 Nov 2026 %02d:%02d:00 +0000\n%s\n%s",
		m->subject, m->id, m->minute / 60, m->minute % 60, reply ? reply : "",
		m->text ? m->text : diff);

	series_feed_add(f, origin, m->minute * 60, text, strlen(text));
}

/* What happened: "title vN ORIGINS; ", "!title vN ORIGINS; " given up, "-id; " ignored. */
static void take(struct series_feed *f, struct strbuf *out)
{
	struct feed_event event;

	while (series_feed_next(f, &event)) {
		if (event.kind == FEED_IGNORED)
			(void)strbuf_addf(out, "-%s", event.message_id);
		else
			(void)strbuf_addf(out, "%s%s v%d", event.kind == FEED_GIVEN_UP ? "!" : "",
				event.series->title, event.series->version);
		for (size_t i = 0; i < event.n_origins; i++)
			(void)strbuf_addf(out, " %d", (int)event.origins[i]);
		(void)strbuf_adds(out, "; ");
	}
}

/* After each mail, "| " and what settling at the hour gives, "| " and what is left at the end. */
static void gives_series_once(void **state)
{
	static const struct {
		struct mail mails[8];
		const char *events;
	} cases[] = {
		{{{"[PATCH] one", "1", NULL, NULL, 0}}, "one v1 1; | "},
		/* at once, for the cover letter was first */
		{{{"[PATCH 0/2] t", "1", NULL, "x", 0}, {"[PATCH 1/2] a", "2", "1", NULL, 0},
			 {"[PATCH 2/2] b", "3", "1", NULL, 0}, {"Re: t", "4", "1", "fine", 0}},
			"t v1 1 2 3; | "},
		/* the cover letter comes last, or never */
		{{{"[PATCH 2/2] b", "3", "1", NULL, 0}, {"[PATCH 1/2] a", "2", "1", NULL, 0},
			 {"[PATCH 0/2] t", "1", NULL, "x", 0}},
			"t v1 3 2 1; | "},
		{{{"[PATCH 2/2] b", "3", "1", NULL, 0}, {"[PATCH 1/2] a", "2", "1", NULL, 0},
			 {"Re: [PATCH 1/2] a", "4", "2", "fine", 0}},
			"| a v1 2 1 3; "},
		/* each answers the one before, out of order */
		{{{"[PATCH 2/2] b", "2", "1", NULL, 0}, {"[PATCH 1/2] a", "1", NULL, NULL, 0}},
			"a v1 2 1; | "},
		/* nobody refers to anybody: not before it is quiet */
		{{{"[PATCH 1/2] a", "1", NULL, NULL, 0}, {"[PATCH 2/2] b", "2", NULL, NULL, 30}},
			"| a v1 1 2; "},
		{{{"[PATCH 1/2] a", "1", NULL, NULL, 0}, {"[PATCH 1/2] c", "3", NULL, NULL, 5},
			 {"[PATCH 2/2] d", "4", NULL, NULL, 5},
			 {"[PATCH 2/2] b", "2", NULL, NULL, 0}},
			"| a v1 1 4; c v1 2 3; "},
		/* mails of other threads are no part of it */
		{{{"[PATCH 1/2] a", "1", NULL, NULL, 0}, {"[PATCH 2/2] d", "4", "3", NULL, 1},
			 {"[PATCH 2/2] b", "2", "1", NULL, 0}},
			"a v1 1 3; | "},
		/* what is missing is waited for, then given up */
		{{{"[PATCH 0/2] t", "1", NULL, "x", 0}, {"[PATCH 2/2] b", "3", "1", NULL, 0}},
			"| "},
		/* a version in the thread of the one before */
		{{{"[PATCH 1/1] a", "1", NULL, NULL, 0}, {"[PATCH v2 1/1] a", "2", "1", NULL, 0}},
			"a v1 1; a v2 2; | "},
		/* reported once; talk is not */
		{{{"[PATCH 1/1] a", "1", NULL, NULL, 0}, {"[PATCH 2/1] b", "2", "1", NULL, 0},
			 {"[GIT PULL] c", "3", NULL, "x", 0}, {"hello", "4", NULL, "x", 0}},
			"a v1 1; | -2 2; -3 3; "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SERIES_FEED struct series_feed *f = series_feed_new(0, 0);
		AUTO_STRBUF struct strbuf out;

		strbuf_init(&out, 10000);
		for (size_t m = 0; m < 8 && cases[i].mails[m].subject; m++) {
			add(f, (int64_t)m + 1, &cases[i].mails[m]);
			take(f, &out);
		}
		(void)strbuf_adds(&out, "| ");
		series_feed_settle(f, 3600);
		take(f, &out);
		series_feed_settle(f, 3600);
		take(f, &out);
		if (!streq(out.buf, cases[i].events))
			fail_msg("case %zu: \"%s\", wanted \"%s\"", i, out.buf, cases[i].events);
	}
}

static void lets_go_of_old_mails(void **state)
{
	AUTO_SERIES_FEED struct series_feed *f = series_feed_new(3, 0);
	AUTO_STRBUF struct strbuf out;
	const struct mail half = {"[PATCH 1/2] a", "1", NULL, NULL, 0};
	const struct mail rest = {"[PATCH 2/2] b", "2", "1", NULL, 0};
	const struct mail others[] = {
		{"x", "10", NULL, "x", 0}, {"x", "11", NULL, "x", 0}, {"x", "12", NULL, "x", 0}};
	const int64_t *waiting;

	(void)state;
	strbuf_init(&out, 10000);
	/* at the limit it is still known */
	add(f, 1, &half);
	add(f, 10, &others[0]);
	take(f, &out);
	assert_int_equal(series_feed_waiting(f, &waiting), 1);
	assert_int_equal(waiting[0], 1);
	add(f, 2, &rest);
	take(f, &out);
	assert_string_equal(out.buf, "a v1 1 2; ");
	assert_int_equal(series_feed_waiting(f, &waiting), 0);
	/* one past it, it is not */
	f = series_feed_free(f);
	f = series_feed_new(3, 0);
	strbuf_truncate(&out, 0);
	add(f, 1, &half);
	for (int i = 0; i < 3; i++)
		add(f, 10 + i, &others[i]);
	add(f, 2, &rest);
	take(f, &out);
	assert_string_equal(out.buf, "!a v1 1; ");
}

static void forgets_what_was_purged(void **state)
{
	AUTO_SERIES_FEED struct series_feed *f = series_feed_new(0, 0);
	AUTO_STRBUF struct strbuf out;
	const struct mail mails[] = {{"[PATCH 1/2] a", "1", NULL, NULL, 0},
		{"[PATCH 2/2] b", "2", "1", NULL, 0}, {"[PATCH 2/2] c", "3", "1", NULL, 0}};

	(void)state;
	strbuf_init(&out, 10000);
	add(f, 2, &mails[1]);
	series_feed_forget(f, "2");
	series_feed_forget(f, "not here");
	add(f, 1, &mails[0]);
	take(f, &out);
	assert_string_equal(out.buf, "");
	add(f, 3, &mails[2]);
	take(f, &out);
	assert_string_equal(out.buf, "a v1 1 3; ");
}

static void tells_of_unreadable_mail(void **state)
{
	AUTO_SERIES_FEED struct series_feed *f = series_feed_new(0, 0);
	struct feed_event event;
	static const char text[] = "Message-ID: <1>\nSubject: =?utf-8?x?\n\nText.\n";

	(void)state;
	series_feed_add(f, 7, 0, text, strlen(text));
	assert_true(series_feed_next(f, &event));
	assert_int_equal(event.kind, FEED_IGNORED);
	assert_string_equal(event.message_id, "1");
	assert_int_equal(event.origins[0], 7);
	assert_non_null(strstr(event.why, "encoded word"));
	assert_false(series_feed_next(f, &event));
}

static void takes_mails_up_to_a_size(void **state)
{
	static const char head[] = "Message-ID: <1>\nSubject: x\n\n";
	char *text = xmalloc(FEED_MAX_MAIL + 2);

	(void)state;
	memset(text, 'x', FEED_MAX_MAIL + 2);
	memcpy(text, head, strlen(head));
	for (size_t over = 0; over < 2; over++) {
		AUTO_SERIES_FEED struct series_feed *f = series_feed_new(0, 0);
		struct feed_event event;

		series_feed_add(f, 7, 0, text, FEED_MAX_MAIL + over);
		assert_int_equal(series_feed_next(f, &event), over);
		if (over)
			assert_non_null(strstr(event.why, "16777216"));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_series_once),
		cmocka_unit_test(lets_go_of_old_mails),
		cmocka_unit_test(forgets_what_was_purged),
		cmocka_unit_test(tells_of_unreadable_mail),
		cmocka_unit_test(takes_mails_up_to_a_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

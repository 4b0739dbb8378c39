/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/compare.h"

#include "base/strbuf.h"
#include "patches/series/lines.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct patch {
	const char *subject;
	const char *body;
	const char *hunk; /* the changed lines; NULL: the end of the table */
};

/* The lines of a hunk that have one of these signs. */
static int count(const char *hunk, const char *signs)
{
	int n = 0;

	for (const char *p = hunk; *p; p = strchr(p, '\n') + 1)
		n += strchr(signs, *p) != NULL;
	return n;
}

/* A series of those patches; the messages are the caller's to free. */
static void make_series(const struct patch *patches, int version, struct series *ret)
{
	*ret = (struct series){.version = version};
	for (size_t i = 0; patches[i].hunk; i++) {
		struct message *m = xcalloc(1, sizeof(*m));

		m->subject = xstrdup(patches[i].subject);
		m->body = xstrdup(patches[i].body ? patches[i].body : "");
		m->body_len = strlen(m->body);
		/* Numbers, ids and the diffstat are never the same. */
		m->diff = xasprintf(
			"---\n f | %d\n\ndiff --git a/f b/f\nindex %d..2 100644\n--- a/f\n"
			"+++ b/f\n@@ -%d,%d +%d,%d @@ int f%d(void)\n%s-- \n2.%d\n",
			version, version, version, count(patches[i].hunk, " -"), version,
			count(patches[i].hunk, " +"), version, patches[i].hunk, version);
		m->diff_len = strlen(m->diff);
		ret->patches = xgrow(ret->patches, i, sizeof(*ret->patches));
		ret->patches[ret->n_patches++] =
			(struct series_patch){.n = (int)i + 1, .message = m};
	}
}

static void free_series(struct series *s)
{
	for (size_t i = 0; i < s->n_patches; i++)
		(void)message_free((struct message *)(uintptr_t)s->patches[i].message);
	free(s->patches);
}

/* "WAS>N KIND; " */
static char *summary(const struct patch *old, const struct patch *new)
{
	struct series a;
	struct series b;
	AUTO_SERIES_CHANGES struct series_changes c = {0};
	struct strbuf text;

	make_series(old, 1, &a);
	make_series(new, 2, &b);
	series_compare(&a, &b, &c);
	assert_false(c.rough);
	strbuf_init(&text, 10000);
	for (size_t i = 0; i < c.n; i++) {
		const struct series_change *change = &c.items[i];

		(void)strbuf_addf(
			&text, "%d>%d %s; ", change->was, change->n, change_name(change->kind));
		assert_true((change->interdiff != NULL) ==
			    (change->kind == CHANGE_REWORDED || change->kind == CHANGE_DIFF));
	}
	free_series(&a);
	free_series(&b);
	return strbuf_detach(&text, NULL);
}

#define ONE " a\n-b\n+c\n d\n e\n f\n g\n h\n i\n"
#define ONE_MORE " a\n-b\n+c\n+cc\n d\n e\n f\n g\n h\n"
#define TWO " a\n-x\n+y\n+z\n d\n e\n f\n g\n h\n"
#define THREE " p\n-q\n-r\n+s\n d\n e\n f\n g\n h\n i\n"

static void tells_what_became_of_patches(void **state)
{
	static const struct {
		struct patch old[5], new[5];
		const char *summary;
	} cases[] = {
		{{{"a", NULL, ONE}}, {{"a", NULL, ONE}}, "1>1 unchanged; "},
		{{{"a", "x\n", ONE}}, {{"a", "y\n", ONE}}, "1>1 reworded; "},
		{{{"a", NULL, ONE}}, {{"b", NULL, ONE}}, "1>1 reworded; "},
		{{{"a", NULL, ONE}}, {{"a", NULL, TWO}}, "1>1 changed; "},
		/* another order, and one more before them */
		{{{"a", NULL, ONE}, {"b", NULL, TWO}},
			{{"c", NULL, THREE}, {"b", NULL, TWO}, {"a", NULL, ONE}},
			"0>1 new; 2>2 unchanged; 1>3 unchanged; "},
		{{{"a", NULL, ONE}, {"b", NULL, TWO}}, {{"b", NULL, TWO}},
			"2>1 unchanged; 1>0 dropped; "},
		/* another subject: by what it changes, or not at all */
		{{{"a", NULL, ONE}}, {{"b", NULL, ONE_MORE}}, "1>1 changed; "},
		{{{"a", NULL, ONE}}, {{"b", NULL, THREE}}, "0>1 new; 1>0 dropped; "},
		/* the same diff counts more than the same subject */
		{{{"a", NULL, ONE}, {"b", NULL, TWO}}, {{"a", NULL, TWO}, {"b", NULL, ONE}},
			"2>1 reworded; 1>2 reworded; "},
		{{{"a", NULL, ONE}}, {{0}}, "1>0 dropped; "},
		{{{0}}, {{"a", NULL, ONE}}, "0>1 new; "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = summary(cases[i].old, cases[i].new);

		if (!streq(text, cases[i].summary))
			fail_msg("case %zu: \"%s\", wanted \"%s\"", i, text, cases[i].summary);
	}
}

static void shows_what_differs(void **state)
{
	static const struct patch old[] = {{"a", "Why.\n", ONE}, {0}};
	static const struct patch new[] = {{"n", NULL, THREE}, {"a", "Why not.\n", ONE_MORE}, {0}};
	struct series a;
	struct series b;
	AUTO_SERIES_CHANGES struct series_changes c = {0};

	(void)state;
	make_series(old, 1, &a);
	make_series(new, 2, &b);
	series_compare(&a, &b, &c);
	assert_int_equal(c.n, 2);
	assert_string_equal(c.items[0].text, "Patch 1 is new.");
	assert_string_equal(c.items[1].text,
		"Patch 2 (1 of v1) is changed: 2 lines of its diff, and its log message.");
	assert_string_equal(c.items[1].interdiff, "## log message ##\n a\n \n-Why.\n+Why not.\n"
						  "## diff ##\n  a\n -b\n +c\n++cc\n  d\n  e\n  f\n"
						  "  g\n  h\n- i\n");
	free_series(&a);
	free_series(&b);
}

/* Against a plain table of longest common subsequences. */
static int edits_of(const char *a, const char *b)
{
	size_t n = strlen(a);
	size_t m = strlen(b);
	int lcs[20][20] = {{0}};

	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++)
			lcs[i][j] = a[i - 1] == b[j - 1] ? lcs[i - 1][j - 1] + 1
							 : MAX_OF(lcs[i - 1][j], lcs[i][j - 1]);
	return (int)(n + m) - 2 * lcs[n][m];
}

static void fill_lines(const char *s, struct lines *ret)
{
	char text[40];
	size_t n = 0;

	for (; *s; s++) {
		text[n++] = *s;
		text[n++] = '\n';
	}
	/* The letters outlive the text. */
	lines_of_text(text, n, ret);
	for (size_t i = 0; i < ret->n; i++)
		ret->v[i].p = s - ret->n + i;
}

static void finds_the_shortest_script(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		char text[2][20] = {{0}};
		AUTO_LINES struct lines a;
		AUTO_LINES struct lines b;
		AUTO_STRBUF struct strbuf out;
		int wanted;

		for (int t = 0; t < 2; t++) {
			int len = (int)(rand_r(&seed) % 15);

			for (int i = 0; i < len; i++)
				text[t][i] = (char)('a' + rand_r(&seed) % 3);
		}
		fill_lines(text[0], &a);
		fill_lines(text[1], &b);
		strbuf_init(&out, 1000);
		wanted = edits_of(text[0], text[1]);
		assert_int_equal(lines_diff(&a, &b, 100, &out), wanted);
		assert_int_equal(lines_diff(&a, &b, wanted, &out), wanted);
		if (wanted)
			assert_int_equal(lines_diff(&a, &b, wanted - 1, &out), -1);
	}
}

static void shows_only_what_is_around(void **state)
{
	static const char a[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n";
	static const char b[] = "1\n2\n3\n4\nx\n6\n7\n8\n9\n10\n11\n12\n13\n";
	AUTO_LINES struct lines la;
	AUTO_LINES struct lines lb;
	AUTO_STRBUF struct strbuf out;

	(void)state;
	strbuf_init(&out, 1000);
	lines_of_text(a, strlen(a), &la);
	lines_of_text(b, strlen(b), &lb);
	assert_int_equal(lines_diff(&la, &lb, 10, &out), 3);
	assert_string_equal(out.buf, " 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n ...\n 11\n 12\n 13\n-14\n");
}

/* One line that differs is at the limit, then past it. */
static void counts_up_to_a_limit(void **state)
{
	(void)state;
	for (int over = 0; over < 2; over++) {
		AUTO_STRBUF struct strbuf hunk;
		struct patch old[] = {{"a", NULL, " a\n"}, {0}};
		struct patch new[] = {{"a", NULL, NULL}, {0}};
		struct series a;
		struct series b;
		AUTO_SERIES_CHANGES struct series_changes c = {0};

		strbuf_init(&hunk, 1 << 20);
		(void)strbuf_adds(&hunk, " a\n");
		for (int i = 0; i < COMPARE_MAX_EDITS + over; i++)
			(void)strbuf_addf(&hunk, "+%d\n", i);
		new[0].hunk = hunk.buf;
		make_series(old, 1, &a);
		make_series(new, 2, &b);
		series_compare(&a, &b, &c);
		assert_int_equal(c.items[0].kind, CHANGE_DIFF);
		assert_true(!strstr(c.items[0].text, "more than") == !over);
		assert_true(strlen(c.items[0].interdiff) <= COMPARE_MAX_INTERDIFF);
		free_series(&a);
		free_series(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_became_of_patches),
		cmocka_unit_test(shows_what_differs),
		cmocka_unit_test(finds_the_shortest_script),
		cmocka_unit_test(shows_only_what_is_around),
		cmocka_unit_test(counts_up_to_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

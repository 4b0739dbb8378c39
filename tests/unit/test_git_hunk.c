/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/strbuf.h"
#include "patches/git/hunk.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FILE_HEADER "--- a/f\n+++ b/f\n"

/* The file with all hunks applied, or NULL with the conflict of the first that does not fit. */
static char *apply(const char *file, const char *hunks, long *ret_offset, struct conflict *c)
{
	AUTO_FREE char *text = xasprintf(FILE_HEADER "%s", hunks);
	AUTO_DIFF struct diff *d = NULL;
	struct error e = ERROR_INIT;
	struct image img;
	char *out = NULL;
	size_t len;
	int r = 0;

	if (diff_parse(text, strlen(text), &d, &e))
		fail_msg("%s", e.msg);
	image_init(&img, file, strlen(file));
	for (size_t i = 0; i < d->files[0].n_hunks && !r; i++) {
		r = image_apply(&img, &d->files[0].hunks[i], ret_offset);
		if (r)
			image_explain(&img, "f", &d->files[0].hunks[i], c);
	}
	if (!r)
		out = image_join(&img, &len);
	image_done(&img);
	return out;
}

static void finds_the_place_as_git_does(void **state)
{
	static const struct {
		const char *file, *hunks, *result;
		long offset;
	} cases[] = {
		{"1\n2\n3\n", "@@ -1,3 +1,3 @@\n 1\n-2\n+b\n 3\n", "1\nb\n3\n", 0},
		/* further down, further up */
		{"x\nx\n0\n1\n2\n3\n4\n", "@@ -2,3 +2,3 @@\n 1\n-2\n+b\n 3\n",
			"x\nx\n0\n1\nb\n3\n4\n", 2},
		{"0\n1\n2\n3\n4\n5\n6\n", "@@ -5,3 +5,3 @@\n 1\n-2\n+b\n 3\n",
			"0\n1\nb\n3\n4\n5\n6\n", -3},
		/* as near below as above: below */
		{"0\n1\nx\n1\n0\n", "@@ -3,1 +3,2 @@\n 1\n+y\n", NULL, 0},
		{"0\n1\n2\nx\n1\n2\n0\n", "@@ -4,2 +4,3 @@\n 1\n+y\n 2\n",
			"0\n1\n2\nx\n1\ny\n2\n0\n", 1},
		/* a hunk at line 1 belongs at the start, one without trailing context at the end */
		{"0\n1\n2\n3\n", "@@ -1,2 +1,3 @@\n 1\n+y\n 2\n", NULL, 0},
		{"1\n2\n3\n", "@@ -1,2 +1,3 @@\n 1\n 2\n+y\n", NULL, 0},
		{"0\n1\n2\n", "@@ -2,2 +2,3 @@\n 1\n 2\n+y\n", "0\n1\n2\ny\n", 0},
		{"0\n0\n1\n2\n", "@@ -2,2 +2,3 @@\n 1\n 2\n+y\n", "0\n0\n1\n2\ny\n", 1},
		/* never over what an earlier hunk wrote */
		{"0\n1\n2\n3\n4\n", "@@ -2,2 +2,2 @@\n 1\n-2\n+b\n@@ -3,2 +3,2 @@\n-b\n+c\n 3\n",
			NULL, 0},
		{"", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n", 0},
		{"x\n", "@@ -0,0 +1,2 @@\n+a\n+b\n", NULL, 0},
		/* no newline at the end, on either side */
		{"a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n", "a\nc\n",
			0},
		{"a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n", "a\nc",
			0},
		{"a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n", NULL, 0},
		/* white space counts */
		{"1\n\t2\n3\n", "@@ -1,3 +1,3 @@\n 1\n-  2\n+b\n 3\n", NULL, 0},
		{"1\r\n2\r\n3\r\n", "@@ -1,3 +1,3 @@\n 1\r\n-2\r\n+b\r\n 3\r\n", "1\r\nb\r\n3\r\n",
			0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct conflict c = {0};
		long offset = 0;
		AUTO_FREE char *out = apply(cases[i].file, cases[i].hunks, &offset, &c);

		if ((out == NULL) != (cases[i].result == NULL) ||
			(out && (!streq(out, cases[i].result) || offset != cases[i].offset)))
			fail_msg("case %zu: \"%s\" at %ld", i, out ? out : c.why, offset);
		conflict_done(&c);
	}
}

/* A file and a hunk that almost fits everywhere: given up, and soon enough. */
static void gives_up_a_search_without_end(void **state)
{
	enum { LINES = 300000, HUNK = 20000 };
	AUTO_STRBUF struct strbuf file, hunk;
	AUTO_DIFF struct diff *d = NULL;
	struct error e = ERROR_INIT;
	struct image img;
	long offset;

	(void)state;
	strbuf_init(&file, 16 << 20);
	strbuf_init(&hunk, 16 << 20);
	for (size_t i = 0; i < LINES; i++)
		(void)strbuf_adds(&file, "x\n");
	(void)strbuf_addf(&hunk, FILE_HEADER "@@ -5,%d +5,%d @@\n", HUNK, HUNK);
	for (size_t i = 0; i < HUNK - 2; i++)
		(void)strbuf_adds(&hunk, " x\n");
	(void)strbuf_adds(&hunk, "-y\n+z\n x\n");
	assert_int_equal(diff_parse(hunk.buf, hunk.len, &d, &e), 0);
	image_init(&img, file.buf, file.len);
	assert_int_equal(image_apply(&img, &d->files[0].hunks[0], &offset), ERR_LIMIT);
	image_done(&img);
}

static void explains_conflicts(void **state)
{
	static const struct {
		const char *file, *hunks;
		int hunk, line;
		const char *expected, *found, *words;
	} cases[] = {
		{"0\n1\nx\n3\n4\n", "@@ -2,3 +2,3 @@\n 1\n-2\n+b\n 3\n", 1, 3, "1\n2\n3\n",
			"1\nx\n3\n", "2 of the hunk's 3 lines"},
		{"9\n9\n0\n1\nx\n3\n4\n", "@@ -2,3 +2,3 @@\n 1\n-2\n+b\n 3\n", 1, 5, "1\n2\n3\n",
			"1\nx\n3\n", "2 of the hunk's 3 lines"},
		{"0\n1\nb\n3\n", "@@ -2,3 +2,3 @@\n 1\n-2\n+b\n 3\n", 1, 3, "1\n2\n3\n",
			"1\nb\n3\n", "line 2 already"},
		{"0\n1\n  2\n3\n", "@@ -2,3 +2,3 @@\n 1\n-\t2\n+b\n 3\n", 1, 3, "1\n\t2\n3\n",
			"1\n  2\n3\n", "white space"},
		{"0\n", "@@ -2,3 +2,3 @@\n 1\n-2\n+b\n 3\n", 1, 2, "1\n2\n3\n", "", "none of"},
		{"", "@@ -2,3 +2,3 @@\n 1\n-2\n+b\n 3\n", 1, 1, "1\n2\n3\n", "", "empty"},
		{"1\n2\n3\n4\nx\n6\n",
			"@@ -1,2 +1,3 @@\n 1\n+a\n 2\n@@ -4,3 +5,3 @@\n 4\n-5\n+e\n 6\n", 2, 6,
			"4\n5\n6\n", "4\nx\n6\n", "2 of the hunk's 3 lines"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct conflict c = {0};
		long offset;
		AUTO_FREE char *out = apply(cases[i].file, cases[i].hunks, &offset, &c);

		assert_null(out);
		if (c.hunk != cases[i].hunk || c.line != cases[i].line ||
			!streq(c.expected, cases[i].expected) || !streq(c.found, cases[i].found) ||
			!strstr(c.why, cases[i].words))
			fail_msg("case %zu: hunk %d, line %d, expected \"%s\", found \"%s\": %s", i,
				c.hunk, c.line, c.expected, c.found, c.why);
		conflict_done(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_place_as_git_does),
		cmocka_unit_test(gives_up_a_search_without_end),
		cmocka_unit_test(explains_conflicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/strbuf.h"
#include "patches/git/diff.h"
#include "patches/git/patchid.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HUNK "@@ -1 +1 @@\n-a\n+b\n"

/* "old>new flags hunks" of each file. */
static char *summary(const char *text, struct error *e)
{
	AUTO_DIFF struct diff *d = NULL;
	char *all = NULL;

	if (diff_parse(text, strlen(text), &d, e))
		return NULL;
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];
		char *before = all;

		all = xasprintf("%s%s%s>%s%s%s%s%s %o %o %zu", before ? before : "",
			before ? "; " : "", f->old_name ? f->old_name : "",
			f->new_name ? f->new_name : "", f->is_new == YES ? " new" : "",
			f->is_delete == YES ? " delete" : "", f->is_rename ? " rename" : "",
			f->is_copy ? " copy" : "", f->old_mode, f->new_mode, f->n_hunks);
		free(before);
	}
	return all;
}

static void reads_headers(void **state)
{
	static const struct {
		const char *text;
		const char *summary;
	} cases[] = {
		{"diff --git a/f b/f\nindex 1234567..89abcde 100644\n--- a/f\n+++ b/f\n" HUNK,
			"f>f 100644 0 1"},
		{"text\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n" HUNK
		 "-- \n2.39.5\n",
			"f>f 0 0 1"},
		{"diff --git a/f b/f\nnew file mode 100755\nindex 0000000..1234567\n--- /dev/null\n"
		 "+++ b/f\n@@ -0,0 +1 @@\n+a\n",
			">f new 0 100755 1"},
		{"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de29\n",
			">f new 0 100644 0"},
		{"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n"
		 "@@ -1 +0,0 @@\n-a\n",
			"f> delete 100644 0 1"},
		{"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "f>f 100644 100755 0"},
		{"diff --git a/f g b/h i\nsimilarity index 90%\nrename from f g\nrename to h i\n"
		 "--- a/f g\t\n+++ b/h i\t\n" HUNK,
			"f g>h i rename 0 0 1"},
		{"diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n",
			"f>g copy 0 0 0"},
		{"diff --git a/a b c b/a b c\nold mode 100644\nnew mode 100755\n",
			"a b c>a b c 100644 100755 0"},
		{"diff --git \"a/t\\303\\244\\tb\" \"b/t\\303\\244\\tb\"\nold mode 100644\n"
		 "new mode 100755\n",
			"t\xc3\xa4\tb>t\xc3\xa4\tb 100644 100755 0"},
		{"diff --git a/f b/g\n--- a/f\n+++ b/g\n" HUNK, "f>g rename 0 0 1"},
		{"--- a/f\n+++ b/f\n" HUNK, "f>f 0 0 1"},
		{"--- a/f.orig\t2020-01-01 00:00:00\n+++ b/f\t2020-01-01 00:00:00\n" HUNK,
			"f>f 0 0 1"},
		{"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", ">f new 0 0 1"},
		{"--- f\n+++ f\n" HUNK, "f>f 0 0 1"},
		{"diff --git a/f b/f\n--- a/f\n+++ b/f\n" HUNK "diff --git a/g b/g\n--- a/g\n"
		 "+++ b/g\n" HUNK "@@ -9,2 +9 @@ int f(void)\n x\n-y\n",
			"f>f 0 0 1; g>g 0 0 2"},
		/* an empty context line that lost its space, and no newline at the end */
		{"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n\n-a\n\\ No newline at end of file\n+b\n",
			"f>f 0 0 1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error e = ERROR_INIT;
		AUTO_FREE char *text = summary(cases[i].text, &e);

		if (!streq(text, cases[i].summary))
			fail_msg("case %zu: \"%s\" %s", i, text ? text : "", e.msg);
	}
}

static void refuses_what_is_corrupt_or_hostile(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} cases[] = {
		{"", "no diff"},
		{"just text\n", "no diff"},
		{HUNK, "belongs to no file"},
		{"diff --git a/f b/f\n", "nothing follows"},
		{"diff --git a/f b/g\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n+b\n",
			"corrupt at its line 7"},
		{"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n", "corrupt"},
		{"--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n", "corrupt"},
		{"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\nwrapped by a mail program\n+c\n",
			"corrupt"},
		{"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n" HUNK,
			"lines taken away"},
		{"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n" HUNK,
			"lines left"},
		{"--- a/../f\n+++ b/../f\n" HUNK, "leaves the tree"},
		{"--- a/d/../../f\n+++ b/d/../../f\n" HUNK, "leaves the tree"},
		{"diff --git a//f b//f\n--- a//f\n+++ b//f\n" HUNK, "absolute"},
		{"--- a/.git/config\n+++ b/.git/config\n" HUNK, ".git"},
		{"--- a/x/.GIT/config\n+++ b/x/.GIT/config\n" HUNK, ".git"},
		{"--- a/git~1/config\n+++ b/git~1/config\n" HUNK, ".git"},
		{"--- a/.git. /config\n+++ b/.git. /config\n" HUNK, ".git"},
		{"--- a/.g\xe2\x80\x8cit/config\n+++ b/.g\xe2\x80\x8cit/config\n" HUNK, ".git"},
		{"diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n" HUNK, "submodule"},
		{"diff --git a/f b/f\nnew file mode 1xx\n", "mode"},
		{"diff --git a/f b/f\nnew file mode 100644\ndeleted file mode 100644\n",
			"new and that it is deleted"},
		{"diff --git a/f b/g\nnew file mode 100644\n", "does not say which file"},
		{"diff --git a/f b/f\nGIT binary patch\nnonsense\n", "not one that git wrote"},
		{"diff --git a/f b/f\nGIT binary patch\nliteral 5\nzzz\n\n", "corrupt"},
		{"diff --git a/f b/f\nGIT binary patch\nliteral 99999999999\n\n",
			"unpacks to more"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error e = ERROR_INIT;
		AUTO_FREE char *text = summary(cases[i].text, &e);

		if (text || !strstr(e.msg, cases[i].words))
			fail_msg("case %zu: \"%s\" does not say \"%s\"", i, text ? text : e.msg,
				cases[i].words);
	}
}

/* Limits hold at the limit, and no further. */
static void knows_its_limits(void **state)
{
	char path[DIFF_MAX_PATH + 2];
	struct error e = ERROR_INIT;
	struct strbuf text;

	(void)state;
	memset(path, 'a', sizeof(path));
	for (size_t i = 200; i < sizeof(path); i += 200)
		path[i] = '/';
	path[DIFF_MAX_PATH] = '\0';
	assert_int_equal(path_check(path, &e), 0);
	path[DIFF_MAX_PATH] = 'a';
	path[DIFF_MAX_PATH + 1] = '\0';
	assert_int_equal(path_check(path, &e), ERR_LIMIT);
	strbuf_init(&text, 16 << 20);
	for (size_t n = 0; n < DIFF_MAX_FILES + 1; n++) {
		AUTO_DIFF struct diff *d = NULL;

		if (n == DIFF_MAX_FILES) {
			assert_int_equal(diff_parse(text.buf, text.len, &d, &e), 0);
			assert_int_equal(d->n_files, DIFF_MAX_FILES);
		}
		(void)strbuf_addf(
			&text, "diff --git a/%zu b/%zu\nold mode 100644\nnew mode 100755\n", n, n);
	}
	AUTO_DIFF struct diff *d = NULL;

	assert_int_equal(diff_parse(text.buf, text.len, &d, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "20000 files"));
	strbuf_done(&text);
}

/* Every spelling that some file system takes for .git, and near ones that none does. */
static void tells_dot_git_from_the_rest(void **state)
{
	static const char *const bad[] = {".git", "a/.git", ".git/x", ".GiT/x", "git~1/x",
		"GIT~2/x", ".git./x", ".git /x", ".git ..  ./x", ".git:x/y",
		".git::$INDEX_ALLOCATION/x", ".git\\x", "a\\.git\\x", ".g\xe2\x80\x8cit",
		".git\xef\xbb\xbf", "\xe2\x81\xaf.git", ".g\xe2\x80\xaeI\xe2\x80\x8fT/x", "..",
		"../x", "a/..", "a/../b", ".", "./x", "a/./b", "", "/", "/x", "a//b", "a/"};
	static const char *const good[] = {".gitignore", ".gitmodules", ".gitattributes", "a.git/x",
		"git/x", "git~5/x", "git~10", ".git~", ".gi", ".github/x", "...", "..a", "a..",
		"git1", ".g\xe2\x80\x8bit", "\xe2\x80"};
	struct error e = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (!path_check(bad[i], &e))
			fail_msg("\"%s\" is taken", bad[i]);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (path_check(good[i], &e))
			fail_msg("\"%s\": %s", good[i], e.msg);
	assert_true(path_is_gitmodules(".gitmodules") && path_is_gitmodules(".GitModules. "));
	assert_true(
		path_is_gitmodules("GITMOD~3") && path_is_gitmodules(".git\xe2\x80\x8cmodules"));
	assert_false(path_is_gitmodules("a/.gitmodules") || path_is_gitmodules("gitmod~5"));
}

/* The ids are those that git patch-id prints for the same text. */
static void computes_patch_ids(void **state)
{
	static const char one[] = "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n" HUNK;
	static const char other[] =
		"diff --git a/g b/g\nindex 1..2 100644\n--- a/g\n+++ b/g\n" HUNK;
	AUTO_FREE char *ab = xasprintf("%s%s", one, other);
	AUTO_FREE char *ba = xasprintf("%s%s", other, one);
	char id[PATCH_ID_HEX];
	char id2[PATCH_ID_HEX];

	(void)state;
	assert_true(patch_id(ab, strlen(ab), true, id));
	assert_true(patch_id(ba, strlen(ba), true, id2));
	assert_string_equal(id, id2);
	assert_true(patch_id(ab, strlen(ab), false, id));
	assert_true(patch_id(ba, strlen(ba), false, id2));
	assert_string_not_equal(id, id2);
	assert_false(patch_id("text\n", 5, true, id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_headers),
		cmocka_unit_test(refuses_what_is_corrupt_or_hostile),
		cmocka_unit_test(knows_its_limits),
		cmocka_unit_test(tells_dot_git_from_the_rest),
		cmocka_unit_test(computes_patch_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

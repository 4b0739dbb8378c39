/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/am.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "patches/git/tree.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <zlib.h>

#define HUNK "@@ -1,3 +1,3 @@\n 1\n-2\n+b\n 3\n"

struct lab {
	char folder[64];
	struct repo *repo;
	struct oid base; /* a commit with f, dir/g, link and exec */
	char old_f[OID_HEX];
};

static const struct commit_info info = {.author_name = "A U Thor",
	.author_email = "a@example.org",
	.author_s = 1796054228,
	.author_offset_min = -90,
	.subject = "a subject",
	.body = "\n\nA body.   \n\n\n\nEnd.\n\n",
	.body_len = sizeof("\n\nA body.   \n\n\n\nEnd.\n\n") - 1};

static int set_up(void **state)
{
	static const struct {
		const char *path, *data;
		unsigned mode;
	} files[] = {{"f", "1\n2\n3\n", 0100644}, {"dir/g", "x\n", 0100644}, {"link", "f", 0120000},
		{"exec", "#!\n", 0100755}};
	struct lab *lab = xcalloc(1, sizeof(*lab));
	struct tree_change changes[ARRAY_SIZE(files)];
	struct error e = ERROR_INIT;
	struct oid tree;

	(void)strcpy(lab->folder, "/tmp/patchbay-am-XXXXXX");
	assert_non_null(mkdtemp(lab->folder));
	if (repo_ensure(lab->folder, &lab->repo, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		changes[i] = (struct tree_change){.path = files[i].path, .mode = files[i].mode};
		assert_int_equal(repo_write_blob(lab->repo, files[i].data, strlen(files[i].data),
					 NULL, &changes[i].id, &e),
			0);
	}
	(void)oid_hex(&changes[0].id, lab->old_f);
	assert_int_equal(tree_write(lab->repo, NULL, changes, ARRAY_SIZE(files), &tree, &e), 0);
	assert_int_equal(commit_write(lab->repo, &info, &tree, NULL, &lab->base, &e), 0);
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	(void)repo_free(lab->repo);
	(void)file_remove_tree(lab->folder, NULL);
	free(lab);
	return 0;
}

/* "exact: ", "conflict: WHY": what am says; *commit moves on where it applies. */
static char *am(struct lab *lab, struct oid *commit, const char *diff)
{
	struct am_patch patch = {info, diff, strlen(diff)};
	struct conflict c = {0};
	struct error e = ERROR_INIT;
	enum am_how how;
	char *text;
	int r = am_apply(lab->repo, commit, &patch, commit, &how, &c, &e);

	if (r && r != ERR_CONFLICT)
		fail_msg("%s", e.msg);
	text = r ? xasprintf("conflict: %s: %s", c.file, c.why) : xasprintf("%s", am_how_name(how));
	conflict_done(&c);
	return text;
}

/* A path's mode and content in a commit, or "-". */
static char *look(struct lab *lab, const struct oid *commit, const char *path)
{
	struct error e = ERROR_INIT;
	AUTO_FREE char *data = NULL;
	struct oid tree, id;
	unsigned mode;
	size_t len;

	assert_int_equal(repo_tree_of(lab->repo, commit, &tree, &e), 0);
	if (tree_find(lab->repo, &tree, path, &mode, &id, NULL, &e) <= 0)
		return xstrdup("-");
	if (mode == TREE_MODE_DIR)
		return xstrdup("folder");
	assert_int_equal(repo_read_blob(lab->repo, &id, &data, &len, &e), 0);
	return xasprintf("%o %s", mode, data);
}

static void changes_what_the_patch_names(void **state)
{
	static const struct {
		const char *diff, *path, *after;
	} cases[] = {
		{"--- a/f\n+++ b/f\n" HUNK, "f", "100644 1\nb\n3\n"},
		{"diff --git a/f b/new/h\nrename from f\nrename to new/h\n--- a/f\n+++ "
		 "b/new/h\n" HUNK,
			"new/h", "100644 1\nb\n3\n"},
		{"diff --git a/f b/new/h\nrename from f\nrename to new/h\n", "f", "-"},
		{"diff --git a/f b/h\ncopy from f\ncopy to h\n", "h", "100644 1\n2\n3\n"},
		{"diff --git a/dir/g b/dir/g\ndeleted file mode 100644\n--- a/dir/g\n+++ "
		 "/dev/null\n"
		 "@@ -1 +0,0 @@\n-x\n",
			"dir", "-"},
		{"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "f", "100755 1\n2\n3\n"},
		{"diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n", "e",
			"100644 "},
		{"diff --git a/f b/exec\nrename from f\nrename to exec\ndiff --git a/exec b/f\n"
		 "rename from exec\nrename to f\n",
			"f", "100755 #!\n"},
		{"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
		 "+dir/g\n\\ No newline at end of file\n",
			"l", "120000 dir/g"},
		{"diff --git a/dir/g b/dir/g\ndeleted file mode 100644\n--- a/dir/g\n+++ "
		 "/dev/null\n"
		 "@@ -1 +0,0 @@\n-x\ndiff --git a/dir b/dir\nnew file mode 100644\n--- /dev/null\n"
		 "+++ b/dir\n@@ -0,0 +1 @@\n+y\n",
			"dir", "100644 y\n"},
		/* a file makes room for a folder of its name, whichever is said first */
		{"diff --git a/f b/f/x\nrename from f\nrename to f/x\n", "f/x", "100644 1\n2\n3\n"},
		{"diff --git a/f/x b/f/x\nnew file mode 100644\n--- /dev/null\n+++ b/f/x\n"
		 "@@ -0,0 +1 @@\n+a\n"
		 "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n"
		 "@@ -1,3 +0,0 @@\n-1\n-2\n-3\n",
			"f/x", "100644 a\n"},
	};
	struct lab *lab = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct oid commit = lab->base;
		AUTO_FREE char *said = am(lab, &commit, cases[i].diff);
		AUTO_FREE char *after = look(lab, &commit, cases[i].path);

		if (!streq(said, "exact") || !streq(after, cases[i].after))
			fail_msg("case %zu: %s: \"%s\"", i, said, after);
	}
}

static void refuses_and_leaves_all_alone(void **state)
{
	static const struct {
		const char *diff, *words;
	} cases[] = {
		{"--- a/no\n+++ b/no\n" HUNK, "no such file"},
		{"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 "
		 "@@\n+a\n",
			"in the tree already"},
		{"diff --git a/dir b/dir\nnew file mode 100644\n--- /dev/null\n+++ b/dir\n"
		 "@@ -0,0 +1 @@\n+a\n",
			"folder"},
		{"diff --git a/f/x b/f/x\nnew file mode 100644\n--- /dev/null\n+++ b/f/x\n"
		 "@@ -0,0 +1 @@\n+a\n",
			"below a file"},
		{"diff --git a/link/x b/link/x\nnew file mode 100644\n--- /dev/null\n+++ b/link/x\n"
		 "@@ -0,0 +1 @@\n+a\n",
			"below a symbolic link"},
		{"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
		 "+../etc/passwd\n\\ No newline at end of file\n",
			"leads out of the tree"},
		{"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
		 "+/etc/passwd\n\\ No newline at end of file\n",
			"leads out of the tree"},
		{"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n"
		 "@@ -1 +0,0 @@\n-1\n",
			""},
		{"--- a/link\n+++ b/link\n" HUNK, ""},
		{"--- a/../f\n+++ b/../f\n" HUNK, "leaves the tree"},
		{"no diff\n", "no diff"},
	};
	struct lab *lab = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct oid commit = lab->base;
		AUTO_FREE char *said = am(lab, &commit, cases[i].diff);

		if (!starts_with(said, "conflict: ") || !strstr(said, cases[i].words) ||
			!oid_equal(&commit, &lab->base))
			fail_msg("case %zu: %s", i, said);
	}
}

/* Zeros in a binary patch: 64 MiB in a few lines. */
static void add_zeros(struct strbuf *diff, const char *name, size_t len)
{
	static const char alphabet[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"!#$%&()*+-;<=>?@^_`{|}~";
	AUTO_FREE char *zeros = xcalloc(1, len);
	uLongf room = compressBound(len);
	AUTO_FREE unsigned char *packed = xcalloc(1, room + 8);
	char hex[OID_HEX];
	struct oid id;

	blob_id(zeros, len, &id);
	assert_int_equal(compress2(packed, &room, (const Bytef *)zeros, len, 1), Z_OK);
	(void)strbuf_addf(diff,
		"diff --git a/%s b/%s\nnew file mode 100644\nindex %040d..%s\nGIT binary patch\n"
		"literal %zu\n",
		name, name, 0, oid_hex(&id, hex), len);
	for (size_t at = 0; at < room; at += 52) {
		size_t n = MIN_OF((size_t)52, room - at);

		(void)strbuf_addc(diff, (char)(n <= 26 ? 'A' + n - 1 : 'a' + n - 27));
		for (size_t g = at; g < at + n; g += 4) {
			uint32_t v = (uint32_t)packed[g] << 24 | (uint32_t)packed[g + 1] << 16 |
				     (uint32_t)packed[g + 2] << 8 | packed[g + 3];
			char five[5];

			for (int i = 4; i >= 0; i--, v /= 85)
				five[i] = alphabet[v % 85];
			(void)strbuf_add(diff, five, 5);
		}
		(void)strbuf_addc(diff, '\n');
	}
	(void)strbuf_addc(diff, '\n');
}

static int apply_only(struct lab *lab, const struct strbuf *diff, struct error *e)
{
	struct am_patch patch = {info, diff->buf, diff->len};
	struct conflict c = {0};
	struct oid commit;
	enum am_how how;
	int r = am_apply(lab->repo, &lab->base, &patch, &commit, &how, &c, e);

	conflict_done(&c);
	return r;
}

/* Two files of the largest size are what one patch may make; one byte more is refused. */
static void makes_no_more_than_its_limit(void **state)
{
	AUTO_STRBUF struct strbuf diff;
	struct error e = ERROR_INIT;

	strbuf_init(&diff, 16 << 20);
	add_zeros(&diff, "zeros", DIFF_MAX_BINARY);
	add_zeros(&diff, "more", DIFF_MAX_BINARY);
	if (apply_only(*state, &diff, &e))
		fail_msg("%s", e.msg);
	add_zeros(&diff, "last", 1);
	assert_int_equal(apply_only(*state, &diff, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "134217728 bytes"));
	strbuf_truncate(&diff, 0);
	add_zeros(&diff, "zeros", DIFF_MAX_BINARY + 1);
	assert_int_equal(apply_only(*state, &diff, &e), ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "unpacks to more"));
}

static void links_stay_inside(void **state)
{
	static const char *const out[][2] = {{"l", ".."}, {"l", "/x"}, {"l", ""}, {"a/l", "../.."},
		{"a/l", "../../x"}, {"a/b/l", "../x/../../.."}, {"a/l", "b/../x"}, {"l", "./../x"},
		{"a/l", "..//../x"}};
	static const char *const in[][2] = {{"l", "x"}, {"l", "."}, {"a/l", ".."}, {"a/l", "../x"},
		{"a/b/l", "../../x/y"}, {"l", "...x"}, {"a/l", "./../x"}, {"l", "a//b"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(out); i++)
		if (!link_escapes(out[i][0], out[i][1], strlen(out[i][1])))
			fail_msg("%s -> %s is taken", out[i][0], out[i][1]);
	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		if (link_escapes(in[i][0], in[i][1], strlen(in[i][1])))
			fail_msg("%s -> %s is refused", in[i][0], in[i][1]);
	assert_true(link_escapes("l", "a\0b", 3));
}

static void merges_from_the_blobs_named(void **state)
{
	struct lab *lab = *state;
	struct oid commit = lab->base;
	AUTO_FREE char *diff = xasprintf("diff --git a/f b/f\nindex %.8s..1234567 100644\n--- "
					 "a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n"
					 "+0\n 1\n 2\n 3\n",
		lab->old_f);
	AUTO_FREE char *same = xasprintf("diff --git a/f b/f\nindex %.8s..1234567 100644\n--- "
					 "a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n"
					 " 1\n 2\n-3\n+c\n",
		lab->old_f);
	struct oid before;
	char *said;

	said = am(lab, &commit, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n 1\n 2\n-3\n+c\n");
	assert_string_equal(said, "exact");
	free(said);
	before = commit;
	said = am(lab, &commit, same);
	assert_string_equal(said, "already-in");
	assert_true(oid_equal(&commit, &before));
	free(said);
	said = am(lab, &commit, diff);
	assert_string_equal(said, "merge");
	free(said);
	said = look(lab, &commit, "f");
	assert_string_equal(said, "100644 0\n1\n2\nc\n");
	free(said);
}

/* A rename without a mode line: to git am -3 the ancestor is a file then, and the link is none. */
static void refuses_to_merge_a_renamed_link(void **state)
{
	struct lab *lab = *state;
	struct oid commit = lab->base;
	AUTO_FREE char *diff =
		xasprintf("diff --git a/link b/moved\nsimilarity index 100%%\nrename from link\n"
			  "rename to moved\ndiff --git a/f b/f\nindex %.8s..1234567 100644\n--- "
			  "a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n",
			lab->old_f);
	AUTO_FREE char *before =
		am(lab, &commit, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n 1\n 2\n-3\n+c\n");
	AUTO_FREE char *said = am(lab, &commit, diff);

	assert_string_equal(before, "exact");
	assert_non_null(strstr(said, "a symbolic link on one side and a file on the other"));
}

static void writes_commits_as_git_am_does(void **state)
{
	static const char message[] = "\n\na subject\n\nA body.\n\nEnd.\n";
	struct lab *lab = *state;
	struct oid first = lab->base;
	struct oid second = lab->base;
	AUTO_FREE char *a = am(lab, &first, "--- a/f\n+++ b/f\n" HUNK);
	AUTO_FREE char *b = am(lab, &second, "--- a/f\n+++ b/f\n" HUNK);
	AUTO_FREE char *stripped = NULL;
	size_t len;

	assert_string_equal(a, b);
	assert_true(oid_equal(&first, &second));
	stripped = message_strip(message, strlen(message), &len);
	assert_string_equal(stripped, "a subject\n\nA body.\n\nEnd.\n");
	assert_int_equal(len, strlen(stripped));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_what_the_patch_names),
		cmocka_unit_test(refuses_and_leaves_all_alone),
		cmocka_unit_test(makes_no_more_than_its_limit),
		cmocka_unit_test(links_stay_inside),
		cmocka_unit_test(merges_from_the_blobs_named),
		cmocka_unit_test(refuses_to_merge_a_renamed_link),
		cmocka_unit_test(writes_commits_as_git_am_does),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

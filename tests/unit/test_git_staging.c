/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/staging.h"

#include "base/file.h"
#include "patches/git/tree.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>

#include <cmocka.h>

#define MANY 3000 /* more than the table begins with */

struct lab {
	char folder[64];
	struct repo *repo;
};

static int set_up(void **state)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));
	struct error e = ERROR_INIT;

	(void)strcpy(lab->folder, "/tmp/patchbay-staging-XXXXXX");
	assert_non_null(mkdtemp(lab->folder));
	if (repo_ensure(lab->folder, &lab->repo, &e) || staging_start(lab->repo, &e))
		fail_msg("%s", e.msg);
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

/* Packs that are there; loose objects are none of them. */
static size_t list_packs(const struct lab *lab, size_t *ret_bytes)
{
	AUTO_FREE char *folder = path_join(lab->folder, "objects/pack");
	DIR *dir = opendir(folder);
	const struct dirent *d;
	size_t n = 0;

	while (dir && (d = readdir(dir))) {
		AUTO_FREE char *path = path_join(folder, d->d_name);
		struct stat st;

		if (!ends_with(d->d_name, ".pack") || stat(path, &st))
			continue;
		n++;
		if (ret_bytes)
			*ret_bytes += (size_t)st.st_size;
	}
	if (dir)
		(void)closedir(dir);
	return n;
}

static size_t packs(const struct lab *lab)
{
	return list_packs(lab, NULL);
}

static size_t pack_bytes(const struct lab *lab)
{
	size_t bytes = 0;

	(void)list_packs(lab, &bytes);
	return bytes;
}

/* Whether a repository that is opened anew has the blob with those bytes. */
static bool on_disk(const struct lab *lab, const struct oid *id, const char *data, size_t len)
{
	AUTO_REPO struct repo *repo = NULL;
	AUTO_FREE char *found = NULL;
	struct error e = ERROR_INIT;
	size_t found_len = 0;

	assert_int_equal(repo_open(lab->folder, &repo, &e), 0);
	if (repo_read_blob(repo, id, &found, &found_len, &e))
		return false;
	assert_int_equal(found_len, len);
	assert_memory_equal(found, data, len);
	return true;
}

static bool tree_on_disk(const struct lab *lab, const struct oid *tree, const char *path)
{
	AUTO_REPO struct repo *repo = NULL;
	struct error e = ERROR_INIT;
	struct oid id;
	unsigned mode;

	assert_int_equal(repo_open(lab->folder, &repo, &e), 0);
	return tree_find(repo, tree, path, &mode, &id, NULL, &e) == 1;
}

/* What git makes of the packs: every object, its sum, the index. */
static int git_verifies(const struct lab *lab)
{
	AUTO_FREE char *command = xasprintf("git -C %s fsck --full --strict >/dev/null 2>&1 && "
					    "git verify-pack %s/objects/pack/*.idx",
		lab->folder, lab->folder);

	return system(command);
}

static void keeps_all_in_one_pack(void **state)
{
	struct lab *lab = *state;
	struct error e = ERROR_INIT;
	AUTO_FREE char *big = xcalloc(1, 1 << 20);
	char text[32];
	struct oid ids[MANY];
	struct oid large, empty, found;
	struct tree_change change = {.path = "a/b", .mode = 0100644};
	struct oid tree;
	char hex[OID_HEX];

	for (size_t i = 0; i < MANY; i++) {
		int n = snprintf(text, sizeof(text), "%zu", i);

		assert_int_equal(repo_write_blob(lab->repo, text, (size_t)n, NULL, &ids[i], &e), 0);
	}
	assert_int_equal(repo_write_blob(lab->repo, big, 1 << 20, NULL, &large, &e), 0);
	assert_int_equal(repo_write_blob(lab->repo, "", 0, NULL, &empty, &e), 0);
	change.id = large;
	assert_int_equal(tree_write(lab->repo, NULL, &change, 1, &tree, &e), 0);
	/* What is staged can be read, also by the beginning of its name. */
	(void)oid_hex(&ids[17], hex);
	hex[12] = '\0';
	assert_int_equal(repo_find_blob(lab->repo, hex, &found), 0);
	assert_true(oid_equal(&found, &ids[17]));
	assert_int_equal(packs(lab), 0);
	assert_false(on_disk(lab, &ids[0], "0", 1));
	assert_int_equal(staging_trim(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 0);
	if (staging_keep(lab->repo, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(packs(lab), 1);
	for (size_t i = 0; i < MANY; i += 100) {
		int n = snprintf(text, sizeof(text), "%zu", i);

		assert_true(on_disk(lab, &ids[i], text, (size_t)n));
	}
	assert_true(on_disk(lab, &large, big, 1 << 20));
	assert_true(on_disk(lab, &empty, "", 0));
	assert_int_equal(git_verifies(lab), 0);
	assert_int_equal(repo_find_blob(lab->repo, hex, &found), 0);
	/* Again the same: nothing new to keep. */
	assert_int_equal(repo_write_blob(lab->repo, "0", 1, NULL, &found, &e), 0);
	assert_int_equal(staging_keep(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 1);
}

static void drops_what_is_not_wanted(void **state)
{
	struct lab *lab = *state;
	struct error e = ERROR_INIT;
	struct oid id, tree, again, found;
	struct tree_change change = {.path = "f", .mode = 0100644};
	unsigned mode;
	char hex[OID_HEX];

	assert_int_equal(repo_write_blob(lab->repo, "gone", 4, NULL, &id, &e), 0);
	change.id = id;
	assert_int_equal(tree_write(lab->repo, NULL, &change, 1, &tree, &e), 0);
	/* Trees that were read are kept in memory by libgit2, too. */
	assert_int_equal(tree_find(lab->repo, &tree, "f", &mode, &found, NULL, &e), 1);
	staging_drop(lab->repo);
	assert_int_equal(repo_find_blob(lab->repo, oid_hex(&id, hex), &found), ERR_MISSING);
	assert_int_equal(staging_keep(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 0);
	/* It can be made again. */
	assert_int_equal(repo_write_blob(lab->repo, "gone", 4, NULL, &id, &e), 0);
	assert_int_equal(tree_write(lab->repo, NULL, &change, 1, &again, &e), 0);
	assert_true(oid_equal(&tree, &again));
	assert_int_equal(staging_keep(lab->repo, &e), 0);
	assert_true(on_disk(lab, &id, "gone", 4));
	assert_true(tree_on_disk(lab, &tree, "f"));
}

/* Versions of one file, each made from the one before, are read as they were written. */
static void packs_versions_by_their_difference(void **state)
{
	enum { VERSIONS = 100 };
	struct lab *lab = *state;
	struct error e = ERROR_INIT;
	AUTO_FREE char *text = xcalloc(1, 300000);
	struct oid ids[VERSIONS];
	size_t lens[VERSIONS];
	size_t len = 200000;
	size_t all = 0;
	uint32_t draw = 1;

	/* zlib alone makes little of it. */
	for (size_t i = 0; i < len; i++) {
		draw = draw * 1664525 + 1013904223;
		text[i] = (char)(draw >> 24);
	}
	for (size_t i = 0; i < VERSIONS; i++) {
		/* Longer, shorter, at the start, at the end, in between, and nothing left. */
		size_t at = i * 7919 % (len + 1);
		size_t tail = len - at;

		if (i == 50) {
			len = 0;
		} else if (i == 51) {
			len = 100000;
		} else if (i % 3 == 0 || tail < 400) {
			memmove(text + at + 300, text + at, tail);
			memset(text + at, (int)('A' + i % 26), 300);
			len += 300;
		} else {
			memmove(text + at, text + at + 400, tail - 400);
			len -= 400;
		}
		lens[i] = len;
		all += len;
		assert_int_equal(
			repo_write_blob(lab->repo, text, len, i ? &ids[i - 1] : NULL, &ids[i], &e),
			0);
	}
	assert_int_equal(staging_keep(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 1);
	assert_true(pack_bytes(lab) < all / 10);
	for (size_t i = 0; i < VERSIONS; i++) {
		AUTO_REPO struct repo *repo = NULL;
		AUTO_FREE char *found = NULL;
		struct oid id;
		size_t found_len;

		assert_int_equal(repo_open(lab->folder, &repo, &e), 0);
		assert_int_equal(repo_read_blob(repo, &ids[i], &found, &found_len, &e), 0);
		assert_int_equal(found_len, lens[i]);
		blob_id(found, found_len, &id);
		assert_true(oid_equal(&id, &ids[i]));
	}
	assert_int_equal(git_verifies(lab), 0);
}

/* Memory has a limit: past it, what is there goes to disk. */
static void goes_to_disk_where_it_is_too_much(void **state)
{
	struct lab *lab = *state;
	struct error e = ERROR_INIT;
	AUTO_FREE char *data = xcalloc(1, STAGING_MAX_BYTES);
	struct oid id;

	assert_int_equal(
		repo_write_blob(lab->repo, data, STAGING_MAX_BYTES - 1000, NULL, &id, &e), 0);
	assert_int_equal(staging_trim(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 0);
	assert_int_equal(repo_write_blob(lab->repo, data, 1000, NULL, &id, &e), 0);
	assert_int_equal(staging_trim(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 1);
	assert_true(on_disk(lab, &id, data, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		T(keeps_all_in_one_pack),
		T(drops_what_is_not_wanted),
		T(packs_versions_by_their_difference),
		T(goes_to_disk_where_it_is_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

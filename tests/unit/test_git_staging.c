/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/staging.h"

#include "base/file.h"
#include "patches/git/tree.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>

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
static size_t packs(const struct lab *lab)
{
	AUTO_FREE char *folder = path_join(lab->folder, "objects/pack");
	DIR *dir = opendir(folder);
	const struct dirent *d;
	size_t n = 0;

	while (dir && (d = readdir(dir)))
		n += ends_with(d->d_name, ".pack");
	if (dir)
		(void)closedir(dir);
	return n;
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

		assert_int_equal(repo_write_blob(lab->repo, text, (size_t)n, &ids[i], &e), 0);
	}
	assert_int_equal(repo_write_blob(lab->repo, big, 1 << 20, &large, &e), 0);
	assert_int_equal(repo_write_blob(lab->repo, "", 0, &empty, &e), 0);
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
	assert_int_equal(repo_find_blob(lab->repo, hex, &found), 0);
	/* Again the same: nothing new to keep. */
	assert_int_equal(repo_write_blob(lab->repo, "0", 1, &found, &e), 0);
	assert_int_equal(staging_keep(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 1);
}

static void drops_what_is_not_wanted(void **state)
{
	struct lab *lab = *state;
	struct error e = ERROR_INIT;
	struct oid id, found;
	char hex[OID_HEX];

	assert_int_equal(repo_write_blob(lab->repo, "gone", 4, &id, &e), 0);
	staging_drop(lab->repo);
	assert_int_equal(repo_find_blob(lab->repo, oid_hex(&id, hex), &found), ERR_MISSING);
	assert_int_equal(staging_keep(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 0);
	/* It can be made again. */
	assert_int_equal(repo_write_blob(lab->repo, "gone", 4, &id, &e), 0);
	assert_int_equal(staging_keep(lab->repo, &e), 0);
	assert_true(on_disk(lab, &id, "gone", 4));
}

/* Memory has a limit: past it, what is there goes to disk. */
static void goes_to_disk_where_it_is_too_much(void **state)
{
	struct lab *lab = *state;
	struct error e = ERROR_INIT;
	AUTO_FREE char *data = xcalloc(1, STAGING_MAX_BYTES);
	struct oid id;

	assert_int_equal(repo_write_blob(lab->repo, data, STAGING_MAX_BYTES - 1000, &id, &e), 0);
	assert_int_equal(staging_trim(lab->repo, &e), 0);
	assert_int_equal(packs(lab), 0);
	assert_int_equal(repo_write_blob(lab->repo, data, 1000, &id, &e), 0);
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
		T(goes_to_disk_where_it_is_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

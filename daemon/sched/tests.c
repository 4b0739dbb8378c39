/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lab's own tests, packed when a series is submitted, so that they stay what they were then. */
#include "base/cpio.h"
#include "base/sha256.h"
#include "daemon/sched/internal.h"

#define TEST_MAX ((size_t)16 * 1024 * 1024)

/* By content, so that many series share one. */
static int keep(const struct sched *s, const struct cpio *c, cJSON *test, struct error *e)
{
	AUTO_FREE char *folder = path_join(s->state, "artifacts/tests");
	AUTO_FREE char *path = NULL;
	char sha256[SHA256_HEX];
	int err = file_mkdirs(folder, 0700, e);

	if (err)
		return err;
	sha256_of(c->data.buf, c->data.len, sha256);
	path = path_join(folder, sha256);
	if (!file_exists(path))
		err = file_write_atomic(path, c->data.buf, c->data.len, 0600, e);
	if (err)
		return err;
	json_set_str(test, "sha256", sha256);
	json_set_str(test, "path", path);
	return 0;
}

static int pack(const struct sched *s, cJSON *test, struct error *e)
{
	const char *name = json_str(test, "name", "");
	AUTO_FREE char *folder = path_join(s->state, "tests");
	AUTO_FREE char *own = path_join(folder, name);
	AUTO_FREE char *in_guest = path_join("tests", name);
	const char *path = json_str(test, "path", own);
	AUTO_FREE char *real = realpath(path, NULL);
	AUTO_CPIO struct cpio c;
	int err;

	cpio_init(&c, TEST_MAX);
	if (!real)
		return error_set(e, ERR_MISSING,
			"there is no %s: put the program or folder of test %s there", path, name);
	cpio_add_folder(&c, "tests");
	err = cpio_add_tree(&c, real, in_guest, e);
	if (err)
		return error_prefix(e, "test %s, %s", name, path);
	cpio_end(&c);
	return keep(s, &c, test, e);
}

int sched_pack_tests(const struct sched *s, cJSON *profile, struct error *e)
{
	cJSON *tests = cJSON_GetObjectItemCaseSensitive(profile, "tests"), *test;

	json_for_each (test, tests) {
		int err = pack(s, test, e);

		if (err)
			return err;
	}
	return 0;
}

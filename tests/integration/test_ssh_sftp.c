/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files to and from a real sshd. */
#include "tests/integration/sshd.h"

#include "base/sha256.h"

#include <errno.h>
#include <glob.h>
#include <sys/mount.h>

#define STALL_MS 10000

static struct sshd *sshd;
static struct ssh *session;

static int set_up(void **state)
{
	struct error e = ERROR_INIT;

	sshd = sshd_new();
	if (ssh_connect(&sshd->target, clock_mono_ms() + 10000, &session, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int tear_down(void **state)
{
	session = ssh_close(session);
	sshd_free(sshd);
	return 0;
}

/* A file whose bytes do not repeat in step with any buffer. */
static char *make_file(const char *name, size_t len)
{
	AUTO_FREE char *bytes = xmalloc(len);
	char *path = sshd_file(sshd, name);
	uint32_t x = 1;

	for (size_t i = 0; i < len; i++) {
		x = x * 1664525U + 1013904223U;
		bytes[i] = (char)(x >> 24);
	}
	assert_int_equal(file_write_atomic(path, bytes, len, 0600, NULL), 0);
	return path;
}

static void assert_same(const char *a, const char *b)
{
	char x[SHA256_HEX], y[SHA256_HEX];

	assert_int_equal(sha256_file(a, x, NULL), 0);
	assert_int_equal(sha256_file(b, y, NULL), 0);
	assert_string_equal(x, y);
}

static void assert_nothing_left(const char *path)
{
	AUTO_FREE char *pattern = xasprintf("%s.part-*", path);
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
	globfree(&found);
}

static void test_there_and_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 32768, SSH_BUFFER - 1, SSH_BUFFER, SSH_BUFFER + 1, 5 * SSH_BUFFER + 12345};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO_FREE char *local = make_file("local", sizes[i]);
		AUTO_FREE char *remote = sshd_file(sshd, "remote");
		AUTO_FREE char *back = sshd_file(sshd, "back");
		struct error e = ERROR_INIT;
		uint64_t size;

		unlink(remote);
		if (ssh_upload(session, local, remote, 0755, STALL_MS, &e))
			fail_msg("%s", e.msg);
		assert_same(local, remote);
		assert_int_equal(ssh_stat(session, remote, &size, -1, &e), 0);
		assert_int_equal(size, sizes[i]);
		if (ssh_download(session, remote, back, 0600, sizes[i], STALL_MS, &e))
			fail_msg("%s", e.msg);
		assert_same(local, back);
		assert_nothing_left(remote);
		assert_nothing_left(back);
	}
}

static void test_mode_is_as_asked(void **state)
{
	AUTO_FREE char *local = make_file("local", 10);
	AUTO_FREE char *remote = sshd_file(sshd, "remote-mode");
	struct stat st;

	assert_int_equal(ssh_upload(session, local, remote, 0775, STALL_MS, NULL), 0);
	assert_int_equal(stat(remote, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0775);
}

static void test_leaves_what_is_there(void **state)
{
	AUTO_FREE char *old = make_file("target", 100);
	AUTO_FREE char *local = make_file("local", 50);
	struct error e = ERROR_INIT;
	struct stat st;

	assert_int_equal(ssh_upload(session, local, old, 0644, STALL_MS, &e), -EEXIST);
	assert_non_null(strstr(e.msg, old));
	assert_int_equal(stat(old, &st), 0);
	assert_int_equal(st.st_size, 100);
	assert_nothing_left(old);
}

static void test_download_limit(void **state)
{
	AUTO_FREE char *remote = make_file("big", SSH_BUFFER + 1);
	AUTO_FREE char *back = sshd_file(sshd, "not-there");
	struct error e = ERROR_INIT;

	assert_int_equal(
		ssh_download(session, remote, back, 0600, SSH_BUFFER, STALL_MS, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "limit of 1048576 bytes"));
	assert_false(file_exists(back));
	assert_nothing_left(back);
}

static void test_missing(void **state)
{
	AUTO_FREE char *local = make_file("local", 10);
	AUTO_FREE char *back = sshd_file(sshd, "back");
	struct error e = ERROR_INIT;
	uint64_t size;

	assert_int_equal(ssh_stat(session, "/nowhere/x", &size, -1, &e), ERR_MISSING);
	assert_int_equal(
		ssh_download(session, "/nowhere/x", back, 0600, 10, STALL_MS, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "/nowhere/x"));
	assert_int_equal(ssh_upload(session, local, "/nowhere/x", 0600, STALL_MS, &e), ERR_MISSING);
	/* And the session goes on. */
	assert_int_equal(ssh_stat(session, local, &size, -1, &e), 0);
	assert_int_equal(size, 10);
}

static void test_full_disk(void **state)
{
	AUTO_FREE char *local = make_file("local", 9 * SSH_BUFFER);
	AUTO_FREE char *small = sshd_file(sshd, "small");
	AUTO_FREE char *remote = path_join(small, "file");
	struct error e = ERROR_INIT;

	assert_int_equal(mkdir(small, 0755), 0);
	if (mount("none", small, "tmpfs", 0, "size=4m"))
		skip();
	assert_int_equal(ssh_upload(session, local, remote, 0600, STALL_MS, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "is full"));
	assert_false(file_exists(remote));
	assert_nothing_left(remote);
	assert_int_equal(umount(small), 0);
}

static void test_link_lost(void **state)
{
	AUTO_FREE char *local = make_file("local", 10);
	AUTO_FREE char *remote = sshd_file(sshd, "remote");
	struct error e = ERROR_INIT;
	int64_t start = clock_mono_ms();

	sshd_kill(sshd);
	assert_int_equal(ssh_upload(session, local, remote, 0600, STALL_MS, &e), ERR_LINK);
	assert_in_range(clock_mono_ms() - start, 0, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_mode_is_as_asked),
		cmocka_unit_test(test_leaves_what_is_there),
		cmocka_unit_test(test_download_limit),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_link_lost),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

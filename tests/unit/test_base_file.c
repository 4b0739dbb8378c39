/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static char *dir;

static int set_up(void **state)
{
	char name[] = "/tmp/pb-file-XXXXXX";

	dir = xstrdup(mkdtemp(name));
	return 0;
}

static int tear_down(void **state)
{
	file_remove_tree(dir, NULL);
	free(dir);
	return 0;
}

static void test_write_and_read(void **state)
{
	AUTO_FREE char *path = path_join(dir, "a");
	AUTO_FREE char *data = NULL;
	struct error e = ERROR_INIT;
	struct stat st;
	size_t len;

	assert_int_equal(file_write_atomic(path, "x\0y", 3, 0640, &e), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(file_read(path, 3, &data, &len, &e), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(data, "x\0y", 4);
}

static void test_read_limit(void **state)
{
	AUTO_FREE char *path = path_join(dir, "limit");
	AUTO_FREE char *data = NULL;
	struct error e = ERROR_INIT;

	assert_int_equal(file_write_atomic(path, "12345", 5, 0600, NULL), 0);
	assert_int_equal(file_read(path, 5, &data, NULL, &e), 0);
	freep(&data);
	data = NULL;
	assert_int_equal(file_read(path, 4, &data, NULL, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "limit of 4 bytes"));
	assert_null(data);
	assert_int_equal(file_read(path, 0, &data, NULL, &e), ERR_LIMIT);
}

/* A pipe has no size to go by. */
static void test_read_limit_of_a_pipe(void **state)
{
	AUTO_FREE char *bytes = xcalloc(1, 50000);
	AUTO_FREE char *data = NULL;
	size_t len;

	for (size_t max = 49999; max <= 50000; max++) {
		int fds[2], r;

		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], bytes, 50000), 50000);
		close(fds[1]);
		r = file_read_fd(fds[0], "the pipe", max, &data, &len, NULL);
		assert_int_equal(r, max < 50000 ? ERR_LIMIT : 0);
		close(fds[0]);
	}
	assert_int_equal(len, 50000);
}

static void test_failed_write_leaves_nothing(void **state)
{
	AUTO_FREE char *path = path_join(dir, "folder");
	AUTO_FREE char *inside = path_join(path, "kept");
	AUTO_FREE char *leftovers = xasprintf("ls -A %s | grep -c tmp", dir);
	struct error e = ERROR_INIT;
	char count[16] = "";
	FILE *p;

	/* A folder with something in it cannot be replaced by a file. */
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(mkdir(inside, 0700), 0);
	assert_true(file_write_atomic(path, "x", 1, 0600, &e) < 0);
	assert_true(file_exists(inside));
	p = popen(leftovers, "r");
	assert_non_null(fgets(count, sizeof(count), p));
	pclose(p);
	assert_string_equal(count, "0\n");
}

static void test_mkdirs(void **state)
{
	AUTO_FREE char *path = path_join(dir, "p/q//r/");
	AUTO_FREE char *file = path_join(dir, "p/file");
	AUTO_FREE char *below = path_join(dir, "p/file/x");
	struct error e = ERROR_INIT;

	assert_int_equal(file_mkdirs(path, 0755, &e), 0);
	assert_int_equal(file_mkdirs(path, 0755, &e), 0);
	assert_true(file_exists(path));
	assert_int_equal(file_write_atomic(file, "", 0, 0600, NULL), 0);
	assert_int_equal(file_mkdirs(file, 0755, &e), -ENOTDIR);
	assert_int_equal(file_mkdirs(below, 0755, &e), -ENOTDIR);
}

static void test_remove_tree_does_not_follow_links(void **state)
{
	AUTO_FREE char *outside = path_join(dir, "outside");
	AUTO_FREE char *tree = path_join(dir, "tree");
	AUTO_FREE char *link = path_join(tree, "link");
	AUTO_FREE char *locked = path_join(tree, "locked/in");

	assert_int_equal(file_mkdirs(outside, 0755, NULL), 0);
	assert_int_equal(file_mkdirs(locked, 0755, NULL), 0);
	assert_int_equal(symlink(outside, link), 0);
	*strrchr(locked, '/') = '\0';
	assert_int_equal(chmod(locked, 0), 0);
	assert_int_equal(file_remove_tree(tree, NULL), 0);
	assert_false(file_exists(tree));
	assert_true(file_exists(outside));
	assert_int_equal(file_remove_tree(tree, NULL), 0);
}

static void test_remove_link_itself(void **state)
{
	AUTO_FREE char *outside = path_join(dir, "there");
	AUTO_FREE char *link = path_join(dir, "to-there");

	assert_int_equal(mkdir(outside, 0700), 0);
	assert_int_equal(symlink(outside, link), 0);
	assert_int_equal(file_remove_tree(link, NULL), 0);
	assert_true(file_exists(outside));
	assert_int_not_equal(access(link, F_OK), 0);
}

/* Deeper than there are descriptors, and than a path can be long. */
static void test_remove_deep_tree(void **state)
{
	AUTO_FREE char *tree = path_join(dir, "deep");
	int fd;

	assert_int_equal(mkdir(tree, 0700), 0);
	fd = open(tree, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 3000; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "d", 0700), 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(file_remove_tree(tree, NULL), 0);
	assert_false(file_exists(tree));
}

static void test_copy(void **state)
{
	AUTO_FREE char *from = path_join(dir, "from");
	AUTO_FREE char *to = path_join(dir, "to");
	AUTO_FREE char *big = xcalloc(1, 1000000);
	AUTO_FREE char *back = NULL;
	struct stat st;
	size_t len;

	big[999999] = 'e';
	assert_int_equal(file_write_atomic(from, big, 1000000, 0600, NULL), 0);
	assert_int_equal(file_copy(from, to, 0755, NULL), 0);
	assert_int_equal(file_read(to, 1000000, &back, &len, NULL), 0);
	assert_memory_equal(big, back, 1000000);
	assert_int_equal(stat(to, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_int_equal(file_copy("/nowhere", to, 0755, NULL), -ENOENT);
}

static void test_paths(void **state)
{
	AUTO_FREE char *joined = path_join("/a/", "b");
	AUTO_FREE char *cache = NULL;
	AUTO_FREE char *state_path = NULL;
	AUTO_FREE char *self = path_self_dir();

	assert_string_equal(joined, "/a/b");
	assert_int_equal(self[0], '/');
	setenv("HOME", "/home/me", 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("PATCHBAY_STATE");
	cache = path_cache();
	assert_string_equal(cache, "/home/me/.cache/patchbay");
	state_path = path_state();
	assert_string_equal(state_path, "/home/me/.local/state/patchbay");
	free(cache);
	setenv("XDG_CACHE_HOME", "/cache", 1);
	cache = path_cache();
	assert_string_equal(cache, "/cache/patchbay");
	free(state_path);
	setenv("PATCHBAY_STATE", "/my/lab", 1);
	state_path = path_state();
	assert_string_equal(state_path, "/my/lab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_and_read),
		cmocka_unit_test(test_read_limit),
		cmocka_unit_test(test_read_limit_of_a_pipe),
		cmocka_unit_test(test_failed_write_leaves_nothing),
		cmocka_unit_test(test_mkdirs),
		cmocka_unit_test(test_remove_tree_does_not_follow_links),
		cmocka_unit_test(test_remove_link_itself),
		cmocka_unit_test(test_remove_deep_tree),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lab's own programs, run as a guest does, out of a folder of this test's. */
#include "agents/target/usertest.h"
#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <sys/stat.h>

static char root[64];

static int setup(void **state)
{
	(void)snprintf(root, sizeof(root), "/tmp/test-usertest.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	return file_remove_tree(root, NULL);
}

static void put(const char *path, const char *text, mode_t mode)
{
	AUTO_FREE char *whole = path_join(root, path);
	AUTO_FREE char *folder = xstrdup(whole);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(file_mkdirs(folder, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(whole, text, strlen(text), mode, NULL), 0);
}

/* What came out, heap. */
static char *run(const char *test, const char *seconds, uint64_t *ret_problems)
{
	struct run_spec spec = {.name = (char *)"test",
		.options = {{(char *)"test", (char *)test}, {(char *)"seconds", (char *)seconds}},
		.n_options = 2};
	AUTO_CLOSE int fd = memfd_create("results", MFD_CLOEXEC);
	struct channel out;
	char *text = NULL;

	channel_init(&out, fd, false);
	usertest_run(root, &spec, &out);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(file_read_fd(fd, "results", 16 << 20, &text, NULL, NULL), 0);
	*ret_problems = out.problems;
	return text;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' has no '%s'", text, part);
}

static void test_program(void **state)
{
	AUTO_FREE char *text = NULL;
	uint64_t problems;

	put("one", "#!/bin/sh\necho \"ok 1 $(pwd)\"\necho worse >&2\nexit 3\n", 0755);
	text = run("one", "10", &problems);
	assert_int_equal(problems, 0);
	expect(text, "\"type\":\"output\",\"test\":\"one\",\"text\":\"ok 1 /tmp/test-usertest");
	expect(text, "worse\\n");
	expect(text, "\"type\":\"exit\",\"test\":\"one\",\"status\":3,\"how\":\"exit status 3\"");
}

static void test_folder_in_order(void **state)
{
	AUTO_FREE char *text = NULL;
	uint64_t problems;

	put("f/b", "#!/bin/sh\necho second\n", 0755);
	put("f/a", "#!/bin/sh\nkill -9 $$\n", 0755);
	put("f/data", "no program\n", 0644);
	text = run("f", "10", &problems);
	assert_int_equal(problems, 0);
	assert_true(strstr(text, "\"test\":\"f/a\"") < strstr(text, "\"test\":\"f/b\""));
	expect(text, "\"status\":-1,\"how\":\"killed by signal 9");
	assert_null(strstr(text, "data"));
}

static void test_selftests(void **state)
{
	AUTO_FREE char *text = NULL;
	uint64_t problems;

	put("k/kselftest-list.txt", "iommu:iommufd\n../x:y\n:z\nvfio:\n", 0644);
	put("k/iommu/iommufd", "#!/bin/sh\necho ok 1 listed\n", 0755);
	put("k/iommu/helper", "#!/bin/sh\necho not listed\n", 0755);
	text = run("k", "10", &problems);
	assert_int_equal(problems, 0);
	expect(text, "\"test\":\"k/iommu/iommufd\",\"status\":0");
	assert_null(strstr(text, "helper"));
}

/* It is ended with all that it started. */
static void test_no_end(void **state)
{
	AUTO_FREE char *text = NULL;
	uint64_t problems;

	put("slow", "#!/bin/sh\necho before\nsleep 30 &\nwait\n", 0755);
	text = run("slow", "1", &problems);
	expect(text, "before\\n");
	expect(text, "\"status\":-1,\"how\":\"no end after 1 s\"");
}

static void test_too_much_output(void **state)
{
	AUTO_FREE char *text = NULL;
	uint64_t problems;

	put("much", "#!/bin/sh\nhead -c 1100000 /dev/zero | tr '\\0' x\n", 0755);
	text = run("much", "10", &problems);
	assert_int_equal(problems, 1);
	expect(text, "more than 1024 KiB");
	assert_in_range(strlen(text), 1024 * 1024, 1024 * 1024 + 65536);
}

static void test_nothing_to_run(void **state)
{
	uint64_t problems;
	AUTO_FREE char *none = run("none", "10", &problems);
	AUTO_FREE char *outside = run("../etc", "10", &problems);
	AUTO_FREE char *broken = NULL;

	expect(none, "no program at");
	expect(outside, "must name");
	put("broken", "#!/nowhere/sh\n", 0755);
	broken = run("broken", "10", &problems);
	assert_int_equal(problems, 1);
	expect(broken, "no libraries");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_program),
		TEST(test_folder_in_order),
		TEST(test_selftests),
		TEST(test_no_end),
		TEST(test_too_much_output),
		TEST(test_nothing_to_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lab's own programs, run as a guest does, out of a folder of this test's. */
#include "agents/target/usertest.h"
#include "channel_text.h"
#include "temp_folder.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

/* What came out, heap. */
static char *run(const char *test, const char *seconds, uint64_t *ret_problems)
{
	struct run_spec spec = {.name = (char *)"test",
		.options = {{(char *)"test", (char *)test}, {(char *)"seconds", (char *)seconds}},
		.n_options = 2};
	struct channel out;

	open_channel(&out);
	usertest_run(root, &spec, &out);
	*ret_problems = out.problems;
	return close_channel(&out);
}

static void test_program(void **state)
{
	AUTO_FREE char *text = NULL;
	uint64_t problems;

	put("one", "#!/bin/sh\necho \"ok 1 $(pwd)\"\necho worse >&2\nexit 3\n", 0755);
	text = run("one", "10", &problems);
	assert_int_equal(problems, 0);
	expect(text, "\"type\":\"output\",\"test\":\"one\",\"text\":\"ok 1 /tmp/patchbay-test");
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

/* It is ended with all that it started: nobody holds the FIFO open then. */
static void test_no_end(void **state)
{
	AUTO_FREE char *fifo = path_join(root, "fifo");
	AUTO_FREE char *text = NULL;
	AUTO_CLOSE int fd = -1;
	struct pollfd left = {.events = 0};
	char word[8] = "";
	uint64_t problems;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	put("slow", "#!/bin/sh\necho before\n(echo up; exec sleep 30) >fifo &\nwait\n", 0755);
	text = run("slow", "1", &problems);
	expect(text, "before\\n");
	expect(text, "\"status\":-1,\"how\":\"no end after 1 s\"");
	assert_int_equal(read(fd, word, sizeof(word)), 3);
	left.fd = fd;
	assert_int_equal(poll(&left, 1, 10000), 1);
	assert_true(left.revents & POLLHUP);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_IN_FOLDER(test_program),
		TEST_IN_FOLDER(test_folder_in_order),
		TEST_IN_FOLDER(test_selftests),
		TEST_IN_FOLDER(test_no_end),
		TEST_IN_FOLDER(test_too_much_output),
		TEST_IN_FOLDER(test_nothing_to_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

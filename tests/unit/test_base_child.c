/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/child.h"
#include "base/clock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static char *output_of(const char *const *argv, const char *const *env, int *ret_status)
{
	struct child_spec spec = CHILD_SPEC(argv);
	struct error e = ERROR_INIT;
	char *output = NULL;

	spec.env = env;
	if (child_run(&spec, 65536, clock_mono_ms() + 20000, &output, ret_status, &e))
		fail_msg("%s", e.msg);
	return output;
}

static void test_output_and_status(void **state)
{
	const char *const argv[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
	AUTO_FREE char *output = NULL;
	char text[64];
	int status;

	output = output_of(argv, NULL, &status);
	assert_string_equal(output, "out\nerr\n");
	assert_string_equal(child_status_text(status, text, sizeof(text)), "exit status 3");
}

static void test_signal_status(void **state)
{
	const char *const argv[] = {"sh", "-c", "kill -9 $$", NULL};
	AUTO_FREE char *output = NULL;
	char text[64];
	int status;

	output = output_of(argv, NULL, &status);
	assert_string_equal(
		child_status_text(status, text, sizeof(text)), "killed by signal 9 (Killed)");
}

static void test_missing_program(void **state)
{
	const char *const argv[] = {"no-such-program-here", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	struct error e = ERROR_INIT;
	struct child c = CHILD_INIT;

	assert_int_equal(child_start(&spec, &c, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "no-such-program-here"));
	assert_int_equal(c.pid, 0);
}

static void test_missing_folder(void **state)
{
	const char *const argv[] = {"true", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	struct error e = ERROR_INIT;
	struct child c = CHILD_INIT;

	spec.cwd = "/nowhere";
	assert_true(child_start(&spec, &c, &e) < 0);
	assert_non_null(strstr(e.msg, "/nowhere"));
}

static void test_environment(void **state)
{
	const char *const argv[] = {"sh", "-c", "echo \"$PB_A $PB_B\"", NULL};
	const char *const env[] = {"PB_A=new", NULL};
	AUTO_FREE char *output = NULL;
	int status;

	setenv("PB_A", "old", 1);
	setenv("PB_B", "kept", 1);
	output = output_of(argv, env, &status);
	assert_string_equal(output, "new kept\n");
}

/* Only the named descriptors arrive, also where the numbers overlap. */
static void test_descriptors(void **state)
{
	const char *const argv[] = {"sh", "-c", "ls /proc/self/fd; echo to3 >&3", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CHILD struct child c = CHILD_INIT;
	int out[2], three[2], stray = fcntl(STDIN_FILENO, F_DUPFD, 20), status;
	char buf[256];
	ssize_t n;

	assert_true(stray >= 20);
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(three), 0);
	spec.fds[1] = out[1];
	spec.fds[3] = three[1];
	assert_int_equal(child_start(&spec, &c, NULL), 0);
	close(out[1]);
	close(three[1]);
	assert_int_equal(child_wait(&c, clock_mono_ms() + 10000, &status, NULL), 0);
	n = read(out[0], buf, sizeof(buf) - 1);
	buf[MAX_OF(n, 0)] = '\0';
	/* 4 is what ls reads the list with. */
	assert_string_equal(buf, "0\n1\n2\n3\n4\n");
	n = read(three[0], buf, sizeof(buf));
	assert_int_equal(n, 4);
	close(out[0]);
	close(three[0]);
	close(stray);
}

static void test_signals_are_reset(void **state)
{
	const char *const argv[] = {"sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status", NULL};
	AUTO_FREE char *output = NULL;
	sigset_t set, old;
	int status;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	signal(SIGPIPE, SIG_IGN);
	output = output_of(argv, NULL, &status);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	assert_string_equal(output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void test_timeout_kills_the_group(void **state)
{
	const char *const argv[] = {"sh", "-c", "sleep 60 & sleep 60", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	struct error e = ERROR_INIT;
	int64_t start = clock_mono_ms();
	char *output = NULL;
	int status;

	assert_int_equal(child_run(&spec, 100, start + 200, &output, &status, &e), ERR_TIMEOUT);
	assert_null(output);
	assert_in_range(clock_mono_ms() - start, 190, 5000);
}

/* Who leaves a process behind that holds the pipe does not hold us. */
static void test_leftover_does_not_hang(void **state)
{
	const char *const argv[] = {"sh", "-c", "echo x; sleep 60 &", NULL};
	AUTO_FREE char *output = NULL;
	int64_t start = clock_mono_ms();
	int status;

	output = output_of(argv, NULL, &status);
	assert_string_equal(output, "x\n");
	assert_in_range(clock_mono_ms() - start, 0, 5000);
}

static void test_output_limit(void **state)
{
	const char *const argv[] = {"sh", "-c", "yes | head -c 1000000", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_FREE char *output = NULL;
	int status;

	assert_int_equal(child_run(&spec, 10, clock_mono_ms() + 20000, &output, &status, NULL), 0);
	assert_string_equal(output, "y\ny\ny\ny\ny\n");
	assert_int_equal(status, 0);
}

static void test_wait_leaves_it_running(void **state)
{
	const char *const argv[] = {"sleep", "60", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CHILD struct child c = CHILD_INIT;
	int status;

	assert_int_equal(child_start(&spec, &c, NULL), 0);
	assert_int_equal(child_wait(&c, clock_mono_ms() + 50, &status, NULL), ERR_TIMEOUT);
	child_kill(&c);
	assert_int_equal(child_wait(&c, clock_mono_ms() + 5000, &status, NULL), 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(c.pid, 0);
	child_kill(&c);
	assert_int_equal(child_wait(&c, -1, &status, NULL), ERR_STATE);
}

/* A child dies with its parent: here a process between us and it. */
static void test_dies_with_its_parent(void **state)
{
	const char *const argv[] = {"sleep", "60", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	char byte;
	int alive[2], status;
	pid_t pid;

	assert_int_equal(pipe(alive), 0);
	pid = fork();
	if (!pid) {
		struct child c;

		spec.fds[1] = alive[1];
		_exit(child_start(&spec, &c, NULL) ? 1 : 0);
	}
	close(alive[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* The end of the pipe comes when sleep is gone. */
	assert_int_equal(read(alive[0], &byte, 1), 0);
	close(alive[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_and_status),
		cmocka_unit_test(test_signal_status),
		cmocka_unit_test(test_missing_program),
		cmocka_unit_test(test_missing_folder),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_signals_are_reset),
		cmocka_unit_test(test_timeout_kills_the_group),
		cmocka_unit_test(test_leftover_does_not_hang),
		cmocka_unit_test(test_output_limit),
		cmocka_unit_test(test_wait_leaves_it_running),
		cmocka_unit_test(test_dies_with_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

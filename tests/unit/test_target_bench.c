/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Benchmarks that go wrong, each in its own process; what is left of them on the channel. */
#include "agents/target/bench.h"
#include "channel_text.h"
#include <signal.h>

static void run_well(const struct run_spec *spec, struct channel *out)
{
	channel_sample(out, "m", 1, "{}");
}

static void run_killed(const struct run_spec *spec, struct channel *out)
{
	channel_sample(out, "m", 1, "{}");
	(void)raise(SIGKILL);
}

static void run_cut_off(const struct run_spec *spec, struct channel *out)
{
	(void)write_all(out->fd, "{\"type\":\"sam", 12);
}

static void run_much(const struct run_spec *spec, struct channel *out)
{
	for (int i = 0; i < 20000; i++)
		channel_fact_int(out, "i", i);
}

static void run_over_the_limit(const struct run_spec *spec, struct channel *out)
{
	AUTO_FREE char *text = xcalloc(1, CHANNEL_MAX_LINE * 3);

	memset(text, 'x', CHANNEL_MAX_LINE * 3);
	(void)write_all(out->fd, text, CHANNEL_MAX_LINE * 3);
}

/* Shared with the benchmark's process. */
static pid_t *left_behind;

/* Leaves a process behind that keeps the pipe open. */
static void run_and_leave(const struct run_spec *spec, struct channel *out)
{
	pid_t pid = fork();

	if (pid == 0) {
		/* Nor does it outlive a test that fails. */
		alarm(60);
		pause();
		_exit(0);
	}
	*left_behind = pid;
	channel_sample(out, "m", 1, "{}");
}

/* What came out, heap. */
static char *run(void (*fn)(const struct run_spec *, struct channel *), struct channel *out)
{
	const struct bench_ops ops = {.name = "x", .run = fn};
	struct run_spec spec = {0};

	open_channel(out);
	bench_run_apart(&ops, &spec, out);
	return close_channel(out);
}

static void test_well(void **state)
{
	struct channel out;
	AUTO_FREE char *text = run(run_well, &out);

	assert_int_equal(out.problems, 0);
	expect(text, "\"metric\":\"m\"");
}

static void test_killed(void **state)
{
	struct channel out;
	AUTO_FREE char *text = run(run_killed, &out);

	assert_int_equal(out.problems, 1);
	expect(text, "\"metric\":\"m\"");
	expect(text, "\"benchmark\":\"x\"");
	expect(text, "\"kind\":\"lab\"");
	expect(text, "signal 9");
}

static void test_cut_off(void **state)
{
	struct channel out;
	AUTO_FREE char *text = run(run_cut_off, &out);

	assert_int_equal(out.problems, 1);
	expect(text, "cut off after 12 bytes");
}

static void test_much(void **state)
{
	struct channel out;
	AUTO_FREE char *text = run(run_much, &out);

	assert_int_equal(out.problems, 0);
	/* And which processor it ran on. */
	assert_int_equal(out.lines, 20001);
	expect(text, "\"value\":19999}\n");
}

static void test_over_the_limit(void **state)
{
	struct channel out;
	AUTO_FREE char *text = run(run_over_the_limit, &out);

	assert_int_equal(out.problems, 1);
	expect(text, "cut off");
}

static void test_leaves_a_process(void **state)
{
	AUTO_FREE char *text = NULL;
	struct channel out;

	left_behind = mmap(NULL, sizeof(*left_behind), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(left_behind != MAP_FAILED);
	text = run(run_and_leave, &out);
	assert_true(*left_behind > 0);
	assert_int_equal(kill(*left_behind, SIGKILL), 0);
	assert_int_equal(munmap(left_behind, sizeof(*left_behind)), 0);
	assert_int_equal(out.problems, 0);
	expect(text, "\"metric\":\"m\"");
}

static void test_unknown(void **state)
{
	struct run_spec spec = {.name = (char *)"dma-mop"};
	struct run_spec option = {.name = (char *)"dma-map",
		.options = {{(char *)"size", (char *)"5"}},
		.n_options = 1};
	AUTO_FREE char *text = NULL;
	struct channel out;

	open_channel(&out);
	bench_run(&spec, &out);
	bench_run(&option, &out);
	assert_int_equal(out.problems, 2);
	text = close_channel(&out);
	expect(text, "no benchmark 'dma-mop'");
	expect(text, "no option 'size'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_well),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_over_the_limit),
		cmocka_unit_test(test_leaves_a_process),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

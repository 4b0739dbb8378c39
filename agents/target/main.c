/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patchbay-target: process 1 of the kernel under test. Sets the machine up, runs what its
 * arguments say, writes result lines on the second serial port, and powers off. Started as any
 * other process it does the same, without touching mounts or power, and writes them on standard
 * output.
 */
#include "agents/target/bench.h"
#include "agents/target/checker.h"
#include "agents/target/init.h"
#include "agents/target/layout.h"
#include "agents/target/noise.h"
#include "agents/target/sysfs.h"
#include "agents/target/timing.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <termios.h>

#define RESULT_PORT "/dev/ttyS1"

/* Raw, so that nothing is echoed, translated or taken for a signal. */
static int open_port(struct error *e)
{
	int fd = open(RESULT_PORT, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios settings;

	if (fd < 0 || tcgetattr(fd, &settings) != 0)
		return error_errno(e, "cannot open the result channel %s", RESULT_PORT);
	cfmakeraw(&settings);
	settings.c_cflag |= CLOCAL;
	cfsetspeed(&settings, B115200);
	if (tcsetattr(fd, TCSANOW, &settings) != 0)
		return error_errno(e, "cannot set up the result channel %s", RESULT_PORT);
	return fd;
}

static void say_hello(struct channel *out, const struct params *params)
{
	char boot_id[64], cmdline[SYSFS_MAX], kernel[256] = "";
	struct utsname name;

	(void)sysfs_read("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
	(void)sysfs_read("/proc/cmdline", cmdline, sizeof(cmdline));
	if (uname(&name) == 0)
		(void)snprintf(kernel, sizeof(kernel), "%s %s", name.release, name.version);
	channel_hello(out, &(struct hello){boot_id, kernel, cmdline, params->seed,
				   timing_clock_name(params->clock)});
}

static void perturb(struct channel *out, int64_t seed)
{
	struct error e = ERROR_INIT;
	struct layout layout;
	uint64_t held = 0;

	layout_plan((uint64_t)seed, &layout);
	if (layout_apply(&layout, &held, &e)) {
		channel_problem(out, NULL, NULL, PROBLEM_LAB, "%s", e.msg);
		return;
	}
	channel_fact_int(out, "layout_blocks", (int64_t)layout.n);
	channel_fact_int(out, "layout_held_bytes", (int64_t)held);
}

static void run_all(struct channel *out, int argc, char *const *argv, bool is_init)
{
	AUTO_PARAMS struct params params;
	struct error e = ERROR_INIT;
	int err = params_parse(argc, argv, &params, &e);

	say_hello(out, &params);
	if (params.foreign)
		channel_fact(out, "foreign_arguments", params.foreign);
	if (err)
		channel_problem(out, NULL, NULL, PROBLEM_LAB, "%s", e.msg);
	if (params.checker)
		checker_begin(out, params.checker);
	noise_describe(out);
	noise_quiet(out);
	noise_settle();
	perturb(out, params.seed);
	for (size_t i = 0; i < params.n_runs && !err; i++) {
		noise_settle();
		bench_run(&params.runs[i], out);
		if (is_init)
			init_reap();
	}
	if (params.checker)
		checker_end(out, params.checker);
	channel_end(out);
}

static void run_as_init(int argc, char *const *argv)
{
	struct error e = ERROR_INIT;
	struct channel out;
	int err = init_mount(&e);
	int port = -1;

	init_console();
	printf("patchbay-target: started\n");
	(void)fflush(stdout);
	if (!err)
		port = open_port(&e);
	if (port < 0) {
		printf("patchbay-target: %s\n", e.msg);
		(void)fflush(stdout);
		return;
	}
	channel_init(&out, port, true);
	run_all(&out, argc, argv, true);
	/* What the port has not sent yet would be lost with the power. */
	if (!out.error && tcdrain(port) != 0)
		out.error = -errno;
	printf("patchbay-target: %llu result lines, %llu problems%s%s\n",
		(unsigned long long)out.lines, (unsigned long long)out.problems,
		out.error ? ", and the result channel failed: " : "",
		out.error ? strerror(-out.error) : "");
	(void)fflush(stdout);
	(void)tcdrain(STDOUT_FILENO);
}

int main(int argc, char **argv)
{
	struct channel out;
	int skip = argc > 0 ? 1 : 0;

	if (getpid() == 1) {
		run_as_init(argc - skip, argv + skip);
		init_end();
	}
	channel_init(&out, STDOUT_FILENO, true);
	run_all(&out, argc - skip, argv + skip, false);
	return out.error || out.problems ? 1 : 0;
}

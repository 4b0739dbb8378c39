/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/bench.h"
#include "base/child.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>

static const struct bench_ops *const benches[] = {
	&bench_dma_map,
	&bench_dma_map_compat,
	&bench_dma_map_iommufd,
	&bench_fault,
	&bench_usertest,
};

static const struct bench_ops *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(benches); i++)
		if (streq(benches[i]->name, name))
			return benches[i];
	return NULL;
}

/* On the last processor: the first one has the interrupts. */
static void pin(struct channel *out)
{
	long last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)MAX_OF(last, 0), &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		channel_fact_int(out, "benchmark_cpu", MAX_OF(last, 0));
}

__attribute__((noreturn)) static void run_here(
	const struct bench_ops *ops, const struct run_spec *spec, int fd)
{
	struct channel out;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	channel_init(&out, fd, false);
	pin(&out);
	ops->run(spec, &out);
	_exit(out.error ? 1 : 0);
}

/* Take what is in the pipe. False at its end, and when nothing more is there for now. */
static bool take(int fd, struct strbuf *in, struct channel *out)
{
	char buf[16384];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	strbuf_add(in, buf, (size_t)n);
	channel_forward(out, in);
	return true;
}

/* The pipe's end is not waited for: something that the benchmark left behind may hold it open. */
static void follow(int fd, int pidfd, struct strbuf *in, struct channel *out)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};

	while (!(fds[1].revents & POLLIN)) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && !take(fd, in, out))
			fds[0].fd = -1;
	}
	while (take(fd, in, out))
		;
}

void bench_run_apart(const struct bench_ops *ops, const struct run_spec *spec, struct channel *out)
{
	AUTO_CLOSE int pidfd = -1;
	AUTO_STRBUF struct strbuf in;
	int ends[2], status = 0;
	char text[64];
	pid_t pid;

	strbuf_init(&in, CHANNEL_MAX_LINE + 16384);
	if (pipe2(ends, O_CLOEXEC) != 0) {
		channel_problem(out, ops->name, NULL, PROBLEM_LAB, "no pipe: %s", strerror(errno));
		return;
	}
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		run_here(ops, spec, ends[1]);
	}
	close(ends[1]);
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	if (pid > 0)
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid < 0 || pidfd < 0)
		channel_problem(
			out, ops->name, NULL, PROBLEM_LAB, "cannot start it: %s", strerror(errno));
	else
		follow(ends[0], pidfd, &in, out);
	close(ends[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status != 0)
		channel_problem(out, ops->name, NULL, PROBLEM_LAB,
			"the benchmark's process died: %s; the console may say why",
			child_status_text(status, text, sizeof(text)));
	if (in.len || in.overflow)
		channel_problem(out, ops->name, NULL, PROBLEM_LAB,
			"the benchmark's last record was cut off after %zu bytes", in.len);
}

void bench_run(const struct run_spec *spec, struct channel *out)
{
	const struct bench_ops *ops = find(spec->name);
	struct error e = ERROR_INIT;

	if (!ops) {
		channel_problem(out, spec->name, NULL, PROBLEM_LAB,
			"there is no benchmark '%s' in this patchbay-target", spec->name);
		return;
	}
	if (run_options_known(spec, ops->options, &e)) {
		channel_problem(out, spec->name, NULL, PROBLEM_LAB, "%s", e.msg);
		return;
	}
	bench_run_apart(ops, spec, out);
}

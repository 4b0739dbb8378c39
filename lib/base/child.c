/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/child.h"

#include "base/clock.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

/* A program as execve() wants it; heap, or NULL where there is none. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : xstrdup(name);
	if (!path)
		path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	while (*path) {
		size_t len = strcspn(path, ":");
		char full[PATH_MAX];
		struct stat st;

		if (len &&
			(size_t)snprintf(full, sizeof(full), "%.*s/%s", (int)len, path, name) <
				sizeof(full) &&
			!access(full, X_OK) && !stat(full, &st) && S_ISREG(st.st_mode))
			return xstrdup(full);
		path += len;
		path += *path == ':';
	}
	return NULL;
}

static bool same_variable(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n) == 0 && b[n] == '=';
}

/* Ours with the added ones; the array is on the heap, the strings are not. */
static const char **merge_env(const char *const *added)
{
	size_t n = 0, extra = 0;
	const char **env;

	while (environ && environ[n])
		n++;
	while (added && added[extra])
		extra++;
	env = xcalloc(n + extra + 1, sizeof(*env));
	n = 0;
	for (char **p = environ; p && *p; p++) {
		bool replaced = false;

		for (size_t i = 0; i < extra && !replaced; i++)
			replaced = same_variable(added[i], *p);
		if (!replaced)
			env[n++] = *p;
	}
	for (size_t i = 0; i < extra; i++)
		env[n++] = added[i];
	return env;
}

/*
 * Put the wanted descriptors at 0..3. Each is first copied above all targets, so that none is
 * overwritten before it was used. Only async-signal-safe calls from here on.
 */
static int place_fds(const int *fds, int null_fd)
{
	int high[4];

	for (int i = 0; i < 4; i++) {
		int fd = fds[i] < 0 && i < 3 ? null_fd : fds[i];

		high[i] = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 16);
		if (fd >= 0 && high[i] < 0)
			return -1;
	}
	for (int i = 0; i < 4; i++)
		if (high[i] >= 0 && dup2(high[i], i) < 0)
			return -1;
	/* Closed by exec, not now: the pipe that reports a failed exec is among them. */
	return close_range(fds[3] < 0 ? 3 : 4, ~0U, CLOSE_RANGE_CLOEXEC);
}

struct start {
	const struct child_spec *spec;
	const char *program;
	const char *const *env;
	pid_t parent;
	int null_fd;
	int report_fd;
};

static void reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP)
			signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void run_in_child(const struct start *s)
{
	int report = fcntl(s->report_fd, F_DUPFD_CLOEXEC, 16), failed;

	setpgid(0, 0);
	reset_signals();
	if (!s->spec->keep_on_exit) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The parent may have died before that took effect. */
		if (getppid() != s->parent)
			_exit(127);
	}
	if (!(s->spec->cwd && chdir(s->spec->cwd)) && !place_fds(s->spec->fds, s->null_fd))
		execve(s->program, (char **)s->spec->argv, (char **)s->env);
	failed = errno;
	if (write(report, &failed, sizeof(failed)) < 0)
		_exit(126);
	_exit(127);
}

/* The errno of a failed exec, or 0: the pipe closes by itself when exec succeeds. */
static int read_report(int fd)
{
	int failed = 0;
	ssize_t n;

	do
		n = read(fd, &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	return n == sizeof(failed) ? failed : 0;
}

int child_start(const struct child_spec *spec, struct child *ret_child, struct error *e)
{
	const char *name = spec->argv[0];
	AUTO_FREE char *program = find_program(name);
	AUTO_FREE const char **env = merge_env(spec->env);
	AUTO_CLOSE int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	AUTO_CLOSE int report_in = -1, report_out = -1;
	int pipe_fds[2], failed, pidfd;
	pid_t pid;

	if (!program)
		return error_set(e, ERR_MISSING, "%s is not installed (not found in PATH)", name);
	if (null_fd < 0)
		return error_errno(e, "cannot open /dev/null");
	if (pipe2(pipe_fds, O_CLOEXEC))
		return error_errno(e, "cannot start %s: no pipe", name);
	report_in = pipe_fds[0];
	report_out = pipe_fds[1];

	struct start start = {spec, program, env, getpid(), null_fd, report_out};

	pid = fork();
	if (pid < 0)
		return error_errno(e, "cannot start %s", name);
	if (!pid)
		run_in_child(&start);
	setpgid(pid, pid);
	close(steal_fd(&report_out));
	failed = read_report(report_in);
	if (failed) {
		waitpid(pid, NULL, 0);
		errno = failed;
		return error_errno(e, "cannot start %s%s%s", program, spec->cwd ? " in " : "",
			spec->cwd ? spec->cwd : "");
	}
	pidfd = pidfd_open(pid, 0);
	if (pidfd < 0) {
		error_errno(e, "cannot watch %s", name);
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -EIO;
	}
	*ret_child = (struct child){pid, pidfd};
	return 0;
}

void child_kill(struct child *c)
{
	/* The pid is ours until it is reaped, also as a zombie. */
	if (c->pid > 0)
		kill(-c->pid, SIGKILL);
}

int child_wait(struct child *c, int64_t deadline_ms, int *ret_status, struct error *e)
{
	struct pollfd pfd = {.fd = c->pidfd, .events = POLLIN};
	int status, n;
	pid_t pid;

	if (c->pid <= 0)
		return error_set(e, ERR_STATE, "no child to wait for");
	do {
		n = poll(&pfd, 1, clock_poll_ms(deadline_ms));
		if (n < 0 && errno != EINTR)
			return error_errno(e, "cannot wait for process %d", c->pid);
	} while (n < 0);
	if (!n)
		return error_set(e, ERR_TIMEOUT, "process %d is still running", c->pid);
	do
		pid = waitpid(c->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return error_errno(e, "cannot wait for process %d", c->pid);
	close(c->pidfd);
	*c = (struct child)CHILD_INIT;
	if (ret_status)
		*ret_status = status;
	return 0;
}

void child_done(struct child *c)
{
	if (!c)
		return;
	child_kill(c);
	if (c->pid > 0)
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	closep(&c->pidfd);
	*c = (struct child)CHILD_INIT;
}

/* Read what there is; past its maximum the rest is dropped. Returns false at the end. */
static bool collect(int fd, struct strbuf *out)
{
	char buf[16384];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		strbuf_add(out, buf, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Until the child has ended and everything it wrote is read. */
static int collect_all(struct child *c, const char *name, int fd, struct strbuf *out,
	int64_t deadline_ms, struct error *e)
{
	struct pollfd pfd[2] = {
		{.fd = fd, .events = POLLIN},
		{.fd = c->pidfd, .events = POLLIN},
	};
	int n;

	while (pfd[0].fd >= 0 || pfd[1].fd >= 0) {
		n = poll(pfd, 2, clock_poll_ms(deadline_ms));
		if (n < 0 && errno != EINTR)
			return error_errno(e, "cannot wait for %s", name);
		if (!n)
			return error_set(
				e, ERR_TIMEOUT, "%s did not end in time and was killed", name);
		if (n > 0 && pfd[0].revents && !collect(fd, out))
			pfd[0].fd = -1;
		if (n > 0 && pfd[1].revents) {
			/* What it left behind could hold the pipe open for ever. */
			child_kill(c);
			pfd[1].fd = -1;
		}
	}
	return 0;
}

int child_run(const struct child_spec *spec, size_t max_output, int64_t deadline_ms,
	char **ret_output, int *ret_status, struct error *e)
{
	AUTO_CHILD struct child c = CHILD_INIT;
	AUTO_STRBUF struct strbuf out;
	struct child_spec with_pipe = *spec;
	AUTO_CLOSE int in = -1;
	int pipe_fds[2], r;

	strbuf_init(&out, max_output);
	if (pipe2(pipe_fds, O_CLOEXEC))
		return error_errno(e, "cannot start %s: no pipe", spec->argv[0]);
	in = pipe_fds[0];
	with_pipe.fds[1] = with_pipe.fds[2] = pipe_fds[1];
	r = child_start(&with_pipe, &c, e);
	close(pipe_fds[1]);
	if (!r)
		r = collect_all(&c, spec->argv[0], in, &out, deadline_ms, e);
	if (!r)
		r = child_wait(&c, -1, ret_status, e);
	if (!r && ret_output)
		*ret_output = strbuf_detach(&out, NULL);
	return r;
}

const char *child_status_text(int status, char *buf, size_t size)
{
	if (WIFEXITED(status))
		snprintf(buf, size, "exit status %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		snprintf(buf, size, "killed by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else
		snprintf(buf, size, "wait status 0x%x", (unsigned)status);
	return buf;
}

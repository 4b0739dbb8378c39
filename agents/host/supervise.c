/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/supervise.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

void supervise_init(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
}

void run_init(struct run *r, struct link *link, const char *const *argv)
{
	*r = (struct run){.link = link, .spec = CHILD_SPEC(argv)};
	for (size_t i = 0; i < ARRAY_SIZE(r->close_after_start); i++)
		r->close_after_start[i] = -1;
	for (size_t i = 0; i < RUN_SOURCES; i++)
		r->sources[i].fd = -1;
}

void run_done(struct run *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->close_after_start); i++)
		closep(&r->close_after_start[i]);
	for (size_t i = 0; i < RUN_SOURCES; i++)
		closep(&r->sources[i].fd);
}

int run_pipe(struct run *r, size_t i, int child_fd, void (*fn)(void *, const char *, size_t),
	struct error *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return error_errno(e, "cannot make a pipe");
	r->sources[i] = (struct run_source){.fd = fds[0], .fn = fn};
	r->spec.fds[child_fd] = r->close_after_start[child_fd] = fds[1];
	return 0;
}

/* A child that left its parents is ours, and is found by nothing but its end: kill by /proc. */
static void kill_children(void)
{
	char path[64];
	AUTO_FCLOSE FILE *f = NULL;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		kill(pid, SIGKILL);
}

int supervise_reap(struct error *e)
{
	bool none_left = false;
	int64_t give_up_ms = clock_mono_ms() + 10000;
	sigset_t chld;

	/* What died with its PID namespace comes here as one zombie; it may take a moment. */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	while (clock_mono_ms() < give_up_ms) {
		struct timespec second = {1, 0};
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD) {
			none_left = true;
			break;
		}
		if (pid)
			continue;
		kill_children();
		sigtimedwait(&chld, NULL, &second);
	}
	sigprocmask(SIG_UNBLOCK, &chld, NULL);
	if (none_left)
		return 0;
	return error_set(e, ERR_STATE,
		"processes of it do not die (they wait for a disk or a device): they may still "
		"write; look for state D in `ps`, and restart the host where they stay");
}

struct watch {
	struct run *r;
	struct child child;
	int64_t start_ms;
	int64_t sound_ms; /* the last byte of any source */
	int64_t tick_ms; /* the next one */
	bool alive; /* a first source has spoken */
};

static int64_t earlier(int64_t a, int64_t from_ms, int64_t limit_ms)
{
	return limit_ms ? MIN_OF(a, from_ms + limit_ms) : a;
}

static int64_t next_deadline(const struct watch *w)
{
	const struct run *r = w->r;
	int64_t t = link_deadline(r->link);

	t = earlier(t, w->start_ms, r->total_ms);
	t = earlier(t, w->sound_ms, r->silence_ms);
	if (!w->alive)
		t = earlier(t, w->start_ms, r->first_ms);
	return r->tick ? MIN_OF(t, w->tick_ms) : t;
}

/* One read of a source; false when there was nothing (its end closes it). */
static bool read_source(struct watch *w, size_t i)
{
	struct run_source *s = &w->r->sources[i];
	char buf[65536];
	ssize_t n;

	if (s->fd < 0)
		return false;
	n = read(s->fd, buf, sizeof(buf));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		close(steal_fd(&s->fd));
		return false;
	}
	w->sound_ms = clock_mono_ms();
	w->alive |= s->first;
	s->fn(w->r->data, buf, (size_t)n);
	return true;
}

/* Whether the run is over, and why. */
static bool is_over(struct watch *w)
{
	struct run *r = w->r;
	int64_t now = clock_mono_ms();

	if (r->link->lost)
		r->how = RUN_LOST;
	else if (r->link->stop)
		r->how = RUN_STOPPED;
	else if (r->total_ms && now >= w->start_ms + r->total_ms)
		r->how = RUN_DEADLINE;
	else if (r->first_ms && !w->alive && now >= w->start_ms + r->first_ms)
		r->how = RUN_FIRST;
	else if (r->silence_ms && now >= w->sound_ms + r->silence_ms)
		r->how = RUN_SILENCE;
	else if (r->tick && now >= w->tick_ms) {
		w->tick_ms = now + RUN_TICK_MS;
		if (!r->tick(r->data, w->child.pid, &r->limit))
			return false;
		r->how = RUN_LIMIT;
	} else
		return false;
	return true;
}

static int watch_to_end(struct watch *w, struct error *e)
{
	struct run *r = w->r;
	struct pollfd pfd[RUN_SOURCES + 3];

	do {
		bool ended;

		for (size_t i = 0; i < RUN_SOURCES; i++)
			pfd[i] = (struct pollfd){.fd = r->sources[i].fd, .events = POLLIN};
		pfd[RUN_SOURCES] = (struct pollfd){.fd = w->child.pidfd, .events = POLLIN};
		link_poll(r->link, pfd + RUN_SOURCES + 1);
		if (poll(pfd, ARRAY_SIZE(pfd), clock_poll_ms(next_deadline(w))) < 0) {
			if (errno == EINTR)
				continue;
			return error_errno(e, "cannot watch %s", r->spec.argv[0]);
		}
		ended = pfd[RUN_SOURCES].revents;
		for (size_t i = 0; i < RUN_SOURCES; i++)
			if (pfd[i].fd >= 0 && pfd[i].revents)
				read_source(w, i);
		link_handle(r->link, pfd + RUN_SOURCES + 1);
		if (ended && !r->link->lost) {
			r->how = RUN_EXITED;
			return 0;
		}
	} while (!is_over(w));
	return 0;
}

int supervise(struct run *r, struct error *e)
{
	struct watch w = {.r = r, .child = CHILD_INIT, .start_ms = clock_mono_ms()};
	int res;
	int left;

	for (size_t i = 0; i < RUN_SOURCES; i++)
		if (r->sources[i].fd >= 0)
			(void)fcntl(r->sources[i].fd, F_SETFL,
				fcntl(r->sources[i].fd, F_GETFL) | O_NONBLOCK);
	res = child_start(&r->spec, &w.child, e);
	for (size_t i = 0; i < ARRAY_SIZE(r->close_after_start); i++)
		if (r->close_after_start[i] >= 0)
			close(steal_fd(&r->close_after_start[i]));
	if (res)
		return res;
	w.sound_ms = w.start_ms;
	w.tick_ms = w.start_ms + RUN_TICK_MS;
	res = watch_to_end(&w, e);
	if (res || r->how != RUN_EXITED)
		child_kill(&w.child);
	if (!res)
		res = child_wait(&w.child, -1, &r->status, e);
	child_done(&w.child);
	left = supervise_reap(res ? NULL : e);
	/* Everything that could write is dead: what is in the pipes now is the rest. */
	for (size_t i = 0; i < RUN_SOURCES; i++)
		while (read_source(&w, i))
			;
	r->took_ms = clock_mono_ms() - w.start_ms;
	if (!res && left)
		return error_prefix(e, "%s", r->spec.argv[0]);
	return res;
}

void run_collect(void *data, const char *buf, size_t len)
{
	strbuf_add(data, buf, len);
}

int supervise_tool(struct link *link, const char *const *argv, const char *const *env,
	int64_t total_ms, size_t max, char **ret_output, struct error *e)
{
	AUTO_STRBUF struct strbuf out;
	AUTO_RUN struct run r;
	char how[64];
	int res;

	strbuf_init(&out, max);
	run_init(&r, link, argv);
	r.spec.env = env;
	r.total_ms = total_ms;
	r.data = &out;
	res = run_pipe(&r, 0, 1, run_collect, e);
	if (res)
		return res;
	r.spec.fds[2] = r.spec.fds[1];
	res = supervise(&r, e);
	if (res)
		return res;
	if (r.how == RUN_LOST)
		return error_set(e, ERR_LINK, "%s", link->lost_reason);
	if (r.how == RUN_STOPPED)
		return error_set(e, ERR_STATE, "stopped: %s", link->stop_reason);
	if (r.how != RUN_EXITED)
		return error_set(e, ERR_TIMEOUT, "%s did not end within %lld s and was killed",
			argv[0], (long long)(total_ms / 1000));
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status))
		return error_set(e, ERR_CONFLICT, "%s: %s: %.800s", argv[0],
			child_status_text(r.status, how, sizeof(how)), out.buf);
	if (ret_output)
		*ret_output = strbuf_detach(&out, NULL);
	return 0;
}

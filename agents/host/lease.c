/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's lock, and the highest epoch seen of each lab. */
#include "agents/host/agent.h"

#include "agents/host/supervise.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define LEASE_MAX 64

/* The epoch in an open lease file; 0 where it is empty. */
static int read_epoch(int fd, const char *path, int64_t *ret_epoch, struct error *e)
{
	char text[LEASE_MAX];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return error_errno(e, "cannot read %s", path);
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	*ret_epoch = 0;
	if (*text && parse_int64(text, 0, INT64_MAX, ret_epoch))
		return error_set(
			e, ERR_SYNTAX, "%s does not hold a number; remove it to go on", path);
	return 0;
}

int lease_check(struct agent *a, struct error *e)
{
	const char *lab;
	AUTO_FREE char *path = NULL;
	AUTO_CLOSE int fd = -1;
	char text[LEASE_MAX];
	int64_t epoch = 0, seen = 0;
	int r, n;

	if (!request_get(&a->req, "lab", NULL))
		return 0;
	if ((r = request_name(&a->req, "lab", &lab, e)) ||
		(r = request_int(&a->req, "epoch", 0, INT64_MAX, 0, &epoch, e)))
		return r;
	path = agent_path(a, "leases", lab);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* Held for the few instructions below only; it goes with the descriptor. */
	if (fd < 0 || flock(fd, LOCK_EX))
		return error_errno(e, "cannot open %s", path);
	r = read_epoch(fd, path, &seen, e);
	if (r)
		return r;
	if (epoch < seen)
		return error_set(e, ERR_STATE,
			"this lease is over: lab %s has gone on to epoch %lld, and this is %lld",
			lab, (long long)seen, (long long)epoch);
	if (epoch == seen)
		return 0;
	n = snprintf(text, sizeof(text), "%lld\n", (long long)epoch);
	if (pwrite(fd, text, n, 0) != n || ftruncate(fd, n) || fdatasync(fd))
		return error_errno(e, "cannot write %s", path);
	return 0;
}

/* What the holder wrote, for the one who waits. */
static void say_waiting(struct agent *a)
{
	AUTO_STRBUF struct strbuf ev;
	char holder[256] = "", why[320];
	ssize_t n = pread(a->lock_fd, holder, sizeof(holder) - 1, 0);

	holder[n > 0 ? n : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
	snprintf(why, sizeof(why), "the host is busy: %s", *holder ? holder : "(unknown)");
	strbuf_init(&ev, 4096);
	event_begin(&ev, "waiting");
	jsonw_str(&ev, "why", why);
	event_send(&a->link, &ev);
}

/*
 * flock() has no descriptor to wait on; a child has. The lock belongs to the open file, which the
 * child shares: what it takes is ours when it has ended.
 */
static int wait_for_lock(struct agent *a, struct error *e)
{
	AUTO_CHILD struct child c = CHILD_INIT;
	int status;

	c.pid = fork();
	if (c.pid < 0)
		return error_errno(e, "cannot wait for the host's lock");
	if (!c.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == 1)
			_exit(1);
		setpgid(0, 0);
		_exit(flock(a->lock_fd, LOCK_EX) ? 1 : 0);
	}
	setpgid(c.pid, c.pid);
	c.pidfd = pidfd_open(c.pid, 0);
	if (c.pidfd < 0)
		return error_errno(e, "cannot wait for the host's lock");
	for (;;) {
		struct pollfd pfd[3] = {{.fd = c.pidfd, .events = POLLIN}};

		link_poll(&a->link, pfd + 1);
		if (poll(pfd, 3, clock_poll_ms(link_deadline(&a->link))) < 0 && errno != EINTR)
			return error_errno(e, "cannot wait for the host's lock");
		link_handle(&a->link, pfd + 1);
		if (a->link.lost)
			return error_set(e, ERR_LINK, "%s", a->link.lost_reason);
		if (a->link.stop)
			return error_set(e, ERR_STATE, "stopped while it waited for the host: %s",
				a->link.stop_reason);
		if (pfd[0].revents)
			break;
	}
	if (child_wait(&c, -1, &status, e))
		return e ? e->code : -EIO;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(e, -EIO, "cannot take the host's lock %s/lock", a->root);
	return 0;
}

int lease_lock(struct agent *a, const char *what, struct error *e)
{
	AUTO_FREE char *path = path_join(a->root, "lock");
	char text[256];
	int r, n;

	a->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (a->lock_fd < 0)
		return error_errno(e, "cannot open %s", path);
	if (flock(a->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return error_errno(e, "cannot lock %s", path);
		say_waiting(a);
		if ((r = wait_for_lock(a, e)))
			return r;
	}
	/* A newer lease may have come while this one waited. */
	if ((r = lease_check(a, e)))
		return r;
	n = snprintf(text, sizeof(text), "lab %s, epoch %s, %s, process %d\n",
		request_get(&a->req, "lab", "-"), request_get(&a->req, "epoch", "-"), what,
		getpid());
	if (ftruncate(a->lock_fd, 0) ||
		pwrite(a->lock_fd, text, MIN_OF(n, (int)sizeof(text) - 1), 0) < 0)
		return error_errno(e, "cannot write %s", path);
	return 0;
}

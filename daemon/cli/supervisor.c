/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/supervisor.h"
#include "daemon/cli/daemon.h"
#include "daemon/cli/lab.h"
#include "daemon/cli/sshd.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/loop.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>

#define READY_MS (2 * 60 * 1000) /* a migration of a large database takes its time */
#define FIRST_TRIES 4 /* before a lab that does not come up is given up */
#define BACKOFF_FIRST_MS 100
#define BACKOFF_MAX_MS 10000
#define STEADY_MS 30000 /* one that ran that long starts again at once */
#define STOP_MS 15000

struct supervisor;

/* One of the two children. */
struct ward {
	const char *name;
	struct supervisor *s;
	int (*start)(struct ward *w, struct error *e);
	struct child child;
	struct loop_source *watch; /* its end */
	struct loop_source *again; /* when to start it again */
	int64_t started_ms;
	int64_t backoff_ms;
	int starts;
	bool runs;
};

enum phase {
	PHASE_SSHD, /* it starts */
	PHASE_DAEMON,
	PHASE_UP,
	PHASE_STOPPING,
};

struct supervisor {
	const struct supervisor_config *config;
	struct loop *loop;
	struct sshd sshd;
	struct daemon daemon;
	struct ward ssh_ward;
	struct ward daemon_ward;
	enum phase phase;
	int notify_fd;
	int owner_fd; /* says that this process is the one to stop */
	struct loop_source *deadline; /* of coming up, then of stopping */
	struct error failed; /* why it did not come up */
};

static void say(const char *fmt, ...) PRINTF_LIKE(1, 2);

static void say(const char *fmt, ...)
{
	char when[32];
	va_list ap;

	(void)fprintf(stderr, "%s ", clock_iso(clock_unix_ms(), when));
	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
}

static void give_up(struct supervisor *s)
{
	loop_stop(s->loop);
}

static int start_sshd(struct ward *w, struct error *e)
{
	return sshd_start(&w->s->sshd, &w->child, e);
}

static int start_daemon(struct ward *w, struct error *e)
{
	return daemon_start(&w->s->daemon, &w->child, e);
}

static void on_end(struct loop *loop, int fd, uint32_t events, void *data);

static void ward_later(struct ward *w, const struct error *why)
{
	struct supervisor *s = w->s;

	if (s->phase < PHASE_UP && w->starts >= FIRST_TRIES) {
		s->failed = *why;
		give_up(s);
		return;
	}
	if (clock_mono_ms() - w->started_ms >= STEADY_MS)
		w->backoff_ms = 0;
	loop_set_timer(w->again, clock_mono_ms() + w->backoff_ms);
	w->backoff_ms = MIN_OF(MAX_OF(2 * w->backoff_ms, BACKOFF_FIRST_MS), BACKOFF_MAX_MS);
}

static void ward_start(struct ward *w)
{
	struct error e = ERROR_INIT;

	w->starts++;
	w->started_ms = clock_mono_ms();
	if (w->start(w, &e) < 0 ||
		loop_add_io(w->s->loop, w->child.pidfd, EPOLLIN, on_end, w, &w->watch, &e) < 0) {
		child_done(&w->child);
		say("%s: %s", w->name, e.msg);
		ward_later(w, &e);
		return;
	}
	w->runs = true;
}

static void on_again(struct loop *loop, void *data)
{
	struct ward *w = data;

	if (w->s->phase != PHASE_STOPPING)
		ward_start(w);
}

/* patchbayd first: its jobs end in order while their host still answers. */
static void stop_next(struct supervisor *s)
{
	if (s->daemon_ward.runs)
		(void)kill(s->daemon_ward.child.pid, SIGTERM);
	else if (s->ssh_ward.runs)
		(void)kill(s->ssh_ward.child.pid, SIGTERM);
	else
		loop_stop(s->loop);
}

static void on_end(struct loop *loop, int fd, uint32_t events, void *data)
{
	struct ward *w = data;
	struct supervisor *s = w->s;
	struct error e = ERROR_INIT;
	char how[64];
	int status = 0;

	loop_remove(w->watch);
	w->watch = NULL;
	(void)child_wait(&w->child, -1, &status, NULL);
	child_done(&w->child);
	w->runs = false;
	child_status_text(status, how, sizeof(how));
	if (s->phase == PHASE_STOPPING) {
		stop_next(s);
		return;
	}
	say("%s ended: %s", w->name, how);
	if (w == &s->daemon_ward) {
		AUTO_FREE char *words = daemon_last_words(&s->daemon);

		error_set(&e, ERR_STATE, "patchbayd does not start (%s): %s", how, words);
	} else {
		error_set(&e, ERR_STATE, "the private sshd does not start (%s): see %s/sshd.log",
			how, s->sshd.dir);
	}
	ward_later(w, &e);
}

static int write_lab(struct supervisor *s, cJSON **ret_lab, struct error *e)
{
	AUTO_JSON cJSON *lab = cJSON_CreateObject();
	AUTO_FREE char *path = path_join(s->config->state_dir, LAB_FILE);
	AUTO_FREE char *server = xasprintf("http://127.0.0.1:%d", s->daemon.port);
	AUTO_FREE char *text = NULL;
	int r;

	json_set_str(lab, "server", server);
	json_set_str(lab, "token_file", s->daemon.token_file);
	json_set_str(lab, "state", s->config->state_dir);
	json_set_int(lab, "pid", getpid());
	json_set_int(lab, "http_port", s->daemon.port);
	json_set_int(lab, "ssh_port", s->sshd.port);
	text = json_text(lab);
	r = file_write_atomic(path, text, strlen(text), 0600, e);
	if (r == 0)
		*ret_lab = steal_ptr(lab);
	return r;
}

/* patchbayd listens: introduce the host, and say that the lab is up. */
static int come_up(struct supervisor *s, struct error *e)
{
	AUTO_JSON cJSON *lab = NULL;
	AUTO_FREE char *dashboard = NULL;
	int r = daemon_read_port(&s->daemon, e);

	if (r == 0)
		r = daemon_set_up(&s->daemon, sshd_host(&s->sshd), &dashboard, e);
	if (r == 0)
		r = write_lab(s, &lab, e);
	if (r < 0)
		return r;
	loop_set_timer(s->deadline, -1);
	s->phase = PHASE_UP;
	say("up: %s", json_str(lab, "server", ""));
	json_set_str(lab, "dashboard", dashboard);
	s->config->ready(lab, s->config->data);
	return 0;
}

/* A file appeared in one of the two folders: perhaps the one that is waited for. */
static void on_notify(struct loop *loop, int fd, uint32_t events, void *data)
{
	struct supervisor *s = data;
	char buf[4096];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	if (s->phase == PHASE_SSHD && file_exists(s->sshd.pid_file)) {
		s->phase = PHASE_DAEMON;
		ward_start(&s->daemon_ward);
	} else if (s->phase == PHASE_DAEMON && file_exists(s->daemon.port_file)) {
		if (come_up(s, &s->failed) < 0)
			give_up(s);
	}
}

static void on_deadline(struct loop *loop, void *data)
{
	struct supervisor *s = data;

	if (s->phase == PHASE_STOPPING) {
		say("killing what does not end");
		child_kill(&s->daemon_ward.child);
		child_kill(&s->ssh_ward.child);
		return;
	}
	error_set(&s->failed, ERR_TIMEOUT, "the lab does not answer after %d s: see %s",
		READY_MS / 1000, s->daemon.log);
	give_up(s);
}

static void on_signal(struct loop *loop, int signal, void *data)
{
	struct supervisor *s = data;

	if (s->phase < PHASE_UP)
		error_set(&s->failed, ERR_STATE, "stopped before the lab was up");
	if (s->phase == PHASE_STOPPING)
		return;
	say("stopping");
	s->phase = PHASE_STOPPING;
	loop_set_timer(s->deadline, clock_mono_ms() + STOP_MS);
	stop_next(s);
}

static int watch_folders(struct supervisor *s, struct error *e)
{
	const uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO;

	s->notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (s->notify_fd < 0 || inotify_add_watch(s->notify_fd, s->sshd.dir, mask) < 0 ||
		inotify_add_watch(s->notify_fd, s->config->state_dir, mask) < 0)
		return error_errno(e, "cannot watch %s", s->config->state_dir);
	return loop_add_io(s->loop, s->notify_fd, EPOLLIN, on_notify, s, NULL, e);
}

static void ward_init(struct ward *w, struct supervisor *s, const char *name,
	int (*start)(struct ward *w, struct error *e))
{
	w->name = name;
	w->s = s;
	w->start = start;
	w->child = (struct child)CHILD_INIT;
	w->again = loop_add_timer(s->loop, -1, on_again, w);
}

static int prepare(struct supervisor *s, struct error *e)
{
	const struct supervisor_config *config = s->config;
	int r = loop_new(&s->loop, e);

	if (r == 0)
		r = loop_add_signal(s->loop, SIGTERM, on_signal, s, NULL, e);
	if (r == 0)
		r = loop_add_signal(s->loop, SIGINT, on_signal, s, NULL, e);
	if (r == 0)
		r = loop_add_signal(s->loop, SIGHUP, on_signal, s, NULL, e);
	/* From here on SIGTERM ends it in order. */
	if (r == 0)
		r = lab_own(config->state_dir, &s->owner_fd, e);
	if (r == 0)
		r = sshd_prepare(&s->sshd, config->state_dir, config->ssh_port, e);
	if (r == 0)
		r = daemon_prepare(
			&s->daemon, config->state_dir, config->share, config->http_port, e);
	if (r == 0)
		r = watch_folders(s, e);
	return r;
}

int supervisor_run(const struct supervisor_config *config, struct error *e)
{
	struct supervisor s = {.config = config, .notify_fd = -1, .owner_fd = -1};
	int r = prepare(&s, e);

	if (r == 0) {
		ward_init(&s.ssh_ward, &s, "sshd", start_sshd);
		ward_init(&s.daemon_ward, &s, "patchbayd", start_daemon);
		s.deadline = loop_add_timer(s.loop, clock_mono_ms() + READY_MS, on_deadline, &s);
		ward_start(&s.ssh_ward);
		r = loop_run(s.loop, e);
		child_done(&s.daemon_ward.child);
		child_done(&s.ssh_ward.child);
		if (r == 0 && s.failed.code < 0) {
			*e = s.failed;
			r = s.failed.code;
		}
	}
	if (s.notify_fd >= 0)
		close(s.notify_fd);
	loop_free(s.loop);
	sshd_done(&s.sshd);
	daemon_done(&s.daemon);
	closep(&s.owner_fd);
	return r;
}

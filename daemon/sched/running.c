/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker while it runs: its job on standard input, its events on fd 3, its deadline, its end.
 * States: it runs; it was told to end (SIGTERM, then SIGKILL for its group); it has ended and what
 * it came to waits to be stored.
 */
#include "daemon/sched/running.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define LINE_MAX_BYTES (8 * 1024 * 1024) /* one event; WORKER_MAX_EVENT */
#define EVENTS_MAX_BYTES (32 * 1024 * 1024) /* of findings and samples */
#define EVENTS_MAX 20000
#define READ_BYTES 65536
#define READS_AT_ONCE 8 /* before others have their turn */
#define KILL_AFTER_MS 5000
#define WAIT_MAX_MS (24LL * 3600 * 1000)
#define STORE_AGAIN_MS 10000
#define ERR_TAIL_BYTES 600

void outcome_done(struct outcome *o)
{
	free(o->reason);
	cJSON_Delete(o->result);
	cJSON_Delete(o->findings);
	cJSON_Delete(o->samples);
	free(o->woken);
	free(o->superseded);
	*o = (struct outcome){0};
}

static struct running *running_free(struct running *r)
{
	if (!r)
		return NULL;
	loop_remove(r->events);
	loop_remove(r->exit);
	loop_remove(r->timer);
	child_done(&r->child);
	closep(&r->fd);
	strbuf_done(&r->in);
	outcome_done(&r->outcome);
	job_done(&r->job);
	free(r->artifacts);
	free(r->stage);
	free(r->text);
	free(r->why);
	free(r);
	return NULL;
}

static void unlink_running(struct running *r)
{
	struct running **at = &r->sched->running;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	running_free(r);
}

void running_free_all(struct sched *s)
{
	while (s->running)
		unlink_running(s->running);
}

bool running_on_host(const struct sched *s, const char *host)
{
	for (const struct running *r = s->running; r; r = r->next)
		if (streq(r->job.host, host))
			return true;
	return false;
}

bool running_kind(const struct sched *s, const char *kind)
{
	for (const struct running *r = s->running; r; r = r->next)
		if (streq(r->job.kind, kind))
			return true;
	return false;
}

size_t running_unbound(const struct sched *s)
{
	size_t n = 0;

	for (const struct running *r = s->running; r; r = r->next)
		n += !r->job.host;
	return n;
}

bool sched_progress(const struct sched *s, int64_t job_id, struct progress *ret_progress)
{
	for (const struct running *r = s->running; r; r = r->next) {
		if (r->job.id != job_id)
			continue;
		*ret_progress = (struct progress){
			.stage = r->stage,
			.text = r->text,
			.done = r->done,
			.total = r->total,
			.log_size = r->outcome.log_size,
		};
		return true;
	}
	return false;
}

/* End it: politely, then not. The first reason is the one that is told. */
static void stop(struct running *r, enum status status, const char *why)
{
	if (r->stopping)
		return;
	r->stopping = true;
	r->stop_status = status;
	r->why = xstrdup(why);
	/* The worker alone: it ends its own children, and the group is killed behind it. */
	kill(r->child.pid, SIGTERM);
	loop_set_timer(r->timer, clock_mono_ms() + KILL_AFTER_MS);
}

void running_cancel(struct sched *s, int64_t series_id)
{
	for (struct running *r = s->running; r; r = r->next)
		if (r->job.series_id == series_id && r->child.pid > 0)
			stop(r, STATUS_CANCELLED, "it was cancelled");
}

static void keep(struct running *r, cJSON **array, cJSON *event)
{
	if (!*array)
		*array = cJSON_CreateArray();
	if (++r->kept > EVENTS_MAX || r->kept_bytes > EVENTS_MAX_BYTES) {
		cJSON_Delete(event);
		stop(r, STATUS_ERROR, "it found more than the lab stores of one job");
		return;
	}
	cJSON_AddItemToArray(*array, event);
}

static void set_text(char **text, const char *value)
{
	free(*text);
	*text = xstrdup_null(value);
}

static void take_end(struct running *r, cJSON *event)
{
	struct outcome *o = &r->outcome;

	r->ended = true;
	if (status_parse(json_str(event, "status", ""), &o->status) < 0 ||
		o->status == STATUS_QUEUED || o->status == STATUS_RUNNING ||
		o->status == STATUS_CANCELLED) {
		o->status = STATUS_ERROR;
		set_text(&o->reason, "the worker ended with a status that is none");
	} else {
		set_text(&o->reason, json_str(event, "reason", NULL));
	}
	o->tool_ms = json_int(event, "tool_ms", 0);
	o->result = cJSON_DetachItemFromObjectCaseSensitive(event, "result");
	if (cJSON_IsNull(o->result)) {
		cJSON_Delete(o->result);
		o->result = NULL;
	}
}

static void take_progress(struct running *r, const cJSON *event)
{
	set_text(&r->text, json_str(event, "text", NULL));
	r->done = json_int(event, "done", -1);
	r->total = json_int(event, "total", -1);
	r->told_progress = false;
}

/* A host that others use takes none of the job's own time. */
static void take_stage(struct running *r, const char *name)
{
	bool waits = streq(name, "waiting");

	if (waits != r->waits && !r->stopping)
		loop_set_timer(
			r->timer, clock_mono_ms() + (waits ? WAIT_MAX_MS : r->seconds * 1000));
	r->waits = waits;
	set_text(&r->stage, name);
	r->told_progress = false;
}

static void take_event(struct running *r, const char *line, size_t len)
{
	AUTO_JSON cJSON *event = NULL;
	struct error e = ERROR_INIT;
	const char *kind;

	if (json_parse(line, len, &event, &e) < 0) {
		stop(r, STATUS_ERROR, "it wrote an event that is not JSON");
		return;
	}
	kind = json_str(event, "event", "");
	if (r->ended) {
		stop(r, STATUS_ERROR, "it went on after its end");
	} else if (streq(kind, "progress")) {
		take_progress(r, event);
	} else if (streq(kind, "log")) {
		r->outcome.log_size = MAX_OF(r->outcome.log_size, json_int(event, "size", 0));
	} else if (streq(kind, "stage")) {
		take_stage(r, json_str(event, "name", ""));
	} else if (streq(kind, "finding")) {
		r->kept_bytes += len;
		keep(r, &r->outcome.findings, steal_ptr(event));
	} else if (streq(kind, "sample")) {
		r->kept_bytes += len;
		keep(r, &r->outcome.samples, steal_ptr(event));
	} else if (streq(kind, "end")) {
		take_end(r, event);
	}
	/* Others, "artifact" among them, are for those who read the worker by hand. */
}

static void take_lines(struct running *r)
{
	size_t at = 0, from = r->seen;
	const char *end;

	while ((end = memchr(r->in.buf + from, '\n', r->in.len - from))) {
		take_event(r, r->in.buf + at, (size_t)(end - (r->in.buf + at)));
		at = from = (size_t)(end - r->in.buf) + 1;
	}
	strbuf_consume(&r->in, at);
	r->seen = r->in.len;
	if (r->in.len > LINE_MAX_BYTES) {
		stop(r, STATUS_ERROR, "it wrote an event of more than 8 MiB");
		strbuf_truncate(&r->in, 0);
		r->seen = 0;
	}
}

/* Tell what the lines said, once for all of them. */
static void tell(struct running *r)
{
	struct change change = {.id = r->job.id,
		.series_id = r->job.series_id,
		.of_comparison = r->job.of_comparison};

	if (!r->told_progress) {
		r->told_progress = true;
		change.kind = CHANGE_PROGRESS;
		sched_notify(r->sched, &change);
	}
	if (r->told_log != r->outcome.log_size) {
		r->told_log = r->outcome.log_size;
		change.kind = CHANGE_LOG;
		change.log_size = r->told_log;
		sched_notify(r->sched, &change);
	}
}

/* Returns true when there is nothing more to come now. */
static bool read_some(struct running *r)
{
	AUTO_FREE char *buf = xmalloc(READ_BYTES);
	ssize_t n = read(r->fd, buf, READ_BYTES);

	if (n < 0 && errno == EINTR)
		return false;
	if (n <= 0) {
		if (n == 0 || errno != EAGAIN) {
			loop_remove(r->events);
			r->events = NULL;
		}
		return true;
	}
	strbuf_add(&r->in, buf, (size_t)n);
	take_lines(r);
	return false;
}

static void on_events(struct loop *loop, int fd, uint32_t events, void *data)
{
	struct running *r = data;

	for (int i = 0; i < READS_AT_ONCE && !read_some(r); i++)
		;
	tell(r);
}

/* "; it said: …": the end of its standard error. */
static void add_last_words(const struct running *r, struct strbuf *reason)
{
	AUTO_FREE char *path = path_join(r->artifacts, "worker.err");
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char tail[ERR_TAIL_BYTES];
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	ssize_t n;

	if (size <= 0)
		return;
	n = pread(fd, tail, sizeof(tail), MAX_OF(size - (off_t)sizeof(tail), 0));
	while (n > 0 && strchr("\n ", tail[n - 1]))
		n--;
	if (n <= 0)
		return;
	strbuf_adds(reason, "; it said: ");
	strbuf_add(reason, tail, (size_t)n);
}

/* It has ended: what does that come to? */
static void judge(struct running *r, int status)
{
	AUTO_STRBUF struct strbuf reason;
	struct outcome *o = &r->outcome;
	char text[128];

	strbuf_init(&reason, 4096);
	child_status_text(status, text, sizeof(text));
	if (r->stopping) {
		o->status = r->stop_status;
		strbuf_addf(&reason, "the %s worker was ended: %s", r->job.kind, r->why);
	} else if (!r->ended) {
		o->status = STATUS_ERROR;
		strbuf_addf(
			&reason, "the %s worker ended without a result (%s)", r->job.kind, text);
	} else if (status != 0 && o->status != STATUS_ERROR) {
		o->status = STATUS_ERROR;
		strbuf_addf(&reason, "the %s worker gave a result and then failed (%s)",
			r->job.kind, text);
	} else {
		return;
	}
	if (o->status == STATUS_ERROR)
		add_last_words(r, &reason);
	free(o->reason);
	o->reason = strbuf_detach(&reason, NULL);
}

/* Returns with r gone, or waiting to try again. */
static void store_outcome(struct running *r)
{
	struct sched *s = r->sched;
	struct error e = ERROR_INIT;

	if (outcome_store(s, &r->job, &r->outcome, &e) < 0) {
		sched_log("job %lld has ended, but its result cannot be stored: %s; trying again",
			(long long)r->job.id, e.msg);
		loop_set_timer(r->timer, clock_mono_ms() + STORE_AGAIN_MS);
		return;
	}
	unlink_running(r);
	sched_kick(s);
}

static void on_exit_fd(struct loop *loop, int fd, uint32_t events, void *data)
{
	struct running *r = data;
	int status = 0;

	/* What it left behind goes first, so that nobody can write any more. */
	child_kill(&r->child);
	while (!read_some(r))
		;
	tell(r);
	loop_remove(r->events);
	r->events = NULL;
	loop_remove(r->exit);
	r->exit = NULL;
	loop_set_timer(r->timer, -1);
	(void)child_wait(&r->child, -1, &status, NULL);
	judge(r, status);
	store_outcome(r);
}

static void on_timer(struct loop *loop, void *data)
{
	struct running *r = data;
	char why[128];

	if (r->child.pid <= 0) {
		store_outcome(r);
	} else if (r->stopping) {
		child_kill(&r->child);
	} else {
		if (r->waits)
			(void)snprintf(why, sizeof(why), "host %s was busy with others for a day",
				r->job.host);
		else
			(void)snprintf(why, sizeof(why),
				"it took longer than the %lld s it may take",
				(long long)r->seconds);
		stop(r, STATUS_ERROR, why);
	}
}

/* The job's document in a file: standard input of the worker, and kept for running it by hand. */
static int write_spec(struct running *r, const cJSON *spec, int *ret_fd, struct error *e)
{
	AUTO_FREE char *path = path_join(r->artifacts, "job.json");
	AUTO_FREE char *text = json_text(spec);
	int fd, err;

	err = file_write_atomic(path, text, strlen(text), 0600, e);
	if (err < 0)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, "opening %s", path);
	*ret_fd = fd;
	return 0;
}

static int start_worker(struct running *r, int in, struct error *e)
{
	const char *argv[] = {r->sched->worker, r->job.kind, NULL};
	AUTO_FREE char *path = path_join(r->artifacts, "worker.err");
	AUTO_CLOSE int err_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	AUTO_CLOSE int write_end = -1;
	struct child_spec spec = CHILD_SPEC(argv);
	int pipe_fds[2];
	int err;

	if (err_fd < 0)
		return error_errno(e, "creating %s", path);
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return error_errno(e, "making a pipe for a worker");
	r->fd = pipe_fds[0];
	write_end = pipe_fds[1];
	if (fcntl(r->fd, F_SETFL, O_NONBLOCK) < 0)
		return error_errno(e, "making a pipe for a worker");
	spec.fds[0] = in;
	spec.fds[2] = err_fd;
	spec.fds[3] = write_end;
	err = child_start(&spec, &r->child, e);
	if (err < 0)
		return err;
	err = loop_add_io(r->sched->loop, r->fd, EPOLLIN, on_events, r, &r->events, e);
	if (err < 0)
		return err;
	return loop_add_io(r->sched->loop, r->child.pidfd, EPOLLIN, on_exit_fd, r, &r->exit, e);
}

static int prepare_and_start(struct running *r, struct error *e)
{
	AUTO_JSON cJSON *spec = NULL;
	AUTO_CLOSE int in = -1;
	int err = file_remove_tree(r->artifacts, e);

	if (err < 0 || (err = file_mkdirs(r->artifacts, 0700, e)) < 0)
		return err;
	err = spec_new(r->sched, &r->job, r->artifacts, &spec, &r->seconds, e);
	if (err < 0 || (err = write_spec(r, spec, &in, e)) < 0)
		return err;
	return start_worker(r, in, e);
}

/* Takes *job over. The job's row says running from here on; a worker that cannot be started is
 * the job's error. */
int running_start(struct sched *s, struct job_row *job, struct error *e)
{
	struct error why = ERROR_INIT;
	struct running *r;
	int err = job_set_started(s->store, job, e);

	if (err < 0)
		return err;
	r = xcalloc(1, sizeof(*r));
	r->sched = s;
	r->fd = -1;
	r->child = (struct child)CHILD_INIT;
	r->done = r->total = -1;
	r->told_progress = true;
	r->job = *job;
	*job = (struct job_row){0};
	/* A line and what one read may bring behind it. */
	strbuf_init(&r->in, LINE_MAX_BYTES + READ_BYTES);
	r->artifacts = sched_artifacts(s, r->job.id, r->job.attempt);
	r->timer = loop_add_timer(s->loop, -1, on_timer, r);
	r->next = s->running;
	s->running = r;
	sched_notify_job(s, &r->job);
	if (prepare_and_start(r, &why) < 0) {
		child_done(&r->child);
		r->outcome.status = STATUS_ERROR;
		r->outcome.reason =
			xasprintf("the %s job could not be started: %s", r->job.kind, why.msg);
		loop_remove(r->events);
		r->events = NULL;
		loop_set_timer(r->timer, clock_mono_ms());
		return 0;
	}
	loop_set_timer(r->timer, clock_mono_ms() + r->seconds * 1000);
	return 0;
}

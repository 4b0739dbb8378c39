/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/worker/worker.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

int worker_job_init(
	struct job *job, const cJSON *doc, const char *kind, int event_fd, struct error *e)
{
	const char *of_kind;
	struct stat st;
	int64_t attempt;
	int r;

	*job = (struct job){.doc = doc, .event_fd = event_fd, .log_fd = -1};
	r = json_need_int(doc, "job", 0, INT64_MAX / 2, &job->id, e);
	if (!r)
		r = json_need_str(doc, "kind", &of_kind, e);
	if (!r)
		r = json_need_str(doc, "artifacts", &job->artifacts, e);
	if (!r)
		r = json_need_str(doc, "lab", &job->lab, e);
	if (!r)
		r = json_need_int(doc, "epoch", 0, INT64_MAX / 2, &job->epoch, e);
	if (!r)
		r = json_need_int(doc, "attempt", 1, 1000000, &attempt, e);
	if (r)
		return error_prefix(e, "the job on standard input");
	job->attempt = (int)attempt;
	job->cache = json_str(doc, "cache", NULL);
	if (!streq(of_kind, kind))
		return error_set(e, -EINVAL, "asked to run a job of kind %s, but the job says %s",
			kind, of_kind);
	if (stat(job->artifacts, &st))
		return error_errno(e, "the job's artifact folder %s", job->artifacts);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, -ENOTDIR, "%s is not a folder", job->artifacts);
	return 0;
}

void worker_job_done(struct job *job)
{
	closep(&job->log_fd);
	job->log_fd = -1;
}

/* One whole line on the event pipe. SIGTERM waits, so that its line cannot land inside. */
static void write_line(struct job *job, const char *line, size_t len)
{
	sigset_t term, old;
	int r;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &old);
	r = write_all(job->event_fd, line, len);
	if (r) {
		/* Nobody is there to tell: patchbayd is gone, and this job with it. */
		(void)fprintf(stderr, "cannot write an event: %s\n", strerror(-r));
		_exit(1);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* Takes the event over. Returns ERR_LIMIT where it is too large for a line; nothing was said. */
static int emit(struct job *job, cJSON *event)
{
	AUTO_JSON cJSON *owned = event;
	AUTO_FREE char *line = json_text(owned);
	size_t len = strlen(line);

	if (len + 1 > WORKER_MAX_EVENT)
		return ERR_LIMIT;
	line[len] = '\n'; /* in place of the NUL: its length is known */
	write_line(job, line, len + 1);
	return 0;
}

static cJSON *event_new(const char *name)
{
	cJSON *event = cJSON_CreateObject();

	json_set_str(event, "event", name);
	return event;
}

void worker_fail(struct job *job, const char *fmt, ...)
{
	va_list ap;

	if (job->failed)
		return;
	job->failed = true;
	va_start(ap, fmt);
	vsnprintf(job->reason, sizeof(job->reason), fmt, ap);
	va_end(ap);
}

void worker_progress(struct job *job, int64_t done, int64_t total, const char *fmt, ...)
{
	cJSON *event = event_new("progress");
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_set_str(event, "text", text);
	json_set_int(event, "done", done);
	if (total < 0)
		json_set(event, "total", NULL);
	else
		json_set_int(event, "total", total);
	emit(job, event);
}

void worker_stage(struct job *job, const char *name)
{
	cJSON *event = event_new("stage");

	json_set_str(event, "name", name);
	emit(job, event);
}

void worker_finding(struct job *job, const struct scan_finding *f)
{
	cJSON *event;

	if (job->n_findings >= SCAN_MAX_FINDINGS)
		return;
	job->n_findings++;
	event = event_new("finding");
	json_set_str(event, "kind", f->kind);
	json_set_str(event, "file", f->file);
	json_set_int(event, "line", f->line);
	json_set_int(event, "column", f->column);
	json_set_str(event, "function", f->function);
	json_set_str(event, "message", f->message);
	json_set_str(event, "option", f->option);
	json_set_str(event, "signature", f->signature);
	json_set_str(event, "excerpt", f->excerpt);
	json_set_bool(event, "fatal", f->fatal);
	emit(job, event);
}

void worker_sample(struct job *job, const char *metric, double value, const cJSON *params)
{
	cJSON *event = event_new("sample");

	json_set_str(event, "metric", metric);
	json_set_num(event, "value", value);
	json_set(event, "params", params ? cJSON_Duplicate(params, true) : NULL);
	emit(job, event);
}

void worker_artifact(
	struct job *job, const char *name, const char *path, const char *sha256, size_t size)
{
	cJSON *event = event_new("artifact");

	json_set_str(event, "name", name);
	json_set_str(event, "path", path);
	json_set_str(event, "sha256", sha256);
	json_set_int(event, "size", (int64_t)size);
	emit(job, event);
}

int worker_log(struct job *job, const void *data, size_t len, struct error *e)
{
	int r;

	if (job->log_fd < 0) {
		AUTO_FREE char *path = worker_path(job, "log");

		job->log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		if (job->log_fd < 0)
			return error_errno(e, "cannot open %s", path);
	}
	if (len > WORKER_MAX_LOG - job->log_size)
		return error_set(e, ERR_LIMIT, "the log grew over the limit of %d MiB",
			WORKER_MAX_LOG / (1024 * 1024));
	r = write_all(job->log_fd, data, len);
	if (r)
		return error_set(e, r, "cannot write %s/log: %s", job->artifacts, strerror(-r));
	job->log_size += len;
	return 0;
}

void worker_log_tell(struct job *job)
{
	cJSON *event;

	if (job->log_size == job->log_told)
		return;
	job->log_told = job->log_size;
	event = event_new("log");
	json_set_int(event, "size", (int64_t)job->log_size);
	emit(job, event);
}

char *worker_path(const struct job *job, const char *name)
{
	return path_join(job->artifacts, name);
}

void worker_end(struct job *job, int r, const struct error *e, cJSON *result)
{
	const char *status = r ? "error" : job->failed ? "fail" : "pass";
	const char *reason = r ? e->msg : job->failed ? job->reason : NULL;
	cJSON *event = event_new("end");

	if (r && !*reason)
		reason = "an unnamed error of the lab";
	worker_log_tell(job);
	json_set_str(event, "status", status);
	json_set_str(event, "reason", reason);
	json_set_int(event, "tool_ms", job->tool_ms);
	json_set(event, "result", result);
	if (emit(job, event) == ERR_LIMIT) {
		struct error over = ERROR_INIT;

		error_set(&over, ERR_LIMIT, "the job's result is larger than the limit of %d bytes",
			WORKER_MAX_EVENT);
		worker_end(job, ERR_LIMIT, &over, NULL);
	}
}

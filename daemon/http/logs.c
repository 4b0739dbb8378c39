/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/logs.h"
#include "base/jsonw.h"
#include "daemon/http/range.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define TYPE "text/plain; charset=utf-8"
#define PIECE 16384 /* bytes of a log in one event; escaped they are at most six times that */

/* Opens the log; -1 where there is none yet. */
static int log_open(struct http *http, const struct job_row *job)
{
	AUTO_FREE char *path = sched_job_file(http->sched, job, "log");

	return path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
}

static void answer_file(struct request *r, int fd, uint64_t size)
{
	uint64_t first = 0;
	uint64_t last = size - 1;
	unsigned status = 200;

	switch (range_parse(request_header(r, MHD_HTTP_HEADER_RANGE), size, &first, &last)) {
	case RANGE_OUTSIDE:
		close(fd);
		reply_problem(r, 416, "The log has %llu bytes; ask for a range within them.",
			(unsigned long long)size);
		reply_header(
			r, MHD_HTTP_HEADER_CONTENT_RANGE, "bytes */%llu", (unsigned long long)size);
		return;
	case RANGE_PART:
		status = 206;
		break;
	case RANGE_ALL:
		break;
	}
	/* sendfile(): the log does not pass through our memory. */
	reply_response(
		r, status, MHD_create_response_from_fd_at_offset64(last - first + 1, fd, first));
	if (status == 206)
		reply_header(r, MHD_HTTP_HEADER_CONTENT_RANGE, "bytes %llu-%llu/%llu",
			(unsigned long long)first, (unsigned long long)last,
			(unsigned long long)size);
}

static void answer_log(struct request *r, const struct job_row *job)
{
	AUTO_CLOSE int fd = log_open(r->http, job);
	struct stat st = {0};

	if (fd >= 0 && fstat(fd, &st) < 0) {
		reply_problem(r, 500, "The log of job %lld cannot be read: %s.", (long long)job->id,
			strerror(errno));
		return;
	}
	if (st.st_size > 0)
		answer_file(r, steal_fd(&fd), (uint64_t)st.st_size);
	else
		reply_response(
			r, 200, MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
	if (r->status == 416)
		return;
	reply_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, TYPE);
	reply_header(r, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
	reply_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}

struct follower {
	struct http *http;
	struct follower *prev, *next;
	struct stream *stream;
	int64_t job_id;
	int attempt; /* whose log is open; 0: none yet */
	int fd;
	uint64_t offset;
	bool ended;
};

void logs_wake(struct http *http, int64_t job_id)
{
	for (struct follower *f = http->followers; f; f = f->next)
		if (f->job_id == job_id)
			stream_wake(f->stream);
}

/* How much of the text to send so that neither a line nor a character is cut, where it can be. */
static size_t whole(const char *text, size_t len)
{
	const char *newline = memrchr(text, '\n', len);
	size_t back = 0;

	if (newline)
		return (size_t)(newline - text) + 1;
	while (back < 3 && back < len && ((unsigned char)text[len - 1 - back] & 0xc0) == 0x80)
		back++;
	if (back < len && (unsigned char)text[len - 1 - back] >= 0xc0 && back + 1 < len)
		return len - 1 - back;
	return len;
}

static bool add_piece(struct follower *f, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf data;
	char text[PIECE];
	ssize_t n = f->fd < 0 ? 0 : pread(f->fd, text, sizeof(text), (off_t)f->offset);
	size_t len;

	strbuf_init(&data, STREAM_ITEM_MAX);
	if (n <= 0)
		return false;
	len = whole(text, (size_t)n);
	f->offset += len;
	jsonw_begin(&data, NULL, '{');
	jsonw_strn(&data, "text", text, len);
	jsonw_end(&data, '}');
	(void)strbuf_addf(out, "id: %d:%llu\nevent: log\ndata: %s\n\n", f->attempt,
		(unsigned long long)f->offset, data.buf);
	return true;
}

static void add_end(const struct job_row *job, struct strbuf *out)
{
	AUTO_JSON cJSON *data = cJSON_CreateObject();
	AUTO_FREE char *text = NULL;

	json_set_str(data, "status", status_name(job->status));
	json_set_str(data, "reason", job->reason);
	text = json_text(data);
	(void)strbuf_addf(out, "event: end\ndata: %s\n\n", text);
}

/* Open the log of the attempt that the job is at. True where that is another one than before. */
static bool follow_attempt(struct follower *f, const struct job_row *job)
{
	bool restarted = f->attempt != 0 && f->attempt != job->attempt;

	if (restarted) {
		closep(&f->fd);
		f->fd = -1;
		f->offset = 0;
	}
	f->attempt = job->attempt;
	if (f->fd < 0 && job->attempt > 0)
		f->fd = log_open(f->http, job);
	return restarted;
}

static enum stream_next follower_next(void *source, struct strbuf *out)
{
	AUTO_JOB struct job_row job = {0};
	struct follower *f = source;

	if (f->ended)
		return STREAM_END;
	if (add_piece(f, out))
		return STREAM_ITEM;
	if (job_get(f->http->store, f->job_id, &job, NULL) < 0)
		return STREAM_END;
	if (follow_attempt(f, &job)) {
		(void)strbuf_addf(out, "event: restart\ndata: {\"attempt\":%d}\n\n", job.attempt);
		return STREAM_ITEM;
	}
	if (add_piece(f, out))
		return STREAM_ITEM;
	if (job.status == STATUS_QUEUED || job.status == STATUS_RUNNING)
		return STREAM_WAIT;
	f->ended = true;
	add_end(&job, out);
	return STREAM_ITEM;
}

static void follower_free(void *source)
{
	struct follower *f = source;

	if (f->prev)
		f->prev->next = f->next;
	else
		f->http->followers = f->next;
	if (f->next)
		f->next->prev = f->prev;
	closep(&f->fd);
	free(f);
}

static const struct stream_ops follower_ops = {follower_next, follower_free};

/* "2:40960"; anything else starts at the beginning. */
static void go_on_after(struct follower *f, const char *last)
{
	int attempt;
	unsigned long long offset;
	char end;

	if (last && sscanf(last, "%9d:%19llu%c", &attempt, &offset, &end) == 2 && attempt > 0) {
		f->attempt = attempt;
		f->offset = offset;
	}
}

static void answer_stream(struct request *r)
{
	struct follower *f = xcalloc(1, sizeof(*f));

	f->http = r->http;
	f->job_id = r->id;
	f->fd = -1;
	go_on_after(f, request_header(r, "Last-Event-ID"));
	f->next = r->http->followers;
	if (f->next)
		f->next->prev = f;
	r->http->followers = f;
	stream_open(r, &follower_ops, f, &f->stream);
}

void logs_get(struct request *r)
{
	AUTO_JOB struct job_row job = {0};
	struct error e = ERROR_INIT;
	bool follow;

	if (!request_query_flag(r, "follow", &follow))
		return;
	if (job_get(r->http->store, r->id, &job, &e) < 0)
		reply_error(r, &e);
	else if (follow)
		answer_stream(r);
	else
		answer_log(r, &job);
}

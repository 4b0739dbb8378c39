/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event streams and logs: what comes, what a client that vanishes or does not read costs. */
#include "daemon/http/events.h"
#include "http_lab.h"

#define LOG_MIB 100

/* Memory is measured here: freed blocks must not be kept back. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

static int open_stream(struct lab *lab, const char *path, const char *headers)
{
	int fd = dial(lab);

	say(fd, "GET %s HTTP/1.1\r\nHost: lab\r\nAuthorization: Bearer %s\r\n%s\r\n", path,
		lab->read, headers ? headers : "");
	return fd;
}

/* Read on until the words have come. */
static void hear_until(int fd, struct strbuf *heard, const char *words)
{
	int64_t deadline = clock_mono_ms() + WAIT_MS;
	char buf[4096];

	while (!strstr(heard->buf, words)) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);

		/* Heartbeats come for ever. */
		if (n <= 0 || clock_mono_ms() > deadline)
			fail_msg("the stream did not say '%s':\n%s", words, heard->buf);
		(void)strbuf_add(heard, buf, (size_t)n);
	}
}

struct n_events {
	int64_t first;
	int n;
};

static void make_events(struct lab *lab, void *data)
{
	const struct n_events *make = data;

	for (int i = 0; i < make->n; i++) {
		const struct change change = {.kind = CHANGE_TREE, .id = make->first + i};

		events_on_change(&change, lab->http);
	}
}

static bool no_streams(struct lab *lab)
{
	AUTO_ANSWER struct answer a = ask(lab, "GET /metrics", lab->read, NULL, NULL);

	return strstr(a.body, "\npatchbay_http_streams 0\n") != NULL;
}

static void test_events(void **state)
{
	struct lab *lab = *state;
	AUTO_STRBUF struct strbuf heard;
	AUTO_FREE char *last = NULL;
	AUTO_FREE char *go_on = NULL;
	struct n_events one = {41, 1}, two = {42, 2};
	const char *id;
	int fd;

	strbuf_init(&heard, 65536);
	fd = open_stream(lab, "/api/v1/events", NULL);
	hear_until(fd, &heard, ": welcome\n");
	assert_non_null(strstr(heard.buf, "Content-Type: text/event-stream"));
	lab_call(lab, make_events, &one);
	hear_until(fd, &heard, "event: tree\ndata: {\"tree\":41}\n\n");
	close(fd);
	id = strstr(heard.buf, "id: ");
	assert_non_null(id);
	last = xstrndup(id + 4, strspn(id + 4, "0123456789"));

	/* What happened in between comes when the browser comes back. */
	lab_call(lab, make_events, &two);
	go_on = xasprintf("Last-Event-ID: %s\r\n", last);
	fd = open_stream(lab, "/api/v1/events", go_on);
	strbuf_truncate(&heard, 0);
	hear_until(fd, &heard, "{\"tree\":43}");
	assert_non_null(strstr(heard.buf, "{\"tree\":42}"));
	assert_null(strstr(heard.buf, "{\"tree\":41}"));
	close(fd);

	/* An id of nobody's. */
	fd = open_stream(lab, "/api/v1/events", "Last-Event-ID: 7\r\n");
	strbuf_truncate(&heard, 0);
	hear_until(fd, &heard, "event: reset\n");
	close(fd);
	wait_until(lab, no_streams, "the streams have ended");
}

static void test_a_submission_is_heard(void **state)
{
	struct lab *lab = *state;
	AUTO_STRBUF struct strbuf heard;
	int fd = open_stream(lab, "/api/v1/events", NULL);

	strbuf_init(&heard, 65536);
	hear_until(fd, &heard, ": welcome\n");
	{
		AUTO_ANSWER struct answer a =
			ask(lab, "POST /api/v1/series?tree=tree", lab->submit, NULL, "some mail");

		assert_int_equal(a.status, 201);
	}
	hear_until(fd, &heard, "event: series\n");
	hear_until(fd, &heard, "event: job\n");
	/* The worker said nothing: the lab's trouble. */
	hear_until(fd, &heard, "\"verdict\":\"error\"");
	close(fd);
}

static void set_beat(struct lab *lab, void *data)
{
	lab->http->streams.beat_ms = *(int64_t *)data;
}

static void test_heartbeat(void **state)
{
	struct lab *lab = *state;
	int64_t quick = 20, normal = STREAM_BEAT_MS;
	AUTO_STRBUF struct strbuf heard;
	int fd;

	wait_until(lab, no_streams, "the streams have ended");
	strbuf_init(&heard, 65536);
	lab_call(lab, set_beat, &quick);
	fd = open_stream(lab, "/api/v1/events", NULL);
	hear_until(fd, &heard, ": still here\n\n");
	close(fd);
	wait_until(lab, no_streams, "the stream has ended");
	lab_call(lab, set_beat, &normal);
}

/* Nothing is sent, and still the end of the client is noticed. */
static void test_token_revoked(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer made =
		ask(lab, "POST /api/v1/tokens", lab->admin, NULL, "{\"scope\":\"read\"}");
	AUTO_JSON cJSON *token = cJSON_Parse(made.body);
	AUTO_FREE char *revoke =
		xasprintf("DELETE /api/v1/tokens/%lld", (long long)json_int(token, "id", 0));
	AUTO_STRBUF struct strbuf ours, others;
	char buf[4096];
	int theirs = open_stream(lab, "/api/v1/events", NULL);
	int fd = dial(lab);
	struct n_events one = {71, 1};

	strbuf_init(&ours, 65536);
	strbuf_init(&others, 65536);
	say(fd, "GET /api/v1/events HTTP/1.1\r\nHost: lab\r\nAuthorization: Bearer %s\r\n\r\n",
		json_str(token, "token", ""));
	hear_until(fd, &ours, ": welcome\n");
	hear_until(theirs, &others, ": welcome\n");
	{
		AUTO_ANSWER struct answer gone = ask(lab, revoke, lab->admin, NULL, NULL);

		assert_int_equal(gone.status, 204);
	}
	lab_call(lab, make_events, &one);
	hear_until(theirs, &others, "{\"tree\":71}");
	for (ssize_t n; (n = recv(fd, buf, sizeof(buf), 0)) > 0;)
		(void)strbuf_add(&ours, buf, (size_t)n);
	assert_null(strstr(ours.buf, "{\"tree\":71}"));
	close(fd);
	close(theirs);
}

static void test_client_vanishes(void **state)
{
	struct lab *lab = *state;
	AUTO_STRBUF struct strbuf heard;
	const struct linger reset = {.l_onoff = 1};
	int fds[2];

	strbuf_init(&heard, 65536);
	for (size_t i = 0; i < 2; i++) {
		fds[i] = open_stream(lab, "/api/v1/events", NULL);
		strbuf_truncate(&heard, 0);
		hear_until(fds[i], &heard, ": welcome\n");
	}
	assert_int_equal(setsockopt(fds[1], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
	close(fds[0]); /* FIN */
	close(fds[1]); /* RST */
	wait_until(lab, no_streams, "both streams have ended");
}

static void test_too_many(void **state)
{
	struct lab *lab = *state;
	AUTO_STRBUF struct strbuf heard;
	int fds[HTTP_MAX_STREAMS];

	strbuf_init(&heard, 65536);
	for (size_t i = 0; i < HTTP_MAX_STREAMS; i++) {
		fds[i] = open_stream(lab, "/api/v1/events", NULL);
		strbuf_truncate(&heard, 0);
		hear_until(fds[i], &heard, ": welcome\n");
	}
	{
		AUTO_ANSWER struct answer a = ask(lab, "GET /api/v1/events", lab->read, NULL, NULL);
		AUTO_ANSWER struct answer b = ask(lab, "GET /healthz", NULL, NULL, NULL);

		assert_problem(&a, 503, "128 event streams");
		assert_int_equal(b.status, 200);
	}
	for (size_t i = 0; i < HTTP_MAX_STREAMS; i++)
		close(fds[i]);
	wait_until(lab, no_streams, "the streams have ended");
}

static long resident_kib(void)
{
	AUTO_FREE char *text = NULL;
	const char *line;

	assert_int_equal(file_read("/proc/self/status", 65536, &text, NULL, NULL), 0);
	line = strstr(text, "VmRSS:");
	return line ? strtol(line + 6, NULL, 10) : 0;
}

/* Thousands of events for one who does not read: no memory, and a reset when it reads on. */
static void test_slow_reader(void **state)
{
	struct lab *lab = *state;
	AUTO_STRBUF struct strbuf heard;
	struct n_events warm = {1, 2 * EVENTS_KEPT}, many = {1, 200000}, last = {7654321, 1};
	int fd = open_stream(lab, "/api/v1/events", NULL);
	long before;

	strbuf_init(&heard, 64 * 1024 * 1024);
	lab_call(lab, make_events, &warm);
	before = resident_kib();
	for (int i = 0; i < 5; i++)
		lab_call(lab, make_events, &many);
	assert_true(resident_kib() - before < 16 * 1024);
	lab_call(lab, make_events, &last);
	hear_until(fd, &heard, "event: reset\n");
	close(fd);
	wait_until(lab, no_streams, "the stream has ended");
}

/* A job that has begun, with an artifact folder. */
static void make_job(struct lab *lab, void *data)
{
	struct job_row job = {.kind = (char *)"probe", .host = (char *)"host", .patch = -1};
	AUTO_FREE char *path = NULL;

	assert_int_equal(job_insert(lab->store, &job, &lab->job, NULL), 0);
	job.id = lab->job;
	assert_int_equal(job_set_started(lab->store, &job, NULL), 0);
	path = sched_job_file(lab->sched, &job, "log");
	*strrchr(path, '/') = '\0';
	assert_int_equal(file_mkdirs(path, 0700, NULL), 0);
}

struct piece {
	const char *text;
	size_t repeat;
};

static void add_to_log(struct lab *lab, void *data)
{
	AUTO_JOB struct job_row job = {0};
	const struct piece *piece = data;
	struct change change = {.kind = CHANGE_LOG, .id = lab->job};
	AUTO_FREE char *path = NULL;
	AUTO_CLOSE int fd = -1;

	assert_int_equal(job_get(lab->store, lab->job, &job, NULL), 0);
	path = sched_job_file(lab->sched, &job, "log");
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	for (size_t i = 0; i < piece->repeat; i++)
		assert_int_equal(write_all(fd, piece->text, strlen(piece->text)), 0);
	change.log_size = lseek(fd, 0, SEEK_END);
	events_on_change(&change, lab->http);
}

static void end_job(struct lab *lab, void *data)
{
	struct change change = {.kind = CHANGE_JOB, .id = lab->job};

	assert_int_equal(
		job_set_ended(lab->store, lab->job, STATUS_PASS, NULL, 0, 0, NULL, NULL), 0);
	events_on_change(&change, lab->http);
}

static void restart_job(struct lab *lab, void *data)
{
	struct change change = {.kind = CHANGE_JOB, .id = lab->job};
	AUTO_JOB struct job_row job = {0};
	AUTO_FREE char *path = NULL;

	assert_int_equal(job_set_interrupted(lab->store, lab->job, NULL), 0);
	assert_int_equal(job_get(lab->store, lab->job, &job, NULL), 0);
	assert_int_equal(job_set_started(lab->store, &job, NULL), 0);
	path = sched_job_file(lab->sched, &job, "log");
	*strrchr(path, '/') = '\0';
	assert_int_equal(file_mkdirs(path, 0700, NULL), 0);
	events_on_change(&change, lab->http);
}

static struct answer get_log(struct lab *lab, const char *range)
{
	AUTO_FREE char *line = xasprintf("GET /api/v1/jobs/%lld/log", (long long)lab->job);
	AUTO_FREE char *header = range ? xasprintf("Range: %s\r\n", range) : NULL;

	return ask(lab, line, lab->read, header, NULL);
}

static void test_log_ranges(void **state)
{
	struct lab *lab = *state;
	struct piece digits = {"0123456789", 1};

	lab_call(lab, make_job, NULL);
	{
		AUTO_ANSWER struct answer a = get_log(lab, NULL);
		AUTO_ANSWER struct answer b = get_log(lab, "bytes=0-");

		assert_int_equal(a.status, 200);
		assert_string_equal(a.body, "");
		assert_int_equal(b.status, 200);
	}
	lab_call(lab, add_to_log, &digits);
	{
		AUTO_ANSWER struct answer all = get_log(lab, NULL);
		AUTO_ANSWER struct answer part = get_log(lab, "bytes=2-4");
		AUTO_ANSWER struct answer tail = get_log(lab, "bytes=-3");
		AUTO_ANSWER struct answer out = get_log(lab, "bytes=10-");
		AUTO_FREE char *part_range = header_of(&part, "Content-Range");
		AUTO_FREE char *out_range = header_of(&out, "Content-Range");

		assert_int_equal(all.status, 200);
		assert_string_equal(all.body, "0123456789");
		assert_int_equal(part.status, 206);
		assert_string_equal(part.body, "234");
		assert_string_equal(part_range, "bytes 2-4/10");
		assert_int_equal(tail.status, 206);
		assert_string_equal(tail.body, "789");
		assert_problem(&out, 416, "10 bytes");
		assert_string_equal(out_range, "bytes */10");
	}
	lab_call(lab, end_job, NULL);
}

static void test_log_followed(void **state)
{
	struct lab *lab = *state;
	struct piece first = {"one\ntw", 1}, second = {"o\n\xc3\xa4\xff\"\n", 1},
		     third = {"anew\n", 1};
	AUTO_FREE char *path = NULL;
	AUTO_STRBUF struct strbuf heard;
	int fd;

	strbuf_init(&heard, 65536);
	lab_call(lab, make_job, NULL);
	path = xasprintf("/api/v1/jobs/%lld/log?follow=1", (long long)lab->job);
	fd = open_stream(lab, path, NULL);
	lab_call(lab, add_to_log, &first);
	hear_until(fd, &heard, "id: 1:4\nevent: log\ndata: {\"text\":\"one\\n\"}\n\n");
	lab_call(lab, add_to_log, &second);
	hear_until(fd, &heard, "o\\n\xc3\xa4\xef\xbf\xbd\\\"\\n\"}\n\n");
	lab_call(lab, restart_job, NULL);
	hear_until(fd, &heard, "event: restart\ndata: {\"attempt\":2}\n\n");
	lab_call(lab, add_to_log, &third);
	hear_until(fd, &heard, "id: 2:5\nevent: log\ndata: {\"text\":\"anew\\n\"}\n\n");
	lab_call(lab, end_job, NULL);
	hear_until(fd, &heard, "event: end\ndata: {\"status\":\"pass\",\"reason\":null}\n\n");
	hear_until(fd, &heard, "\r\n0\r\n\r\n");
	close(fd);

	/* From where it broke off. */
	fd = open_stream(lab, path, "Last-Event-ID: 2:2\r\n");
	strbuf_truncate(&heard, 0);
	hear_until(fd, &heard, "{\"text\":\"ew\\n\"}");
	close(fd);
}

static void write_script(struct lab *lab, void *data)
{
	AUTO_JOB struct job_row job = {0};
	AUTO_FREE char *path = NULL;

	assert_int_equal(job_get(lab->store, lab->job, &job, NULL), 0);
	path = sched_job_file(lab->sched, &job, "reproduce.sh");
	assert_int_equal(file_write_atomic(path, data, strlen(data), 0700, NULL), 0);
}

static void test_script(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *path = NULL;

	lab_call(lab, make_job, NULL);
	path = xasprintf("GET /api/v1/jobs/%lld/reproduce", (long long)lab->job);
	{
		AUTO_ANSWER struct answer none = ask(lab, path, lab->read, NULL, NULL);

		assert_problem(&none, 404, "only builds and boots");
	}
	lab_call(lab, write_script, (void *)"#!/bin/sh\n");
	{
		AUTO_ANSWER struct answer a = ask(lab, path, lab->read, NULL, NULL);

		assert_int_equal(a.status, 200);
		assert_string_equal(a.body, "#!/bin/sh\n");
	}
}

static void test_log_of_nobody(void **state)
{
	AUTO_ANSWER struct answer a = ask(
		*state, "GET /api/v1/jobs/999999/log", ((struct lab *)*state)->read, NULL, NULL);
	AUTO_ANSWER struct answer b = ask(*state, "GET /api/v1/jobs/999999/log?follow=1",
		((struct lab *)*state)->read, NULL, NULL);

	assert_problem(&a, 404, "999999");
	assert_problem(&b, 404, "999999");
}

/* 100 MiB go through, whole or followed, without growing the process. */
static void test_long_log(void **state)
{
	struct lab *lab = *state;
	struct piece mib = {NULL, LOG_MIB};
	AUTO_FREE char *text = xmalloc((1 << 20) + 1);
	static char buf[1 << 16];
	char path[64];

	for (size_t i = 0; i < 1 << 20; i++)
		text[i] = i % 80 == 79 ? '\n' : 'x';
	text[1 << 20] = '\0';
	mib.text = text;
	lab_call(lab, make_job, NULL);
	lab_call(lab, add_to_log, &mib);
	lab_call(lab, end_job, NULL);
	for (int follow = 0; follow <= 1; follow++) {
		long before = resident_kib();
		uint64_t total = 0;
		ssize_t n;
		int fd;

		(void)snprintf(path, sizeof(path), "/api/v1/jobs/%lld/log%s", (long long)lab->job,
			follow ? "?follow=1" : "");
		fd = open_stream(lab, path, "Connection: close\r\n");
		while ((n = recv(fd, buf, sizeof(buf), 0)) > 0) {
			total += (uint64_t)n;
			assert_true(resident_kib() - before < 16 * 1024);
		}
		close(fd);
		assert_true(total > (uint64_t)LOG_MIB << 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_a_submission_is_heard),
		cmocka_unit_test(test_heartbeat),
		cmocka_unit_test(test_token_revoked),
		cmocka_unit_test(test_client_vanishes),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_log_ranges),
		cmocka_unit_test(test_log_followed),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_log_of_nobody),
		cmocka_unit_test(test_long_log),
		cmocka_unit_test(test_slow_reader),
	};

	return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}

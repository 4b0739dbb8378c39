/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies: their limits, clients that go away or dawdle, and what a submission answers. */
#include "http_lab.h"

#define MAIL "From nobody Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\nbody\n"
#define POST "POST /api/v1/series?tree=tree"

static void test_submit_twice(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer a = ask(
		lab, POST "&until=apply", lab->submit, "Content-Type: application/mbox\r\n", MAIL);
	AUTO_JSON cJSON *series = cJSON_Parse(a.body);
	AUTO_FREE char *where = header_of(&a, "Location");
	AUTO_FREE char *line = xasprintf("GET %s", where);

	assert_int_equal(a.status, 201);
	assert_true(json_int(series, "id", 0) > 0);
	assert_string_equal(json_str(series, "tree", ""), "tree");
	assert_string_equal(json_str(series, "until", ""), "apply");
	{
		AUTO_ANSWER struct answer got = ask(lab, line, lab->read, NULL, NULL);
		AUTO_ANSWER struct answer list =
			ask(lab, "GET /api/v1/series", lab->read, NULL, NULL);

		assert_int_equal(got.status, 200);
		assert_int_equal(list.status, 200);
		assert_non_null(strstr(list.body, "\"until\":\"apply\""));
	}
	assert_int_equal(count_files(lab, "incoming"), 0);
}

static void test_refused(void **state)
{
	struct lab *lab = *state;
	static const struct {
		const char *line, *headers, *body;
		int status;
		const char *words;
	} cases[] = {
		{POST, NULL, "", 400, "empty"},
		{POST, "Content-Type: application/json\r\n", "{}", 400, "message_id"},
		{POST, "Content-Type: application/json\r\n",
			"{\"message_id\":\"a@b\",\"until\":\"nope\"}", 400, "not 'nope'"},
		{POST, "Content-Type: application/x-www-form-urlencoded\r\n", MAIL, 415,
			"application/mbox"},
		{"POST /api/v1/series?tree=nope", NULL, MAIL, 404, "nope"},
		{POST "&profile=nope", NULL, MAIL, 404, "nope"},
		{POST "&until=nope", NULL, MAIL, 400, "until"},
		{POST "&needs=1,x", NULL, MAIL, 400, "'x'"},
		{POST "&needs=", NULL, MAIL, 400, "needs"},
		{POST "&needs=999999", NULL, MAIL, 404, "999999"},
		{POST "&base=--upload-pack", NULL, MAIL, 400, "base"},
		{POST "&no_inherit=perhaps", NULL, MAIL, 400, "no_inherit"},
		{POST "&bsae=1", NULL, MAIL, 400, "There is no parameter 'bsae'"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ANSWER struct answer a =
			ask(lab, cases[i].line, lab->submit, cases[i].headers, cases[i].body);

		assert_problem(&a, cases[i].status, cases[i].words);
	}
	assert_int_equal(count_files(lab, "incoming"), 0);
}

static void test_many_needs(void **state)
{
	struct lab *lab = *state;
	AUTO_STRBUF struct strbuf line;

	strbuf_init(&line, 4096);
	(void)strbuf_adds(&line, POST "&needs=1");
	for (int i = 0; i < SUBMIT_MAX_NEEDS; i++)
		(void)strbuf_adds(&line, i % 2 ? ",2" : "&needs=3");
	{
		AUTO_ANSWER struct answer a = ask(lab, line.buf, lab->submit, NULL, MAIL);

		assert_problem(&a, 400, "at most 32");
	}
}

/* A body of n blanks; chunked or with its length. The answer comes when all is sent. */
static void send_blanks(int fd, size_t n, bool chunked)
{
	static char block[1 << 20];

	memset(block, ' ', sizeof(block));
	if (!chunked)
		say(fd, "Content-Length: %zu\r\n\r\n", n);
	else
		say(fd, "Transfer-Encoding: chunked\r\n\r\n");
	while (n > 0) {
		size_t len = MIN_OF(n, sizeof(block));

		if (chunked)
			say(fd, "%zx\r\n", len);
		assert_int_equal(write_all(fd, block, len), 0);
		if (chunked)
			say(fd, "\r\n");
		n -= len;
	}
	if (chunked)
		say(fd, "0\r\n\r\n");
}

static struct answer post_blanks(
	struct lab *lab, const char *line, const char *token, size_t n, bool chunked)
{
	struct answer a;
	int fd = dial(lab);

	say(fd, "%s HTTP/1.1\r\nHost: lab\r\nConnection: close\r\nAuthorization: Bearer %s\r\n",
		line, token);
	send_blanks(fd, n, chunked);
	hear(fd, &a);
	return a;
}

static void test_submission_limit(void **state)
{
	struct lab *lab = *state;

	for (int chunked = 0; chunked <= 1; chunked++) {
		AUTO_ANSWER struct answer at =
			post_blanks(lab, POST, lab->submit, HTTP_MAX_SUBMISSION, chunked);
		AUTO_ANSWER struct answer past =
			post_blanks(lab, POST, lab->submit, HTTP_MAX_SUBMISSION + 1, chunked);

		/* The second time it is the same series. */
		assert_true(at.status == 201 || at.status == 200);
		assert_problem(&past, 413, "33554432 bytes (32 MiB");
	}
	assert_int_equal(count_files(lab, "incoming"), 0);
}

static void test_json_limit(void **state)
{
	struct lab *lab = *state;

	for (int chunked = 0; chunked <= 1; chunked++) {
		AUTO_ANSWER struct answer at =
			post_blanks(lab, "POST /api/v1/tokens", lab->admin, HTTP_MAX_BODY, chunked);
		AUTO_ANSWER struct answer past = post_blanks(
			lab, "POST /api/v1/tokens", lab->admin, HTTP_MAX_BODY + 1, chunked);
		AUTO_ANSWER struct answer none = post_blanks(
			lab, "POST /api/v1/session/link", lab->read, HTTP_MAX_BODY + 1, chunked);

		assert_problem(&at, 400, "");
		assert_problem(&past, 413, "65536 bytes");
		assert_problem(&none, 413, "65536 bytes");
	}
}

/* Who asks first is told before sending anything. */
static void test_expect(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer a = {0};
	int fd = dial(lab);

	say(fd,
		POST
		" HTTP/1.1\r\nHost: lab\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\n"
		"Content-Length: %d\r\n\r\n",
		lab->submit, HTTP_MAX_SUBMISSION + 1);
	hear(fd, &a);
	assert_problem(&a, 413, "limit");
}

/* The refusal is read also by a client that sends everything before it listens. */
static void test_refusal_is_heard(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer a = post_blanks(lab, POST, "wrong", 8 << 20, false);
	AUTO_ANSWER struct answer b = post_blanks(lab, POST, lab->read, 8 << 20, true);
	AUTO_ANSWER struct answer c =
		post_blanks(lab, "POST /api/v1/nope", lab->admin, 8 << 20, false);

	assert_problem(&a, 401, "");
	assert_problem(&b, 403, "");
	assert_problem(&c, 404, "");
}

static bool upload_is_there(struct lab *lab)
{
	return count_files(lab, "incoming") == 1;
}

static bool nothing_is_there(struct lab *lab)
{
	return count_files(lab, "incoming") == 0;
}

static void begin_upload(struct lab *lab, int fd)
{
	say(fd,
		POST
		" HTTP/1.1\r\nHost: lab\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n"
		"half of i",
		lab->submit);
}

static size_t count_series(struct lab *lab)
{
	AUTO_ANSWER struct answer a =
		ask(lab, "GET /api/v1/series?limit=500", lab->read, NULL, NULL);
	AUTO_JSON cJSON *list = cJSON_Parse(a.body);

	return (size_t)cJSON_GetArraySize(json_get(list, "items"));
}

static void test_client_vanishes(void **state)
{
	struct lab *lab = *state;
	size_t before = count_series(lab);
	int fd = dial(lab);

	begin_upload(lab, fd);
	wait_until(lab, upload_is_there, "the upload has begun");
	close(fd);
	wait_until(lab, nothing_is_there, "the upload is gone");
	assert_int_equal(count_series(lab), before);
}

struct hurry {
	int64_t head_ms, body_ms;
};

static void set_hurry(struct lab *lab, void *data)
{
	const struct hurry *hurry = data;

	lab->http->clients.head_ms = hurry->head_ms;
	lab->http->clients.body_ms = hurry->body_ms;
}

/* One whose body, and one whose head does not come to its end: the server hangs up. */
static void test_clients_dawdle(void **state)
{
	struct lab *lab = *state;
	struct hurry body = {CLIENT_HEAD_MS, 100}, head = {100, CLIENT_BODY_MS};
	struct hurry normal = {CLIENT_HEAD_MS, CLIENT_BODY_MS};
	AUTO_ANSWER struct answer a = {0}, b = {0};
	int fd;

	lab_call(lab, set_hurry, &body);
	fd = dial(lab);
	begin_upload(lab, fd);
	hear(fd, &a);
	assert_int_equal(a.status, 0);
	wait_until(lab, nothing_is_there, "the upload is gone");

	lab_call(lab, set_hurry, &head);
	fd = dial(lab);
	say(fd, "GET /healthz HTTP/1.1\r\nHost: lab\r\nX-Slow:");
	hear(fd, &b);
	assert_int_not_equal(b.status, 200);
	lab_call(lab, set_hurry, &normal);
}

static void test_too_many_uploads(void **state)
{
	struct lab *lab = *state;
	int fds[HTTP_MAX_UPLOADS];

	for (size_t i = 0; i < HTTP_MAX_UPLOADS; i++) {
		fds[i] = dial(lab);
		begin_upload(lab, fds[i]);
	}
	while (count_files(lab, "incoming") < HTTP_MAX_UPLOADS)
		(void)poll(NULL, 0, 5);
	{
		AUTO_ANSWER struct answer a = ask(lab, POST, lab->submit, NULL, MAIL);
		AUTO_FREE char *retry = header_of(&a, "Retry-After");

		assert_problem(&a, 503, "16 submissions");
		assert_non_null(retry);
	}
	for (size_t i = 0; i < HTTP_MAX_UPLOADS; i++)
		close(fds[i]);
	wait_until(lab, nothing_is_there, "the uploads are gone");
	{
		AUTO_ANSWER struct answer a = ask(lab, POST, lab->submit, NULL, MAIL);

		assert_int_equal(a.status, 201);
	}
}

static void test_rubbish(void **state)
{
	struct lab *lab = *state;
	static const char *const lines[] = {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
		"\x16\x03\x01\x02", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		("POST /api/v1/series HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
		 "chunked\r\n\r\nzz\r\n")};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		int fd = dial(lab);

		say(fd, "%s", lines[i]);
		close(fd);
	}
	{
		AUTO_ANSWER struct answer a = ask(lab, "GET /healthz", NULL, NULL, NULL);

		assert_int_equal(a.status, 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_submit_twice),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_many_needs),
		cmocka_unit_test(test_submission_limit),
		cmocka_unit_test(test_json_limit),
		cmocka_unit_test(test_expect),
		cmocka_unit_test(test_refusal_is_heard),
		cmocka_unit_test(test_client_vanishes),
		cmocka_unit_test(test_clients_dawdle),
		cmocka_unit_test(test_too_many_uploads),
		cmocka_unit_test(test_rubbish),
	};

	return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lab for the HTTP tests: a real store and scheduler in a folder of its own, served by a thread
 * that runs the loop, and a client that speaks HTTP over a plain socket. Its worker program
 * ends at once without a word, so every job is an `error`: what is tested here comes before.
 */
#ifndef TEST_HTTP_LAB_H
#define TEST_HTTP_LAB_H

#include "base/clock.h"
#include "base/file.h"
#include "daemon/http/server.h"
#include "daemon/sched/sched.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <cmocka.h>

#define WAIT_MS 10000
#define MAX_ANSWER (4 * 1024 * 1024)

struct lab {
	char dir[64];
	struct loop *loop;
	struct store *store;
	struct sched *sched;
	struct http *http;
	char read[TOKEN_SIZE], submit[TOKEN_SIZE], admin[TOKEN_SIZE];
	pthread_t thread;
	int wake; /* eventfd: run call() on the loop */
	int done; /* eventfd: it has run */
	void (*call)(struct lab *lab, void *data);
	void *data;
	int64_t job;
};

static void lab_on_wake(struct loop *loop, int fd, uint32_t events, void *data)
{
	struct lab *lab = data;
	eventfd_t n;

	(void)eventfd_read(fd, &n);
	lab->call(lab, lab->data);
	(void)eventfd_write(lab->done, 1);
}

/* Run on the loop's thread, which alone may touch the lab. */
static void lab_call(struct lab *lab, void (*call)(struct lab *lab, void *data), void *data)
{
	eventfd_t n;

	lab->call = call;
	lab->data = data;
	assert_int_equal(eventfd_write(lab->wake, 1), 0);
	assert_int_equal(eventfd_read(lab->done, &n), 0);
}

static void *lab_run(void *data)
{
	struct lab *lab = data;

	(void)loop_run(lab->loop, NULL);
	return NULL;
}

static void lab_write(struct lab *lab, const char *name, const char *text, mode_t mode)
{
	AUTO_FREE char *path = path_join(lab->dir, name);
	AUTO_FREE char *folder = xstrdup(path);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(file_mkdirs(folder, 0755, NULL), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), mode, NULL), 0);
}

static void lab_add_rows(struct lab *lab)
{
	cJSON *source = cJSON_CreateObject();
	struct tree_row tree = {.name = (char *)"tree", .path = (char *)"/nowhere"};
	struct host_row host = {.name = (char *)"host",
		.address = (char *)"127.0.0.1",
		.port = 22,
		.user = (char *)"nobody",
		.key = (char *)"/nokey",
		.host_key = (char *)"none"};
	struct machine_row machine = {.name = (char *)"machine",
		.host = (char *)"host",
		.kind = (char *)"qemu",
		.model = (char *)"q35-vtd",
		.arch = (char *)"x86_64",
		.memory_mib = 1024,
		.cpus = 1};
	AUTO_JSON cJSON *tags = cJSON_Parse("[\"vtd\"]");
	struct token_row row;
	int64_t id;

	json_set_str(source, "git", "file:///nowhere");
	tree.source = source;
	machine.tags = tags;
	assert_int_equal(tree_insert(lab->store, &tree, &id, NULL), 0);
	assert_int_equal(tree_set_tip(lab->store, id, "1111111111111111111111111111111111111111",
				 NULL, 1, NULL),
		0);
	assert_int_equal(host_put(lab->store, &host, &id, NULL), 0);
	assert_int_equal(machine_put(lab->store, &machine, &id, NULL), 0);
	assert_int_equal(token_create(lab->store, SCOPE_READ, lab->read, &row, NULL), 0);
	assert_int_equal(token_create(lab->store, SCOPE_SUBMIT, lab->submit, &row, NULL), 0);
	assert_int_equal(token_create(lab->store, SCOPE_ADMIN, lab->admin, &row, NULL), 0);
	cJSON_Delete(source);
}

static int lab_setup(void **state)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));
	AUTO_FREE char *worker = NULL;
	AUTO_FREE char *web = NULL;
	struct sched_config sched = {
		.state = lab->dir, .share = TEST_SOURCE_DIR, .cache = lab->dir};
	struct http_config http = {
		.address = "127.0.0.1", .openapi = TEST_SOURCE_DIR "/schemas/openapi.yaml"};
	struct error e = ERROR_INIT;

	(void)strcpy(lab->dir, "/tmp/patchbay-http.XXXXXX");
	assert_non_null(mkdtemp(lab->dir));
	lab_write(lab, "worker", "#!/bin/sh\nexec cat >/dev/null\n", 0755);
	lab_write(lab, "web/index.html", "<!doctype html>the page", 0644);
	lab_write(lab, "web/assets/app-1a2b3c.js", "the script", 0644);
	lab_write(lab, "web/.hidden", "hidden", 0644);
	lab_write(lab, "secret.html", "secret", 0644);
	sched.worker = worker = path_join(lab->dir, "worker");
	http.web = web = path_join(lab->dir, "web");
	lab->wake = eventfd(0, EFD_CLOEXEC);
	lab->done = eventfd(0, EFD_CLOEXEC);
	if (store_open(lab->dir, &lab->store, &e) < 0)
		fail_msg("%s", e.msg);
	lab_add_rows(lab);
	if (loop_new(&lab->loop, &e) < 0 ||
		sched_new(&sched, lab->loop, lab->store, &lab->sched, &e) < 0 ||
		http_new(lab->loop, lab->sched, &http, &lab->http, &e) < 0 ||
		loop_add_io(lab->loop, lab->wake, EPOLLIN, lab_on_wake, lab,
			&(struct loop_source *){0}, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(pthread_create(&lab->thread, NULL, lab_run, lab), 0);
	*state = lab;
	return 0;
}

static void lab_stop(struct lab *lab, void *data)
{
	loop_stop(lab->loop);
}

static int lab_teardown(void **state)
{
	struct lab *lab = *state;

	lab_call(lab, lab_stop, NULL);
	(void)pthread_join(lab->thread, NULL);
	http_free(lab->http);
	sched_free(lab->sched);
	store_close(lab->store);
	loop_free(lab->loop);
	close(lab->wake);
	close(lab->done);
	(void)file_remove_tree(lab->dir, NULL);
	free(lab);
	return 0;
}

/* The client. */

static int dial(struct lab *lab)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(http_port(lab->http))};
	struct timeval wait = {.tv_sec = WAIT_MS / 1000};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void say(int fd, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(int fd, const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&text, fmt, ap) >= 0);
	va_end(ap);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
}

struct answer {
	int status;
	char *head; /* with the NUL at the blank line */
	char *body;
	struct strbuf text;
};

static void answer_done(struct answer *a)
{
	strbuf_done(&a->text);
}
#define AUTO_ANSWER CLEANUP(answer_done)

/* Read until the server closes. */
static void hear(int fd, struct answer *a)
{
	char buf[65536];
	ssize_t n;

	memset(a, 0, sizeof(*a));
	strbuf_init(&a->text, MAX_ANSWER);
	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		(void)strbuf_add(&a->text, buf, (size_t)n);
	close(fd);
	a->head = a->text.buf;
	a->body = strstr(a->text.buf, "\r\n\r\n");
	if (a->body) {
		*a->body = '\0';
		a->body += 4;
	}
	(void)sscanf(a->head, "HTTP/1.1 %d", &a->status);
}

/* A request without body, or with a small one: "GET /healthz", token and headers may be NULL. */
static struct answer ask(
	struct lab *lab, const char *what, const char *token, const char *headers, const char *body)
{
	struct answer a;
	int fd = dial(lab);

	say(fd, "%s HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n%s%s%s%s", what,
		token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "",
		headers ? headers : "");
	if (body)
		say(fd, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
	else
		say(fd, "\r\n");
	hear(fd, &a);
	return a;
}

/* The value of a header, up to its end; NULL: not there. Heap. */
static char *header_of(const struct answer *a, const char *name)
{
	AUTO_FREE char *needle = xasprintf("\r\n%s: ", name);
	const char *at = strcasestr(a->head, needle);

	if (!at)
		return NULL;
	at += strlen(needle);
	return xstrndup(at, strcspn(at, "\r"));
}

static void assert_problem_(
	const struct answer *a, int status, const char *words, const char *file, int line)
{
	AUTO_FREE char *type = header_of(a, "Content-Type");
	AUTO_JSON cJSON *body = a->body ? cJSON_Parse(a->body) : NULL;
	const char *detail = json_str(body, "detail", "");

	if (a->status != status || !streq(type, "application/problem+json") ||
		json_int(body, "status", 0) != status || !json_str(body, "title", NULL) ||
		!json_str(body, "type", NULL) || !detail[0] || !strstr(detail, words)) {
		print_error("wanted %d with '%s', got:\n%s\n\n%s\n", status, words, a->head,
			a->body ? a->body : "(nothing)");
		_fail(file, line);
	}
}
#define assert_problem(a, status, words) assert_problem_(a, status, words, __FILE__, __LINE__)

static inline size_t count_files(struct lab *lab, const char *folder)
{
	AUTO_FREE char *command = xasprintf("ls %s/%s | wc -l", lab->dir, folder);
	FILE *p = popen(command, "re");
	size_t n = 0;

	assert_non_null(p);
	assert_int_equal(fscanf(p, "%zu", &n), 1);
	(void)pclose(p);
	return n;
}

/* Until condition() is true, or the test fails. */
static inline void wait_until(struct lab *lab, bool (*condition)(struct lab *lab), const char *what)
{
	int64_t deadline = clock_mono_ms() + WAIT_MS;

	while (!condition(lab)) {
		if (clock_mono_ms() > deadline)
			fail_msg("waited too long until %s", what);
		(void)poll(NULL, 0, 5);
	}
}

#endif

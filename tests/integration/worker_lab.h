/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the real patchbay-worker against a host that is a real sshd on loopback. */
#ifndef TESTS_WORKER_LAB_H
#define TESTS_WORKER_LAB_H

#include "tests/integration/sshd.h"

#include "base/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#define LAB_MAX_EVENTS (16 * 1024 * 1024)
#define LAB_RUN_MS 120000

struct worker_lab {
	struct sshd *sshd;
	char *root; /* of the host */
	int64_t epoch;
	/* what to do, once, when this text has come in the events */
	const char *trigger;
	void (*action)(struct worker_lab *lab);
	pid_t worker; /* while it runs */
	/* of the last run */
	cJSON *events;
	char *artifacts;
	int64_t acted_ms; /* monotonic; 0: the trigger did not come */
	int64_t ended_ms;
};

static inline struct worker_lab *lab_new(void)
{
	struct worker_lab *lab = xcalloc(1, sizeof(*lab));

	lab->sshd = sshd_new();
	lab->root = sshd_file(lab->sshd, "root");
	return lab;
}

static inline void lab_forget(struct worker_lab *lab)
{
	cJSON_Delete(lab->events);
	free(lab->artifacts);
	lab->events = NULL;
	lab->artifacts = NULL;
	lab->acted_ms = 0;
}

static inline void lab_free(struct worker_lab *lab)
{
	lab_forget(lab);
	sshd_free(lab->sshd);
	free(lab->root);
	free(lab);
}

/* A job with everything but what its kind needs. */
static inline cJSON *lab_job(struct worker_lab *lab, const char *kind)
{
	cJSON *job = cJSON_CreateObject(), *host;

	lab_forget(lab);
	lab->epoch++;
	lab->artifacts = xasprintf("%s/artifacts/%lld", lab->sshd->dir, (long long)lab->epoch);
	assert_int_equal(file_mkdirs(lab->artifacts, 0755, NULL), 0);
	json_set_int(job, "job", lab->epoch);
	json_set_str(job, "kind", kind);
	json_set_int(job, "attempt", 1);
	json_set_int(job, "epoch", lab->epoch);
	json_set_str(job, "lab", "testlab");
	json_set_str(job, "artifacts", lab->artifacts);
	json_set_str(job, "cache", lab->artifacts);
	host = json_add_object(job, "host");
	json_set_str(host, "name", "loopback");
	json_set_str(host, "address", "127.0.0.1");
	json_set_int(host, "port", lab->sshd->port);
	json_set_str(host, "user", lab->sshd->user);
	json_set_str(host, "key", lab->sshd->key);
	json_set_str(host, "host_key", lab->sshd->host_key);
	json_set_str(host, "root", lab->root);
	return job;
}

static inline void lab_add_event(struct worker_lab *lab, const char *line, size_t len)
{
	cJSON *event = NULL;

	if (json_parse(line, len, &event, NULL))
		fail_msg("no event: %.*s", (int)len, line);
	cJSON_AddItemToArray(lab->events, event);
}

/* Read events until the worker closes its end; act on the trigger. */
static inline void lab_listen(struct worker_lab *lab, int fd)
{
	int64_t deadline_ms = clock_mono_ms() + LAB_RUN_MS;
	AUTO_STRBUF struct strbuf in;
	const char *newline;
	char buf[65536];
	ssize_t n;

	strbuf_init(&in, LAB_MAX_EVENTS);
	for (;;) {
		struct pollfd pfd = {.fd = fd, .events = POLLIN};

		if (poll(&pfd, 1, clock_poll_ms(deadline_ms)) <= 0)
			fail_msg("the worker does not end; it said: %s", in.buf);
		n = read(fd, buf, sizeof(buf));
		if (n <= 0)
			break;
		strbuf_add(&in, buf, (size_t)n);
		while ((newline = memchr(in.buf, '\n', in.len))) {
			size_t len = (size_t)(newline - in.buf);
			bool hit;

			lab_add_event(lab, in.buf, len);
			in.buf[len] = '\0';
			hit = lab->trigger && strstr(in.buf, lab->trigger);
			strbuf_consume(&in, len + 1);
			if (hit) {
				lab->trigger = NULL;
				lab->acted_ms = clock_mono_ms();
				lab->action(lab);
			}
		}
	}
	if (in.len)
		fail_msg("half an event: %s", in.buf);
}

/* Takes the job over. Returns the end event. */
static inline const cJSON *lab_run(struct worker_lab *lab, cJSON *job)
{
	AUTO_JSON cJSON *owned = job;
	AUTO_FREE char *text = json_text(owned);
	AUTO_FREE char *input = path_join(lab->artifacts, "job.json");
	AUTO_FREE char *errors = path_join(lab->artifacts, "worker.err");
	const char *const argv[] = {
		TEST_BIN_DIR "/patchbay-worker", json_str(owned, "kind", "?"), NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CHILD struct child child = CHILD_INIT;
	AUTO_CLOSE int in = -1;
	AUTO_CLOSE int err = -1;
	struct error e = ERROR_INIT;
	int fds[2], status;

	assert_int_equal(file_write_atomic(input, text, strlen(text), 0600, NULL), 0);
	in = open(input, O_RDONLY | O_CLOEXEC);
	err = open(errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	spec.fds[0] = in;
	spec.fds[2] = err;
	spec.fds[3] = fds[1];
	lab->events = cJSON_CreateArray();
	if (child_start(&spec, &child, &e))
		fail_msg("%s", e.msg);
	close(fds[1]);
	lab->worker = child.pid;
	lab_listen(lab, fds[0]);
	close(fds[0]);
	assert_int_equal(child_wait(&child, clock_mono_ms() + 10000, &status, &e), 0);
	lab->ended_ms = clock_mono_ms();
	return cJSON_GetArrayItem(lab->events, cJSON_GetArraySize(lab->events) - 1);
}

static inline void lab_expect(
	struct worker_lab *lab, const cJSON *end, const char *status, const char *words)
{
	const char *reason = json_str(end, "reason", "");

	if (!streq(json_str(end, "event", ""), "end") ||
		!streq(json_str(end, "status", ""), status) || !strstr(reason, words)) {
		AUTO_FREE char *all = json_text(lab->events);

		fail_msg("not %s (%s): %s", status, words, all);
	}
}

/* The i-th event of this name, or NULL. */
static inline const cJSON *lab_event(const struct worker_lab *lab, const char *name, int i)
{
	const cJSON *event;

	json_for_each (event, lab->events)
		if (streq(json_str(event, "event", ""), name) && i-- == 0)
			return event;
	return NULL;
}

static inline int lab_count(const struct worker_lab *lab, const char *name)
{
	int n = 0;

	while (lab_event(lab, name, n))
		n++;
	return n;
}

/* A finding whose signature has these words, or NULL. */
static inline const cJSON *lab_finding(const struct worker_lab *lab, const char *words)
{
	const cJSON *event;

	for (int i = 0; (event = lab_event(lab, "finding", i)); i++)
		if (strstr(json_str(event, "signature", ""), words))
			return event;
	return NULL;
}

/* A file of the last run's artifacts, heap. */
static inline char *lab_artifact(const struct worker_lab *lab, const char *name)
{
	AUTO_FREE char *path = path_join(lab->artifacts, name);
	struct error e = ERROR_INIT;
	char *text;

	if (file_read(path, LAB_MAX_EVENTS, &text, NULL, &e))
		fail_msg("%s", e.msg);
	return text;
}

/* How many processes have these words in their command line; all of them belong to this test if
 * the words hold its folder. */
static inline int lab_processes(const char *words)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int n = 0;

	assert_non_null(proc);
	while ((d = readdir(proc))) {
		AUTO_FREE char *path = xasprintf("/proc/%s/cmdline", d->d_name);
		AUTO_FREE char *text = NULL;
		size_t len;

		if (d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
			!file_read(path, 1 << 20, &text, &len, NULL))
			n += memmem(text, len, words, strlen(words)) != NULL;
	}
	closedir(proc);
	return n;
}

/* Wait until there are none; how many are left after ten seconds. */
static inline int lab_processes_left(const char *words)
{
	int64_t end_ms = clock_mono_ms() + 10000;
	int n;

	do
		n = lab_processes(words);
	while (n && clock_mono_ms() < end_ms && !poll(NULL, 0, 50));
	return n;
}

static inline void lab_kill_sshd(struct worker_lab *lab)
{
	sshd_kill(lab->sshd);
}

static inline void lab_terminate(struct worker_lab *lab)
{
	kill(lab->worker, SIGTERM);
}

#endif

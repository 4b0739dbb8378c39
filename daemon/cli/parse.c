/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `patchbay parse`: the worker that reads mail, run by hand. No lab is needed. */
#include "daemon/cli/cli.h"
#include "daemon/cli/text.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#define MAIL_MAX ((size_t)256 * 1024 * 1024)
#define EVENTS_MAX ((size_t)256 * 1024 * 1024)
#define PARSE_MS (5 * 60 * 1000)

/* A folder for the worker, gone when it goes out of scope. */
struct scratch {
	char path[64];
};

static int scratch_init(struct scratch *s, struct error *e)
{
	(void)snprintf(s->path, sizeof(s->path), "/tmp/patchbay-parse.XXXXXX");
	if (!mkdtemp(s->path)) {
		s->path[0] = '\0';
		return error_errno(e, "cannot make a folder in /tmp");
	}
	return 0;
}

static void scratch_done(struct scratch *s)
{
	if (s->path[0])
		(void)file_remove_tree(s->path, NULL);
}

/* The mail's absolute path; standard input is copied first. */
static int mail_path(const char *arg, const struct scratch *s, char **ret_path, struct error *e)
{
	AUTO_FREE char *mail = NULL;
	AUTO_FREE char *copy = path_join(s->path, "mail");
	size_t len;
	int r;

	if (!streq(arg, "-")) {
		*ret_path = realpath(arg, NULL);
		return *ret_path ? 0 : error_errno(e, "cannot open %s", arg);
	}
	r = file_read_fd(STDIN_FILENO, "standard input", MAIL_MAX, &mail, &len, e);
	if (r == 0)
		r = file_write_atomic(copy, mail, len, 0600, e);
	if (r == 0)
		*ret_path = steal_ptr(copy);
	return r;
}

static int job_fd(const char *mail, const struct scratch *s, struct error *e)
{
	AUTO_JSON cJSON *job = cJSON_CreateObject();
	AUTO_FREE char *cache = path_cache();
	AUTO_FREE char *text = NULL;
	AUTO_CLOSE int fd = memfd_create("job", MFD_CLOEXEC);

	json_set_int(job, "job", 1);
	json_set_str(job, "kind", "parse");
	json_set_int(job, "attempt", 1);
	json_set_int(job, "epoch", 1);
	json_set_str(job, "lab", "none");
	json_set_str(job, "artifacts", s->path);
	json_set_str(job, "cache", cache);
	json_set_str(job, "mbox", mail);
	text = json_text(job);
	if (fd < 0 || write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_errno(e, "cannot write the job");
	return steal_fd(&fd);
}

/* The last line, which has to be the end event. */
static int last_event(const char *events, cJSON **ret_end, struct error *e)
{
	const char *line = events ? events : "";
	const char *next;

	while ((next = strchr(line, '\n')) && next[1])
		line = next + 1;
	if (json_parse(line, strlen(line), ret_end, e) < 0 ||
		!streq(json_str(*ret_end, "event", ""), "end"))
		return error_set(e, ERR_STATE, "patchbay-worker ended without an answer");
	return 0;
}

/* Until the end of what it writes; a worker that hangs is not waited for. */
static int read_events(int fd, int64_t deadline_ms, char **ret_events, struct error *e)
{
	AUTO_STRBUF struct strbuf events;
	char buf[65536];
	ssize_t n = 1;

	strbuf_init(&events, EVENTS_MAX);
	while (n != 0) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = poll(&p, 1, clock_poll_ms(deadline_ms));

		if (ready == 0)
			return error_set(e, ERR_TIMEOUT,
				"patchbay-worker did not end within %d s and was killed",
				PARSE_MS / 1000);
		n = ready < 0 ? -1 : read(fd, buf, sizeof(buf));
		if (n < 0 && errno != EINTR)
			return error_errno(e, "cannot read what patchbay-worker says");
		if (n > 0 && strbuf_add(&events, buf, (size_t)n) < 0)
			return error_set(e, ERR_LIMIT,
				"what patchbay-worker says is larger than the limit of %zu bytes",
				EVENTS_MAX);
	}
	*ret_events = strbuf_detach(&events, NULL);
	return 0;
}

static int run_worker(const char *mail, const struct scratch *s, cJSON **ret_end, struct error *e)
{
	AUTO_FREE char *dir = path_self_dir();
	AUTO_FREE char *worker = path_join(dir, "patchbay-worker");
	AUTO_FREE char *events = NULL;
	const char *argv[] = {worker, "parse", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CHILD struct child child = CHILD_INIT;
	AUTO_CLOSE int job = job_fd(mail, s, e);
	int64_t deadline_ms = clock_mono_ms() + PARSE_MS;
	int pipe_fd[2];
	int status;
	int r;

	if (job < 0)
		return job;
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return error_errno(e, "cannot make a pipe");
	spec.fds[0] = job;
	spec.fds[2] = STDERR_FILENO;
	spec.fds[3] = pipe_fd[1];
	r = child_start(&spec, &child, e);
	if (r == ERR_MISSING)
		r = error_set(e, ERR_STATE, "%s is missing: this Patchbay is not whole", worker);
	close(pipe_fd[1]);
	if (r == 0)
		r = read_events(pipe_fd[0], deadline_ms, &events, e);
	close(pipe_fd[0]);
	if (r == 0)
		r = child_wait(&child, deadline_ms, &status, e);
	return r < 0 ? r : last_event(events, ret_end, e);
}

/* Text out of a mail, which may hold anything. */
static void print_text(const cJSON *o, const char *name, const char *otherwise)
{
	const char *text = json_str(o, name, otherwise);

	text_safe(stdout, text, strlen(text), false);
}

static void print_patches(const cJSON *series)
{
	const cJSON *patch;
	const cJSON *file;

	json_for_each (patch, json_get(series, "patches")) {
		(void)printf("  %2lld ", (long long)json_int(patch, "n", 0));
		print_text(patch, "subject", "");
		if (json_int(patch, "version", 1) != json_int(series, "version", 1))
			(void)printf(
				" (as in version %lld)", (long long)json_int(patch, "version", 1));
		(void)fputc('\n', stdout);
		json_for_each (file, json_get(patch, "files")) {
			(void)fputs("       ", stdout);
			if (cJSON_IsString(file))
				text_safe(stdout, file->valuestring, strlen(file->valuestring),
					false);
			(void)fputc('\n', stdout);
		}
	}
}

/* What replies gave it. */
static void print_trailers(const cJSON *series)
{
	const cJSON *t;

	json_for_each (t, json_get(series, "trailers")) {
		int64_t patch = json_int(t, "patch", 0);

		if (!json_bool(t, "reply", false))
			continue;
		(void)fputs(json_str(t, "refused", NULL) ? "  refused " : "  ", stdout);
		print_text(t, "name", "");
		(void)fputs(": ", stdout);
		print_text(t, "value", "");
		if (patch)
			(void)printf(" (patch %lld)", (long long)patch);
		if (json_str(t, "refused", NULL)) {
			(void)fputs(": ", stdout);
			print_text(t, "refused", "");
		}
		(void)fputc('\n', stdout);
	}
}

static void print_changes(const cJSON *previous)
{
	const cJSON *change;

	if (!cJSON_IsObject(previous))
		return;
	(void)printf(
		"  since version %lld (linked by ", (long long)json_int(previous, "version", 0));
	print_text(previous, "linked_by", "");
	(void)fputs("):\n", stdout);
	json_for_each (change, json_get(previous, "changes")) {
		(void)fputs("    ", stdout);
		print_text(change, "text", "");
		(void)fputc('\n', stdout);
	}
}

static void print_series(const cJSON *series)
{
	print_text(series, "title", "(no title)");
	(void)printf("\n  version %lld, %d of %lld patches, %lld replies\n",
		(long long)json_int(series, "version", 1),
		cJSON_GetArraySize(json_get(series, "patches")),
		(long long)json_int(series, "total", 0), (long long)json_int(series, "replies", 0));
	if (json_str(series, "held", NULL)) {
		(void)fputs("  held: ", stdout);
		print_text(series, "held", "");
		(void)fputc('\n', stdout);
	}
	if (json_str(series, "base_commit", NULL))
		(void)printf("  base %.40s\n", json_str(series, "base_commit", ""));
	print_patches(series);
	print_trailers(series);
	print_changes(json_get(series, "previous"));
}

static void print_parsed(const cJSON *result)
{
	const cJSON *item;

	json_for_each (item, json_get(result, "series")) {
		print_series(item);
	}
	json_for_each (item, json_get(result, "ignored")) {
		const char *id = json_str(item, "message_id", "(no message id)");
		const char *why = json_str(item, "why", "");

		(void)fputs("ignored ", stdout);
		text_safe(stdout, id, strlen(id), false);
		(void)fputs(": ", stdout);
		text_safe(stdout, why, strlen(why), false);
		(void)fputc('\n', stdout);
	}
}

static int parse(const char *arg, cJSON **ret_end, struct error *e)
{
	struct scratch s CLEANUP(scratch_done) = {""};
	AUTO_FREE char *mail = NULL;
	int r = scratch_init(&s, e);

	if (r == 0)
		r = mail_path(arg, &s, &mail, e);
	return r < 0 ? r : run_worker(mail, &s, ret_end, e);
}

static int run_parse(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *end = NULL;
	const cJSON *result;
	const char *status;

	if (parse(c->args[0], &end, &e) < 0)
		return cli_fail_error(c, &e);
	result = json_get(end, "result");
	status = json_str(end, "status", "error");
	if (!streq(status, "pass")) {
		error_set(&e, streq(status, "fail") ? ERR_SYNTAX : ERR_STATE, "%s",
			json_str(end, "reason", "patchbay-worker gave no reason"));
		return cli_fail_error(c, &e);
	}
	if (c->json)
		cli_print_json(c, result);
	else
		print_parsed(result);
	if (cJSON_GetArraySize(json_get(result, "series")) > 0)
		return CLI_GOOD;
	cli_note("patchbay: there is no patch in %s", c->args[0]);
	return CLI_USAGE;
}

const struct command parse_commands[] = {
	{"parse", "FILE|-", "what a mail file is understood as; needs no lab", NULL, NULL, 1, 1,
		run_parse},
	{0},
};

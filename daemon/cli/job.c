/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/text.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>

#define LOG_MAX ((size_t)256 * 1024 * 1024)
#define PATIENCE_MS (2 * 60 * 1000)
#define RETRY_MS 500
#define SCRIPT_MAX ((size_t)1024 * 1024)

static const struct cli_option ls_options[] = {
	{"series", 0, "ID", "of one series only: its newest run's"},
	{"comparison", 0, "ID", "of one comparison only: its newest run's"},
	{NULL, 0, NULL, NULL},
};

static const struct cli_option log_options[] = {
	{"follow", 'f', NULL, "go on while it grows, until the job ends"},
	{NULL, 0, NULL, NULL},
};

static const struct column list_columns[] = {
	{"ID", "id", COLUMN_TEXT},
	{"KIND", "kind", COLUMN_TEXT},
	{"STATUS", "status", COLUMN_TEXT},
	{"SERIES", "series", COLUMN_TEXT},
	{"COMPARISON", "comparison", COLUMN_TEXT},
	{"PATCH", "patch", COLUMN_TEXT},
	{"SIDE", "side", COLUMN_TEXT},
	{"CLOCK", "clock", COLUMN_TEXT},
	{"PART", "part", COLUMN_TEXT},
	{"PAIR", "pair", COLUMN_TEXT},
	{"WHERE", "host", COLUMN_TEXT},
	{"SECONDS", "seconds", COLUMN_TEXT},
	{"REASON", "reason", COLUMN_TEXT},
	{NULL, NULL, 0},
};

static const struct column show_columns[] = {
	{"job", "id", COLUMN_TEXT},
	{"kind", "kind", COLUMN_TEXT},
	{"status", "status", COLUMN_TEXT},
	{"reason", "reason", COLUMN_TEXT},
	{"series", "series", COLUMN_TEXT},
	{"comparison", "comparison", COLUMN_TEXT},
	{"run", "run", COLUMN_TEXT},
	{"attempt", "attempt", COLUMN_TEXT},
	{"tree", "tree", COLUMN_TEXT},
	{"host", "host", COLUMN_TEXT},
	{"machine", "machine", COLUMN_TEXT},
	{"patch", "patch", COLUMN_TEXT},
	{"commit", "commit", COLUMN_TEXT},
	{"side", "side", COLUMN_TEXT},
	{"role", "role", COLUMN_TEXT},
	{"clock", "clock", COLUMN_TEXT},
	{"part", "part", COLUMN_TEXT},
	{"pair", "pair", COLUMN_TEXT},
	{"seed", "seed", COLUMN_TEXT},
	{"queued", "queued", COLUMN_TIME},
	{"started", "started", COLUMN_TIME},
	{"ended", "ended", COLUMN_TIME},
	{NULL, NULL, 0},
};

static int run_ls(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *list = NULL;
	AUTO_STRBUF struct strbuf path;
	const char *series = cli_opt(c, "series");
	const char *comparison = cli_opt(c, "comparison");
	int64_t id;

	strbuf_init(&path, 256);
	(void)strbuf_adds(&path, "/jobs");
	if ((series && cli_id(series, "series", &id, &e) < 0) ||
		(comparison && cli_id(comparison, "comparison", &id, &e) < 0))
		return cli_fail_error(c, &e);
	(void)client_query(&path, "series", series);
	(void)client_query(&path, "comparison", comparison);
	if (!cli_client(c, &e) || client_list(c->client, path.buf, &list, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, list);
	else
		text_table(stdout, json_get(list, "items"), list_columns);
	return CLI_GOOD;
}

static int run_show(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *job = NULL;
	char path[64];
	int64_t id;

	if (cli_id(c->args[0], "job", &id, &e) < 0 || !cli_client(c, &e))
		return cli_fail_error(c, &e);
	(void)snprintf(path, sizeof(path), "/jobs/%lld", (long long)id);
	if (client_get(c->client, path, &job, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, job);
	else
		text_record(stdout, job, show_columns);
	return CLI_GOOD;
}

/* One event of a log's stream to a stream; true at the job's end. */
static bool take_log_event(const struct event *event, FILE *to)
{
	AUTO_JSON cJSON *j = NULL;
	const char *text;

	if (json_parse(event->data, strlen(event->data), &j, NULL) < 0)
		return false;
	if (streq(event->name, "restart"))
		cli_note("patchbay: the job began anew, and its log with it");
	if (streq(event->name, "log")) {
		text = json_str(j, "text", "");
		text_out(to, text, strlen(text));
		(void)fflush(to);
	}
	return streq(event->name, "end");
}

/* Until the job's end (1), or the stream's (an error); *last says where to go on. */
static int read_log_stream(struct cli *c, const char *path, struct strbuf *last, FILE *to,
	bool *moved, struct error *e)
{
	struct events *ev = NULL;
	bool ended = false;
	int r = events_open(c->client, path, last->buf, &ev, e);

	while (r >= 0 && !ended) {
		struct event event;

		r = events_next(ev, -1, -1, &event, e);
		if (r != EVENTS_GOT)
			continue;
		*moved = true;
		ended = take_log_event(&event, to);
		strbuf_truncate(last, 0);
		(void)strbuf_adds(last, events_last_id(ev));
	}
	events_close(ev);
	return ended ? 1 : r;
}

/* The log as it grows, to the job's end. A lab that goes away has a while to come back. */
static int follow_log(struct cli *c, const char *path, FILE *to, struct error *e)
{
	AUTO_STRBUF struct strbuf last;
	int64_t give_up_ms = 0;
	int r;

	strbuf_init(&last, 256);
	for (;;) {
		bool moved = false;

		r = read_log_stream(c, path, &last, to, &moved, e);
		if (r == 1)
			return 0;
		if (moved)
			give_up_ms = clock_mono_ms() + PATIENCE_MS;
		if (r != ERR_LINK || clock_mono_ms() >= give_up_ms)
			return r;
		(void)poll(NULL, 0, RETRY_MS);
	}
}

static int print_log(struct cli *c, const char *path, bool follow, struct error *e)
{
	AUTO_FREE char *text = NULL;
	int r;

	if (follow)
		return follow_log(c, path, stdout, e);
	if (!isatty(STDOUT_FILENO))
		return client_copy(c->client, path, stdout, e);
	r = client_get_text(c->client, path, "text/plain, */*;q=0.5", LOG_MAX, &text, e);
	if (r == 0)
		text_out(stdout, text, strlen(text));
	return r;
}

/* The log as one document: with -f, once the job has ended. */
static int log_document(struct cli *c, int64_t id, bool follow, struct error *e)
{
	AUTO_JSON cJSON *j = cJSON_CreateObject();
	AUTO_FREE char *text = NULL;
	char path[64];
	int r = 0;

	(void)snprintf(path, sizeof(path), "/jobs/%lld/log?follow=1", (long long)id);
	if (follow)
		r = follow_log(c, path, stderr, e);
	(void)snprintf(path, sizeof(path), "/jobs/%lld/log", (long long)id);
	if (r == 0)
		r = client_get_text(c->client, path, "text/plain, */*;q=0.5", LOG_MAX, &text, e);
	if (r < 0)
		return r;
	json_set_int(j, "id", id);
	json_set_str(j, "log", text);
	cli_print_json(c, j);
	return 0;
}

static int run_log(struct cli *c)
{
	struct error e = ERROR_INIT;
	bool follow = cli_opt(c, "follow") != NULL;
	char path[64];
	int64_t id;
	int r;

	if (cli_id(c->args[0], "job", &id, &e) < 0 || !cli_client(c, &e))
		return cli_fail_error(c, &e);
	(void)snprintf(
		path, sizeof(path), "/jobs/%lld/log%s", (long long)id, follow ? "?follow=1" : "");
	r = c->json ? log_document(c, id, follow, &e) : print_log(c, path, follow, &e);
	return r < 0 ? cli_fail_error(c, &e) : CLI_GOOD;
}

/* The script, or one document that holds it. */
static int run_reproduce(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_FREE char *text = NULL;
	AUTO_JSON cJSON *answer = cJSON_CreateObject();
	char path[64];
	int64_t id;

	if (cli_id(c->args[0], "job", &id, &e) < 0 || !cli_client(c, &e))
		return cli_fail_error(c, &e);
	(void)snprintf(path, sizeof(path), "/jobs/%lld/reproduce", (long long)id);
	if (client_get_text(c->client, path, "text/x-shellscript", SCRIPT_MAX, &text, &e) < 0)
		return cli_fail_error(c, &e);
	if (!c->json) {
		text_out(stdout, text, strlen(text));
		return CLI_GOOD;
	}
	json_set_int(answer, "id", id);
	json_set_str(answer, "script", text);
	cli_print_json(c, answer);
	return CLI_GOOD;
}

const struct command job_commands[] = {
	{"job ls", "[--series ID | --comparison ID]", "what was done and is being done", NULL,
		ls_options, 0, 0, run_ls},
	{"job show", "ID", "one job in full", NULL, NULL, 1, 1, run_show},
	{"job log", "ID [-f]", "what the compiler, or the console, said", NULL, log_options, 1, 1,
		run_log},
	{"job reproduce", "ID", "a shell script that does a build or a boot once more, by hand",
		NULL, NULL, 1, 1, run_reproduce},
	{0},
};

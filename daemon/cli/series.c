/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/series.h"
#include "daemon/cli/client.h"
#include "daemon/cli/follow.h"
#include "daemon/cli/noun.h"
#include "daemon/cli/text.h"
#include <errno.h>

#define REPORT_MAX ((size_t)256 * 1024 * 1024)

static const struct cli_option wait_options[] = {
	{"wait", 0, NULL, "until it has finished, then print the report"},
	{NULL, 0, NULL, NULL},
};

static const struct cli_option report_options[] = {
	{"format", 0, "FORMAT", "text, json, mail or junit (text; json with --json)"},
	{"wait", 0, NULL, "until it has finished; exits by its verdict"},
	{NULL, 0, NULL, NULL},
};

static const struct column list_columns[] = {
	{"ID", "id", COLUMN_TEXT},
	{"STATE", "state", COLUMN_TEXT},
	{"VERDICT", "verdict", COLUMN_TEXT},
	{"PERFORMANCE", "performance", COLUMN_TEXT},
	{"TREE", "tree", COLUMN_TEXT},
	{"PATCHES", "patches", COLUMN_TEXT},
	{"TITLE", "title", COLUMN_TEXT},
	{NULL, NULL, 0},
};

static const struct column comparison_list_columns[] = {
	{"ID", "id", COLUMN_TEXT},
	{"STATE", "state", COLUMN_TEXT},
	{"VERDICT", "verdict", COLUMN_TEXT},
	{"PERFORMANCE", "performance", COLUMN_TEXT},
	{"TREE", "tree", COLUMN_TEXT},
	{"BASE", "base", COLUMN_COMMIT},
	{"PATCHED", "patched", COLUMN_COMMIT},
	{"TITLE", "title", COLUMN_TEXT},
	{NULL, NULL, 0},
};

static const struct column comparison_show_columns[] = {
	{"comparison", "id", COLUMN_TEXT},
	{"title", "title", COLUMN_TEXT},
	{"tree", "tree", COLUMN_TEXT},
	{"base asked", "base_asked", COLUMN_TEXT},
	{"base", "base", COLUMN_TEXT},
	{"patched asked", "patched_asked", COLUMN_TEXT},
	{"patched", "patched", COLUMN_TEXT},
	{"profile", "profile", COLUMN_TEXT},
	{"run", "run", COLUMN_TEXT},
	{"state", "state", COLUMN_TEXT},
	{"held", "held", COLUMN_TEXT},
	{"verdict", "verdict", COLUMN_TEXT},
	{"performance", "performance", COLUMN_TEXT},
	{"reasons", "reasons", COLUMN_LIST},
	{NULL, NULL, 0},
};

static const struct column show_columns[] = {
	{"series", "id", COLUMN_TEXT},
	{"title", "title", COLUMN_TEXT},
	{"version", "version", COLUMN_TEXT},
	{"patches", "patches", COLUMN_TEXT},
	{"tree", "tree", COLUMN_TEXT},
	{"base", "base", COLUMN_COMMIT},
	{"profile", "profile", COLUMN_TEXT},
	{"until", "until", COLUMN_TEXT},
	{"run", "run", COLUMN_TEXT},
	{"state", "state", COLUMN_TEXT},
	{"held", "held", COLUMN_TEXT},
	{"verdict", "verdict", COLUMN_TEXT},
	{"performance", "performance", COLUMN_TEXT},
	{"reasons", "reasons", COLUMN_LIST},
	{NULL, NULL, 0},
};

const struct subject series_subject = {"series", "/series", list_columns, show_columns};
const struct subject comparison_subject = {
	"comparison", "/comparisons", comparison_list_columns, comparison_show_columns};

/* One request about one series; the answer is the series. */
static int ask(struct cli *c, const char *verb, cJSON **ret_series, struct error *e)
{
	const struct subject *about = c->about;
	int64_t id;
	char path[64];
	int r = cli_id(c->args[0], about->noun, &id, e);

	if (r < 0)
		return r;
	if (!cli_client(c, e))
		return e->code;
	(void)snprintf(path, sizeof(path), "%s/%lld%s%s", about->path, (long long)id,
		verb ? "/" : "", verb ? verb : "");
	return verb ? client_post(c->client, path, NULL, ret_series, e)
		    : client_get(c->client, path, ret_series, e);
}

static int run_ls(struct cli *c)
{
	return noun_ls(c, c->about->path, c->about->list);
}

/* format: one of those that known_format() knows. */
static int print_report(struct cli *c, int64_t id, const char *format, struct error *e)
{
	AUTO_FREE char *text = NULL;
	AUTO_JSON cJSON *report = NULL;
	char path[96];
	int r;

	(void)snprintf(path, sizeof(path), "%s/%lld/report?format=%s", c->about->path,
		(long long)id, format);
	if (streq(format, "json")) {
		r = client_get(c->client, path, &report, e);
		if (r == 0)
			cli_print_json(c, report);
		return r;
	}
	r = client_get_text(c->client, path, "*/*", REPORT_MAX, &text, e);
	if (r < 0)
		return r;
	if (c->json) {
		report = cJSON_CreateObject();
		json_set_str(report, "format", format);
		json_set_str(report, "text", text);
		cli_print_json(c, report);
	} else {
		text_out(stdout, text, strlen(text));
	}
	return 0;
}

/* Follow it to its end, print the report; returns the exit code, failures told. */
static int wait_and_report(struct cli *c, int64_t id, const char *format)
{
	const char *noun = c->about->noun;
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *series = NULL;
	const char *held;

	if (follow_series(c, id, &series, &e) < 0 || print_report(c, id, format, &e) < 0)
		return cli_fail_error(c, &e);
	held = json_str(series, "held", NULL);
	if (held)
		cli_note("patchbay: %s %lld is held: %s", noun, (long long)id, held);
	else if (streq(json_str(series, "state", ""), "cancelled"))
		cli_note("patchbay: %s %lld was cancelled", noun, (long long)id);
	return follow_exit(series);
}

static int wait_and_report_default(struct cli *c, const cJSON *series)
{
	return wait_and_report(c, json_int(series, "id", 0), c->json ? "json" : "text");
}

static int run_show(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *series = NULL;

	if (ask(c, NULL, &series, &e) < 0)
		return cli_fail_error(c, &e);
	if (cli_opt(c, "wait"))
		return wait_and_report_default(c, series);
	if (c->json)
		cli_print_json(c, series);
	else
		text_record(stdout, series, c->about->show);
	return CLI_GOOD;
}

/* What was done to it: with --wait it is followed; done: what is said behind its name. */
static int answer(struct cli *c, const cJSON *series, const char *done)
{
	if (cli_opt(c, "wait"))
		return wait_and_report_default(c, series);
	if (c->json)
		cli_print_json(c, series);
	else
		(void)printf(
			"%s %lld%s\n", c->about->noun, (long long)json_int(series, "id", 0), done);
	return CLI_GOOD;
}

int series_submitted(struct cli *c, const cJSON *series)
{
	const char *noun = c->about->noun;
	long long id = json_int(series, "id", 0);
	AUTO_FREE char *done = xasprintf(": `patchbay %s report %lld --wait` follows it", noun, id);

	if (client_status(c->client) == 200)
		cli_note("the same was submitted before: it is %s %lld, which `patchbay %s rerun "
			 "%lld` does again",
			noun, id, noun, id);
	return answer(c, series, done);
}

static int change(struct cli *c, const char *verb, const char *done)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *series = NULL;

	return ask(c, verb, &series, &e) < 0 ? cli_fail_error(c, &e) : answer(c, series, done);
}

static int run_rerun(struct cli *c)
{
	return change(c, "rerun", " runs again");
}

static int run_cancel(struct cli *c)
{
	return change(c, "cancel", " is cancelled");
}

static int run_approve(struct cli *c)
{
	return change(c, "approve", " is approved");
}

static bool known_format(const char *format)
{
	static const char *const formats[] = {"text", "json", "mail", "junit"};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (streq(format, formats[i]))
			return true;
	return false;
}

static int run_report(struct cli *c)
{
	struct error e = ERROR_INIT;
	const char *format = cli_opt(c, "format");
	int64_t id;

	if (!format)
		format = c->json ? "json" : "text";
	if (!known_format(format)) {
		error_set(&e, -EINVAL, "no format `%s`: it is one of text, json, mail, junit",
			format);
		return cli_fail_error(c, &e);
	}
	if (cli_id(c->args[0], c->about->noun, &id, &e) < 0 || !cli_client(c, &e))
		return cli_fail_error(c, &e);
	if (cli_opt(c, "wait"))
		return wait_and_report(c, id, format);
	return print_report(c, id, format, &e) < 0 ? cli_fail_error(c, &e) : CLI_GOOD;
}

const struct command series_commands[] = {
	{"series ls", "", "the series that were submitted, newest first", NULL, NULL, 0, 0, run_ls},
	{"series show", "ID [--wait]", "what a series is and where it stands", NULL, wait_options,
		1, 1, run_show},
	{"series rerun", "ID [--wait]", "boot everything again under the same id",
		"The report is then the newest run's alone.", wait_options, 1, 1, run_rerun},
	{"series cancel", "ID", "stop working on a series", NULL, NULL, 1, 1, run_cancel},
	{"series approve", "ID", "let a held series from an archive run", NULL, NULL, 1, 1,
		run_approve},
	{"series report", "ID [--format FORMAT] [--wait]", "the report on a series",
		"`mail` is a message in reply to the series, as the robots of kernel lists write\n"
		"theirs; who it is from and to is yours to add (git send-email --to=... FILE).\n"
		"`junit` is XML for what reads test results.",
		report_options, 1, 1, run_report},
	{0},
};

const struct command comparison_commands[] = {
	{"comparison ls", "", "the comparisons of two commits, newest first", NULL, NULL, 0, 0,
		run_ls},
	{"comparison show", "ID [--wait]", "what a comparison is and where it stands", NULL,
		wait_options, 1, 1, run_show},
	{"comparison rerun", "ID [--wait]", "build and boot both again under the same id",
		"The report is then the newest run's alone.", wait_options, 1, 1, run_rerun},
	{"comparison cancel", "ID", "stop working on a comparison", NULL, NULL, 1, 1, run_cancel},
	{"comparison report", "ID [--format FORMAT] [--wait]", "the report on a comparison", NULL,
		report_options, 1, 1, run_report},
	{0},
};

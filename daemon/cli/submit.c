/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/follow.h"
#include "daemon/cli/series.h"
#include "base/file.h"
#include <errno.h>
#include <sys/stat.h>

/* More than any lab takes: the lab's own limit is the one that counts, and that it names. */
#define MAIL_MAX ((size_t)256 * 1024 * 1024)
#define NEEDS_MAX 32

static const struct cli_option options[] = {
	{"tree", 0, "TREE", "the tree it goes onto (the one it was made for)"},
	{"git", 0, "RANGE", "in place of FILE: commits of the tree, A..B, or what a revision adds"},
	{"base", 0, "REV", "the commit it goes onto (what it names itself, else the tip)"},
	{"needs", 0, "FILE|ID", "a series that goes on before it; may be repeated, in order"},
	{"profile", 0, "PROFILE", "what to run (dma)"},
	{"until", 0, "apply|build|test", "how far to go (test)"},
	{"keep-older", 0, NULL, "let versions before it that still wait or run go on"},
	{"no-inherit", 0, NULL, "test every build, even where the code is the same"},
	{"wait", 0, NULL, "until it has finished, then print the report"},
	{NULL, 0, NULL, NULL},
};

/* What every submission of one command shares. */
struct order {
	struct cli *c;
	int64_t needs[NEEDS_MAX];
	size_t n_needs;
};

static bool is_url(const char *what)
{
	return starts_with(what, "http://") || starts_with(what, "https://");
}

/* <a@b>, or a@b where no such file is. */
static bool is_message_id(const char *what)
{
	return what[0] == '<' || (strchr(what, '@') && !strchr(what, '/') && !file_exists(what));
}

static void add_options(const struct order *o, const char *until, bool whole, struct strbuf *path)
{
	struct cli *c = o->c;

	(void)client_query(path, "tree", cli_opt(c, "tree"));
	(void)client_query(path, "base", cli_opt(c, "base"));
	(void)client_query(path, "until", until);
	if (whole) {
		(void)client_query(path, "profile", cli_opt(c, "profile"));
		(void)client_query(path, "no_inherit", cli_opt(c, "no-inherit") ? "1" : NULL);
		(void)client_query(path, "keep_older", cli_opt(c, "keep-older") ? "1" : NULL);
	}
	if (o->n_needs > 0) {
		AUTO_STRBUF struct strbuf ids;

		strbuf_init(&ids, 1024);
		for (size_t i = 0; i < o->n_needs; i++)
			(void)strbuf_addf(&ids, "%s%lld", i ? "," : "", (long long)o->needs[i]);
		(void)client_query(path, "needs", ids.buf);
	}
}

static int send_file(const struct order *o, const char *name, const char *until, bool whole,
	cJSON **ret_series, struct error *e)
{
	AUTO_STRBUF struct strbuf path;
	AUTO_FREE char *mail = NULL;
	size_t len = 0;
	int r;

	strbuf_init(&path, 16384);
	r = streq(name, "-")
		    ? file_read_fd(STDIN_FILENO, "standard input", MAIL_MAX, &mail, &len, e)
		    : file_read(name, MAIL_MAX, &mail, &len, e);

	if (r < 0)
		return r;
	(void)strbuf_adds(&path, "/series");
	add_options(o, until, whole, &path);
	return client_upload(o->c->client, path.buf, "application/mbox", mail, len, ret_series, e);
}

/*
 * What --needs names, as an id. A file is submitted and waited for: where it cannot even be read
 * as a series there is nothing to go onto. Whether it applies is judged with the series that needs
 * it, so that its report says so.
 */
static int add_need(struct order *o, const char *what, struct error *e)
{
	AUTO_JSON cJSON *sent = NULL;
	AUTO_JSON cJSON *series = NULL;
	int64_t id;
	int r;

	if (o->n_needs == NEEDS_MAX)
		return error_set(e, ERR_LIMIT, "more than %d --needs", NEEDS_MAX);
	if (parse_int64(what, 1, INT64_MAX, &id) < 0 || file_exists(what)) {
		r = send_file(o, what, "apply", false, &sent, e);
		if (r < 0)
			return error_prefix(e, "--needs %s", what);
		r = follow_series(o->c, json_int(sent, "id", 0), &series, e);
		if (r < 0)
			return r;
		id = json_int(series, "id", 0);
		if (follow_exit(series) == CLI_USAGE)
			return error_set(e, ERR_SYNTAX, "--needs %s: %s", what,
				json_str(series, "held", "it is no series"));
	}
	o->needs[o->n_needs++] = id;
	return 0;
}

/* A series that the lab fetches itself. */
static int send_name(const struct order *o, const char *what, cJSON **ret_series, struct error *e)
{
	AUTO_STRBUF struct strbuf path;
	AUTO_JSON cJSON *body = cJSON_CreateObject();
	const char *range = cli_opt(o->c, "git");

	strbuf_init(&path, 16384);
	(void)strbuf_adds(&path, "/series");
	add_options(o, cli_opt(o->c, "until"), true, &path);
	if (range)
		json_set_str(json_add_object(body, "git"), "range", range);
	else
		json_set_str(body, is_url(what) ? "url" : "message_id", what);
	return client_post(o->c->client, path.buf, body, ret_series, e);
}

static int send_series(const struct order *o, cJSON **ret_series, struct error *e)
{
	const char *what = o->c->n_args ? o->c->args[0] : NULL;

	if (!what || is_url(what) || is_message_id(what))
		return send_name(o, what, ret_series, e);
	return send_file(o, what, cli_opt(o->c, "until"), true, ret_series, e);
}

static int run_submit(struct cli *c)
{
	struct error e = ERROR_INIT;
	struct order o = {.c = c};
	AUTO_JSON cJSON *series = NULL;
	const char *need;

	if ((c->n_args == 0) == !cli_opt(c, "git")) {
		error_set(&e, -EINVAL,
			"what is to be tested? A file, -, a message id, an address, or --git "
			"RANGE");
		return cli_fail_error(c, &e);
	}
	if (!cli_client(c, &e))
		return cli_fail_error(c, &e);
	for (size_t i = 0; (need = cli_opt_nth(c, "needs", i)); i++)
		if (add_need(&o, need, &e) < 0)
			return cli_fail_error(c, &e);
	if (send_series(&o, &series, &e) < 0)
		return cli_fail_error(c, &e);
	return series_submitted(c, series);
}

const struct command submit_commands[] = {
	{"submit", "FILE|-|MESSAGE-ID|URL [options]", "test a patch series",
		"A message id, or the address of a mail, is fetched by the lab from its archive, "
		"with the\n"
		"rest of its series.\n"
		"The same content sent again with the same options onto the same base is the same\n"
		"series: its report is there at once. With --wait the exit code is the verdict's:\n"
		"0 pass, 1 fail or regression, 2 what was sent is no series, 3 the lab cannot "
		"say.\n"
		"Ctrl-C stops the waiting, not the series.",
		options, 0, 1, run_submit},
	{0},
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/noun.h"
#include "daemon/cli/text.h"

static const struct column columns[] = {
	{"NAME", "name", COLUMN_TEXT},
	{"ADDRESS", "address", COLUMN_TEXT},
	{"MAILS", "mails", COLUMN_TEXT},
	{"VISITED", "visited", COLUMN_TIME},
	{"PATHS", "paths", COLUMN_LIST},
	{"REASON", "reason", COLUMN_TEXT},
	{NULL, NULL, 0},
};

static int run_ls(struct cli *c)
{
	return noun_ls(c, "/archives", columns);
}

static int run_visit(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *archive = NULL;
	AUTO_JSON cJSON *now = NULL;
	AUTO_STRBUF struct strbuf path;
	AUTO_FREE char *what = xasprintf("visit to %s", c->args[0]);

	strbuf_init(&path, 512);
	if (noun_path(&path, "/archives", c->args[0], "visit", &e) < 0 || !cli_client(c, &e) ||
		client_post(c->client, path.buf, NULL, &archive, &e) < 0 ||
		noun_settle(c, "/archives", archive, what, &now, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, now);
	else
		(void)printf("%s: %lld mails so far\n", c->args[0],
			(long long)json_int(now, "mails", 0));
	return CLI_GOOD;
}

const struct command archive_commands[] = {
	{"archive ls", "", "the mailing-list archives that are followed",
		"archives.yaml in the state folder names them; it is read again at every visit.",
		NULL, 0, 0, run_ls},
	{"archive visit", "NAME", "look at an archive now; returns when that is done", NULL, NULL,
		1, 1, run_visit},
	{0},
};

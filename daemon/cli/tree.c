/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/noun.h"
#include "daemon/cli/text.h"
#include <errno.h>

static const struct cli_option add_options[] = {
	{"git", 0, "URL", "a repository to mirror and follow"},
	{"deb", 0, "PACKAGE", "a Debian package of kernel source, as linux-source-6.12"},
	{NULL, 0, NULL, NULL},
};

static const struct column columns[] = {
	{"NAME", "name", COLUMN_TEXT},
	{"STATE", "state", COLUMN_TEXT},
	{"TIP", "tip", COLUMN_COMMIT},
	{"VERSION", "version", COLUMN_TEXT},
	{"PATH", "path", COLUMN_TEXT},
	{"REASON", "reason", COLUMN_TEXT},
	{NULL, NULL, 0},
};

/* Follow the tree's import or fetch, then print the tree as it is. */
static int wait_for_tip(struct cli *c, const cJSON *tree)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *now = NULL;
	const char *name = json_str(tree, "name", "");
	AUTO_FREE char *what = xasprintf("import of %s", name);

	if (noun_settle(c, "/trees", tree, what, &now, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, now);
	else
		(void)printf("%s: %s\n", name, json_str(now, "tip", "no tip"));
	return CLI_GOOD;
}

static int run_add(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *body = cJSON_CreateObject();
	AUTO_JSON cJSON *tree = NULL;
	const char *git = cli_opt(c, "git");
	const char *deb = cli_opt(c, "deb");

	if (!git == !deb) {
		error_set(&e, -EINVAL, "where from? Either --git URL or --deb PACKAGE");
		return cli_fail_error(c, &e);
	}
	json_set_str(body, "name", c->args[0]);
	json_set_str(body, git ? "git" : "deb", git ? git : deb);
	if (!cli_client(c, &e) || client_post(c->client, "/trees", body, &tree, &e) < 0)
		return cli_fail_error(c, &e);
	return wait_for_tip(c, tree);
}

static int run_ls(struct cli *c)
{
	return noun_ls(c, "/trees", columns);
}

static int run_fetch(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *tree = NULL;
	AUTO_STRBUF struct strbuf path;

	strbuf_init(&path, 512);
	if (!cli_client(c, &e))
		return cli_fail_error(c, &e);
	if (strbuf_addf(&path, "/trees/%s/fetch", c->args[0]) < 0 || strchr(c->args[0], '/')) {
		error_set(&e, -EINVAL, "`%.60s` is no name of a tree", c->args[0]);
		return cli_fail_error(c, &e);
	}
	if (client_post(c->client, path.buf, NULL, &tree, &e) < 0)
		return cli_fail_error(c, &e);
	return wait_for_tip(c, tree);
}

const struct command tree_commands[] = {
	{"tree add", "NAME (--git URL | --deb PACKAGE)", "follow a tree; returns when it is here",
		"Adding the same tree again changes nothing.", add_options, 1, 1, run_add},
	{"tree ls", "", "the trees there are", NULL, NULL, 0, 0, run_ls},
	{"tree fetch", "NAME", "fetch what is new now", NULL, NULL, 1, 1, run_fetch},
	{0},
};

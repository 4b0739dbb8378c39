/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/series.h"

static const struct cli_option options[] = {
	{"tree", 0, "TREE", "the tree that has both (the only one, where there is one)"},
	{"profile", 0, "PROFILE", "what to run (dma)"},
	{"no-inherit", 0, NULL, "boot both, even where the code is the same"},
	{"wait", 0, NULL, "until it has finished, then print the report"},
	{NULL, 0, NULL, NULL},
};

static int run_compare(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *body = cJSON_CreateObject();
	AUTO_JSON cJSON *comparison = NULL;

	json_set_str(body, "tree", cli_opt(c, "tree"));
	json_set_str(body, "base", c->args[0]);
	json_set_str(body, "patched", c->args[1]);
	json_set_str(body, "profile", cli_opt(c, "profile"));
	json_set_bool(body, "no_inherit", cli_opt(c, "no-inherit") != NULL);
	if (!cli_client(c, &e) || client_post(c->client, "/comparisons", body, &comparison, &e) < 0)
		return cli_fail_error(c, &e);
	return series_submitted(c, comparison);
}

const struct command compare_commands[] = {
	{"compare", "REV REV --tree TREE [options]", "measure one commit of a tree against another",
		"The first revision is the base. Both are built and booted in turn, as a series "
		"and\n"
		"its base are. Where they are the same code nothing can differ, and nothing is "
		"booted\n"
		"unless --no-inherit asks for it.\n"
		"The same revisions with the same options are the same comparison: its report is "
		"there\n"
		"at once. With --wait the exit code says: 0 not worse, 1 worse, 2 no such tree or\n"
		"revision, 3 inconclusive, or the lab cannot say. Ctrl-C stops the waiting alone.",
		options, 2, 2, run_compare},
	{0},
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/noun.h"
#include "daemon/cli/text.h"
#include <errno.h>

static const struct cli_option create_options[] = {
	{"scope", 0, "read|submit|admin", "what it may do"},
	{NULL, 0, NULL, NULL},
};

static const struct column columns[] = {
	{"ID", "id", COLUMN_TEXT},
	{"SCOPE", "scope", COLUMN_TEXT},
	{"CREATED", "created", COLUMN_TIME},
	{"REVOKED", "revoked", COLUMN_TIME},
	{NULL, NULL, 0},
};

static int run_create(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *body = cJSON_CreateObject();
	AUTO_JSON cJSON *token = NULL;

	if (!cli_opt(c, "scope")) {
		error_set(&e, -EINVAL, "what may it do? --scope read, submit or admin");
		return cli_fail_error(c, &e);
	}
	json_set_str(body, "scope", cli_opt(c, "scope"));
	if (!cli_client(c, &e) || client_post(c->client, "/tokens", body, &token, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json) {
		cli_print_json(c, token);
	} else {
		cli_note("token %lld, shown this once:", (long long)json_int(token, "id", 0));
		(void)puts(json_str(token, "token", ""));
	}
	return CLI_GOOD;
}

static int run_ls(struct cli *c)
{
	return noun_ls(c, "/tokens", columns);
}

static int run_revoke(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *answer = cJSON_CreateObject();
	char path[64];
	int64_t id;

	if (cli_id(c->args[0], "token", &id, &e) < 0 || !cli_client(c, &e))
		return cli_fail_error(c, &e);
	(void)snprintf(path, sizeof(path), "/tokens/%lld", (long long)id);
	if (client_delete(c->client, path, &e) < 0)
		return cli_fail_error(c, &e);
	json_set_int(answer, "id", id);
	json_set_bool(answer, "revoked", true);
	if (c->json)
		cli_print_json(c, answer);
	else
		(void)printf("token %lld is revoked\n", (long long)id);
	return CLI_GOOD;
}

const struct command token_commands[] = {
	{"token create", "--scope read|submit|admin", "a token for someone else",
		"It is shown once; the lab keeps only its hash.", create_options, 0, 0, run_create},
	{"token ls", "", "which tokens there are", NULL, NULL, 0, 0, run_ls},
	{"token revoke", "ID", "a token that is good for nothing any more", NULL, NULL, 1, 1,
		run_revoke},
	{0},
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/noun.h"
#include "daemon/cli/client.h"
#include "daemon/cli/follow.h"
#include <errno.h>

int noun_ls(struct cli *c, const char *path, const struct column *columns)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *list = NULL;

	if (!cli_client(c, &e) || client_list(c->client, path, &list, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, list);
	else
		text_table(stdout, json_get(list, "items"), columns);
	return CLI_GOOD;
}

int noun_path(
	struct strbuf *path, const char *nouns, const char *name, const char *verb, struct error *e)
{
	if (strchr(name, '/') || strbuf_addf(path, "%s/%s/%s", nouns, name, verb) < 0)
		return error_set(e, -EINVAL, "`%.60s` is no name: see `patchbay %.*s ls`", name,
			(int)strlen(nouns) - 2, nouns + 1);
	return 0;
}

int noun_post(struct cli *c, const char *nouns, const char *verb, const struct column *columns)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *row = NULL;
	AUTO_STRBUF struct strbuf path;

	strbuf_init(&path, 512);
	if (noun_path(&path, nouns, c->args[0], verb, &e) < 0 || !cli_client(c, &e) ||
		client_post(c->client, path.buf, NULL, &row, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, row);
	else
		text_record(stdout, row, columns);
	return CLI_GOOD;
}

int noun_settle(struct cli *c, const char *path, const cJSON *row, const char *what,
	cJSON **ret_row, struct error *e)
{
	AUTO_JSON cJSON *job = NULL;
	int64_t id = json_int(row, "job", 0);
	int r = id > 0 ? follow_job(c, id, what, &job, e) : 0;

	if (r < 0)
		return r;
	if (job && !streq(json_str(job, "status", ""), "pass"))
		return error_set(e, ERR_STATE, "the %s failed: %s", what,
			json_str(job, "reason", "see `patchbay job ls`"));
	return client_find(c->client, path, json_str(row, "name", ""), ret_row, e);
}

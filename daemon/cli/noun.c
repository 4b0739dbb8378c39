/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/noun.h"
#include "daemon/cli/client.h"
#include "daemon/cli/follow.h"

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

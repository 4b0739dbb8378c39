/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/noun.h"
#include "daemon/cli/text.h"
#include <errno.h>

static const struct cli_option add_options[] = {
	{"host", 0, "HOST", "the host it runs on"},
	{"model", 0, "MODEL", "which machine QEMU emulates (q35-vtd)"},
	{"tag", 0, "TAG", "what profiles ask for; may be repeated"},
	{"memory-mib", 0, "N", "its memory (4096)"},
	{"cpus", 0, "N", "its processors (2)"},
	{NULL, 0, NULL, NULL},
};

static const struct column columns[] = {
	{"NAME", "name", COLUMN_TEXT},
	{"HOST", "host", COLUMN_TEXT},
	{"KIND", "kind", COLUMN_TEXT},
	{"MODEL", "model", COLUMN_TEXT},
	{"TAGS", "tags", COLUMN_LIST},
	{"MEMORY_MIB", "memory_mib", COLUMN_TEXT},
	{"CPUS", "cpus", COLUMN_TEXT},
	{"DRAINED", "drained", COLUMN_TEXT},
	{NULL, NULL, 0},
};

static int run_ls(struct cli *c)
{
	return noun_ls(c, "/machines", columns);
}

static int number(struct cli *c, const char *option, int64_t max, int64_t def, cJSON *body,
	const char *key, struct error *e)
{
	const char *text = cli_opt(c, option);
	int64_t n = def;

	if (text && parse_int64(text, 1, max, &n) < 0)
		return error_set(e, -EINVAL, "--%s `%s`: a number from 1 to %lld is wanted", option,
			text, (long long)max);
	json_set_int(body, key, n);
	return 0;
}

static int run_add(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *body = cJSON_CreateObject();
	AUTO_JSON cJSON *machine = NULL;
	const char *model = cli_opt(c, "model");
	const char *tag;
	cJSON *tags;

	if (!cli_opt(c, "host")) {
		error_set(&e, -EINVAL, "--host HOST is needed: see `patchbay host ls`");
		return cli_fail_error(c, &e);
	}
	json_set_str(body, "name", c->args[0]);
	json_set_str(body, "host", cli_opt(c, "host"));
	json_set_str(body, "kind", "qemu");
	json_set_str(body, "model", model ? model : "q35-vtd");
	tags = json_add_array(body, "tags");
	for (size_t i = 0; (tag = cli_opt_nth(c, "tag", i)); i++)
		json_push_str(tags, tag);
	if (number(c, "memory-mib", (int64_t)1 << 20, 4096, body, "memory_mib", &e) < 0 ||
		number(c, "cpus", 1024, 2, body, "cpus", &e) < 0 || !cli_client(c, &e) ||
		client_post(c->client, "/machines", body, &machine, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, machine);
	else
		text_record(stdout, machine, columns);
	return CLI_GOOD;
}

static int run_drain(struct cli *c)
{
	return noun_post(c, "/machines", "drain", columns);
}

static int run_resume(struct cli *c)
{
	return noun_post(c, "/machines", "resume", columns);
}

const struct command machine_commands[] = {
	{"machine ls", "", "what boots the kernels", NULL, NULL, 0, 0, run_ls},
	{"machine add", "NAME --host HOST [options]", "add a virtual machine on a host", NULL,
		add_options, 1, 1, run_add},
	{"machine drain", "NAME", "boot nothing new on it", NULL, NULL, 1, 1, run_drain},
	{"machine resume", "NAME", "boot on it again", NULL, NULL, 1, 1, run_resume},
	{0},
};

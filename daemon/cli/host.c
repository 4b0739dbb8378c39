/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/noun.h"
#include "daemon/cli/text.h"
#include "base/file.h"
#include <errno.h>

static const struct cli_option add_options[] = {
	{"address", 0, "ADDRESS", "name or number to reach it at"},
	{"port", 0, "PORT", "of its SSH server (22)"},
	{"user", 0, "USER", "to log in as (root)"},
	{"key", 0, "FILE", "private ed25519 key, readable by the lab"},
	{"host-key", 0, "KEY", "the host's own key, as \"ssh-ed25519 AAAA…\""},
	{"root", 0, "DIR", "folder on the host (~/.cache/patchbay/host there)"},
	{NULL, 0, NULL, NULL},
};

static const struct column columns[] = {
	{"NAME", "name", COLUMN_TEXT},
	{"ADDRESS", "address", COLUMN_TEXT},
	{"PORT", "port", COLUMN_TEXT},
	{"USER", "user", COLUMN_TEXT},
	{"PROBED", "probed", COLUMN_TIME},
	{"DRAINED", "drained", COLUMN_TEXT},
	{"REASON", "reason", COLUMN_TEXT},
	{NULL, NULL, 0},
};

static int run_ls(struct cli *c)
{
	return noun_ls(c, "/hosts", columns);
}

/* Follow the host's probe, then print the host as it is. */
static int wait_for_probe(struct cli *c, const cJSON *host)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *now = NULL;
	const char *name = json_str(host, "name", "");
	AUTO_FREE char *what = xasprintf("probe of %s", name);

	if (noun_settle(c, "/hosts", host, what, &now, &e) < 0)
		return cli_fail_error(c, &e);
	if (c->json)
		cli_print_json(c, now);
	else
		text_record(stdout, now, columns);
	return CLI_GOOD;
}

static int run_add(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *body = cJSON_CreateObject();
	AUTO_JSON cJSON *host = NULL;
	const char *port = cli_opt(c, "port");
	const char *user = cli_opt(c, "user");
	int64_t number = 22;

	if (!cli_opt(c, "address") || !cli_opt(c, "key") || !cli_opt(c, "host-key")) {
		error_set(&e, -EINVAL,
			"--address, --key and --host-key are needed: `ssh-keyscan -t ed25519 "
			"ADDRESS` prints a host's key, which you should compare with the host's "
			"own");
		return cli_fail_error(c, &e);
	}
	if (port && parse_int64(port, 1, 65535, &number) < 0) {
		error_set(&e, -EINVAL, "`%s` is no port: 1 to 65535", port);
		return cli_fail_error(c, &e);
	}
	json_set_str(body, "name", c->args[0]);
	json_set_str(body, "address", cli_opt(c, "address"));
	json_set_int(body, "port", number);
	json_set_str(body, "user", user ? user : "root");
	json_set_str(body, "key", cli_opt(c, "key"));
	json_set_str(body, "host_key", cli_opt(c, "host-key"));
	json_set_str(body, "root", cli_opt(c, "root"));
	if (!cli_client(c, &e) || client_post(c->client, "/hosts", body, &host, &e) < 0)
		return cli_fail_error(c, &e);
	return wait_for_probe(c, host);
}

static int run_probe(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *host = NULL;
	AUTO_STRBUF struct strbuf path;

	strbuf_init(&path, 512);
	if (noun_path(&path, "/hosts", c->args[0], "probe", &e) < 0 || !cli_client(c, &e) ||
		client_post(c->client, path.buf, NULL, &host, &e) < 0)
		return cli_fail_error(c, &e);
	return wait_for_probe(c, host);
}

static int run_drain(struct cli *c)
{
	return noun_post(c, "/hosts", "drain", columns);
}

static int run_resume(struct cli *c)
{
	return noun_post(c, "/hosts", "resume", columns);
}

const struct command host_commands[] = {
	{"host ls", "", "the computers that build and boot", NULL, NULL, 0, 0, run_ls},
	{"host add", "NAME --address ADDRESS --key FILE --host-key KEY [options]",
		"add a computer, or change how it is reached", NULL, add_options, 1, 1, run_add},
	{"host probe", "NAME", "find out what it is and has", NULL, NULL, 1, 1, run_probe},
	{"host drain", "NAME", "give it no new jobs; what runs there goes on", NULL, NULL, 1, 1,
		run_drain},
	{"host resume", "NAME", "give it jobs again", NULL, NULL, 1, 1, run_resume},
	{0},
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include <errno.h>

void cli_print_json(struct cli *c, const cJSON *j)
{
	AUTO_FREE char *text = json_text(j);

	(void)puts(text);
	(void)fflush(stdout);
	c->answered = true;
}

void cli_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
}

int cli_exit_of(int code)
{
	switch (code) {
	case ERR_SYNTAX:
	case ERR_LIMIT:
	case ERR_CONFLICT:
	case ERR_MISSING:
	case ERR_AUTH:
	case -EINVAL:
	case -ENOENT:
	case -EACCES:
	case -EISDIR:
		return CLI_USAGE;
	default:
		return CLI_LAB;
	}
}

int cli_fail(struct cli *c, int exit, const struct error *e)
{
	const cJSON *problem = c->client ? client_problem(c->client) : NULL;

	(void)fflush(stdout);
	(void)fprintf(stderr, "patchbay: %s\n", e->msg);
	if (!c->json || c->answered)
		return exit;
	if (problem) {
		cli_print_json(c, problem);
	} else {
		AUTO_JSON cJSON *j = cJSON_CreateObject();

		json_set_str(
			j, "title", exit == CLI_USAGE ? "bad usage or input" : "the lab failed");
		json_set_str(j, "detail", e->msg);
		cli_print_json(c, j);
	}
	return exit;
}

int cli_fail_error(struct cli *c, const struct error *e)
{
	return cli_fail(c, cli_exit_of(e->code), e);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patchbay: the command line. */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include <signal.h>

int main(int argc, char **argv)
{
	struct cli c = {0};
	struct error e = ERROR_INIT;
	int exit_code = CLI_USAGE;

	/* A reader that goes away (`| head`) is an error of write(), not the end of the process. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc == 2 && streq(argv[1], "--version")) {
		(void)puts("patchbay " PATCHBAY_VERSION);
		return CLI_GOOD;
	}
	if (cli_parse(&c, argc, (const char *const *)argv, &e) < 0) {
		exit_code = cli_fail(&c, CLI_USAGE, &e);
	} else if (!c.command) {
		help_overview(cli_opt(&c, "help") ? stdout : stderr);
		exit_code = cli_opt(&c, "help") ? CLI_GOOD : CLI_USAGE;
	} else if (cli_opt(&c, "help")) {
		help_command(stdout, c.command);
		exit_code = CLI_GOOD;
	} else {
		exit_code = c.command->run(&c);
	}
	client_free(c.client);
	free(c.state_dir);
	if (fflush(stdout) != 0 && exit_code == CLI_GOOD)
		exit_code = CLI_LAB;
	return exit_code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"

const struct command *const cli_tables[] = {
	lab_commands,
	submit_commands,
	series_commands,
	compare_commands,
	comparison_commands,
	job_commands,
	tree_commands,
	archive_commands,
	host_commands,
	machine_commands,
	token_commands,
	parse_commands,
	doctor_commands,
	help_commands,
	NULL,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/series.h"

const struct command_table cli_tables[] = {
	{lab_commands, NULL},
	{submit_commands, &series_subject},
	{series_commands, &series_subject},
	{compare_commands, &comparison_subject},
	{comparison_commands, &comparison_subject},
	{job_commands, NULL},
	{tree_commands, NULL},
	{archive_commands, NULL},
	{host_commands, NULL},
	{machine_commands, NULL},
	{token_commands, NULL},
	{parse_commands, NULL},
	{doctor_commands, NULL},
	{help_commands, NULL},
	{NULL, NULL},
};

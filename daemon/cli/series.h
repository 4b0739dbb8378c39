/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "daemon/cli/cli.h"

/* Series and comparisons of two commits have the same verbs: what a command is about. */
struct subject {
	const char *noun; /* of the commands, and of queries */
	const char *path;
};
const struct subject *series_subject(const struct cli *c);

/* The report on a series, or on a comparison, to standard output. format: text or json. */
int series_print_report(struct cli *c, int64_t id, const char *format, struct error *e);
/* Follow it to its end, print the report; returns the exit code, failures told. */
int series_wait_and_report(struct cli *c, int64_t id, const char *format);

#endif

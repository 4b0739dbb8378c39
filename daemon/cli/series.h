/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "daemon/cli/cli.h"

/* Series and comparisons of two commits have the same verbs: c->about says which it is. */
struct subject {
	const char *noun; /* of the commands, and of queries */
	const char *path;
	const struct column *list; /* what `ls` prints */
	const struct column *show;
};
extern const struct subject series_subject;
extern const struct subject comparison_subject;

/* What was submitted, as the lab answered: followed to its report with --wait, or printed. Returns
 * the exit code. */
int series_submitted(struct cli *c, const cJSON *series);

#endif

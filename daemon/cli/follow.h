/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Following a series or a job until it has finished, with what happens on standard error: a line
 * for everything that ended, and on a terminal one more that changes in place.
 */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "daemon/cli/cli.h"

/* Until the series, or the comparison, whichever the command is about, is done, held or cancelled.
 * ERR_STATE: interrupted by the user (the sentence says how to go on); ERR_LINK: the lab went away
 * and did not come back. */
int follow_series(struct cli *c, int64_t id, cJSON **ret_series, struct error *e);
/* Until the job has ended; what names it in the lines ("the import of debian-6.12"). */
int follow_job(struct cli *c, int64_t id, const char *what, cJSON **ret_job, struct error *e);

/* The exit code that a finished series stands for. */
int follow_exit(const cJSON *series);

#endif

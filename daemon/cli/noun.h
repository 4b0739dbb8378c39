/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands of several nouns (tree, host, machine, …) do in the same way. */
#ifndef CLI_NOUN_H
#define CLI_NOUN_H

#include "daemon/cli/cli.h"
#include "daemon/cli/text.h"

/* The `ls` of a noun: everything under path ("/trees"). Returns the exit code. */
int noun_ls(struct cli *c, const char *path, const struct column *columns);

/* The path of a verb ("/hosts", a name, "drain"), or -EINVAL where the name can be none. */
int noun_path(struct strbuf *path, const char *nouns, const char *name, const char *verb,
	struct error *e);
/* POST a verb that is done at once, and print the row it answers with. Returns the exit code. */
int noun_post(struct cli *c, const char *nouns, const char *verb, const struct column *columns);

/*
 * After a verb that left work behind: follow the row's job, called what in the lines, then read the
 * row again from the list under path. A job that did not pass is ERR_STATE, with its reason.
 * *ret_row is the caller's.
 */
int noun_settle(struct cli *c, const char *path, const cJSON *row, const char *what,
	cJSON **ret_row, struct error *e);

#endif

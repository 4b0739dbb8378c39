/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The step between the agent and a sandbox: join cgroups, set resource limits, then become the
 * program. Arguments: join=DIR (repeated), processes=N, file_bytes=N, data_bytes=N, then "--" and
 * the program with its arguments.
 */
#ifndef HOST_CONFINE_H
#define HOST_CONFINE_H

#include "base/util.h"

/* args: behind --confine, NULL at the end. Returns only on failure, an exit status. */
int confine_main(char **args);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device files that a kernel has or has not. */
#ifndef TARGET_NODE_H
#define TARGET_NODE_H

#include "base/error.h"

/* For reading and writing. ERR_MISSING names the kernel option that it takes. */
int node_open(const char *path, const char *option, int *ret_fd, struct error *e);

#endif

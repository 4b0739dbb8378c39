/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/node.h"
#include <errno.h>
#include <fcntl.h>

int node_open(const char *path, const char *option, int *ret_fd, struct error *e)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		return error_set(
			e, ERR_MISSING, "there is no %s: the kernel needs %s", path, option);
	if (fd < 0)
		return error_errno(e, "cannot open %s", path);
	*ret_fd = fd;
	return 0;
}

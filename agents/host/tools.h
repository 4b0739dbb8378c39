/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs (and C headers) a host needs, the Debian package that has each, and the versions that are there. */
#ifndef HOST_TOOLS_H
#define HOST_TOOLS_H

#include "agents/host/link.h"

struct tool {
	const char *name;
	const char *package;
	bool for_build;
	bool for_boot;
};

/* Ends with a NULL name. */
extern const struct tool tools[];

/* The full path of a program or header, heap; NULL where it is not installed. */
char *tool_find(const char *name);
/* The first line of `NAME --version`, heap. */
int tool_version(struct link *link, const char *name, char **ret_version, struct error *e);
/* ERR_MISSING names what a build, or a boot, lacks and the command that installs it. */
int tools_need(bool for_boot, struct error *e);

#endif

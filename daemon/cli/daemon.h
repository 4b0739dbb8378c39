/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patchbayd as `patchbay up` starts it, and what it is told once it answers. */
#ifndef CLI_DAEMON_H
#define CLI_DAEMON_H

#include "base/child.h"
#include "base/json.h"
#include "daemon/cli/client.h"

struct daemon {
	char *state_dir;
	const char *share; /* the caller's; NULL: beside the program */
	char *program;
	char *token_file;
	char *port_file; /* written by patchbayd once it listens */
	char *log;
	int port; /* 0: any */
};

/* port: the one it had, used again if it is free. Makes the first admin token where there is
 * none. */
int daemon_prepare(
	struct daemon *d, const char *state_dir, const char *share, int port, struct error *e);
void daemon_done(struct daemon *d);
/* Starts it; it listens when port_file is there. */
int daemon_start(struct daemon *d, struct child *ret_child, struct error *e);
/* Takes the port from port_file. */
int daemon_read_port(struct daemon *d, struct error *e);
/* Tell it of the local host (taken over) and its machines; make an address that signs in. */
int daemon_set_up(const struct daemon *d, cJSON *host, char **ret_dashboard, struct error *e);
/* The last line of its log, for a lab that did not come up; heap. */
char *daemon_last_words(const struct daemon *d);

#endif

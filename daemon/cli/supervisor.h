/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `patchbay up` becomes: the process that starts the private sshd and patchbayd of a personal
 * lab, starts again what dies (on the same ports, later each time), and ends both on SIGTERM. Both
 * die with it, so a supervisor that is killed leaves nothing to clean up.
 */
#ifndef CLI_SUPERVISOR_H
#define CLI_SUPERVISOR_H

#include "base/json.h"

struct supervisor_config {
	const char *state_dir; /* absolute; exists */
	const char *share; /* absolute: profiles, kernel fragments; NULL: beside the program */
	int ssh_port; /* the ones they had before, used again if free; 0: any */
	int http_port;
	/* Called once, when the lab answers: what lab.json says, and "dashboard", an address that
	 * signs in. */
	void (*ready)(const cJSON *lab, void *data);
	void *data;
};

/* Until SIGTERM or SIGINT. An error is a lab that did not come up. */
int supervisor_run(const struct supervisor_config *config, struct error *e);

#endif

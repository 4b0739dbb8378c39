/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run of patchbay-agent: a link, a request, the host's root folder. Each command is a
 * function that sends its own end event and returns 0, or returns an error that main() sends as
 * the end. ERR_LINK ends without a word: there is nobody to hear it.
 */
#ifndef HOST_AGENT_H
#define HOST_AGENT_H

#include "agents/host/link.h"

#define AGENT_GIT_MS (20LL * 60 * 1000) /* the first checkout of a big tree on a slow disk */

struct agent {
	struct link link;
	struct request req;
	char *root; /* absolute; the folders below it exist */
	int lock_fd; /* ROOT/lock while it is held; -1 */
};

int agent_paths(struct agent *a, struct error *e);
int agent_probe(struct agent *a, struct error *e);
int agent_repo(struct agent *a, struct error *e);
int agent_have(struct agent *a, struct error *e);
int agent_build(struct agent *a, struct error *e);
int agent_boot(struct agent *a, struct error *e);

/* Where a bad end has a name of its own: {"event":"end","status":…,"reason":…}. */
void agent_end(struct agent *a, const char *status, const char *reason);
/* ROOT/DIR/NAME, heap. */
char *agent_path(const struct agent *a, const char *dir, const char *name);
/* The path of a blob that is there and has this content; removes one that has not. ERR_MISSING. */
int agent_blob(struct agent *a, const char *sha256, char **ret_path, struct error *e);
/* Keep it as a blob, whole or not at all; one that is there and damaged is written again. */
int agent_keep(struct agent *a, const void *data, size_t len, char *ret_sha256, char **ret_path,
	struct error *e);

/*
 * The lease (`lab` and `epoch` of the request): ERR_STATE where a higher epoch of that lab was
 * seen. A request without a lab has no lease.
 */
int lease_check(struct agent *a, struct error *e);
/* Take the host's lock for what the request is, waiting for it with a `waiting` event. */
int lease_lock(struct agent *a, const char *what, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job's host: one SSH session, patchbay-agent put there where it is missing, and calls of it
 * (docs/internals/agent-protocol.md). One call at a time; no call while files are moved.
 */
#ifndef WORKER_REMOTE_H
#define WORKER_REMOTE_H

#include "base/frame.h"
#include "daemon/worker/worker.h"
#include "ssh/ssh.h"

#define REMOTE_CONNECT_MS 15000
#define REMOTE_SHORT_MS 60000 /* for a call that only looks something up */
#define REMOTE_STALL_MS 60000 /* a file transfer in which nothing moves */

struct remote {
	struct job *job;
	struct ssh_target target;
	struct ssh *ssh;
	char *root; /* the lab's folder on the host */
	char *agent; /* the agent's path there */
};

/* Connect to the job's `host` and see to the agent. */
int remote_open(struct remote *r, struct job *job, struct error *e);
void remote_done(struct remote *r);
#define AUTO_REMOTE CLEANUP(remote_done)

/* A request: its command, then its parameters. Overflow is seen by remote_call(). */
void request_begin(struct strbuf *request, const struct remote *r, const char *command);
void request_add(struct strbuf *request, const char *name, const char *value);
void request_add_int(struct strbuf *request, const char *name, int64_t value);

struct remote_call;

/* What a caller wants to hear of; each may be NULL. A negative return ends the call with it. */
struct remote_handlers {
	/* every event but `end` and `waiting` */
	int (*event)(
		struct remote_call *call, const char *name, const cJSON *event, struct error *e);
	/* FRAME_LOG, FRAME_CONSOLE, FRAME_RESULT */
	int (*bytes)(struct remote_call *call, enum frame_type type, const char *bytes, size_t len,
		struct error *e);
	/* after all frames that came together */
	int (*batch)(struct remote_call *call, struct error *e);
	/* at call->timer_ms, which is cleared before */
	int (*timer)(struct remote_call *call, struct error *e);
	/* monotonic milliseconds the agent may take, not counting what it waits for the host's lock
	 * before its first stage */
	int64_t budget_ms;
};

struct remote_call {
	struct remote *remote;
	const struct remote_handlers *handlers;
	void *data;
	int64_t timer_ms; /* monotonic; -1: not set */

	/* The rest belongs to remote.c. */
	struct ssh_channel *channel;
	struct strbuf in;
	struct strbuf said; /* on standard error */
	cJSON *end;
	int64_t deadline_ms;
	int64_t beat_ms;
	bool stopped;
};

/*
 * One call. 0 with the agent's `end` event, whose status is pass or fail; `error` there becomes an
 * error here, with its reason. ERR_LINK where the connection or the agent went away.
 */
int remote_call(struct remote *r, const struct strbuf *request,
	const struct remote_handlers *handlers, void *data, cJSON **ret_end, struct error *e);
/* For handlers: ask the agent to end what it runs. Once is enough. */
int remote_stop(struct remote_call *call, const char *reason, struct error *e);

/* Make sure that the host has a blob with this content; uploads `path` where not. */
int remote_blob(struct remote *r, const char *sha256, const char *path, struct error *e);
/* Fetch ROOT/blobs/SHA256 and make sure that it is what its name says. */
int remote_fetch(
	struct remote *r, const char *sha256, const char *path, uint64_t max, struct error *e);
/* The size of what this host's blobs may be. */
#define REMOTE_MAX_BLOB (2ULL << 30)

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent's two ends of the channel. Writing never waits for the worker without watching what
 * it says: a link whose input closed, fell silent, or spoke nonsense is `lost`, and what the agent
 * started must end then.
 */
#ifndef HOST_LINK_H
#define HOST_LINK_H

#include "agents/host/request.h"
#include "base/frame.h"
#include "base/jsonw.h"

#include <poll.h>

#define LINK_BEAT_MS 20000 /* without a frame for so long, the worker is gone */

struct link {
	int in;
	int out;
	struct strbuf in_buf;
	struct strbuf out_buf;
	int64_t heard_ms; /* monotonic: the last frame */
	bool stop; /* asked to end; stop_reason says why */
	char stop_reason[200];
	bool lost;
	char lost_reason[200];
};

/* The descriptors stay the caller's, and become non-blocking. */
void link_init(struct link *l, int in, int out);
void link_done(struct link *l);

/* Wait for the request frame. ERR_LINK where it does not come. */
int link_request(struct link *l, struct request *ret_req, struct error *e);

/* For a caller's poll(): fill two entries; act on them afterwards; when to look at the latest. */
void link_poll(const struct link *l, struct pollfd *pfd);
void link_handle(struct link *l, const struct pollfd *pfd);
int64_t link_deadline(const struct link *l);

/* Queue a frame. Waits while the worker reads too slowly; does nothing once the link is lost. */
void link_send(struct link *l, enum frame_type type, const void *data, size_t len);
/* Until all of it is written or the link is lost. */
void link_flush(struct link *l);

/* One event: begin, add members with jsonw, send (which empties the buffer). */
void event_begin(struct strbuf *ev, const char *name);
void event_send(struct link *l, struct strbuf *ev);
void event_stage(struct link *l, const char *name);

#endif

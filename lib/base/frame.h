/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames between a worker and patchbay-agent (docs/internals/agent-protocol.md): one type byte,
 * the payload's length as four bytes, most significant first, then the payload.
 */
#ifndef BASE_FRAME_H
#define BASE_FRAME_H

#include "base/strbuf.h"

#define FRAME_MAX (256 * 1024)

enum frame_type {
	/* worker to agent */
	FRAME_REQUEST = 'Q', /* NAME=value, each ended by NUL: the command and its parameters */
	FRAME_BEAT = 'B', /* empty: I am alive */
	FRAME_STOP = 'S', /* reason: end the guest or build now, and report */
	/* agent to worker */
	FRAME_EVENT = 'E', /* one JSON object */
	FRAME_LOG = 'L', /* bytes of the build log */
	FRAME_CONSOLE = 'C', /* bytes of the guest's console */
	FRAME_RESULT = 'R', /* bytes of the guest's result channel */
};

/* Blocking write of one frame; len at most FRAME_MAX. Returns 0 or -errno. */
int frame_write(int fd, enum frame_type type, const void *payload, size_t len);

/* Append one frame to a buffer. */
int frame_add(struct strbuf *sb, enum frame_type type, const void *payload, size_t len);

/*
 * Take the first frame of a buffer. Returns 1 with *ret_type, *ret_payload (inside in->buf, valid
 * until the buffer changes), *ret_len and *ret_total (bytes to strbuf_consume() afterwards);
 * 0 if it is not complete yet; ERR_SYNTAX for an unknown type, ERR_LIMIT past FRAME_MAX.
 */
int frame_next(const struct strbuf *in, enum frame_type *ret_type, const char **ret_payload,
	size_t *ret_len, size_t *ret_total);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers that go on: event streams (text/event-stream). A stream pulls one item at a time from
 * its source, and only when the client has taken the one before, so a slow reader costs one item
 * of memory and no more. With nothing to send the connection is suspended until stream_wake().
 *
 * A client that closes its side is noticed at once; one whose network is gone by the heartbeat,
 * a comment every STREAM_BEAT_MS on a stream that is otherwise silent.
 */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include "base/loop.h"
#include "base/strbuf.h"

#define STREAM_BEAT_MS 15000
#define STREAM_ITEM_MAX (128 * 1024) /* bytes of one item as sent */

struct request;
struct stream;

enum stream_next { STREAM_WAIT, STREAM_ITEM, STREAM_END };

struct stream_ops {
	/* Append the next item to out, if there is one. */
	enum stream_next (*next)(void *source, struct strbuf *out);
	void (*free)(void *source);
};

struct streams {
	struct loop *loop;
	struct store *store; /* says which tokens are good */
	struct loop_source *turn; /* the timer that runs MHD; the server's */
	bool resumed; /* since MHD last ran */
	struct loop_source *beat;
	struct stream *first;
	size_t n;
	int64_t beat_ms;
};

void streams_init(
	struct streams *s, struct loop *loop, struct store *store, struct loop_source *turn);
/* End every stream: their connections are running again, and will close. */
void streams_cut(struct streams *s);
/* A token was revoked: end the streams that were opened with it, or with a session of it. */
void streams_recheck(struct streams *s);
void streams_done(struct streams *s);

/* Answer r with a stream over source, which the stream then owns; answers 503 instead, and frees
 * it, where there are too many. *ret_stream is valid until ops->free(). */
void stream_open(
	struct request *r, const struct stream_ops *ops, void *source, struct stream **ret_stream);
/* There may be something new. */
void stream_wake(struct stream *stream);

#endif

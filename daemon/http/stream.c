/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/stream.h"
#include "base/clock.h"
#include "daemon/http/server.h"

#define BLOCK 16384
#define BEAT ": still here\n\n"

struct stream {
	struct streams *streams;
	struct stream *prev, *next;
	struct MHD_Connection *conn;
	struct loop_source *hangup;
	const struct stream_ops *ops;
	void *source;
	int64_t token_id;
	struct strbuf out; /* the item on its way */
	size_t sent; /* of it */
	int64_t last_ms; /* when something was last handed to MHD */
	bool suspended;
	bool beat; /* a heartbeat is due */
	bool dead;
};

void stream_wake(struct stream *stream)
{
	if (!stream->suspended)
		return;
	stream->suspended = false;
	MHD_resume_connection(stream->conn);
	/* MHD only makes a note of it, for its next run. */
	stream->streams->resumed = true;
	loop_set_timer(stream->streams->turn, clock_mono_ms());
}

void streams_recheck(struct streams *s)
{
	for (struct stream *st = s->first; st; st = st->next) {
		if (token_is_good(s->store, st->token_id))
			continue;
		st->dead = true;
		stream_wake(st);
	}
}

static void on_beat(struct loop *loop, void *data)
{
	struct streams *s = data;
	int64_t now = clock_mono_ms();

	/* A session may be over. */
	streams_recheck(s);
	for (struct stream *st = s->first; st; st = st->next) {
		if (now - st->last_ms < s->beat_ms / 2)
			continue;
		st->beat = true;
		stream_wake(st);
	}
	loop_set_timer(s->beat, s->first ? now + s->beat_ms : -1);
}

/*
 * The client hung up. A suspended connection would not see it, so it is woken to end. MHD reads
 * nothing of a connection that it answers; a client that closed only its sending side is taken
 * to be gone too.
 */
static void on_hangup(struct loop *loop, int fd, uint32_t events, void *data)
{
	struct stream *stream = data;

	loop_remove(steal_ptr(stream->hangup));
	stream->dead = true;
	stream_wake(stream);
}

void streams_init(
	struct streams *s, struct loop *loop, struct store *store, struct loop_source *turn)
{
	s->loop = loop;
	s->store = store;
	s->turn = turn;
	s->beat_ms = STREAM_BEAT_MS;
	s->beat = loop_add_timer(loop, -1, on_beat, s);
}

void streams_cut(struct streams *s)
{
	for (struct stream *st = s->first; st; st = st->next) {
		st->dead = true;
		stream_wake(st);
	}
}

void streams_done(struct streams *s)
{
	loop_remove(steal_ptr(s->beat));
}

static ssize_t hand_over(struct stream *stream, char *buf, size_t max)
{
	size_t n = MIN_OF(max, stream->out.len - stream->sent);

	memcpy(buf, stream->out.buf + stream->sent, n);
	stream->sent += n;
	stream->last_ms = clock_mono_ms();
	if (stream->sent == stream->out.len) {
		strbuf_truncate(&stream->out, 0);
		stream->sent = 0;
	}
	return (ssize_t)n;
}

static ssize_t on_read(void *data, uint64_t pos, char *buf, size_t max)
{
	struct stream *stream = data;

	if (stream->dead)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (stream->out.len == 0) {
		switch (stream->ops->next(stream->source, &stream->out)) {
		case STREAM_END:
			return MHD_CONTENT_READER_END_OF_STREAM;
		case STREAM_WAIT:
			if (stream->beat)
				(void)strbuf_adds(&stream->out, BEAT);
			break;
		case STREAM_ITEM:
			break;
		}
		stream->beat = false;
	}
	if (stream->out.len > 0)
		return hand_over(stream, buf, max);
	/* 0 without a suspended connection would make MHD ask again at once, for ever. */
	stream->suspended = true;
	MHD_suspend_connection(stream->conn);
	return 0;
}

static void on_free(void *data)
{
	struct stream *stream = data;
	struct streams *s = stream->streams;

	if (stream->prev)
		stream->prev->next = stream->next;
	else
		s->first = stream->next;
	if (stream->next)
		stream->next->prev = stream->prev;
	s->n--;
	/* MHD closes the socket after this. */
	loop_remove(stream->hangup);
	stream->ops->free(stream->source);
	strbuf_done(&stream->out);
	free(stream);
}

static struct stream *stream_new(struct request *r, const struct stream_ops *ops, void *source)
{
	struct streams *s = &r->http->streams;
	struct stream *stream = xcalloc(1, sizeof(*stream));
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(r->conn, MHD_CONNECTION_INFO_CONNECTION_FD);

	stream->streams = s;
	stream->conn = r->conn;
	stream->token_id = r->token.id;
	stream->ops = ops;
	stream->source = source;
	stream->last_ms = clock_mono_ms();
	strbuf_init(&stream->out, STREAM_ITEM_MAX);
	stream->next = s->first;
	if (stream->next)
		stream->next->prev = stream;
	else
		loop_set_timer(s->beat, clock_mono_ms() + s->beat_ms);
	s->first = stream;
	s->n++;
	/* Without it the heartbeat still finds out. */
	(void)loop_add_io(
		s->loop, info->connect_fd, EPOLLRDHUP, on_hangup, stream, &stream->hangup, NULL);
	return stream;
}

void stream_open(
	struct request *r, const struct stream_ops *ops, void *source, struct stream **ret_stream)
{
	struct MHD_Response *response;

	if (r->http->streams.n >= HTTP_MAX_STREAMS) {
		ops->free(source);
		reply_problem(r, 503,
			"%d event streams are open already, which is the limit. Close some "
			"dashboards, "
			"or try again later.",
			HTTP_MAX_STREAMS);
		reply_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "30");
		return;
	}
	*ret_stream = stream_new(r, ops, source);
	response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK, on_read, *ret_stream, on_free);
	reply_response(r, 200, response);
	reply_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
	reply_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	/* Tells a proxy in front not to collect it. */
	reply_header(r, "X-Accel-Buffering", "no");
}

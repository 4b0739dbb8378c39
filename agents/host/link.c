/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/link.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>

/* Bytes queued for the worker before the agent waits for it, and what it waits for. */
#define OUT_HIGH (1024 * 1024)
#define OUT_LOW (256 * 1024)

void link_init(struct link *l, int in, int out)
{
	*l = (struct link){.in = in, .out = out, .heard_ms = clock_mono_ms()};
	strbuf_init(&l->in_buf, 2 * FRAME_MAX);
	strbuf_init(&l->out_buf, OUT_HIGH + 2 * FRAME_MAX);
	(void)fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	(void)fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
}

void link_done(struct link *l)
{
	strbuf_done(&l->in_buf);
	strbuf_done(&l->out_buf);
}

static void link_lose(struct link *l, const char *why)
{
	if (l->lost)
		return;
	l->lost = true;
	snprintf(l->lost_reason, sizeof(l->lost_reason), "%s", why);
}

int64_t link_deadline(const struct link *l)
{
	return l->heard_ms + LINK_BEAT_MS;
}

void link_poll(const struct link *l, struct pollfd *pfd)
{
	pfd[0] = (struct pollfd){.fd = l->lost ? -1 : l->in, .events = POLLIN};
	pfd[1] = (struct pollfd){.fd = l->lost || !l->out_buf.len ? -1 : l->out, .events = POLLOUT};
}

/* Frames after the request: beats, and the wish to stop. */
static void take_frames(struct link *l)
{
	enum frame_type type;
	const char *payload;
	size_t len, total;
	int r;

	while ((r = frame_next(&l->in_buf, &type, &payload, &len, &total)) == 1) {
		l->heard_ms = clock_mono_ms();
		if (type == FRAME_STOP) {
			l->stop = true;
			snprintf(l->stop_reason, sizeof(l->stop_reason), "%.*s",
				(int)MIN_OF(len, sizeof(l->stop_reason) - 1), payload);
		} else if (type != FRAME_BEAT) {
			link_lose(l, "the worker sent a frame that does not belong here");
			return;
		}
		strbuf_consume(&l->in_buf, total);
	}
	if (r < 0)
		link_lose(l, "the worker sent what is no frame");
}

/* What is there, into the buffer. */
static void read_some(struct link *l)
{
	char buf[65536];
	ssize_t n = read(l->in, buf, sizeof(buf));

	if (!n)
		link_lose(l, "the worker closed the channel");
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		link_lose(l, "the channel broke");
	else if (n > 0 && strbuf_add(&l->in_buf, buf, (size_t)n))
		link_lose(l, "the worker sent a frame over the limit");
}

static void write_some(struct link *l)
{
	ssize_t n = write(l->out, l->out_buf.buf, l->out_buf.len);

	if (n > 0)
		strbuf_consume(&l->out_buf, (size_t)n);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		link_lose(l, "the worker does not read any more");
}

void link_handle(struct link *l, const struct pollfd *pfd)
{
	if (!l->lost && pfd[0].fd >= 0 && pfd[0].revents) {
		read_some(l);
		take_frames(l);
	}
	if (!l->lost && pfd[1].fd >= 0 && pfd[1].revents)
		write_some(l);
	if (!l->lost && clock_mono_ms() >= link_deadline(l))
		link_lose(l, "no beat from the worker for 20 seconds");
}

/* Until no more than `left` bytes wait to be written. */
static void link_pump(struct link *l, size_t left)
{
	while (!l->lost && l->out_buf.len > left) {
		struct pollfd pfd[2];

		link_poll(l, pfd);
		if (poll(pfd, 2, clock_poll_ms(link_deadline(l))) < 0 && errno != EINTR)
			link_lose(l, "cannot wait for the channel");
		else
			link_handle(l, pfd);
	}
}

void link_flush(struct link *l)
{
	link_pump(l, 0);
}

void link_send(struct link *l, enum frame_type type, const void *data, size_t len)
{
	const char *p = data;

	do {
		size_t part = MIN_OF(len, (size_t)FRAME_MAX);

		if (l->lost)
			return;
		frame_add(&l->out_buf, type, p, part);
		p += part;
		len -= part;
		if (l->out_buf.len > OUT_HIGH)
			link_pump(l, OUT_LOW);
	} while (len);
}

/* The request, once it is complete at the head of the buffer: 1, 0 or an error. */
static int take_request(struct link *l, struct request *ret_req, struct error *e)
{
	enum frame_type type;
	const char *payload;
	size_t len, total;
	int r = frame_next(&l->in_buf, &type, &payload, &len, &total);

	if (r <= 0)
		return r ? error_set(e, r, "what came is no frame") : 0;
	if (type != FRAME_REQUEST)
		return error_set(e, ERR_SYNTAX, "the first frame must be a request");
	r = request_parse(payload, len, ret_req, e);
	strbuf_consume(&l->in_buf, total);
	l->heard_ms = clock_mono_ms();
	return r ? r : 1;
}

int link_request(struct link *l, struct request *ret_req, struct error *e)
{
	int r;

	while (!(r = take_request(l, ret_req, e))) {
		struct pollfd pfd = {.fd = l->in, .events = POLLIN};
		int n = poll(&pfd, 1, clock_poll_ms(link_deadline(l)));

		if (n < 0 && errno != EINTR)
			return error_errno(e, "cannot wait for a request");
		if (n > 0)
			read_some(l);
		if (!l->lost && clock_mono_ms() >= link_deadline(l))
			link_lose(l, "no request came within 20 seconds");
		if (l->lost)
			return error_set(e, ERR_LINK, "%s", l->lost_reason);
	}
	if (r < 0)
		return r;
	take_frames(l);
	return 0;
}

void event_begin(struct strbuf *ev, const char *name)
{
	strbuf_truncate(ev, 0);
	jsonw_begin(ev, NULL, '{');
	jsonw_str(ev, "event", name);
}

void event_send(struct link *l, struct strbuf *ev)
{
	jsonw_end(ev, '}');
	link_send(l, FRAME_EVENT, ev->buf, ev->len);
	strbuf_truncate(ev, 0);
}

void event_stage(struct link *l, const char *name)
{
	AUTO_STRBUF struct strbuf ev;

	strbuf_init(&ev, 1024);
	event_begin(&ev, "stage");
	jsonw_str(&ev, "name", name);
	event_send(l, &ev);
}

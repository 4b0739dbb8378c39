/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/client_internal.h"
#include "base/clock.h"

#define EVENT_MAX ((size_t)4 * 1024 * 1024)
#define IDLE_MS (60 * 1000)

struct events {
	struct client *client;
	struct transfer t;
	CURLM *multi;
	struct strbuf in; /* bytes that are not parsed yet */
	struct strbuf id; /* of the newest event that has one */
	struct strbuf name;
	struct strbuf data;
	bool fresh; /* name and data are the next event's, not the last one's */
	bool open; /* the lab has said yes */
	bool ended;
	CURLcode result;
};

static size_t on_bytes(char *data, size_t size, size_t n, void *userdata)
{
	struct events *ev = userdata;

	return strbuf_add(&ev->in, data, size * n) < 0 ? 0 : size * n;
}

int events_open(struct client *c, const char *path, const char *last_id, struct events **ret_events,
	struct error *e)
{
	struct events *ev = xcalloc(1, sizeof(*ev));
	int r;

	ev->client = c;
	strbuf_init(&ev->in, EVENT_MAX);
	strbuf_init(&ev->id, 256);
	strbuf_init(&ev->name, 256);
	strbuf_init(&ev->data, EVENT_MAX);
	ev->multi = curl_multi_init();
	r = transfer_init(&ev->t, c, path, "text/event-stream", NULL, e);
	if (r < 0 || !ev->multi) {
		events_close(ev);
		return r < 0 ? r : error_set(e, ERR_STATE, "libcurl does not start");
	}
	if (last_id && *last_id)
		transfer_header(&ev->t, "Last-Event-ID", last_id);
	curl_easy_setopt(ev->t.easy, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(ev->t.easy, CURLOPT_WRITEDATA, ev);
	curl_multi_add_handle(ev->multi, ev->t.easy);
	*ret_events = ev;
	return 0;
}

struct events *events_close(struct events *ev)
{
	if (!ev)
		return NULL;
	if (ev->multi && ev->t.easy)
		curl_multi_remove_handle(ev->multi, ev->t.easy);
	transfer_done(&ev->t);
	curl_multi_cleanup(ev->multi);
	strbuf_done(&ev->in);
	strbuf_done(&ev->id);
	strbuf_done(&ev->name);
	strbuf_done(&ev->data);
	free(ev);
	return NULL;
}

const char *events_last_id(const struct events *ev)
{
	return ev->id.buf;
}

static void take_field(struct events *ev, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	size_t key = colon ? (size_t)(colon - line) : len;
	const char *value = colon ? colon + 1 : line + len;
	size_t value_len = colon ? len - key - 1 : 0;

	if (value_len > 0 && *value == ' ') {
		value++;
		value_len--;
	}
	if (key == 5 && memcmp(line, "event", 5) == 0) {
		strbuf_truncate(&ev->name, 0);
		(void)strbuf_add(&ev->name, value, value_len);
	} else if (key == 2 && memcmp(line, "id", 2) == 0) {
		strbuf_truncate(&ev->id, 0);
		(void)strbuf_add(&ev->id, value, value_len);
	} else if (key == 4 && memcmp(line, "data", 4) == 0) {
		if (ev->data.len > 0)
			(void)strbuf_addc(&ev->data, '\n');
		(void)strbuf_add(&ev->data, value, value_len);
	}
}

/* Lines up to the empty one that ends an event. Comments and events without data are dropped. */
static bool parse_event(struct events *ev, struct event *ret_event)
{
	const char *end;

	while ((end = memchr(ev->in.buf, '\n', ev->in.len))) {
		size_t line = (size_t)(end - ev->in.buf);
		size_t len = line > 0 && ev->in.buf[line - 1] == '\r' ? line - 1 : line;

		if (!ev->fresh) {
			strbuf_truncate(&ev->name, 0);
			strbuf_truncate(&ev->data, 0);
			ev->fresh = true;
		}
		take_field(ev, ev->in.buf, len);
		strbuf_consume(&ev->in, line + 1);
		if (len > 0)
			continue;
		ev->fresh = false;
		if (ev->data.len == 0)
			continue;
		ret_event->name = ev->name.len ? ev->name.buf : "message";
		ret_event->data = ev->data.buf;
		return true;
	}
	return false;
}

static void note_end(struct events *ev)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(ev->multi, &left)))
		if (m->msg == CURLMSG_DONE) {
			ev->ended = true;
			ev->result = m->data.result;
		}
}

static long status_of(const struct events *ev)
{
	long status = 0;

	curl_easy_getinfo(ev->t.easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static int ended_error(struct events *ev, struct error *e)
{
	long status = status_of(ev);

	if (status >= 300)
		return refusal(ev->client, status, ev->in.buf, ev->in.len, e);
	if (ev->result != CURLE_OK)
		return transfer_error(&ev->t, ev->client, ev->result, e);
	return error_set(
		e, ERR_LINK, "the lab at %s ended its stream of events", ev->client->server);
}

/* What is here already, without waiting: an EVENTS_ value, 0, or the stream's end as an error. */
static int take(struct events *ev, struct event *ret_event, struct error *e)
{
	long status = status_of(ev);

	if (!ev->open && status >= 200 && status < 300) {
		ev->open = true;
		return EVENTS_OPEN;
	}
	if (ev->open && parse_event(ev, ret_event))
		return EVENTS_GOT;
	return ev->ended ? ended_error(ev, e) : 0;
}

int events_next(struct events *ev, int64_t deadline_ms, int wake_fd, struct event *ret_event,
	struct error *e)
{
	for (;;) {
		struct curl_waitfd wake = {.fd = wake_fd, .events = CURL_WAIT_POLLIN};
		int timeout_ms = deadline_ms < 0 ? IDLE_MS : clock_poll_ms(deadline_ms);
		int running = 0;
		int r;

		if (curl_multi_perform(ev->multi, &running) != CURLM_OK)
			return error_set(e, ERR_STATE, "libcurl fails");
		note_end(ev);
		r = take(ev, ret_event, e);
		if (r != 0)
			return r;
		if (deadline_ms >= 0 && clock_mono_ms() >= deadline_ms)
			return EVENTS_DEADLINE;
		curl_multi_poll(ev->multi, wake_fd < 0 ? NULL : &wake, wake_fd < 0 ? 0 : 1,
			timeout_ms, NULL);
		if (wake.revents & CURL_WAIT_POLLIN)
			return EVENTS_WAKE;
	}
}

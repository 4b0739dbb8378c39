/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/events.h"
#include "base/clock.h"
#include "daemon/http/json.h"
#include "daemon/http/logs.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"

#define MAX_DIRTY 64
#define IDS_PER_MS 1024 /* so that ids of one start lie above those of the start before */

struct event {
	char *text; /* "id: …\nevent: …\ndata: …\n\n" */
	int64_t series_id;
};

struct dirty {
	int64_t job_id;
	int64_t series_id;
	bool of_comparison;
};

struct listener {
	struct events *events;
	struct listener *prev, *next;
	struct stream *stream;
	uint64_t at; /* id of the next event to send */
	int64_t series_id; /* or of a comparison; 0: all */
	bool greeted;
};

struct events {
	struct http *http;
	struct event ring[EVENTS_KEPT];
	uint64_t first; /* ids in the ring: first <= id < end */
	uint64_t end;
	struct listener *listeners;
	struct dirty dirty[MAX_DIRTY]; /* jobs whose progress is still to be told */
	size_t n_dirty;
	struct loop_source *timer;
};

static void publish(struct events *ev, const char *type, int64_t series_id, cJSON *data)
{
	AUTO_FREE char *json = json_text(data);
	struct event *slot = &ev->ring[ev->end % EVENTS_KEPT];

	cJSON_Delete(data);
	free(slot->text);
	slot->text = xasprintf(
		"id: %llu\nevent: %s\ndata: %s\n\n", (unsigned long long)ev->end, type, json);
	slot->series_id = series_id;
	ev->end++;
	if (ev->end - ev->first > EVENTS_KEPT)
		ev->first++;
	for (struct listener *l = ev->listeners; l; l = l->next)
		stream_wake(l->stream);
}

static void publish_series(struct events *ev, int64_t id)
{
	AUTO_SERIES struct series_row row = {0};
	cJSON *data;

	if (series_get(ev->http->store, id, &row, NULL) < 0)
		return;
	data = cJSON_CreateObject();
	json_set_int(data, series_noun(&row), id);
	json_series_state(data, &row);
	publish(ev, series_noun(&row), id, data);
}

static void publish_job(struct events *ev, int64_t id)
{
	AUTO_JOB struct job_row row = {0};
	cJSON *data;

	if (job_get(ev->http->store, id, &row, NULL) < 0)
		return;
	data = json_job_brief(&row);
	cJSON_DeleteItemFromObject(data, "id");
	json_set_int(data, "job", id);
	publish(ev, "job", row.series_id, data);
}

static void publish_progress(struct events *ev, const struct dirty *d)
{
	struct progress p;
	cJSON *data;

	if (!sched_progress(ev->http->sched, d->job_id, &p))
		return;
	data = cJSON_CreateObject();
	json_set_int(data, "job", d->job_id);
	json_set_run(data, d->series_id, d->of_comparison);
	json_job_progress(data, &p);
	publish(ev, "progress", d->series_id, data);
}

static void publish_name(struct events *ev, const char *type, int64_t id)
{
	cJSON *data = cJSON_CreateObject();

	json_set_int(data, type, id);
	publish(ev, type, 0, data);
}

static void flush(struct events *ev)
{
	for (size_t i = 0; i < ev->n_dirty; i++)
		publish_progress(ev, &ev->dirty[i]);
	ev->n_dirty = 0;
	loop_set_timer(ev->timer, -1);
}

static void on_timer(struct loop *loop, void *data)
{
	flush(data);
}

/* A compiler says a line a file: told one by one they would push everything else out. */
static void progress_later(struct events *ev, const struct change *change)
{
	for (size_t i = 0; i < ev->n_dirty; i++)
		if (ev->dirty[i].job_id == change->id)
			return;
	if (ev->n_dirty == MAX_DIRTY)
		flush(ev);
	if (ev->n_dirty == 0)
		loop_set_timer(ev->timer, clock_mono_ms() + EVENTS_PROGRESS_MS);
	ev->dirty[ev->n_dirty++] =
		(struct dirty){change->id, change->series_id, change->of_comparison};
}

void events_on_change(const struct change *change, void *data)
{
	struct http *http = data;
	struct events *ev = http->events;

	switch (change->kind) {
	case CHANGE_SERIES:
		publish_series(ev, change->id);
		break;
	case CHANGE_JOB:
		publish_job(ev, change->id);
		logs_wake(http, change->id);
		break;
	case CHANGE_PROGRESS:
		progress_later(ev, change);
		break;
	case CHANGE_LOG:
		logs_wake(http, change->id);
		break;
	case CHANGE_TREE:
		publish_name(ev, "tree", change->id);
		break;
	case CHANGE_HOST:
		publish_name(ev, "host", change->id);
		break;
	case CHANGE_MACHINE:
		publish_name(ev, "machine", change->id);
		break;
	}
}

static enum stream_next listener_next(void *source, struct strbuf *out)
{
	struct listener *l = source;
	struct events *ev = l->events;

	if (!l->greeted) {
		/* Headers alone do not make a browser call the stream open. */
		l->greeted = true;
		(void)strbuf_adds(out, "retry: 2000\n: welcome\n\n");
		return STREAM_ITEM;
	}
	if (l->at < ev->first || l->at > ev->end) {
		l->at = ev->end;
		(void)strbuf_addf(out, "id: %llu\nevent: reset\ndata: {}\n\n",
			(unsigned long long)ev->end - 1);
		return STREAM_ITEM;
	}
	while (l->at < ev->end) {
		const struct event *event = &ev->ring[l->at++ % EVENTS_KEPT];

		if (l->series_id && event->series_id != l->series_id)
			continue;
		(void)strbuf_adds(out, event->text);
		return STREAM_ITEM;
	}
	return STREAM_WAIT;
}

static void listener_free(void *source)
{
	struct listener *l = source;

	if (l->prev)
		l->prev->next = l->next;
	else
		l->events->listeners = l->next;
	if (l->next)
		l->next->prev = l->prev;
	free(l);
}

static const struct stream_ops listener_ops = {listener_next, listener_free};

/* After Last-Event-ID where the browser comes back, else from now on. */
static uint64_t start_at(struct request *r, const struct events *ev)
{
	const char *last = request_header(r, "Last-Event-ID");
	int64_t id;

	if (!last || parse_int64(last, 0, INT64_MAX - 1, &id) < 0)
		return ev->end;
	return (uint64_t)id + 1;
}

void events_open(struct request *r)
{
	struct events *ev = r->http->events;
	struct listener *l;
	int64_t series_id;

	if (!request_run_id(r, &series_id))
		return;
	l = xcalloc(1, sizeof(*l));
	l->events = ev;
	l->series_id = series_id;
	l->at = start_at(r, ev);
	l->next = ev->listeners;
	if (l->next)
		l->next->prev = l;
	ev->listeners = l;
	stream_open(r, &listener_ops, l, &l->stream);
}

struct events *events_new(struct http *http)
{
	struct events *ev = xcalloc(1, sizeof(*ev));

	ev->http = http;
	ev->first = ev->end = (uint64_t)clock_unix_ms() * IDS_PER_MS;
	ev->timer = loop_add_timer(http->loop, -1, on_timer, ev);
	return ev;
}

struct events *events_free(struct events *ev)
{
	if (!ev)
		return NULL;
	loop_remove(ev->timer);
	for (size_t i = 0; i < EVENTS_KEPT; i++)
		free(ev->ring[i].text);
	free(ev);
	return NULL;
}

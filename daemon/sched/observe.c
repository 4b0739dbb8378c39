/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/sched/internal.h"

struct observer {
	struct sched *sched;
	struct observer *next;
	change_fn fn; /* NULL: gone, and freed once no notice is on its way */
	void *data;
	bool telling;
};

struct observer *sched_observe(struct sched *s, change_fn fn, void *data)
{
	struct observer *o = xcalloc(1, sizeof(*o));

	o->sched = s;
	o->fn = fn;
	o->data = data;
	o->next = s->observers;
	s->observers = o;
	return o;
}

static void unlink_observer(struct observer *o)
{
	struct observer **at = &o->sched->observers;

	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	free(o);
}

void sched_unobserve(struct observer *o)
{
	if (!o)
		return;
	o->fn = NULL;
	if (!o->telling)
		unlink_observer(o);
}

void sched_notify(struct sched *s, const struct change *change)
{
	struct observer *next;

	/* An observer may take itself away while it is told. It may not take away another, so next
	 * stays valid. */
	for (struct observer *o = s->observers; o; o = next) {
		next = o->next;
		if (o->fn) {
			o->telling = true;
			o->fn(change, o->data);
			o->telling = false;
		}
		if (!o->fn)
			unlink_observer(o);
	}
}

void sched_notify_row(struct sched *s, enum change_kind kind, int64_t id)
{
	struct change change = {.kind = kind, .id = id};

	sched_notify(s, &change);
}

void sched_notify_job(struct sched *s, const struct job_row *job)
{
	struct change change = {.kind = CHANGE_JOB, .id = job->id, .series_id = job->series_id};

	sched_notify(s, &change);
}

void sched_log(const char *fmt, ...)
{
	va_list ap;
	char line[2048];

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	(void)fprintf(stderr, "patchbayd: %s\n", line);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A newer version takes the place of those that still wait or run. docs/internals/series.md. */
#include "daemon/sched/internal.h"
#include "daemon/store/archive.h"
#include "daemon/store/version.h"

int versions_cancel(
	struct sched *s, const struct series_row *series, const char *why, struct error *e)
{
	int err = series_set_cancelled(s->store, series->id, series->run, why, e);

	return err < 0 ? err : job_cancel_queued(s->store, series->id, series->run, e);
}

/* Mail that nobody has approved of, which may be forged, stops nothing. */
static int waits(struct sched *s, int64_t series_id, bool *ret_waits, struct error *e)
{
	AUTO_ORIGIN struct origin_row origin = {0};
	bool there = false;
	int err = origin_get(s->store, series_id, &origin, &there, e);

	if (err >= 0)
		*ret_waits = origin.waits != NULL;
	return err;
}

static int supersede(
	struct sched *s, int64_t old_id, int64_t new_id, int new_version, struct error *e)
{
	AUTO_SERIES struct series_row old = {0};
	AUTO_FREE char *why = xasprintf(
		"It was superseded by version %d, series %lld.", new_version, (long long)new_id);
	int err = series_get(s->store, old_id, &old, e);

	return err < 0 ? err : versions_cancel(s, &old, why, e);
}

/* Those before it, where it lets none go on; all of them are told of in o->superseded. */
static int supersede_older(struct sched *s, const struct job_row *job, const cJSON *series,
	struct outcome *o, struct error *e)
{
	AUTO_FREE struct version_row *rows = NULL;
	size_t n = 0;
	bool keeps = false;
	bool ran = false;
	int err = version_older(
		s->store, job->series_id, job->run, json_get(series, "answers"), &rows, &n, e);

	if (err < 0 || n == 0 ||
		(err = version_set_previous(
			 s->store, job->series_id, job->run, rows[0].series_id, e)) < 0)
		return err;
	err = version_keeps_older(s->store, job->series_id, &keeps, e);
	if (err >= 0 && !keeps)
		err = waits(s, job->series_id, &keeps, e);
	/* A rerun of what has run was asked for; one that was approved of, or whose mails came later,
	 * runs for the first time. */
	if (err >= 0)
		err = version_ran_before(s->store, job->series_id, job->run, &ran, e);
	for (size_t i = 0; i < n && err >= 0 && !keeps && !ran; i++) {
		if (!rows[i].goes_on)
			continue;
		err = supersede(s, rows[i].series_id, job->series_id,
			(int)json_int(series, "version", 1), e);
		o->superseded = xgrow(o->superseded, o->n_superseded, sizeof(*o->superseded));
		o->superseded[o->n_superseded++] = rows[i].series_id;
	}
	return err;
}

/* The other way round: the newer one was read first. A rerun was asked for, and goes on. */
static int yield_to_newer(struct sched *s, const struct job_row *job, struct error *e)
{
	int64_t newer;
	int version;
	bool waiting = false;
	int err;

	if (job->run != 1)
		return 0;
	err = version_newer(s->store, job->series_id, job->run, &newer, &version, e);
	if (err >= 0 && newer)
		err = waits(s, newer, &waiting, e);
	if (err < 0 || !newer || waiting)
		return err;
	return supersede(s, job->series_id, newer, version, e);
}

int versions_settle(struct sched *s, const struct job_row *job, const cJSON *series,
	struct outcome *o, struct error *e)
{
	int err = supersede_older(s, job, series, o, e);

	return err < 0 ? err : yield_to_newer(s, job, e);
}

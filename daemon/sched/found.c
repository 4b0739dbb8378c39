/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series that a visit to an archive found. */
#include "daemon/sched/inbox.h"
#include "daemon/store/version.h"

struct visit {
	struct sched *s;
	const cJSON *config; /* of the archive */
	int64_t archive_id;
};

/* Why it waits, as a sentence; NULL: it may run. Heap. */
static char *waits_text(const struct visit *v, const cJSON *found)
{
	if (json_bool(found, "may_run", false))
		return NULL;
	return xasprintf(
		"it came from archive %s, mail can be forged, and %s: look at it, then let it run "
		"with `patchbay series approve`",
		json_str(v->config, "name", ""), json_str(found, "why", "nobody vouched for it"));
}

static int submit_found(struct visit *v, const cJSON *found, struct part_row *part, struct error *e)
{
	AUTO_SERIES struct series_row row = {0};
	AUTO_FREE char *waits = waits_text(v, found);
	struct submit_found origin = {
		.part = part, .message_ids = json_get(found, "message_ids"), .waits = waits};
	struct submit_opts opts = {
		.mail_path = json_str(found, "mbox", NULL),
		.mail_sha256 = part->mail_sha256,
		.mail_size = json_int(found, "size", 0),
		.tree = json_str(v->config, "tree", NULL),
		.profile = json_str(v->config, "profile", NULL),
		.until = json_str(v->config, "until", NULL),
		.found = &origin,
	};
	bool created;
	int err = sched_submit(v->s, &opts, &row, &created, e);

	if (err >= 0)
		sched_log("series %lld: found in archive %s", (long long)row.id,
			json_str(v->config, "name", ""));
	return err;
}

/* More of a series that is known: its next run sees it. */
static int update_series(
	struct visit *v, const cJSON *found, struct part_row *part, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_FREE char *waits = waits_text(v, found);
	struct origin_row origin = {.fetched = true, .waits = waits};
	int64_t draw = 0;
	int run;
	int err = sched_draw(&draw, e);

	if (err < 0 || (err = store_begin(v->s->store, &tx, e)) < 0 ||
		(err = part_put(v->s->store, part, json_get(found, "message_ids"), &part->id, e)) <
			0 ||
		(err = origin_put(v->s->store, part->series_id, &origin, e)) < 0 ||
		(err = series_set_mail(v->s->store, part->series_id, part->mail_sha256,
			 json_int(found, "size", 0), e)) < 0 ||
		(err = series_add_run(v->s->store, part->series_id, draw, &run, e)) < 0 ||
		(err = store_commit(&tx, e)) < 0)
		return err;
	sched_advance(v->s, part->series_id);
	return 0;
}

/* The first of the open parts that became one series stays, preferably one that people see. */
static int choose_part(
	struct visit *v, const cJSON *found, struct part_row *ret_part, struct error *e)
{
	const cJSON *item;

	json_for_each (item, json_get(found, "parts")) {
		AUTO_PART struct part_row part = {0};
		int err = part_get(v->s->store, (int64_t)item->valuedouble, &part, e);

		if (err == ERR_MISSING)
			continue;
		if (err < 0)
			return err;
		if (ret_part->id && (ret_part->series_id || !part.series_id))
			continue;
		part_done(ret_part);
		*ret_part = part;
		part = (struct part_row){0};
	}
	return 0;
}

/* It waits for no more mails; one that nobody has seen goes. */
static int close_part(struct visit *v, struct part_row *part, struct error *e)
{
	int64_t id = part->id;

	part->open = false;
	return part->series_id ? part_put(v->s->store, part, NULL, &id, e)
			       : part_delete(v->s->store, id, e);
}

/* What became a part of another is no series any more. */
static int drop_others(struct visit *v, const cJSON *found, int64_t kept, struct error *e)
{
	const cJSON *item;

	json_for_each (item, json_get(found, "parts")) {
		AUTO_PART struct part_row part = {0};
		int64_t id = (int64_t)item->valuedouble;
		int err = id == kept ? ERR_MISSING : part_get(v->s->store, id, &part, e);

		if (err == ERR_MISSING)
			continue;
		if (err >= 0 && part.series_id)
			sched_log("series %lld: its mails belong to another one now",
				(long long)part.series_id);
		if (err < 0 || (err = close_part(v, &part, e)) < 0)
			return err;
	}
	return 0;
}

static int take_series(struct visit *v, const cJSON *found, struct error *e)
{
	AUTO_PART struct part_row part = {0};
	bool complete = json_bool(found, "complete", false);
	/* What it answers may still come: nobody needs to see it before. */
	bool wanted = json_bool(found, "wanted", false) && !json_bool(found, "loose", false);
	int64_t seen = 0;
	int64_t id;
	int err = choose_part(v, found, &part, e);

	if (err < 0 || (err = drop_others(v, found, part.id, e)) < 0)
		return err;
	if (!part.id && ((err = part_find_series(
				  v->s->store, json_get(found, "message_ids"), &seen, e)) < 0 ||
				seen))
		return err;
	if (!part.series_id && !wanted && complete)
		return part.id ? part_delete(v->s->store, part.id, e) : 0;
	part.archive_id = part.id ? part.archive_id : v->archive_id;
	part.open = !complete;
	free(part.mail_sha256);
	part.mail_sha256 = xstrdup(json_str(found, "sha256", ""));
	err = sched_keep_mail(v->s, json_str(found, "mbox", ""), part.mail_sha256, e);
	if (err < 0)
		return err;
	if (part.series_id)
		return update_series(v, found, &part, e);
	if (wanted)
		return submit_found(v, found, &part, e);
	return part_put(v->s->store, &part, json_get(found, "message_ids"), &id, e);
}

/* More was said of a series that is over, or goes on as it is. */
static int take_replies(struct visit *v, const cJSON *found, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_PART struct part_row part = {0};
	AUTO_SERIES struct series_row series = {0};
	const cJSON *trailers = json_get(found, "trailers");
	int64_t id;
	int err = choose_part(v, found, &part, e);

	if (err < 0 || !part.series_id)
		return err;
	free(part.mail_sha256);
	part.mail_sha256 = xstrdup(json_str(found, "sha256", ""));
	if ((err = sched_keep_mail(v->s, json_str(found, "mbox", ""), part.mail_sha256, e)) < 0 ||
		(err = store_begin(v->s->store, &tx, e)) < 0 ||
		(err = series_get(v->s->store, part.series_id, &series, e)) < 0 ||
		(err = part_put(v->s->store, &part, NULL, &id, e)) < 0 ||
		(err = series_set_mail(v->s->store, part.series_id, part.mail_sha256,
			 json_int(found, "size", 0), e)) < 0 ||
		(err = version_set_trailers(v->s->store, part.series_id, series.run, trailers, e)) <
			0 ||
		(err = store_commit(&tx, e)) < 0)
		return err;
	sched_notify_row(v->s, CHANGE_SERIES, part.series_id);
	return 0;
}

/*
 * New mails answer series that are not among those the visit knew of: partial rerolls, replies. Those
 * that the lab has come along when the same mails are gone through once more.
 */
static int recall(struct visit *v, const cJSON *asks, bool *ret_recalls, struct error *e)
{
	struct sched *s = v->s;
	const cJSON *item;

	json_for_each (item, asks) {
		int64_t part = 0;
		int err = part_closed_with_mail(s->store, cJSON_GetStringValue(item), &part, e);

		if (err < 0)
			return err;
		if (!part || inbox_recalls(s, v->archive_id, part))
			continue;
		s->recalled = xgrow(s->recalled, s->n_recalled, sizeof(*s->recalled));
		s->recalled[s->n_recalled++] = (struct recalled){v->archive_id, part};
		*ret_recalls = true;
	}
	return 0;
}

static void forget_recalled(struct sched *s, int64_t archive_id)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_recalled; i++)
		if (s->recalled[i].archive_id != archive_id)
			s->recalled[n++] = s->recalled[i];
	s->n_recalled = n;
}

/* A mail that the archive took back completes nothing any more. */
static int take_back(struct visit *v, const char *message_id, struct error *e)
{
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;
	int err = part_with_mail(v->s->store, message_id, &ids, &n, e);

	for (size_t i = 0; i < n && err >= 0; i++) {
		AUTO_PART struct part_row part = {0};

		err = part_get(v->s->store, ids[i], &part, e);
		if (err >= 0)
			err = close_part(v, &part, e);
	}
	return err;
}

int inbox_take(struct sched *s, const struct job_row *job, struct outcome *o, struct error *e)
{
	AUTO_JSON cJSON *config = NULL;
	AUTO_ARCHIVE struct archive_row row = {0};
	struct visit v = {.s = s};
	const cJSON *item;
	int err = archive_get(s->store, job->archive, &row, e);

	if (err < 0 || (err = inbox_config_of(s, job->archive, &config, e)) < 0)
		return err;
	v.config = config;
	v.archive_id = row.id;
	err = recall(&v, json_get(o->result, "asks"), &o->recalls, e);
	if (err < 0 || o->recalls)
		return err;
	json_for_each (item, json_get(o->result, "taken_back")) {
		err = take_back(&v, cJSON_GetStringValue(item), e);
		if (err < 0)
			return err;
	}
	json_for_each (item, json_get(o->result, "series")) {
		err = json_bool(item, "only_replies", false) ? take_replies(&v, item, e)
							     : take_series(&v, item, e);
		if (err < 0)
			return err;
	}
	return 0;
}

int inbox_store(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e)
{
	AUTO_ARCHIVE struct archive_row row = {0};
	int err = archive_get(s->store, job->archive, &row, e);

	if (err < 0)
		return err;
	if (o->status == STATUS_PASS && o->recalls)
		return 0;
	if (o->status == STATUS_PASS)
		forget_recalled(s, row.id);
	if (o->status == STATUS_PASS && o->result)
		return archive_set_visited(s->store, row.id, json_get(o->result, "positions"),
			json_int(o->result, "mails", 0), clock_unix_ms(), e);
	return archive_set_failed(
		s->store, row.id, o->reason ? o->reason : "the worker found nothing to say", e);
}

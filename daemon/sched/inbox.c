/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Following mailing-list archives: when each is visited, and what its worker is told. What comes
 * of a visit is in found.c. docs/internals/inbox.md.
 */
#include "daemon/config/archives.h"
#include "daemon/sched/inbox.h"

#define VISIT_SECONDS (4 * 3600) /* the first one clones an epoch */
#define SETTLE_MS (30 * 60 * 1000LL) /* what a series answers comes within this, or not at all */
#define RETRY_S 60 /* after a visit that failed, at least */

int inbox_config(const struct sched *s, cJSON **ret_config, struct error *e)
{
	AUTO_FREE char *path = path_join(s->state, "archives.yaml");

	return archives_load(path, ret_config, e);
}

int inbox_config_of(const struct sched *s, const char *name, cJSON **ret_archive, struct error *e)
{
	AUTO_JSON cJSON *config = NULL;
	const cJSON *item;
	int err = inbox_config(s, &config, e);

	if (err < 0)
		return err;
	json_for_each (item, json_get(config, "archives")) {
		if (!streq(json_str(item, "name", NULL), name))
			continue;
		*ret_archive = cJSON_Duplicate(item, true);
		return 0;
	}
	return error_set(e, ERR_MISSING,
		"no archive %s is followed: name it in %s/archives.yaml, as docs/OPERATIONS.md "
		"says",
		name, s->state);
}

bool inbox_recalls(const struct sched *s, int64_t archive_id, int64_t part_id)
{
	for (size_t i = 0; i < s->n_recalled; i++)
		if (s->recalled[i].archive_id == archive_id &&
			(!part_id || s->recalled[i].part_id == part_id))
			return true;
	return false;
}

static int queue_visit(struct sched *s, const struct archive_row *archive, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	struct job_row job = {.kind = (char *)"inbox", .archive = archive->name};
	int err = store_begin(s->store, &tx, e);

	if (err < 0 || (err = job_insert(s->store, &job, &job.id, e)) < 0 ||
		(err = archive_set_job(s->store, archive->id, job.id, e)) < 0 ||
		(err = store_commit(&tx, e)) < 0)
		return err;
	sched_notify_job(s, &job);
	sched_kick(s);
	return 0;
}

/* The row of a configured archive, made where it is new. */
static int get_row(
	struct sched *s, const cJSON *config, struct archive_row *ret_row, struct error *e)
{
	const char *name = json_str(config, "name", "");
	int64_t since_s = clock_unix_ms() / 1000 - json_int(config, "history_seconds", 0);
	int err = archive_put(s->store, name, json_str(config, "address", ""), since_s, e);

	return err < 0 ? err : archive_get(s->store, name, ret_row, e);
}

/* When it is to be visited next, monotonic; now or before: it is time. */
static int64_t due_ms(struct sched *s, const cJSON *config, const struct archive_row *row)
{
	int64_t every_ms = json_int(config, "every_seconds", 300) * 1000;
	AUTO_JOB struct job_row job = {0};

	if (!row->job_id || job_get(s->store, row->job_id, &job, NULL) < 0)
		return 0;
	if (job.status == STATUS_QUEUED || job.status == STATUS_RUNNING)
		return INT64_MAX; /* its end asks again */
	if (job.status != STATUS_PASS)
		every_ms = MAX_OF(every_ms, RETRY_S * 1000);
	/* There is more, and nothing to wait for. */
	else if (json_bool(job.result, "more", false) || inbox_recalls(s, row->id, 0))
		every_ms = 0;
	return clock_mono_ms() + job.ended_ms + every_ms - clock_unix_ms();
}

static int64_t visit_if_due(struct sched *s, const cJSON *config)
{
	AUTO_ARCHIVE struct archive_row row = {0};
	struct error e = ERROR_INIT;
	int64_t due;

	if (get_row(s, config, &row, &e) < 0) {
		sched_log("archive %s cannot be followed: %s", json_str(config, "name", ""), e.msg);
		sched_try_again(s);
		return INT64_MAX;
	}
	due = due_ms(s, config, &row);
	if (due > clock_mono_ms())
		return due;
	if (queue_visit(s, &row, &e) < 0) {
		sched_log("archive %s cannot be visited: %s", row.name, e.msg);
		sched_try_again(s);
	}
	return INT64_MAX;
}

void inbox_turn(struct sched *s)
{
	AUTO_JSON cJSON *config = NULL;
	struct error e = ERROR_INIT;
	int64_t next = INT64_MAX;
	const cJSON *item;

	if (inbox_config(s, &config, &e) < 0) {
		sched_log("no archive is followed: %s", e.msg);
		return;
	}
	json_for_each (item, json_get(config, "archives")) {
		int64_t due = visit_if_due(s, item);

		next = MIN_OF(next, due);
	}
	loop_set_timer(s->inbox, next == INT64_MAX ? -1 : next);
}

int sched_archive_visit(
	struct sched *s, const char *name, struct archive_row *ret_row, struct error *e)
{
	AUTO_JSON cJSON *config = NULL;
	AUTO_ARCHIVE struct archive_row row = {0};
	int err = inbox_config_of(s, name, &config, e);

	if (err < 0 || (err = get_row(s, config, &row, e)) < 0)
		return err;
	if (!sched_is_open(s, row.job_id) && (err = queue_visit(s, &row, e)) < 0)
		return err;
	inbox_turn(s); /* others may be new in the file */
	return archive_get(s->store, name, ret_row, e);
}

int sched_archives(struct sched *s, cJSON **ret_config, struct error *e)
{
	int err = inbox_config(s, ret_config, e);

	if (err >= 0)
		inbox_turn(s);
	return err;
}

static void add_part(
	struct sched *s, cJSON *list, const struct part_row *part, bool settled, bool recalled)
{
	AUTO_FREE char *mail = sched_mail(s, part->mail_sha256);
	cJSON *item = cJSON_CreateObject();

	cJSON_AddItemToArray(list, item);
	json_set_int(item, "part", part->id);
	json_set_str(item, "mbox", mail);
	json_set_bool(item, "settled", settled);
	json_set_bool(item, "recalled", recalled);
}

/* Series that were over, and that new mails answer. */
static int add_recalled(struct sched *s, cJSON *list, int64_t archive_id, struct error *e)
{
	for (size_t i = 0; i < s->n_recalled; i++) {
		AUTO_PART struct part_row part = {0};
		int err;

		if (s->recalled[i].archive_id != archive_id)
			continue;
		err = part_get(s->store, s->recalled[i].part_id, &part, e);
		if (err < 0 && err != ERR_MISSING)
			return err;
		if (err >= 0 && !part.open)
			add_part(s, list, &part, true, true);
	}
	return 0;
}

static int add_open(struct sched *s, cJSON *spec, int64_t archive_id, struct error *e)
{
	cJSON *list = json_add_array(spec, "open");
	struct part_row *parts = NULL;
	size_t n = 0;
	int err = part_expire(s->store, clock_unix_ms() - INBOX_OPEN_MS, e);

	if (err < 0 || (err = part_open(s->store, archive_id, &parts, &n, e)) < 0)
		return err;
	for (size_t i = 0; i < n; i++)
		add_part(s, list, &parts[i], clock_unix_ms() - parts[i].changed_ms >= SETTLE_MS,
			false);
	part_free_all(parts, n);
	return add_recalled(s, list, archive_id, e);
}

int inbox_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	static const char *const lists[] = {"paths", "lists", "allow", "trust"};
	AUTO_JSON cJSON *config = NULL;
	AUTO_ARCHIVE struct archive_row row = {0};
	AUTO_FREE char *folder = xasprintf("%s/archives/%s", s->state, job->archive);
	cJSON *positions = NULL;
	int err = inbox_config_of(s, job->archive, &config, e);

	*ret_seconds = VISIT_SECONDS;
	if (err < 0 || (err = archive_get(s->store, job->archive, &row, e)) < 0 ||
		(err = archive_positions(s->store, row.id, &positions, e)) < 0)
		return err;
	json_set_str(spec, "archive", row.name);
	json_set_str(spec, "address", row.address);
	json_set_str(spec, "folder", folder);
	json_set_int(spec, "since", row.since_s);
	json_set(spec, "positions", positions);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		json_set(spec, lists[i], cJSON_Duplicate(json_get(config, lists[i]), true));
	return add_open(s, spec, row.id, e);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/json.h"
#include "daemon/plan/plan.h"

void json_series_state(cJSON *o, const struct series_row *row)
{
	json_set_str(o, "title", row->title);
	json_set_int(o, "run", row->run);
	json_set_str(o, "state", row->state);
	json_set_str(o, "verdict", row->verdict);
	json_set_str(o, "performance", row->performance);
	json_set_str(o, "held", row->held);
	json_set_bool(o, "input_at_fault", row->input_at_fault);
}

/* The first sentence on why it stands as it does. */
static const char *reason_of(const struct series_row *row)
{
	if (row->held)
		return row->held;
	return row->reasons ? cJSON_GetStringValue(cJSON_GetArrayItem(row->reasons, 0)) : NULL;
}

/* What was sent. */
static void set_series(cJSON *o, const struct series_row *row)
{
	json_set_int(o, "version", row->version);
	json_set_int(o, "patches", row->patches);
	json_set_str(o, "message_id", row->message_id);
	json_set_str(o, "chosen_by", row->chosen_by);
	json_set_str(o, "until", row->until);
	json_set_copy(o, "source", row->source);
	json_set_str(o, "archive", row->archive);
	json_set_bool(o, "waits", row->waits != NULL);
}

static cJSON *row_json(const struct series_row *row)
{
	cJSON *o = cJSON_CreateObject();

	json_set_int(o, "id", row->id);
	json_series_state(o, row);
	json_set_str(o, "reason", reason_of(row));
	json_set_copy(o, "reasons", row->reasons);
	json_set_str(o, "tree", row->tree);
	json_set_str(o, "tip", row->tip);
	json_set_str(o, "base", row->base_commit);
	json_set_str(o, "base_asked", row->base_text);
	json_set_str(o, "profile", row->profile_name);
	json_set_bool(o, "no_inherit", row->no_inherit);
	if (row->patched_text) {
		json_set_str(o, "patched", row->patched_commit);
		json_set_str(o, "patched_asked", row->patched_text);
	} else {
		set_series(o, row);
	}
	json_set_time(o, "created", row->created_ms);
	json_set_time(o, "run_created", row->run_created_ms);
	json_set_time(o, "finished", row->finished_ms);
	return o;
}

/* Every job of the newest run, oldest first. */
static int jobs_of(struct store *store, int64_t id, cJSON *ret_jobs, struct error *e)
{
	const struct job_filter filter = {.series_id = id};
	struct page page = PAGE_ALL;

	do {
		struct job_row *rows;
		size_t n;
		int r = job_list(store, &filter, &page, &rows, &n, &page.after, e);

		if (r < 0)
			return r;
		for (size_t i = 0; i < n; i++)
			cJSON_AddItemToArray(ret_jobs, json_job_brief(&rows[i]));
		job_free_all(rows, n);
	} while (page.after);
	return 0;
}

struct count {
	const cJSON *running; /* the job to show */
	int boots;
	int boots_ended;
};

static void count_jobs(const cJSON *jobs, struct count *ret_count)
{
	const cJSON *job;

	*ret_count = (struct count){0};
	json_for_each (job, jobs) {
		if (streq(json_str(job, "status", NULL), "running") && !ret_count->running)
			ret_count->running = job;
		if (streq(json_str(job, "kind", NULL), "boot")) {
			ret_count->boots++;
			ret_count->boots_ended += json_get(job, "ended") != NULL;
		}
	}
}

/*
 * {"stage","patch","patches","boot","boots","text","job","job_started"} of a run that goes on.
 * stage is the kind of the job that runs, or `waiting`; boots is what the profile plans, or more
 * where some had to be repeated.
 */
static void set_progress(struct sched *s, const struct series_row *row, const cJSON *jobs, cJSON *o)
{
	int planned = row->profile ? plan_count_boots(row->profile) : 0;
	cJSON *p = json_add_object(o, "progress");
	struct progress now = {0};
	struct count count;
	bool boots;

	count_jobs(jobs, &count);
	boots = count.running && streq(json_str(count.running, "kind", NULL), "boot");
	json_set_str(p, "stage", count.running ? json_str(count.running, "kind", NULL) : "waiting");
	json_set_copy(p, "patch", count.running ? json_get(count.running, "patch") : NULL);
	json_set_int(p, "patches", row->patches);
	json_set_id(p, "boot", boots ? count.boots_ended + 1 : count.boots_ended);
	json_set_id(p, "boots", count.boots > 0 ? MAX_OF(count.boots, planned) : 0);
	if (count.running)
		(void)sched_progress(s, json_int(count.running, "id", 0), &now);
	json_set_str(p, "text", now.text ? now.text : now.stage);
	json_set_copy(p, "job", count.running ? json_get(count.running, "id") : NULL);
	json_set_copy(p, "job_started", count.running ? json_get(count.running, "started") : NULL);
}

/* The run's jobs into the array, and where it stands into o. */
static int add_run(
	struct sched *s, const struct series_row *row, cJSON *jobs, cJSON *o, struct error *e)
{
	int r = jobs_of(sched_store(s), row->id, jobs, e);

	if (r == 0 && !row->finished_ms)
		set_progress(s, row, jobs, o);
	else
		json_set(o, "progress", NULL);
	return r;
}

int json_series_brief(
	struct sched *s, const struct series_row *row, cJSON **ret_json, struct error *e)
{
	AUTO_JSON cJSON *o = row_json(row);
	AUTO_JSON cJSON *jobs = cJSON_CreateArray();
	AUTO_SERIES struct series_row whole = {0};
	int r = 0;

	if (row->finished_ms)
		json_set(o, "progress", NULL);
	else if (row->profile)
		r = add_run(s, row, jobs, o, e);
	else if ((r = series_get(sched_store(s), row->id, &whole, e)) == 0)
		r = add_run(s, &whole, jobs, o, e); /* lists leave the profile out */
	if (r == 0)
		*ret_json = steal_ptr(o);
	return r;
}

static int add_needs(struct sched *s, const struct series_row *row, cJSON *o, struct error *e)
{
	AUTO_FREE int64_t *needs = NULL;
	size_t n = 0;
	cJSON *list;
	int r = series_needs(sched_store(s), row->id, &needs, &n, e);

	if (r < 0)
		return r;
	list = json_add_array(o, "needs");
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)needs[i]));
	return 0;
}

int json_series(struct sched *s, const struct series_row *row, cJSON **ret_json, struct error *e)
{
	AUTO_JSON cJSON *o = row_json(row);
	int r = row->patched_text ? 0 : add_needs(s, row, o, e);

	if (r < 0)
		return r;
	r = add_run(s, row, json_add_array(o, "jobs"), o, e);
	if (r == 0)
		*ret_json = steal_ptr(o);
	return r;
}

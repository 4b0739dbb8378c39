/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/json.h"

static void set_times(cJSON *o, const struct job_row *row)
{
	json_set_time(o, "queued", row->queued_ms);
	json_set_time(o, "started", row->started_ms);
	json_set_time(o, "ended", row->ended_ms);
	if (row->started_ms && row->ended_ms)
		json_set_num(o, "seconds", (double)(row->ended_ms - row->started_ms) / 1000);
	else
		json_set(o, "seconds", NULL);
}

cJSON *json_job_brief(const struct job_row *row)
{
	cJSON *o = cJSON_CreateObject();

	json_set_int(o, "id", row->id);
	json_set_str(o, "kind", row->kind);
	json_set_str(o, "status", status_name(row->status));
	json_set_str(o, "reason", row->reason);
	json_set_run(o, row->series_id, row->of_comparison);
	json_set_id(o, "run", row->run);
	json_set_str(o, "tree", row->tree);
	json_set_str(o, "host", row->host);
	json_set_str(o, "machine", row->machine);
	json_set_int(o, "attempt", row->attempt);
	set_times(o, row);
	if (row->patch >= 0)
		json_set_int(o, "patch", row->patch);
	else
		json_set(o, "patch", NULL);
	json_set_str(o, "commit", row->commit);
	if (!streq(row->kind, "boot"))
		return o;
	json_set_str(o, "side", row->side);
	json_set_str(o, "role", row->role);
	json_set_str(o, "clock", row->clock);
	json_set_str(o, "part", row->part && *row->part ? row->part : NULL);
	json_set_int(o, "pair", row->pair);
	json_set_int(o, "seed", row->seed);
	return o;
}

static void set_count(cJSON *o, const char *key, int64_t n)
{
	if (n >= 0)
		json_set_int(o, key, n);
	else
		json_set(o, key, NULL);
}

void json_job_progress(cJSON *o, const struct progress *p)
{
	json_set_str(o, "stage", p->stage);
	json_set_str(o, "text", p->text);
	set_count(o, "done", p->done);
	set_count(o, "total", p->total);
	json_set_int(o, "log_size", p->log_size);
}

cJSON *json_job(struct sched *s, const struct job_row *row)
{
	cJSON *o = json_job_brief(row);
	struct progress p;

	json_set_num(o, "tool_seconds", (double)row->tool_ms / 1000);
	json_set_copy(o, "result", row->result);
	if (sched_progress(s, row->id, &p)) {
		json_job_progress(json_add_object(o, "progress"), &p);
		json_set_int(o, "log_size", p.log_size);
	} else {
		json_set(o, "progress", NULL);
		json_set_int(o, "log_size", row->log_size);
	}
	return o;
}

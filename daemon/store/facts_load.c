/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

/* Until the mail was read, or the commits were found. */
static char *default_title(const struct facts *f)
{
	return f->patched_text ? xasprintf("%s against %s", f->patched_text, f->base_text)
			       : xasprintf("series %lld", (long long)f->id);
}

static int load_series(struct store *s, int64_t id, int run, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT n, title, version, message_id, state, verdict, held, input_at_fault, tree, "
		"base_text, base_commit, chosen_by, until, no_inherit, profile, run.created_ms, "
		"finished_ms, reasons, source IS NOT NULL AND NOT fetched, waits, "
		"patched FROM series JOIN run ON run.series_id = series.id "
		"LEFT JOIN origin ON origin.series_id = series.id "
		"LEFT JOIN comparison ON comparison.series_id = series.id "
		"WHERE series.id = ?1 AND run.n = iif(?2, ?2, series.run)",
		"ii", id, (int64_t)run);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err < 0)
		return err;
	if (err == 0)
		return series_no_such(ERR_MISSING, id, e);
	f->id = id;
	f->run = (int)col_int(st, 0);
	f->title = col_text(st, 1);
	f->version = (int)col_int(st, 2);
	f->message_id = col_text(st, 3);
	f->state = col_text(st, 4);
	f->verdict = col_text(st, 5);
	f->held = col_text(st, 6);
	f->input_at_fault = col_int(st, 7);
	f->tree = col_text(st, 8);
	f->base_text = col_text(st, 9);
	f->base_commit = col_text(st, 10);
	f->chosen_by = col_text(st, 11);
	f->until = col_text(st, 12);
	f->no_inherit = col_int(st, 13);
	f->profile = col_json(st, 14);
	f->created_ms = col_int(st, 15);
	f->finished_ms = col_int(st, 16);
	f->reasons = col_json(st, 17);
	f->to_fetch = col_int(st, 18);
	f->waits = col_text(st, 19);
	f->patched_text = col_text(st, 20);
	if (!f->title)
		f->title = default_title(f);
	return 0;
}

/* Tools of the builds; each machine once, by name, as its last boot saw it. */
static int load_environment(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	AUTO_JSON cJSON *environment = cJSON_CreateObject();
	AUTO_JSON cJSON *machines = cJSON_CreateObject();
	cJSON *tools = json_add_object(environment, "tools");
	cJSON *list = json_add_array(environment, "machines");
	cJSON *item;
	int err = store_query(s, &st, e,
		"SELECT result -> '$.tools', result -> '$.machine' FROM job "
		"WHERE series_id = ? AND run = ? AND kind IN ('build', 'boot') "
		"AND result IS NOT NULL ORDER BY id",
		"ii", f->id, (int64_t)f->run);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		AUTO_JSON cJSON *job_tools = col_json(st, 0);
		AUTO_JSON cJSON *machine = col_json(st, 1);
		const char *name = json_str(machine, "name", NULL);

		json_for_each (item, job_tools) {
			cJSON_DeleteItemFromObjectCaseSensitive(tools, item->string);
			json_set(tools, item->string, cJSON_Duplicate(item, true));
		}
		if (name) {
			AUTO_FREE char *key = xstrdup(name);

			cJSON_DeleteItemFromObjectCaseSensitive(machines, key);
			json_set(machines, key, steal_ptr(machine));
		}
	}
	if (err < 0)
		return err;
	while (machines->child)
		cJSON_AddItemToArray(list, cJSON_DetachItemViaPointer(machines, machines->child));
	f->environment = steal_ptr(environment);
	return 0;
}

/* How long jobs of others ran on a host while one of this run was queued for it; of a batch, the
 * first one waits for all. The others are looked for once, by the index over (host, ended_ms), in
 * the time in which the run waited for each host. */
static int load_busy(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"WITH ours AS MATERIALIZED ("
		"SELECT host, queued_ms AS since, iif(started_ms, started_ms, ?3) AS until "
		"FROM job WHERE series_id = ?1 AND run = ?2 AND id = batch AND host IS NOT NULL), "
		"span AS MATERIALIZED ("
		"SELECT host, min(since) AS since, max(until) AS until FROM ours GROUP BY host), "
		"others AS MATERIALIZED ("
		"SELECT job.host, started_ms, ended_ms FROM span CROSS JOIN job "
		"ON job.host = span.host AND ended_ms > since "
		"WHERE started_ms BETWEEN 1 AND until AND series_id IS NOT ?1 "
		"UNION ALL "
		"SELECT job.host, started_ms, ?3 FROM span CROSS JOIN job "
		"ON job.host = span.host AND ended_ms = 0 "
		"WHERE started_ms BETWEEN 1 AND until AND series_id IS NOT ?1) "
		"SELECT coalesce(sum(max(0, "
		"min(others.ended_ms, until) - max(others.started_ms, since))), 0) "
		"FROM ours JOIN others ON others.host = ours.host",
		"iii", f->id, (int64_t)f->run, clock_unix_ms());

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err < 0)
		return err;
	f->busy_elsewhere_ms = col_int(st, 0);
	return 0;
}

int facts_load(struct store *s, int64_t series_id, int run, enum facts_depth depth,
	struct facts **ret_facts, struct error *e)
{
	static int (*const load[])(struct store *, struct facts *, struct error *) = {
		need_load,
		patch_load,
		base_load,
		version_load,
		build_load,
		boot_load,
		job_load,
		load_environment,
		load_busy,
	};
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_FACTS struct facts *f = facts_new();
	int err = store_begin(s, &tx, e);

	f->has_excerpts = depth == FACTS_SHOWN;
	if (err < 0 || (err = load_series(s, series_id, run, f, e)) < 0)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(load); i++) {
		err = load[i](s, f, e);
		if (err < 0)
			return err;
	}
	err = store_commit(&tx, e);
	if (err < 0)
		return err;
	*ret_facts = steal_ptr(f);
	return 0;
}

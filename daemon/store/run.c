/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

int run_insert(struct store *s, int64_t series_id, int n, int64_t draw, struct error *e)
{
	return store_exec(s, e,
		"INSERT INTO run (series_id, n, state, draw, created_ms) "
		"VALUES (?, ?, 'received', ?, ?)",
		"iiii", series_id, (int64_t)n, draw, clock_unix_ms());
}

int series_set_state(struct store *s, int64_t id, int run, const char *state, struct error *e)
{
	return series_no_such(store_exec_one(s, e, "run",
				      "UPDATE run SET state = ?3 WHERE series_id = ?1 AND n = ?2 "
				      "AND finished_ms = 0",
				      "iis", id, (int64_t)run, state),
		id, e);
}

int series_set_place(struct store *s, int64_t id, int run, const char *host, const char *machine,
	struct error *e)
{
	return series_no_such(store_exec_one(s, e, "run",
				      "UPDATE run SET host = ?3, machine = ?4 "
				      "WHERE series_id = ?1 AND n = ?2",
				      "iiss", id, (int64_t)run, host, machine),
		id, e);
}

int series_set_held(
	struct store *s, int64_t id, int run, const char *why, bool input_at_fault, struct error *e)
{
	AUTO_JSON cJSON *reasons = cJSON_CreateArray();

	json_push_str(reasons, why);
	return series_no_such(
		store_exec_one(s, e, "run",
			"UPDATE run SET state = 'held', verdict = 'held', performance = 'none', "
			"held = ?3, input_at_fault = ?4, reasons = ?5, finished_ms = ?6 "
			"WHERE series_id = ?1 AND n = ?2 AND finished_ms = 0",
			"iisiji", id, (int64_t)run, why, (int64_t)input_at_fault, reasons,
			clock_unix_ms()),
		id, e);
}

int series_set_cancelled(struct store *s, int64_t id, int run, const char *why, struct error *e)
{
	return series_no_such(
		store_exec_one(s, e, "run",
			"UPDATE run SET state = 'cancelled', verdict = 'cancelled', "
			"performance = 'none', reasons = json_array(?4), "
			"finished_ms = ?3 WHERE series_id = ?1 AND n = ?2 AND finished_ms = 0",
			"iiis", id, (int64_t)run, clock_unix_ms(), why),
		id, e);
}

int series_set_verdict(struct store *s, int64_t id, int run, const char *verdict,
	const char *performance, const cJSON *reasons, struct error *e)
{
	return series_no_such(
		store_exec_one(s, e, "run",
			"UPDATE run SET state = 'done', verdict = ?3, "
			"performance = ?4, reasons = ?5, finished_ms = ?6 "
			"WHERE series_id = ?1 AND n = ?2 AND finished_ms = 0",
			"iissji", id, (int64_t)run, verdict, performance, reasons, clock_unix_ms()),
		id, e);
}

int series_set_parsed(struct store *s, int64_t id, int run, const cJSON *parsed, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	const cJSON *patches = json_get(parsed, "patches");
	const char *message_id = json_str(json_get(parsed, "cover"), "message_id", NULL);
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	if (!message_id)
		message_id = json_str(cJSON_GetArrayItem(patches, 0), "message_id", NULL);
	err = store_exec_one(s, e, "run",
		"UPDATE run SET title = ?3, version = ?4, message_id = ?5, patches = ?6 "
		"WHERE series_id = ?1 AND n = ?2",
		"iisisi", id, (int64_t)run, json_str(parsed, "title", NULL),
		json_int(parsed, "version", 1), message_id, (int64_t)cJSON_GetArraySize(patches));
	if (err < 0)
		return series_no_such(err, id, e);
	if ((err = patch_insert_all(s, id, run, patches, e)) < 0 ||
		(err = known_insert(s, id, parsed, e)) < 0 ||
		(err = version_insert(s, id, run, parsed, e)) < 0 ||
		(err = prerequisite_insert_all(s, id, run, json_get(parsed, "prerequisites"), e)) <
			0)
		return err;
	return store_commit(&tx, e);
}

/* As the kernel's people cite commits. */
static char *cite(const cJSON *commit)
{
	return xasprintf(
		"%.12s (\"%s\")", json_str(commit, "commit", ""), json_str(commit, "subject", ""));
}

int series_set_resolved(
	struct store *s, int64_t id, int run, const cJSON *resolved, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	const cJSON *patched = json_get(resolved, "patched");
	const cJSON *base = json_get(resolved, "base");
	AUTO_FREE char *patched_name = cite(patched);
	AUTO_FREE char *base_name = cite(base);
	AUTO_FREE char *title = xasprintf("%s against %s", patched_name, base_name);
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	if (!json_str(base, "commit", NULL) || !json_str(patched, "commit", NULL))
		return error_set(e, -EINVAL, "it names no commit");
	err = store_exec_one(s, e, "run",
		"UPDATE run SET title = ?3, patches = 1, base_commit = ?4, chosen_by = 'option' "
		"WHERE series_id = ?1 AND n = ?2",
		"iiss", id, (int64_t)run, title, json_str(base, "commit", NULL));
	if (err < 0)
		return series_no_such(err, id, e);
	if ((err = patch_insert_commit(s, id, run, patched, e)) < 0)
		return err;
	return store_commit(&tx, e);
}

int series_set_applied(struct store *s, int64_t id, int run, const cJSON *applied, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	err = store_exec_one(s, e, "run",
		"UPDATE run SET base_commit = ?3, chosen_by = ?4 WHERE series_id = ?1 AND n = ?2",
		"iiss", id, (int64_t)run, json_str(applied, "base", NULL),
		json_str(applied, "chosen_by", NULL));
	if (err < 0)
		return series_no_such(err, id, e);
	if ((err = base_set(s, id, run, applied, e)) < 0 ||
		(err = version_set_changes(s, id, run, applied, e)) < 0 ||
		(err = prerequisite_set_found(s, id, run, json_get(applied, "prerequisites"), e)) <
			0 ||
		(err = need_set_commits(s, id, run, json_get(applied, "needs"), e)) < 0)
		return err;
	err = patch_set_applied(s, id, run, json_get(applied, "patches"), e);
	if (err < 0)
		return err;
	return store_commit(&tx, e);
}

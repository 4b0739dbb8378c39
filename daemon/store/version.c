/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/version.h"
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

int version_keep_older(struct store *s, int64_t series_id, struct error *e)
{
	return store_exec(s, e, "INSERT INTO keep_older (series_id) VALUES (?)", "i", series_id);
}

int version_insert(struct store *s, int64_t id, int run, const cJSON *parsed, struct error *e)
{
	AUTO_JSON cJSON *none = cJSON_CreateArray();
	const cJSON *trailers = json_get(parsed, "trailers");
	const cJSON *previous = json_get(parsed, "previous");

	return store_exec(s, e,
		"INSERT INTO version (series_id, run, sender, change_id, resend, previous, "
		"trailers) "
		"VALUES (?, ?, ?, ?, ?, ?, ?)",
		"iissijj", id, (int64_t)run, json_str(parsed, "sender", ""),
		json_str(parsed, "change_id", NULL), (int64_t)json_bool(parsed, "resend", false),
		cJSON_IsObject(previous) ? previous : NULL, trailers ? trailers : none);
}

#define ANSWERED                                                 \
	"SELECT series_id FROM known WHERE kind = 'message-id' " \
	"AND value IN (SELECT value FROM json_each(?3))"

int version_older(struct store *s, int64_t series_id, int run, const cJSON *answers,
	struct version_row **ret_rows, size_t *ret_n, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	AUTO_JSON cJSON *none = cJSON_CreateArray();
	struct version_row *rows = NULL;
	size_t n = 0;
	int err = store_query(s, &st, e,
		"SELECT series.id, run.version, run.finished_ms = 0 AND series.tree = mine.tree "
		"AND series.profile_name = mine.profile_name "
		"FROM series AS mine JOIN run AS my ON my.series_id = mine.id AND my.n = ?2 "
		"JOIN version AS v ON v.series_id = mine.id AND v.run = my.n "
		"JOIN version AS o JOIN series ON series.id = o.series_id AND series.run = o.run "
		"JOIN run ON run.series_id = series.id AND run.n = series.run "
		"WHERE mine.id = ?1 AND series.id <> ?1 "
		"AND (run.version < my.version OR run.version = my.version AND o.resend < "
		"v.resend) "
		/* By index to the few that can be; then which of them are. */
		"AND series.id IN (SELECT series_id FROM version WHERE change_id = v.change_id "
		"UNION SELECT series_id FROM version WHERE sender = v.sender "
		"UNION " ANSWERED ") "
		"AND (o.change_id = v.change_id "
		"OR o.sender = v.sender AND v.sender <> '' AND run.title = my.title "
		"OR (o.sender = v.sender OR run.title = my.title) AND series.id IN (" ANSWERED ")) "
		"ORDER BY run.version DESC, o.resend DESC, series.id DESC LIMIT 1000",
		"iij", series_id, (int64_t)run, answers ? answers : none);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		rows = xgrow(rows, n, sizeof(*rows));
		rows[n++] = (struct version_row){
			col_int(st, 0), (int)col_int(st, 1), col_int(st, 2) != 0};
	}
	if (err < 0) {
		free(rows);
		return err;
	}
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}

int version_newer(struct store *s, int64_t series_id, int run, int64_t *ret_id, int *ret_version,
	struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT series.id, run.version "
		"FROM series AS mine JOIN run AS my ON my.series_id = mine.id AND my.n = ?2 "
		"JOIN version AS v ON v.series_id = mine.id AND v.run = my.n "
		"JOIN version AS o JOIN series ON series.id = o.series_id AND series.run = o.run "
		"JOIN run ON run.series_id = series.id AND run.n = series.run "
		"WHERE mine.id = ?1 AND series.id > ?1 "
		"AND (run.version > my.version OR run.version = my.version AND o.resend > "
		"v.resend) "
		"AND series.id IN (SELECT series_id FROM version WHERE change_id = v.change_id "
		"UNION SELECT series_id FROM version WHERE sender = v.sender) "
		"AND (o.change_id = v.change_id "
		"OR o.sender = v.sender AND v.sender <> '' AND run.title = my.title) "
		"AND series.tree = mine.tree AND series.profile_name = mine.profile_name "
		"AND run.state NOT IN ('held', 'cancelled') "
		"AND series.id NOT IN (SELECT series_id FROM keep_older) "
		"ORDER BY run.version DESC, series.id DESC LIMIT 1",
		"ii", series_id, (int64_t)run);

	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	*ret_id = err > 0 ? col_int(st, 0) : 0;
	*ret_version = err > 0 ? (int)col_int(st, 1) : 0;
	return 0;
}

int version_keeps_older(struct store *s, int64_t series_id, bool *ret_keeps, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(
		s, &st, e, "SELECT 1 FROM keep_older WHERE series_id = ?", "i", series_id);

	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	*ret_keeps = err > 0;
	return 0;
}

int version_ran_before(struct store *s, int64_t series_id, int run, bool *ret_ran, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT 1 FROM run WHERE series_id = ? AND n < ? AND state <> 'held' LIMIT 1", "ii",
		series_id, (int64_t)run);

	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	*ret_ran = err > 0;
	return 0;
}

int version_set_previous(
	struct store *s, int64_t series_id, int run, int64_t previous_id, struct error *e)
{
	return store_exec_one(s, e, "version",
		"UPDATE version SET previous_id = ?3 WHERE series_id = ?1 AND run = ?2", "iii",
		series_id, (int64_t)run, previous_id);
}

int version_set_trailers(
	struct store *s, int64_t series_id, int run, const cJSON *trailers, struct error *e)
{
	return store_exec(s, e,
		"UPDATE version SET trailers = ?3 WHERE series_id = ?1 AND run = ?2", "iij",
		series_id, (int64_t)run, trailers);
}

int version_previous(struct store *s, int64_t series_id, int run, int64_t *ret_id, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT previous_id FROM version WHERE series_id = ? AND run = ? "
		"AND previous IS NULL AND previous_id IS NOT NULL",
		"ii", series_id, (int64_t)run);

	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	*ret_id = err > 0 ? col_int(st, 0) : 0;
	return 0;
}

int version_set_changes(struct store *s, int64_t id, int run, const cJSON *applied, struct error *e)
{
	const cJSON *previous = json_get(applied, "previous");

	if (!cJSON_IsObject(previous))
		return 0;
	return store_exec_one(s, e, "version",
		"UPDATE version SET previous = ?3 WHERE series_id = ?1 AND run = ?2", "iij", id,
		(int64_t)run, previous);
}

int version_load(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT previous, trailers, previous_id FROM version "
		"WHERE series_id = ? AND run = ?",
		"ii", f->id, (int64_t)f->run);

	if (err < 0 || (err = store_next(st, e)) <= 0)
		return err;
	f->previous = col_json(st, 0);
	f->trailers = col_json(st, 1);
	f->previous_id = col_int(st, 2);
	return 0;
}

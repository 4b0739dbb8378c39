/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/base.h"
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

int need_insert(struct store *s, int64_t series_id, int place, int64_t need_id, struct error *e)
{
	return series_no_such(
		store_exec(s, e, "INSERT INTO need (series_id, place, need_id) VALUES (?, ?, ?)",
			"iii", series_id, (int64_t)place, need_id),
		need_id, e);
}

int series_needs(struct store *s, int64_t id, int64_t **ret_ids, size_t *ret_n, struct error *e)
{
	return store_query_ids(s, ret_ids, ret_n, e,
		"SELECT need_id FROM need WHERE series_id = ? ORDER BY place", "i", id);
}

int series_needed_by(struct store *s, int64_t id, int64_t **ret_ids, size_t *ret_n, struct error *e)
{
	return store_query_ids(s, ret_ids, ret_n, e,
		"SELECT DISTINCT need.series_id FROM need "
		"JOIN series ON series.id = need.series_id "
		"JOIN run ON run.series_id = series.id AND run.n = series.run "
		"WHERE need_id = ? AND finished_ms = 0 ORDER BY need.series_id",
		"i", id);
}

int need_set_commits(
	struct store *s, int64_t series_id, int run, const cJSON *needs, struct error *e)
{
	const cJSON *need;

	json_for_each (need, needs) {
		const cJSON *commit;
		int64_t n = 0;

		json_for_each (commit, json_get(need, "commits")) {
			int err = store_exec(s, e,
				"INSERT INTO need_commit (series_id, run, need_id, n, commit_id) "
				"VALUES (?, ?, ?, ?, ?)",
				"iiiis", series_id, (int64_t)run, json_int(need, "id", 0), ++n,
				cJSON_GetStringValue(commit));
			if (err < 0)
				return err;
		}
	}
	return 0;
}

static int load_commits(
	struct store *s, const struct facts *f, struct fact_need *need, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT commit_id FROM need_commit WHERE series_id = ? AND run = ? AND need_id = ? "
		"ORDER BY n",
		"iii", f->id, (int64_t)f->run, need->id);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0)
		*rows_add(need->commits, need->n_commits) = col_text(st, 0);
	return err;
}

struct need_row *need_free_all(struct need_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(rows[i].because);
	free(rows);
	return NULL;
}

int need_list(struct store *s, int64_t series_id, struct need_row **ret_rows, size_t *ret_n,
	struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	struct need_row *rows = NULL;
	size_t n = 0;
	int err = store_query(s, &st, e,
		"SELECT need_id, because FROM need WHERE series_id = ? ORDER BY place", "i",
		series_id);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		struct need_row *row = rows_add(rows, n);

		row->id = col_int(st, 0);
		row->because = col_text(st, 1);
	}
	if (err < 0) {
		need_free_all(rows, n);
		return err;
	}
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}

int need_replace(
	struct store *s, int64_t series_id, const struct need_row *rows, size_t n, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	int err = store_begin(s, &tx, e);

	if (err >= 0)
		err = store_exec(s, e, "DELETE FROM need WHERE series_id = ?", "i", series_id);
	for (size_t i = 0; i < n && err >= 0; i++)
		err = store_exec(s, e,
			"INSERT INTO need (series_id, place, need_id, because) "
			"VALUES (?, ?, ?, ?)",
			"iiis", series_id, (int64_t)i + 1, rows[i].id, rows[i].because);
	return err < 0 ? err : store_commit(&tx, e);
}

int need_load(struct store *s, struct facts *f, struct error *e)
{
	struct need_row *rows = NULL;
	size_t n = 0;
	int err = need_list(s, f->id, &rows, &n, e);

	for (size_t i = 0; i < n && err >= 0; i++) {
		struct fact_need *need = rows_add(f->needs, f->n_needs);

		need->id = rows[i].id;
		need->because = steal_ptr(rows[i].because);
		err = load_commits(s, f, need, e);
	}
	need_free_all(rows, n);
	return err;
}

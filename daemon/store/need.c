/* SPDX-License-Identifier: GPL-3.0-or-later */
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

int need_load(struct store *s, struct facts *f, struct error *e)
{
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;
	int err = series_needs(s, f->id, &ids, &n, e);

	for (size_t i = 0; i < n && err >= 0; i++) {
		struct fact_need *need = rows_add(f->needs, f->n_needs);

		need->id = ids[i];
		err = load_commits(s, f, need, e);
	}
	return err;
}

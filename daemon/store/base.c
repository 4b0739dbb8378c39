/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/base.h"
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

int series_set_any_tree(struct store *s, int64_t id, struct error *e)
{
	return store_exec(s, e, "INSERT INTO any_tree (series_id) VALUES (?)", "i", id);
}

int series_any_tree(struct store *s, int64_t id, bool *ret_any, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e, "SELECT 1 FROM any_tree WHERE series_id = ?", "i", id);

	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	*ret_any = err > 0;
	return 0;
}

/* Once a series went onto a tree, that one is its tree; refused by all, it may be asked again. */
static int set_tree(struct store *s, int64_t id, const cJSON *applied, struct error *e)
{
	const char *tree = json_str(applied, "tree", NULL);
	bool any = false;
	int err = series_any_tree(s, id, &any, e);

	if (err < 0 || !any || !tree)
		return err;
	err = store_exec_one(s, e, "series", "UPDATE series SET tree = ?2, tip = ?3 WHERE id = ?1",
		"iss", id, tree, json_str(applied, "tip", NULL));
	if (err < 0 || !streq(json_str(applied, "status", NULL), "applied"))
		return err;
	return store_exec(s, e, "DELETE FROM any_tree WHERE series_id = ?", "i", id);
}

int base_set(struct store *s, int64_t id, int run, const cJSON *applied, struct error *e)
{
	AUTO_JSON cJSON *none = cJSON_CreateArray();
	const cJSON *candidates = json_get(applied, "candidates");
	int err = set_tree(s, id, applied, e);

	if (err < 0)
		return err;
	return store_exec(s, e,
		"INSERT INTO base (series_id, run, why, candidates) VALUES (?, ?, ?, ?)", "iisj",
		id, (int64_t)run, json_str(applied, "base_why", NULL),
		candidates ? candidates : none);
}

static int load_choice(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT why, candidates FROM base WHERE series_id = ? AND run = ?", "ii", f->id,
		(int64_t)f->run);

	if (err < 0 || (err = store_next(st, e)) <= 0)
		return err;
	f->base_why = col_text(st, 0);
	f->candidates = col_json(st, 1);
	return 0;
}

int base_load(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = load_choice(s, f, e);

	if (err < 0)
		return err;
	err = store_query(s, &st, e,
		"SELECT json_group_array(json_object('kind', kind, 'value', value, 'found', found, "
		"'series', need_id, 'commit', commit_id)) FROM (SELECT * FROM prerequisite "
		"WHERE series_id = ? AND run = ? ORDER BY n)",
		"ii", f->id, (int64_t)f->run);
	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	f->prerequisites = col_json(st, 0);
	return 0;
}

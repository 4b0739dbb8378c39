/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/base.h"
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

static int insert_known(
	struct store *s, int64_t id, const char *kind, const char *value, struct error *e)
{
	if (!value || !*value)
		return 0;
	return store_exec(s, e,
		"INSERT OR IGNORE INTO known (kind, value, series_id) VALUES (?, ?, ?)", "ssi",
		kind, value, id);
}

/* b4 writes a change with the version it needs. */
static int insert_change(struct store *s, int64_t id, const cJSON *parsed, struct error *e)
{
	const char *change = json_str(parsed, "change_id", NULL);
	AUTO_FREE char *version = NULL;
	int err;

	if (!change)
		return 0;
	version = xasprintf("%s:v%lld", change, (long long)json_int(parsed, "version", 1));
	err = insert_known(s, id, "change-id", change, e);
	return err < 0 ? err : insert_known(s, id, "change-id", version, e);
}

int known_insert(struct store *s, int64_t id, const cJSON *parsed, struct error *e)
{
	const cJSON *patch;
	int err = insert_change(s, id, parsed, e);

	if (err >= 0)
		err = insert_known(s, id, "text", json_str(parsed, "title", NULL), e);
	if (err >= 0)
		err = insert_known(s, id, "message-id",
			json_str(json_get(parsed, "cover"), "message_id", NULL), e);
	json_for_each (patch, json_get(parsed, "patches")) {
		if (err >= 0)
			err = insert_known(
				s, id, "message-id", json_str(patch, "message_id", NULL), e);
		if (err >= 0)
			err = insert_known(s, id, "patch-id", json_str(patch, "patch_id", NULL), e);
		if (err >= 0)
			err = insert_known(
				s, id, "patch-id", json_str(patch, "patch_id_unstable", NULL), e);
	}
	return err;
}

/* What is looked for: of words, a title without its brackets. */
static const char *plain(const char *kind, const char *value)
{
	if (!streq(kind, "text"))
		return value;
	while (value && (*value == '[' || *value == ' ')) {
		const char *close = *value == '[' ? strchr(value, ']') : value;

		if (!close)
			break;
		value = close + 1;
	}
	return value;
}

int prerequisite_insert_all(
	struct store *s, int64_t series_id, int run, const cJSON *list, struct error *e)
{
	const cJSON *item;
	int64_t n = 0;

	json_for_each (item, list) {
		int err = store_exec(s, e,
			"INSERT INTO prerequisite (series_id, run, n, kind, value) "
			"VALUES (?, ?, ?, ?, ?)",
			"iiiss", series_id, (int64_t)run, ++n, json_str(item, "kind", NULL),
			plain(json_str(item, "kind", NULL), json_str(item, "value", NULL)));
		if (err < 0)
			return err;
	}
	return 0;
}

int prerequisite_set_found(
	struct store *s, int64_t series_id, int run, const cJSON *list, struct error *e)
{
	const cJSON *item;

	json_for_each (item, list) {
		int err = store_exec_one(s, e, "prerequisite",
			"UPDATE prerequisite SET found = 'tree', commit_id = ?4 "
			"WHERE series_id = ?1 AND run = ?2 AND n = ?3",
			"iiis", series_id, (int64_t)run, json_int(item, "n", 0),
			json_str(item, "commit", NULL));
		if (err < 0)
			return err;
	}
	return 0;
}

struct prerequisite_row *prerequisite_free_all(struct prerequisite_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rows[i].kind);
		free(rows[i].value);
		free(rows[i].found);
	}
	free(rows);
	return NULL;
}

int prerequisite_list(struct store *s, int64_t series_id, int run,
	struct prerequisite_row **ret_rows, size_t *ret_n, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	struct prerequisite_row *rows = NULL;
	size_t n = 0;
	int err = store_query(s, &st, e,
		"SELECT n, kind, value, found, need_id FROM prerequisite "
		"WHERE series_id = ? AND run = ? ORDER BY n",
		"ii", series_id, (int64_t)run);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		struct prerequisite_row *row = rows_add(rows, n);

		row->n = (int)col_int(st, 0);
		row->kind = col_text(st, 1);
		row->value = col_text(st, 2);
		row->found = col_text(st, 3);
		row->need_id = col_int(st, 4);
	}
	if (err < 0) {
		prerequisite_free_all(rows, n);
		return err;
	}
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}

int prerequisite_find(struct store *s, int64_t series_id, const struct prerequisite_row *p,
	int64_t *ret_id, int64_t *ret_held, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT series.id, run.state = 'held' FROM known "
		"JOIN series ON series.id = known.series_id "
		"JOIN run ON run.series_id = series.id AND run.n = series.run "
		"WHERE kind = ?2 AND value = ?3 AND series.id <> ?1 AND run.state <> 'cancelled' "
		/* What another patch of this series needs comes first, then the newest. */
		"ORDER BY run.state = 'held', series.id IN (SELECT need_id FROM need "
		"WHERE need.series_id = ?1) DESC, series.id DESC LIMIT 1",
		"iss", series_id, p->kind, p->value);

	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	*ret_id = *ret_held = 0;
	if (err > 0)
		*(col_int(st, 1) ? ret_held : ret_id) = col_int(st, 0);
	return 0;
}

int prerequisite_set(struct store *s, int64_t series_id, int run, int n, const char *found,
	int64_t need_id, struct error *e)
{
	return store_exec_one(s, e, "prerequisite",
		"UPDATE prerequisite SET found = ?4, need_id = ?5 "
		"WHERE series_id = ?1 AND run = ?2 AND n = ?3",
		"iiisz", series_id, (int64_t)run, (int64_t)n, found, need_id);
}

int prerequisite_waiting(
	struct store *s, int64_t id, int64_t **ret_ids, size_t *ret_n, struct error *e)
{
	return store_query_ids(s, ret_ids, ret_n, e,
		"SELECT DISTINCT series.id FROM known "
		"JOIN prerequisite AS p ON p.kind = known.kind AND p.value = known.value "
		"AND p.found IS NULL "
		"JOIN series ON series.id = p.series_id AND series.run = p.run "
		"JOIN run ON run.series_id = series.id AND run.n = series.run "
		"WHERE known.series_id = ?1 AND series.id <> ?1 AND run.state = 'held' "
		"ORDER BY series.id",
		"i", id);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/archive.h"
#include "daemon/store/internal.h"

#define COLUMNS "SELECT id, archive_id, series_id, mail_sha256, open, changed_ms FROM part "

void part_done(struct part_row *r)
{
	if (!r)
		return;
	free(r->mail_sha256);
	*r = (struct part_row){0};
}

struct part_row *part_free_all(struct part_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		part_done(&rows[i]);
	free(rows);
	return NULL;
}

static void read_row(sqlite3_stmt *st, struct part_row *row)
{
	row->id = col_int(st, 0);
	row->archive_id = col_int(st, 1);
	row->series_id = col_int(st, 2);
	row->mail_sha256 = col_text(st, 3);
	row->open = col_int(st, 4);
	row->changed_ms = col_int(st, 5);
}

static int put_row(struct store *s, const struct part_row *row, int64_t *ret_id, struct error *e)
{
	int err;

	if (row->id) {
		*ret_id = row->id;
		return store_exec_one(s, e, "part of an archive",
			"UPDATE part SET series_id = ?2, mail_sha256 = ?3, open = ?4, "
			"changed_ms = ?5 WHERE id = ?1",
			"izsii", row->id, row->series_id, row->mail_sha256, (int64_t)row->open,
			clock_unix_ms());
	}
	err = store_exec(s, e,
		"INSERT INTO part (archive_id, series_id, mail_sha256, open, changed_ms) "
		"VALUES (?, ?, ?, ?, ?)",
		"izsii", row->archive_id, row->series_id, row->mail_sha256, (int64_t)row->open,
		clock_unix_ms());
	if (err >= 0)
		*ret_id = store_last_id(s);
	return err;
}

int part_put(struct store *s, const struct part_row *row, const cJSON *message_ids, int64_t *ret_id,
	struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	const cJSON *item;
	int64_t id = 0;
	int err = store_begin(s, &tx, e);

	if (err < 0 || (err = put_row(s, row, &id, e)) < 0)
		return err;
	json_for_each (item, message_ids) {
		err = store_exec(s, e,
			"INSERT OR IGNORE INTO part_mail (message_id, part_id) VALUES (?, ?)", "si",
			cJSON_GetStringValue(item), id);
		if (err < 0)
			return err;
	}
	err = store_commit(&tx, e);
	if (err < 0)
		return err;
	*ret_id = id;
	return 0;
}

int part_get(struct store *s, int64_t id, struct part_row *ret_row, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e, COLUMNS "WHERE id = ?", "i", id);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err <= 0)
		return err < 0 ? err
			       : error_set(e, ERR_MISSING, "no part of an archive is number %lld",
					 (long long)id);
	*ret_row = (struct part_row){0};
	read_row(st, ret_row);
	return 0;
}

int part_delete(struct store *s, int64_t id, struct error *e)
{
	return store_exec(s, e, "DELETE FROM part WHERE id = ?", "i", id);
}

static int series_with_mail(
	struct store *s, const char *message_id, int64_t *ret_series, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT series_id FROM part_mail JOIN part ON part.id = part_id "
		"WHERE message_id = ? AND series_id IS NOT NULL ORDER BY series_id LIMIT 1",
		"s", message_id);

	if (err < 0)
		return err;
	err = store_next(st, e);
	*ret_series = err > 0 ? col_int(st, 0) : 0;
	return err < 0 ? err : 0;
}

int part_find_series(
	struct store *s, const cJSON *message_ids, int64_t *ret_series, struct error *e)
{
	const cJSON *item;

	*ret_series = 0;
	json_for_each (item, message_ids) {
		int err = series_with_mail(s, cJSON_GetStringValue(item), ret_series, e);

		if (err < 0 || *ret_series)
			return err;
	}
	return 0;
}

int part_open(struct store *s, int64_t archive_id, struct part_row **ret_rows, size_t *ret_n,
	struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	struct part_row *rows = NULL;
	size_t n = 0;
	int err = store_query(s, &st, e,
		COLUMNS "WHERE open AND (archive_id = ? OR series_id IS NOT NULL) ORDER BY id", "i",
		archive_id);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0)
		read_row(st, rows_add(rows, n));
	if (err < 0) {
		part_free_all(rows, n);
		return err;
	}
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}

int part_expire(struct store *s, int64_t before_ms, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	err = store_exec(s, e,
		"DELETE FROM part WHERE open AND changed_ms < ? AND series_id IS NULL", "i",
		before_ms);
	if (err >= 0)
		err = store_exec(s, e, "UPDATE part SET open = 0 WHERE open AND changed_ms < ?",
			"i", before_ms);
	return err < 0 ? err : store_commit(&tx, e);
}

int part_closed_with_mail(
	struct store *s, const char *message_id, int64_t *ret_part, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT part.id FROM part_mail JOIN part ON part.id = part_id "
		"WHERE message_id = ? AND NOT open AND series_id IS NOT NULL "
		"ORDER BY part.id DESC LIMIT 1",
		"s", message_id);

	if (err < 0 || (err = store_next(st, e)) < 0)
		return err;
	*ret_part = err > 0 ? col_int(st, 0) : 0;
	return 0;
}

int part_with_mail(
	struct store *s, const char *message_id, int64_t **ret_ids, size_t *ret_n, struct error *e)
{
	return store_query_ids(s, ret_ids, ret_n, e,
		"SELECT part_id FROM part_mail JOIN part ON part.id = part_id "
		"WHERE message_id = ? AND open ORDER BY part_id",
		"s", message_id);
}

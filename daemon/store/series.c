/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/series.h"
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

#define COLUMNS(profile)                                                                          \
	"SELECT series.id, series.mail_sha256, mail_size, dedup, tree, tip, base_text, "          \
	"profile_name, "                                                                          \
	"until, no_inherit, series.created_ms, series.run, title, version, message_id, patches, " \
	"state, verdict, performance, reasons, held, input_at_fault, base_commit, chosen_by, "    \
	"draw, run.created_ms, finished_ms, host, machine, source, archive.name, waits, "         \
	"comparison.patched, (SELECT commit_id FROM patch WHERE patch.series_id = "               \
	"comparison.series_id AND patch.run = series.run AND patch.n = 1), " profile              \
	" FROM series JOIN run ON run.series_id = series.id AND run.n = series.run "              \
	"LEFT JOIN comparison ON comparison.series_id = series.id "                               \
	"LEFT JOIN origin ON origin.series_id = series.id "                                       \
	"LEFT JOIN part ON part.series_id = series.id "                                           \
	"LEFT JOIN archive ON archive.id = part.archive_id "

void series_done(struct series_row *r)
{
	if (!r)
		return;
	free(r->mail_sha256);
	free(r->dedup);
	free(r->tree);
	free(r->tip);
	free(r->base_text);
	free(r->patched_text);
	free(r->patched_commit);
	free(r->profile_name);
	cJSON_Delete(r->profile);
	free(r->until);
	free(r->title);
	free(r->message_id);
	free(r->state);
	free(r->verdict);
	free(r->performance);
	cJSON_Delete(r->reasons);
	free(r->held);
	free(r->base_commit);
	free(r->chosen_by);
	free(r->host);
	free(r->machine);
	cJSON_Delete(r->source);
	free(r->archive);
	free(r->waits);
	*r = (struct series_row){0};
}

static void read_row(sqlite3_stmt *st, struct series_row *row)
{
	row->id = col_int(st, 0);
	row->mail_sha256 = col_text(st, 1);
	row->mail_size = col_int(st, 2);
	row->dedup = col_text(st, 3);
	row->tree = col_text(st, 4);
	row->tip = col_text(st, 5);
	row->base_text = col_text(st, 6);
	row->profile_name = col_text(st, 7);
	row->until = col_text(st, 8);
	row->no_inherit = col_int(st, 9);
	row->created_ms = col_int(st, 10);
	row->run = (int)col_int(st, 11);
	row->title = col_text(st, 12);
	row->version = (int)col_int(st, 13);
	row->message_id = col_text(st, 14);
	row->patches = (int)col_int(st, 15);
	row->state = col_text(st, 16);
	row->verdict = col_text(st, 17);
	row->performance = col_text(st, 18);
	row->reasons = col_json(st, 19);
	row->held = col_text(st, 20);
	row->input_at_fault = col_int(st, 21);
	row->base_commit = col_text(st, 22);
	row->chosen_by = col_text(st, 23);
	row->draw = col_int(st, 24);
	row->run_created_ms = col_int(st, 25);
	row->finished_ms = col_int(st, 26);
	row->host = col_text(st, 27);
	row->machine = col_text(st, 28);
	row->source = col_json(st, 29);
	row->archive = col_text(st, 30);
	row->waits = col_text(st, 31);
	row->patched_text = col_text(st, 32);
	row->patched_commit = col_text(st, 33);
	row->profile = col_json(st, 34);
}

PAGED_ROWS(series)

int series_no_such(int err, int64_t id, struct error *e)
{
	if (err != ERR_MISSING)
		return err;
	return error_set(
		e, err, "there is no series %lld: see `patchbay series ls`", (long long)id);
}

int series_insert(struct store *s, const struct series_row *row, const int64_t *needs,
	size_t n_needs, int64_t *ret_id, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	int64_t id;
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	err = store_exec(s, e,
		"INSERT INTO series (mail_sha256, mail_size, dedup, tree, tip, base_text, "
		"profile_name, profile, until, no_inherit, created_ms) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"sisssssjsii", row->mail_sha256, row->mail_size, row->dedup, row->tree, row->tip,
		row->base_text, row->profile_name, row->profile, row->until,
		(int64_t)row->no_inherit, clock_unix_ms());
	if (err < 0)
		return err;
	id = store_last_id(s);
	if (row->patched_text && (err = comparison_insert(s, id, row->patched_text, e)) < 0)
		return err;
	for (size_t i = 0; i < n_needs; i++) {
		err = need_insert(s, id, (int)i + 1, needs[i], e);
		if (err < 0)
			return err;
	}
	err = run_insert(s, id, 1, row->draw, e);
	if (err < 0)
		return err;
	err = store_commit(&tx, e);
	if (err < 0)
		return err;
	*ret_id = id;
	return 0;
}

int series_add_run(struct store *s, int64_t id, int64_t draw, int *ret_run, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_SERIES struct series_row row = {0};
	int err = store_begin(s, &tx, e);

	if (err < 0 || (err = series_get(s, id, &row, e)) < 0)
		return err;
	err = run_insert(s, id, row.run + 1, draw, e);
	if (err < 0)
		return err;
	err = store_exec(
		s, e, "UPDATE series SET run = ?2 WHERE id = ?1", "ii", id, (int64_t)row.run + 1);
	if (err < 0 || (err = store_commit(&tx, e)) < 0)
		return err;
	*ret_run = row.run + 1;
	return 0;
}

int series_set_mail(struct store *s, int64_t id, const char *sha256, int64_t size, struct error *e)
{
	return series_no_such(store_exec_one(s, e, "series",
				      "UPDATE series SET mail_sha256 = ?2, mail_size = ?3 "
				      "WHERE id = ?1",
				      "isi", id, sha256, size),
		id, e);
}

int series_find(struct store *s, const char *dedup, int64_t *ret_id, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT series.id FROM series "
		"JOIN run ON run.series_id = series.id AND run.n = series.run "
		"WHERE dedup = ? AND state <> 'cancelled' AND verdict IS NOT 'error' "
		"AND NOT (verdict IS 'held' AND base_commit IS NULL AND EXISTS (SELECT 1 FROM job "
		"WHERE job.series_id = series.id AND job.run = run.n "
		"AND kind IN ('apply', 'resolve'))) "
		"ORDER BY series.id DESC LIMIT 1",
		"s", dedup);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err <= 0)
		return err < 0 ? err : error_set(e, ERR_MISSING, "no series is the same");
	*ret_id = col_int(st, 0);
	return 0;
}

int series_get(struct store *s, int64_t id, struct series_row *ret_row, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e, COLUMNS("profile") "WHERE series.id = ?", "i", id);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err <= 0)
		return err < 0 ? err : series_no_such(ERR_MISSING, id, e);
	*ret_row = (struct series_row){0};
	read_row(st, ret_row);
	return 0;
}

int series_unfinished(struct store *s, int64_t **ret_ids, size_t *ret_n, struct error *e)
{
	return store_query_ids(s, ret_ids, ret_n, e,
		"SELECT series_id FROM run WHERE finished_ms = 0 ORDER BY created_ms, series_id",
		"");
}

#define LISTED(kind)                                                                    \
	"WHERE " kind " AND (?1 = 0 OR series.id < ?1) AND (?2 IS NULL OR state = ?2) " \
	"AND (?3 IS NULL OR tree = ?3) AND (?4 IS NULL OR verdict = ?4) "               \
	"ORDER BY series.id DESC LIMIT ?5"

int series_list(struct store *s, const struct series_filter *filter, const struct page *page,
	struct series_row **ret_rows, size_t *ret_n, int64_t *ret_next, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = page_check(page, e);

	if (err < 0)
		return err;
	err = store_query(s, &st, e,
		filter->comparisons
			? COLUMNS("NULL") LISTED("series.id IN (SELECT series_id FROM comparison)")
			: COLUMNS("NULL") LISTED("comparison.series_id IS NULL"),
		"isssi", page->after, filter->state, filter->tree, filter->verdict,
		(int64_t)page->limit + 1);
	if (err < 0)
		return err;
	return take_page(st, page, ret_rows, ret_n, ret_next, e);
}

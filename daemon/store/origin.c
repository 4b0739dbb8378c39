/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/archive.h"
#include "daemon/store/internal.h"

void origin_done(struct origin_row *r)
{
	if (!r)
		return;
	cJSON_Delete(r->source);
	free(r->waits);
	*r = (struct origin_row){0};
}

int origin_put(struct store *s, int64_t series_id, const struct origin_row *row, struct error *e)
{
	return store_exec(s, e,
		"INSERT INTO origin (series_id, source, fetched, waits) VALUES (?, ?, ?, ?) "
		"ON CONFLICT DO UPDATE SET source = excluded.source, fetched = excluded.fetched, "
		"waits = excluded.waits",
		"ijis", series_id, row->source, (int64_t)row->fetched, row->waits);
}

int origin_get(struct store *s, int64_t series_id, struct origin_row *ret_row, bool *ret_there,
	struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT source, fetched, waits FROM origin WHERE series_id = ?", "i", series_id);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err < 0)
		return err;
	*ret_row = (struct origin_row){0};
	*ret_there = err > 0;
	if (err > 0) {
		ret_row->source = col_json(st, 0);
		ret_row->fetched = col_int(st, 1);
		ret_row->waits = col_text(st, 2);
	}
	return 0;
}

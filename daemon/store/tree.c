/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/tree.h"
#include "daemon/store/internal.h"

#define COLUMNS                                                                            \
	"SELECT id, name, source, path, state, tip, version, reason, job_id, created_ms, " \
	"fetched_ms FROM tree "

void tree_done(struct tree_row *r)
{
	if (!r)
		return;
	free(r->name);
	cJSON_Delete(r->source);
	free(r->path);
	free(r->state);
	free(r->tip);
	free(r->version);
	free(r->reason);
	*r = (struct tree_row){0};
}

static void read_row(sqlite3_stmt *st, struct tree_row *row)
{
	row->id = col_int(st, 0);
	row->name = col_text(st, 1);
	row->source = col_json(st, 2);
	row->path = col_text(st, 3);
	row->state = col_text(st, 4);
	row->tip = col_text(st, 5);
	row->version = col_text(st, 6);
	row->reason = col_text(st, 7);
	row->job_id = col_int(st, 8);
	row->created_ms = col_int(st, 9);
	row->fetched_ms = col_int(st, 10);
}

LISTED_ROWS(tree)
NAMED_ROWS(tree, "see `patchbay tree ls`, or add it with `patchbay tree add`")

int tree_insert(struct store *s, const struct tree_row *row, int64_t *ret_id, struct error *e)
{
	int err = store_exec(s, e,
		"INSERT INTO tree (name, source, path, state, created_ms) "
		"VALUES (?, ?, ?, 'importing', ?)",
		"sjsi", row->name, row->source, row->path, clock_unix_ms());

	if (err == ERR_CONFLICT)
		return error_set(e, err, "there is a tree %s already", row->name);
	if (err < 0)
		return err;
	*ret_id = store_last_id(s);
	return 0;
}

int tree_set_job(struct store *s, int64_t id, const char *state, int64_t job_id, struct error *e)
{
	return store_exec_one(s, e, "tree", "UPDATE tree SET state = ?2, job_id = ?3 WHERE id = ?1",
		"isi", id, state, job_id);
}

int tree_set_tip(struct store *s, int64_t id, const char *tip, const char *version,
	int64_t fetched_ms, struct error *e)
{
	return store_exec_one(s, e, "tree",
		"UPDATE tree SET state = 'ready', tip = ?2, version = ?3, fetched_ms = ?4, "
		"reason = NULL WHERE id = ?1",
		"issi", id, tip, version, fetched_ms);
}

int tree_set_failed(struct store *s, int64_t id, const char *reason, struct error *e)
{
	return store_exec_one(s, e, "tree",
		"UPDATE tree SET state = iif(tip IS NULL, 'error', 'ready'), reason = ?2 "
		"WHERE id = ?1",
		"is", id, reason);
}

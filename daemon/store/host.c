/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/host.h"
#include "daemon/store/internal.h"

#define COLUMNS                                                                               \
	"SELECT id, name, address, port, user, key, host_key, root, facts, reason, drained, " \
	"job_id, probed_ms, created_ms FROM host "

void host_done(struct host_row *r)
{
	if (!r)
		return;
	free(r->name);
	free(r->address);
	free(r->user);
	free(r->key);
	free(r->host_key);
	free(r->root);
	cJSON_Delete(r->facts);
	free(r->reason);
	*r = (struct host_row){0};
}

static void read_row(sqlite3_stmt *st, struct host_row *row)
{
	row->id = col_int(st, 0);
	row->name = col_text(st, 1);
	row->address = col_text(st, 2);
	row->port = (int)col_int(st, 3);
	row->user = col_text(st, 4);
	row->key = col_text(st, 5);
	row->host_key = col_text(st, 6);
	row->root = col_text(st, 7);
	row->facts = col_json(st, 8);
	row->reason = col_text(st, 9);
	row->drained = col_int(st, 10);
	row->job_id = col_int(st, 11);
	row->probed_ms = col_int(st, 12);
	row->created_ms = col_int(st, 13);
}

LISTED_ROWS(host)
NAMED_ROWS(host, "see `patchbay host ls`, or add it with `patchbay host add`")

int host_put(struct store *s, const struct host_row *row, int64_t *ret_id, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"INSERT INTO host (name, address, port, user, key, host_key, root, created_ms) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
		"ON CONFLICT (name) DO UPDATE SET address = excluded.address, "
		"port = excluded.port, user = excluded.user, key = excluded.key, "
		"host_key = excluded.host_key, root = excluded.root RETURNING id",
		"ssissssi", row->name, row->address, (int64_t)row->port, row->user, row->key,
		row->host_key, row->root, clock_unix_ms());
	int64_t id;

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err < 0)
		return err;
	id = col_int(st, 0);
	/* RETURNING commits when the statement has run to its end. */
	err = store_next(st, e);
	if (err < 0)
		return err;
	*ret_id = id;
	return 0;
}

/* An update's end: that it changed no row is a wrong name. */
static int named(int err, const char *name, struct error *e)
{
	return err == ERR_MISSING ? no_such(name, e) : err;
}

int host_set_job(struct store *s, const char *name, int64_t job_id, struct error *e)
{
	return named(store_exec_one(s, e, "host", "UPDATE host SET job_id = ?2 WHERE name = ?1",
			     "si", name, job_id),
		name, e);
}

int host_set_facts(
	struct store *s, const char *name, const cJSON *facts, int64_t probed_ms, struct error *e)
{
	return named(store_exec_one(s, e, "host",
			     "UPDATE host SET facts = ?2, probed_ms = ?3, reason = NULL "
			     "WHERE name = ?1",
			     "sji", name, facts, probed_ms),
		name, e);
}

int host_set_failed(struct store *s, const char *name, const char *reason, struct error *e)
{
	return named(store_exec_one(s, e, "host", "UPDATE host SET reason = ?2 WHERE name = ?1",
			     "ss", name, reason),
		name, e);
}

int host_set_drained(struct store *s, const char *name, bool drained, struct error *e)
{
	return named(store_exec_one(s, e, "host", "UPDATE host SET drained = ?2 WHERE name = ?1",
			     "si", name, (int64_t)drained),
		name, e);
}

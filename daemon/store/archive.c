/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/archive.h"
#include "daemon/store/internal.h"

#define COLUMNS                                                                             \
	"SELECT id, name, address, since_s, mails, reason, job_id, created_ms, visited_ms " \
	"FROM archive "

void archive_done(struct archive_row *r)
{
	if (!r)
		return;
	free(r->name);
	free(r->address);
	free(r->reason);
	*r = (struct archive_row){0};
}

static void read_row(sqlite3_stmt *st, struct archive_row *row)
{
	row->id = col_int(st, 0);
	row->name = col_text(st, 1);
	row->address = col_text(st, 2);
	row->since_s = col_int(st, 3);
	row->mails = col_int(st, 4);
	row->reason = col_text(st, 5);
	row->job_id = col_int(st, 6);
	row->created_ms = col_int(st, 7);
	row->visited_ms = col_int(st, 8);
}

NAMED_ROWS(archive, "see `patchbay archive ls`; archives.yaml in the state folder names them")

int archive_put(
	struct store *s, const char *name, const char *address, int64_t since_s, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_ARCHIVE struct archive_row there = {0};
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	err = archive_get(s, name, &there, e);
	if (err == ERR_MISSING) {
		err = store_exec(s, e,
			"INSERT INTO archive (name, address, since_s, created_ms) "
			"VALUES (?, ?, ?, ?)",
			"ssii", name, address, since_s, clock_unix_ms());
	} else if (err >= 0 && !streq(there.address, address)) {
		err = store_exec(s, e,
			"UPDATE archive SET address = ?2, since_s = ?3, reason = NULL, "
			"visited_ms = 0 WHERE id = ?1",
			"isi", there.id, address, since_s);
		if (err >= 0)
			err = store_exec(s, e, "DELETE FROM archive_epoch WHERE archive_id = ?",
				"i", there.id);
	}
	return err < 0 ? err : store_commit(&tx, e);
}

int archive_set_job(struct store *s, int64_t id, int64_t job_id, struct error *e)
{
	return store_exec_one(
		s, e, "archive", "UPDATE archive SET job_id = ?2 WHERE id = ?1", "ii", id, job_id);
}

int archive_set_failed(struct store *s, int64_t id, const char *reason, struct error *e)
{
	return store_exec_one(
		s, e, "archive", "UPDATE archive SET reason = ?2 WHERE id = ?1", "is", id, reason);
}

int archive_set_visited(struct store *s, int64_t id, const cJSON *positions, int64_t mails,
	int64_t visited_ms, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	const cJSON *item;
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	json_for_each (item, positions) {
		err = store_exec(s, e,
			"INSERT INTO archive_epoch (archive_id, epoch, commit_id) VALUES (?, ?, ?) "
			"ON CONFLICT DO UPDATE SET commit_id = excluded.commit_id",
			"iis", id, json_int(item, "epoch", 0), json_str(item, "commit", NULL));
		if (err < 0)
			return err;
	}
	err = store_exec_one(s, e, "archive",
		"UPDATE archive SET reason = NULL, mails = mails + ?2, visited_ms = ?3 "
		"WHERE id = ?1",
		"iii", id, mails, visited_ms);
	return err < 0 ? err : store_commit(&tx, e);
}

int archive_positions(struct store *s, int64_t id, cJSON **ret_positions, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	AUTO_JSON cJSON *list = cJSON_CreateArray();
	int err = store_query(s, &st, e,
		"SELECT epoch, commit_id FROM archive_epoch WHERE archive_id = ? ORDER BY epoch",
		"i", id);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		AUTO_FREE char *commit = col_text(st, 1);
		cJSON *item = cJSON_CreateObject();

		cJSON_AddItemToArray(list, item);
		json_set_int(item, "epoch", col_int(st, 0));
		json_set_str(item, "commit", commit);
	}
	if (err < 0)
		return err;
	*ret_positions = steal_ptr(list);
	return 0;
}

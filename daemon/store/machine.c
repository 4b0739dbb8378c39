/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/machine.h"
#include "daemon/store/internal.h"

#define COLUMNS                                                                                  \
	"SELECT id, name, host, kind, model, arch, tags, memory_mib, cpus, drained, created_ms " \
	"FROM machine "

void machine_done(struct machine_row *r)
{
	if (!r)
		return;
	free(r->name);
	free(r->host);
	free(r->kind);
	free(r->model);
	free(r->arch);
	cJSON_Delete(r->tags);
	*r = (struct machine_row){0};
}

static void read_row(sqlite3_stmt *st, struct machine_row *row)
{
	row->id = col_int(st, 0);
	row->name = col_text(st, 1);
	row->host = col_text(st, 2);
	row->kind = col_text(st, 3);
	row->model = col_text(st, 4);
	row->arch = col_text(st, 5);
	row->tags = col_json(st, 6);
	row->memory_mib = (int)col_int(st, 7);
	row->cpus = (int)col_int(st, 8);
	row->drained = col_int(st, 9);
	row->created_ms = col_int(st, 10);
}

LISTED_ROWS(machine)
NAMED_ROWS(machine, "see `patchbay machine ls`")

int machine_put(struct store *s, const struct machine_row *row, int64_t *ret_id, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"INSERT INTO machine (name, host, kind, model, arch, tags, memory_mib, cpus, "
		"created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
		"ON CONFLICT (name) DO UPDATE SET host = excluded.host, kind = excluded.kind, "
		"model = excluded.model, arch = excluded.arch, tags = excluded.tags, "
		"memory_mib = excluded.memory_mib, cpus = excluded.cpus RETURNING id",
		"sssssjiii", row->name, row->host, row->kind, row->model, row->arch, row->tags,
		(int64_t)row->memory_mib, (int64_t)row->cpus, clock_unix_ms());
	int64_t id = 0;

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err > 0) {
		id = col_int(st, 0);
		/* RETURNING commits when the statement has run to its end. */
		err = store_next(st, e);
	}
	if (err == ERR_MISSING)
		return error_set(e, err,
			"machine %s is on host %s, which is not there: add it first with "
			"`patchbay host add`",
			row->name, row->host);
	if (err < 0)
		return err;
	*ret_id = id;
	return 0;
}

int machine_choose(struct store *s, const char *arch, const cJSON *tags,
	struct machine_row *ret_row, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	AUTO_JSON cJSON *none = cJSON_CreateArray();
	AUTO_FREE char *text = json_text(tags ? tags : none);
	int err = store_query(s, &st, e,
		COLUMNS
		"WHERE arch = ?1 AND NOT drained "
		"AND NOT EXISTS (SELECT 1 FROM host WHERE name = machine.host AND drained) "
		"AND NOT EXISTS (SELECT 1 FROM json_each(?2) wanted WHERE wanted.value NOT IN "
		"(SELECT value FROM json_each(machine.tags))) "
		"ORDER BY EXISTS (SELECT 1 FROM host WHERE name = machine.host AND reason IS NOT "
		"NULL), (SELECT count(*) FROM run WHERE run.host = machine.host "
		"AND finished_ms = 0), id LIMIT 1",
		"ss", arch, text);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err < 0)
		return err;
	if (err == 0)
		return error_set(e, ERR_MISSING,
			"no machine here boots %s with the tags %s: see `patchbay machine ls`",
			arch, text);
	*ret_row = (struct machine_row){0};
	read_row(st, ret_row);
	return 0;
}

int machine_set_drained(struct store *s, const char *name, bool drained, struct error *e)
{
	int err = store_exec_one(s, e, "machine", "UPDATE machine SET drained = ?2 WHERE name = ?1",
		"si", name, (int64_t)drained);

	return err == ERR_MISSING ? no_such(name, e) : err;
}

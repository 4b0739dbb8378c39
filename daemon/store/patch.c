/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

int patch_insert_all(
	struct store *s, int64_t series_id, int run, const cJSON *patches, struct error *e)
{
	const cJSON *patch;

	json_for_each (patch, patches) {
		const cJSON *author = json_get(patch, "author");
		int err = store_exec(s, e,
			"INSERT INTO patch (series_id, run, n, subject, author_name, author_email, "
			"message_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
			"iiissss", series_id, (int64_t)run, json_int(patch, "n", 0),
			json_str(patch, "subject", ""), json_str(author, "name", ""),
			json_str(author, "email", ""), json_str(patch, "message_id", NULL));
		if (err < 0)
			return err;
	}
	return 0;
}

int patch_set_applied(
	struct store *s, int64_t series_id, int run, const cJSON *patches, struct error *e)
{
	const cJSON *patch;

	json_for_each (patch, patches) {
		int err = store_exec_one(s, e, "patch",
			"UPDATE patch SET commit_id = ?4, how = ?5, conflict = ?6 "
			"WHERE series_id = ?1 AND run = ?2 AND n = ?3",
			"iiissj", series_id, (int64_t)run, json_int(patch, "n", 0),
			json_str(patch, "commit", NULL), json_str(patch, "how", NULL),
			json_get(patch, "conflict"));
		if (err < 0)
			return err;
	}
	return 0;
}

int patch_insert_commit(
	struct store *s, int64_t series_id, int run, const cJSON *commit, struct error *e)
{
	const cJSON *author = json_get(commit, "author");

	return store_exec(s, e,
		"INSERT INTO patch (series_id, run, n, subject, author_name, author_email, "
		"commit_id) VALUES (?, ?, 1, ?, ?, ?, ?)",
		"iissss", series_id, (int64_t)run, json_str(commit, "subject", ""),
		json_str(author, "name", ""), json_str(author, "email", ""),
		json_str(commit, "commit", NULL));
}

static struct fact_conflict *read_conflict(const cJSON *json)
{
	struct fact_conflict *c;

	if (!json)
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->file = xstrdup(json_str(json, "file", ""));
	c->hunk = (int)json_int(json, "hunk", 0);
	c->line = (int)json_int(json, "line", 0);
	c->expected = xstrdup(json_str(json, "expected", ""));
	c->found = xstrdup(json_str(json, "found", ""));
	c->why = xstrdup(json_str(json, "why", ""));
	return c;
}

int patch_load(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT n, subject, author_name, author_email, message_id, commit_id, how, "
		"conflict FROM patch WHERE series_id = ? AND run = ? ORDER BY n",
		"ii", f->id, (int64_t)f->run);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		AUTO_JSON cJSON *conflict = col_json(st, 7);
		struct fact_patch *p = rows_add(f->patches, f->n_patches);

		p->n = (int)col_int(st, 0);
		p->subject = col_text(st, 1);
		p->author_name = col_text(st, 2);
		p->author_email = col_text(st, 3);
		p->message_id = col_text(st, 4);
		p->commit = col_text(st, 5);
		p->how = col_text(st, 6);
		p->conflict = read_conflict(conflict);
	}
	return err;
}

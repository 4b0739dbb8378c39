/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/result.h"
#include "daemon/store/tables.h"

int finding_insert(struct store *s, int64_t job_id, int n, const cJSON *finding, struct error *e)
{
	return store_exec(s, e,
		"INSERT INTO finding (job_id, n, kind, file, line, col, function, message, option, "
		"signature, excerpt, fatal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"iissiisssssi", job_id, (int64_t)n, json_str(finding, "kind", ""),
		json_str(finding, "file", NULL), json_int(finding, "line", 0),
		json_int(finding, "column", 0), json_str(finding, "function", NULL),
		json_str(finding, "message", ""), json_str(finding, "option", NULL),
		json_str(finding, "signature", ""), json_str(finding, "excerpt", NULL),
		(int64_t)json_bool(finding, "fatal", false));
}

int finding_load(struct store *s, int64_t job_id, bool excerpts, struct fact_finding **ret_findings,
	size_t *ret_n, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT kind, file, line, col, function, message, option, signature, "
		"iif(?2, excerpt, NULL), fatal FROM finding WHERE job_id = ?1 ORDER BY n",
		"ii", job_id, (int64_t)excerpts);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		struct fact_finding *x = rows_add(*ret_findings, *ret_n);

		x->kind = col_text(st, 0);
		x->file = col_text(st, 1);
		x->line = (int)col_int(st, 2);
		x->column = (int)col_int(st, 3);
		x->function = col_text(st, 4);
		x->message = col_text(st, 5);
		x->option = col_text(st, 6);
		x->signature = col_text(st, 7);
		x->excerpt = col_text(st, 8);
		x->fatal = col_int(st, 9);
	}
	return err;
}

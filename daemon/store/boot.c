/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/job.h"
#include "daemon/store/result.h"
#include "daemon/store/tables.h"

int boot_insert(struct store *s, const struct job_row *job, struct error *e)
{
	return store_exec(s, e,
		"INSERT INTO boot (job_id, patch, commit_id, side, role, clock, pair, seed, part) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"iissssiis", job->id, (int64_t)job->patch, job->commit, job->side, job->role,
		job->clock, (int64_t)job->pair, (int64_t)job->seed, job->part ? job->part : "");
}

int boot_set_result(struct store *s, int64_t job_id, const cJSON *result, struct error *e)
{
	return store_exec_one(s, e, "boot",
		"UPDATE boot SET started_ms = ?2, boot_id = ?3, seconds = ?4, image_sha256 = ?5, "
		"accel = ?6, cmdline = ?7, last_line = ?8 WHERE job_id = ?1",
		"iisdssss", job_id, json_int(result, "started_ms", 0),
		json_str(result, "boot_id", NULL), json_num(result, "seconds", 0),
		json_str(result, "image_sha256", NULL), json_str(result, "accel", NULL),
		json_str(result, "cmdline", NULL), json_str(result, "last_line", NULL));
}

static void read_row(sqlite3_stmt *st, struct fact_boot *b)
{
	b->job_id = col_int(st, 0);
	b->patch = (int)col_int(st, 1);
	b->commit = col_text(st, 2);
	b->side = side_parse((const char *)sqlite3_column_text(st, 3));
	b->role = boot_role_parse((const char *)sqlite3_column_text(st, 4));
	b->clock = clock_parse((const char *)sqlite3_column_text(st, 5));
	b->pair = (int)col_int(st, 6);
	b->seed = (int)col_int(st, 7);
	b->machine = col_text(st, 8);
	(void)status_parse((const char *)sqlite3_column_text(st, 9), &b->status);
	b->reason = col_text(st, 10);
	b->started_ms = col_int(st, 11);
	b->boot_id = col_text(st, 12);
	b->seconds = col_num(st, 13);
	b->image_sha256 = col_text(st, 14);
	b->accel = col_text(st, 15);
	b->cmdline = col_text(st, 16);
	b->last_line = col_text(st, 17);
	b->findings_dropped = col_int(st, 18);
	b->part = col_text(st, 19);
}

int boot_load(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT job.id, patch, commit_id, side, role, clock, pair, seed, machine, status, "
		"reason, boot.started_ms, boot_id, seconds, image_sha256, accel, cmdline, "
		"last_line, json_extract(job.result, '$.findings_dropped'), part "
		"FROM boot JOIN job ON job.id = boot.job_id "
		"WHERE series_id = ? AND run = ? ORDER BY job.id",
		"ii", f->id, (int64_t)f->run);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		struct fact_boot *b = rows_add(f->boots, f->n_boots);

		read_row(st, b);
		err = finding_load(s, b->job_id, f->has_excerpts, &b->findings, &b->n_findings, e);
		if (err < 0)
			return err;
		err = sample_load(s, b->job_id, &b->samples, &b->n_samples, e);
		if (err < 0)
			return err;
	}
	return err;
}

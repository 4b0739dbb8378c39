/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/job.h"
#include "daemon/store/result.h"
#include "daemon/store/tables.h"

int build_insert(struct store *s, const struct job_row *job, struct error *e)
{
	return store_exec(s, e,
		"INSERT INTO build (job_id, patch, commit_id, arch) VALUES (?, ?, ?, ?)", "iiss",
		job->id, (int64_t)job->patch, job->commit, job->arch);
}

int build_set_result(struct store *s, int64_t job_id, const cJSON *result, struct error *e)
{
	return store_exec_one(s, e, "build",
		"UPDATE build SET config_sha256 = ?2, compiler = ?3, image_sha256 = ?4, "
		"code_sha256 = ?5, artifact = ?6, seconds = ?7 WHERE job_id = ?1",
		"isssssd", job_id, json_str(result, "config_sha256", NULL),
		json_str(result, "compiler", NULL), json_str(result, "image_sha256", NULL),
		json_str(result, "code_sha256", NULL), json_str(result, "image", NULL),
		json_num(result, "seconds", 0));
}

int build_load(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT job.id, patch, commit_id, arch, status, reason, config_sha256, compiler, "
		"image_sha256, code_sha256, artifact, seconds, "
		"json_extract(job.result, '$.findings_dropped') "
		"FROM build JOIN job ON job.id = build.job_id "
		"WHERE series_id = ? AND run = ? ORDER BY patch, job.id",
		"ii", f->id, (int64_t)f->run);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		struct fact_build *b = rows_add(f->builds, f->n_builds);

		b->job_id = col_int(st, 0);
		b->patch = (int)col_int(st, 1);
		b->commit = col_text(st, 2);
		b->arch = col_text(st, 3);
		(void)status_parse((const char *)sqlite3_column_text(st, 4), &b->status);
		b->reason = col_text(st, 5);
		b->config_sha256 = col_text(st, 6);
		b->compiler = col_text(st, 7);
		b->image_sha256 = col_text(st, 8);
		b->code_sha256 = col_text(st, 9);
		b->artifact = col_text(st, 10);
		b->seconds = col_num(st, 11);
		b->findings_dropped = col_int(st, 12);
		err = finding_load(s, b->job_id, f->has_excerpts, &b->findings, &b->n_findings, e);
		if (err < 0)
			return err;
	}
	return err;
}

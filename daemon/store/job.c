/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/job.h"
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

#define COLUMNS(result)                                                                      \
	"SELECT job.id, job.kind, job.series_id, job.run, job.tree, job.host, job.machine, " \
	"job.batch, job.status, job.reason, job.attempt, job.epoch, job.queued_ms, "         \
	"job.started_ms, job.ended_ms, job.tool_ms, job.log_size, "                          \
	"coalesce(build.patch, boot.patch, -1), coalesce(build.commit_id, boot.commit_id), " \
	"build.arch, boot.side, boot.role, boot.clock, boot.pair, boot.seed, boot.part, "    \
	"job.archive, comparison.series_id IS NOT NULL, " result                             \
	" FROM job LEFT JOIN build ON build.job_id = job.id "                                \
	"LEFT JOIN boot ON boot.job_id = job.id "                                            \
	"LEFT JOIN comparison ON comparison.series_id = job.series_id "

void job_done(struct job_row *r)
{
	if (!r)
		return;
	free(r->kind);
	free(r->tree);
	free(r->archive);
	free(r->host);
	free(r->machine);
	free(r->reason);
	cJSON_Delete(r->result);
	free(r->commit);
	free(r->arch);
	free(r->side);
	free(r->role);
	free(r->clock);
	free(r->part);
	*r = (struct job_row){0};
}

static void read_row(sqlite3_stmt *st, struct job_row *row)
{
	row->id = col_int(st, 0);
	row->kind = col_text(st, 1);
	row->series_id = col_int(st, 2);
	row->run = (int)col_int(st, 3);
	row->tree = col_text(st, 4);
	row->host = col_text(st, 5);
	row->machine = col_text(st, 6);
	row->batch = col_int(st, 7);
	(void)status_parse((const char *)sqlite3_column_text(st, 8), &row->status);
	row->reason = col_text(st, 9);
	row->attempt = (int)col_int(st, 10);
	row->epoch = col_int(st, 11);
	row->queued_ms = col_int(st, 12);
	row->started_ms = col_int(st, 13);
	row->ended_ms = col_int(st, 14);
	row->tool_ms = col_int(st, 15);
	row->log_size = col_int(st, 16);
	row->patch = (int)col_int(st, 17);
	row->commit = col_text(st, 18);
	row->arch = col_text(st, 19);
	row->side = col_text(st, 20);
	row->role = col_text(st, 21);
	row->clock = col_text(st, 22);
	row->pair = (int)col_int(st, 23);
	row->seed = (int)col_int(st, 24);
	row->part = col_text(st, 25);
	row->archive = col_text(st, 26);
	row->of_comparison = col_int(st, 27);
	row->result = col_json(st, 28);
}

PAGED_ROWS(job)

int job_insert(struct store *s, const struct job_row *row, int64_t *ret_id, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	struct job_row job = *row; /* a view: owns nothing */
	int err = store_begin(s, &tx, e);

	if (err < 0)
		return err;
	err = store_exec(s, e,
		"INSERT INTO job (kind, series_id, run, tree, archive, host, machine, queued_ms) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		"szzssssi", row->kind, row->series_id, (int64_t)row->run, row->tree, row->archive,
		row->host, row->machine, clock_unix_ms());
	if (err < 0)
		return err;
	job.id = store_last_id(s);
	err = store_exec(s, e, "UPDATE job SET batch = ?2 WHERE id = ?1", "ii", job.id,
		row->batch ? row->batch : job.id);
	if (err >= 0 && streq(row->kind, "build"))
		err = build_insert(s, &job, e);
	else if (err >= 0 && streq(row->kind, "boot"))
		err = boot_insert(s, &job, e);
	if (err < 0 || (err = store_commit(&tx, e)) < 0)
		return err;
	*ret_id = job.id;
	return 0;
}

static int no_such_job(int64_t id, struct error *e)
{
	return error_set(
		e, ERR_MISSING, "there is no job %lld: see `patchbay job ls`", (long long)id);
}

int job_get(struct store *s, int64_t id, struct job_row *ret_row, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e, COLUMNS("job.result") "WHERE job.id = ?", "i", id);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err <= 0)
		return err < 0 ? err : no_such_job(id, e);
	*ret_row = (struct job_row){0};
	read_row(st, ret_row);
	return 0;
}

int job_set_started(struct store *s, struct job_row *row, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	int64_t epoch = 0;
	int64_t now_ms = clock_unix_ms();
	int err = store_begin(s, &tx, e);

	if (err < 0 || (err = store_next_epoch(s, &epoch, e)) < 0)
		return err;
	err = store_exec_one(s, e, "queued job",
		"UPDATE job SET status = 'running', attempt = attempt + 1, epoch = ?2, "
		"started_ms = ?3 WHERE id = ?1 AND status = 'queued'",
		"iii", row->id, epoch, now_ms);
	if (err < 0 || (err = store_commit(&tx, e)) < 0)
		return err;
	row->status = STATUS_RUNNING;
	row->attempt++;
	row->epoch = epoch;
	row->started_ms = now_ms;
	return 0;
}

int job_set_interrupted(struct store *s, int64_t id, struct error *e)
{
	return store_exec_one(s, e, "running job",
		"UPDATE job SET status = 'queued' WHERE id = ? AND status = 'running'", "i", id);
}

int job_set_ended(struct store *s, int64_t id, enum status status, const char *reason,
	int64_t tool_ms, int64_t log_size, const cJSON *result, struct error *e)
{
	return store_exec_one(s, e, "running job",
		"UPDATE job SET status = ?2, reason = ?3, tool_ms = ?4, log_size = ?5, "
		"result = ?6, ended_ms = ?7 WHERE id = ?1 AND status = 'running'",
		"issiiji", id, status_name(status), reason, tool_ms, log_size, result,
		clock_unix_ms());
}

int job_cancel_queued(struct store *s, int64_t series_id, int run, struct error *e)
{
	return store_exec(s, e,
		"UPDATE job SET status = 'cancelled', ended_ms = ?3 "
		"WHERE series_id = ?1 AND run = ?2 AND status = 'queued'",
		"iii", series_id, (int64_t)run, clock_unix_ms());
}

int job_running(struct store *s, int64_t **ret_ids, size_t *ret_n, struct error *e)
{
	return store_query_ids(s, ret_ids, ret_n, e,
		"SELECT id FROM job WHERE status = 'running' ORDER BY id", "");
}

/* The order: a batch that has begun; the run that holds the host's build folder; the oldest run.
 * A job without a run (a probe, a tree) comes in its turn by the time it was queued. */
int job_next(struct store *s, const char *host, const struct job_left_out *left_out,
	struct job_row *ret_row, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		COLUMNS("NULL") "LEFT JOIN run ON run.series_id = job.series_id AND run.n = "
				"job.run "
				"WHERE job.status = 'queued' AND job.host IS ?1 "
				"AND NOT (?2 AND job.kind = 'tree') "
				"AND NOT (?3 AND job.kind = 'inbox') "
				"AND NOT EXISTS (SELECT 1 FROM host WHERE name = ?1 AND drained) "
				"ORDER BY EXISTS (SELECT 1 FROM job mate WHERE mate.batch = "
				"job.batch "
				"AND mate.id <> job.id AND mate.ended_ms > 0) DESC, "
				"job.kind = 'build' AND EXISTS (SELECT 1 FROM job built "
				"WHERE built.series_id = job.series_id AND built.run = job.run "
				"AND built.kind = 'build' AND built.host = job.host "
				"AND built.ended_ms > 0) DESC, "
				"coalesce(run.created_ms, job.queued_ms), job.id LIMIT 1",
		"sii", host, (int64_t)left_out->tree, (int64_t)left_out->inbox);

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err <= 0)
		return err < 0 ? err : error_set(e, ERR_MISSING, "no job is queued");
	*ret_row = (struct job_row){0};
	read_row(st, ret_row);
	return 0;
}

static int list_query(struct store *s, const struct job_filter *filter, const struct page *page,
	sqlite3_stmt **ret_st, struct error *e)
{
	if (filter->series_id)
		return store_query(s, ret_st, e,
			COLUMNS("NULL") "JOIN series ON series.id = job.series_id "
					"AND series.run = job.run "
					"WHERE job.series_id = ?1 AND job.id > ?2 "
					"AND (?3 IS NULL OR job.status = ?3) "
					"AND (?4 IS NULL OR job.kind = ?4) "
					"AND (?5 IS NULL OR job.host = ?5) "
					"AND (?6 IS NULL OR job.tree = ?6) ORDER BY job.id LIMIT "
					"?7",
			"iissssi", filter->series_id, page->after, filter->status, filter->kind,
			filter->host, filter->tree, (int64_t)page->limit + 1);
	return store_query(s, ret_st, e,
		COLUMNS("NULL") "WHERE (?1 = 0 OR job.id < ?1) AND (?2 IS NULL OR job.status = ?2) "
				"AND (?3 IS NULL OR job.kind = ?3) AND (?4 IS NULL OR job.host = "
				"?4) "
				"AND (?5 IS NULL OR job.tree = ?5) ORDER BY job.id DESC LIMIT ?6",
		"issssi", page->after, filter->status, filter->kind, filter->host, filter->tree,
		(int64_t)page->limit + 1);
}

int job_list(struct store *s, const struct job_filter *filter, const struct page *page,
	struct job_row **ret_rows, size_t *ret_n, int64_t *ret_next, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = page_check(page, e);

	if (err < 0 || (err = list_query(s, filter, page, &st, e)) < 0)
		return err;
	return take_page(st, page, ret_rows, ret_n, ret_next, e);
}

int job_load(struct store *s, struct facts *f, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT id, kind, status, reason, queued_ms, started_ms, ended_ms, tool_ms, "
		"attempt FROM job WHERE series_id = ? AND run = ? ORDER BY id",
		"ii", f->id, (int64_t)f->run);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		struct fact_job *j = rows_add(f->jobs, f->n_jobs);

		j->id = col_int(st, 0);
		j->kind = col_text(st, 1);
		(void)status_parse((const char *)sqlite3_column_text(st, 2), &j->status);
		j->reason = col_text(st, 3);
		j->queued_ms = col_int(st, 4);
		j->started_ms = col_int(st, 5);
		j->ended_ms = col_int(st, 6);
		j->tool_ms = col_int(st, 7);
		j->attempt = (int)col_int(st, 8);
	}
	return err;
}

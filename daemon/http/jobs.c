/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/json.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"
#include "base/file.h"

#define SCRIPT_MAX ((size_t)1024 * 1024)

void jobs_get_list(struct request *r)
{
	struct job_filter filter = {
		.status = request_query(r, "status"),
		.kind = request_query(r, "kind"),
		.host = request_query(r, "host"),
		.tree = request_query(r, "tree"),
	};
	struct error e = ERROR_INIT;
	struct job_row *rows;
	enum status status;
	struct page page;
	int64_t next;
	cJSON *items;
	size_t n;

	if (filter.status && status_parse(filter.status, &status) < 0) {
		reply_problem(r, 400,
			"'status' is one of queued, running, pass, fail, error, skip, cancelled, "
			"not '%.60s'.",
			filter.status);
		return;
	}
	if (!request_run_id(r, &filter.series_id) || !request_page(r, &page))
		return;
	if (job_list(r->http->store, &filter, &page, &rows, &n, &next, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	items = cJSON_CreateArray();
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(items, json_job_brief(&rows[i]));
	job_free_all(rows, n);
	reply_json(r, 200, json_page(items, next));
}

void jobs_get_one(struct request *r)
{
	AUTO_JOB struct job_row row = {0};
	struct error e = ERROR_INIT;

	if (job_get(r->http->store, r->id, &row, &e) < 0)
		reply_error(r, &e);
	else
		reply_json(r, 200, json_job(r->http->sched, &row));
}

void jobs_get_reproduce(struct request *r)
{
	AUTO_JOB struct job_row row = {0};
	struct error e = ERROR_INIT;
	AUTO_FREE char *path = NULL;
	AUTO_FREE char *text = NULL;
	size_t len;

	if (job_get(r->http->store, r->id, &row, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	path = sched_job_file(r->http->sched, &row, "reproduce.sh");
	if (!path || file_read(path, SCRIPT_MAX, &text, &len, NULL) < 0) {
		reply_problem(r, 404,
			"Job %lld (%s) cannot be reproduced: only builds and boots that came as "
			"far as "
			"make or QEMU can.",
			(long long)row.id, row.kind);
		return;
	}
	reply_text(r, 200, "text/x-shellscript; charset=utf-8", steal_ptr(text), len);
}

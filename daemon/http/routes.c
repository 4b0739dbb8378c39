/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/routes.h"
#include "daemon/http/events.h"
#include "daemon/http/server.h"

#define API "/api/v1"
#define PAGE "cursor limit"

/* clang-format off */
const struct route http_routes[] = {
	{"POST", API "/series", ACCESS_SUBMIT, UPLOAD_FILE, series_post,
		"tree base needs profile until no_inherit keep_older"},
	{"GET", API "/series", ACCESS_READ, UPLOAD_NONE, series_get_list, PAGE " state tree verdict"},
	{"GET", API "/series/:id", ACCESS_READ, UPLOAD_NONE, series_get_one, NULL},
	{"GET", API "/series/:id/report", ACCESS_READ, UPLOAD_NONE, series_get_report, "format"},
	{"POST", API "/series/:id/rerun", ACCESS_SUBMIT, UPLOAD_NONE, series_post_rerun, NULL},
	{"POST", API "/series/:id/cancel", ACCESS_SUBMIT, UPLOAD_NONE, series_post_cancel, NULL},
	{"POST", API "/series/:id/approve", ACCESS_ADMIN, UPLOAD_NONE, series_post_approve, NULL},
	{"POST", API "/comparisons", ACCESS_SUBMIT, UPLOAD_JSON, comparisons_post, NULL},
	{"GET", API "/comparisons", ACCESS_READ, UPLOAD_NONE, series_get_list,
		PAGE " state tree verdict"},
	{"GET", API "/comparisons/:id", ACCESS_READ, UPLOAD_NONE, series_get_one, NULL},
	{"GET", API "/comparisons/:id/report", ACCESS_READ, UPLOAD_NONE, series_get_report, "format"},
	{"POST", API "/comparisons/:id/rerun", ACCESS_SUBMIT, UPLOAD_NONE, series_post_rerun, NULL},
	{"POST", API "/comparisons/:id/cancel", ACCESS_SUBMIT, UPLOAD_NONE, series_post_cancel, NULL},
	{"GET", API "/jobs", ACCESS_READ, UPLOAD_NONE, jobs_get_list,
		PAGE " series comparison status kind host tree"},
	{"GET", API "/jobs/:id", ACCESS_READ, UPLOAD_NONE, jobs_get_one, NULL},
	{"GET", API "/jobs/:id/reproduce", ACCESS_READ, UPLOAD_NONE, jobs_get_reproduce, NULL},
	{"GET", API "/jobs/:id/log", ACCESS_READ, UPLOAD_NONE, logs_get, "follow"},
	{"GET", API "/archives", ACCESS_READ, UPLOAD_NONE, archives_get, NULL},
	{"POST", API "/archives/:name/visit", ACCESS_SUBMIT, UPLOAD_NONE, archives_post_visit, NULL},
	{"GET", API "/trees", ACCESS_READ, UPLOAD_NONE, trees_get, PAGE},
	{"POST", API "/trees", ACCESS_ADMIN, UPLOAD_JSON, trees_post, NULL},
	{"POST", API "/trees/:name/fetch", ACCESS_SUBMIT, UPLOAD_NONE, trees_post_fetch, NULL},
	{"GET", API "/hosts", ACCESS_READ, UPLOAD_NONE, hosts_get, PAGE},
	{"POST", API "/hosts", ACCESS_ADMIN, UPLOAD_JSON, hosts_post, NULL},
	{"POST", API "/hosts/:name/probe", ACCESS_ADMIN, UPLOAD_NONE, hosts_post_probe, NULL},
	{"POST", API "/hosts/:name/drain", ACCESS_ADMIN, UPLOAD_NONE, hosts_post_drain, NULL},
	{"POST", API "/hosts/:name/resume", ACCESS_ADMIN, UPLOAD_NONE, hosts_post_resume, NULL},
	{"GET", API "/machines", ACCESS_READ, UPLOAD_NONE, machines_get, PAGE},
	{"POST", API "/machines", ACCESS_ADMIN, UPLOAD_JSON, machines_post, NULL},
	{"POST", API "/machines/:name/drain", ACCESS_ADMIN, UPLOAD_NONE, machines_post_drain, NULL},
	{"POST", API "/machines/:name/resume", ACCESS_ADMIN, UPLOAD_NONE, machines_post_resume,
		NULL},
	{"GET", API "/tokens", ACCESS_ADMIN, UPLOAD_NONE, tokens_get, PAGE},
	{"POST", API "/tokens", ACCESS_ADMIN, UPLOAD_JSON, tokens_post, NULL},
	{"DELETE", API "/tokens/:id", ACCESS_ADMIN, UPLOAD_NONE, tokens_delete, NULL},
	{"GET", API "/session", ACCESS_READ, UPLOAD_NONE, login_show, NULL},
	{"POST", API "/session", ACCESS_READ, UPLOAD_NONE, login_set_cookie, NULL},
	{"DELETE", API "/session", ACCESS_READ, UPLOAD_NONE, login_sign_out, NULL},
	{"POST", API "/session/link", ACCESS_READ, UPLOAD_NONE, login_make_link, NULL},
	{"GET", API "/events", ACCESS_READ, UPLOAD_NONE, events_open, "series comparison"},
	{"GET", API "/openapi.json", ACCESS_OPEN, UPLOAD_NONE, openapi_get, NULL},
	{"GET", API "/healthz", ACCESS_OPEN, UPLOAD_NONE, healthz_get, NULL},
	{"GET", API "/metrics", ACCESS_READ, UPLOAD_NONE, metrics_get, NULL},
	{"GET", "/healthz", ACCESS_OPEN, UPLOAD_NONE, healthz_get, NULL},
	{"GET", "/metrics", ACCESS_READ, UPLOAD_NONE, metrics_get, NULL},
	{0},
};
/* clang-format on */

bool request_is_comparison(const struct request *r)
{
	return starts_with(r->route->path, API "/comparisons");
}

bool request_run_id(struct request *r, int64_t *ret_id)
{
	int64_t comparison;

	if (!request_query_int(r, "series", 1, INT64_MAX, 0, ret_id) ||
		!request_query_int(r, "comparison", 1, INT64_MAX, 0, &comparison))
		return false;
	*ret_id = comparison ? comparison : *ret_id;
	return true;
}

bool request_page(struct request *r, struct page *ret_page)
{
	int64_t limit;

	if (!request_query_int(r, "cursor", 1, INT64_MAX, 0, &ret_page->after) ||
		!request_query_int(r, "limit", 1, PAGE_MAX, LIST_LIMIT, &limit))
		return false;
	ret_page->limit = (int)limit;
	return true;
}

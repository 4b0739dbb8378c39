/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the lab says about itself: its interface, whether it is well, and figures. */
#include "daemon/http/openapi.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"

#define METRICS_MAX 65536
#define COUNT_MAX PAGE_MAX

void openapi_get(struct request *r)
{
	struct error e = ERROR_INIT;
	cJSON *document;

	if (!r->http->openapi) {
		reply_problem(r, 404, "The description of the interface is not installed.");
		return;
	}
	if (openapi_load(r->http->openapi, &document, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	reply_json(r, 200, document);
}

/* Well is who can read the database. */
void healthz_get(struct request *r)
{
	AUTO_FREE struct token_row *rows = NULL;
	const struct page page = {0, 1};
	struct error e = ERROR_INIT;
	int64_t next;
	cJSON *body;
	size_t n;

	if (token_list(r->http->store, &page, &rows, &n, &next, &e) < 0) {
		reply_problem(r, 503, "The database cannot be read: %s", e.msg);
		return;
	}
	body = cJSON_CreateObject();
	json_set_str(body, "status", "ok");
	json_set_str(body, "version", PATCHBAY_VERSION);
	reply_json(r, 200, body);
}

static size_t count_jobs(struct http *http, const char *status)
{
	const struct job_filter filter = {.status = status};
	const struct page page = {0, COUNT_MAX};
	struct job_row *rows;
	int64_t next;
	size_t n;

	if (job_list(http->store, &filter, &page, &rows, &n, &next, NULL) < 0)
		return 0;
	job_free_all(rows, n);
	return n;
}

static size_t count_unfinished(struct http *http)
{
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;

	(void)series_unfinished(http->store, &ids, &n, NULL);
	return n;
}

static unsigned long resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*s %lu", &pages) != 1)
		pages = 0;
	(void)fclose(f);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

static void metric(struct strbuf *out, const char *name, const char *type, const char *help)
{
	(void)strbuf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_get(struct request *r)
{
	struct http *http = r->http;
	struct strbuf out;
	size_t len;

	strbuf_init(&out, METRICS_MAX);
	metric(&out, "patchbay_info", "gauge", "The version that runs.");
	(void)strbuf_addf(&out, "patchbay_info{version=\"%s\"} 1\n", PATCHBAY_VERSION);
	metric(&out, "patchbay_series_unfinished", "gauge", "Series that have no verdict yet.");
	(void)strbuf_addf(&out, "patchbay_series_unfinished %zu\n", count_unfinished(http));
	metric(&out, "patchbay_jobs", "gauge", "Jobs by status, counted up to 500.");
	(void)strbuf_addf(
		&out, "patchbay_jobs{status=\"queued\"} %zu\n", count_jobs(http, "queued"));
	(void)strbuf_addf(
		&out, "patchbay_jobs{status=\"running\"} %zu\n", count_jobs(http, "running"));
	metric(&out, "patchbay_http_requests_total", "counter", "Requests, answered or not.");
	(void)strbuf_addf(&out, "patchbay_http_requests_total %llu\n",
		(unsigned long long)http->counters.requests);
	metric(&out, "patchbay_http_answers_total", "counter", "Answers by class of status.");
	for (int i = 1; i <= 5; i++)
		(void)strbuf_addf(&out, "patchbay_http_answers_total{class=\"%dxx\"} %llu\n", i,
			(unsigned long long)http->counters.by_class[i]);
	metric(&out, "patchbay_http_upload_bytes_total", "counter", "Bytes of bodies taken.");
	(void)strbuf_addf(&out, "patchbay_http_upload_bytes_total %llu\n",
		(unsigned long long)http->counters.upload_bytes);
	metric(&out, "patchbay_http_streams", "gauge", "Open event streams.");
	(void)strbuf_addf(&out, "patchbay_http_streams %zu\n", http->streams.n);
	metric(&out, "process_resident_memory_bytes", "gauge", "Resident memory.");
	(void)strbuf_addf(&out, "process_resident_memory_bytes %lu\n", resident_bytes());
	metric(&out, "process_start_time_seconds", "gauge", "Start, Unix time.");
	(void)strbuf_addf(
		&out, "process_start_time_seconds %.3f\n", (double)http->started_ms / 1000);
	len = out.len;
	reply_text(
		r, 200, "text/plain; version=0.0.4; charset=utf-8", strbuf_detach(&out, NULL), len);
}

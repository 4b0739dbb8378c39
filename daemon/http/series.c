/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/json.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"
#include "daemon/report/report.h"

/* The row that the address names; answers 404 where there is none of that kind. */
static bool find(struct request *r, struct series_row *ret_row)
{
	bool comparison = request_is_comparison(r);
	const char *noun = comparison ? "comparison" : "series";
	struct error e = ERROR_INIT;
	int err = series_get(r->http->store, r->id, ret_row, &e);

	if (err == ERR_MISSING)
		reply_problem(r, 404, "There is no %s %lld: see `patchbay %s ls`.", noun,
			(long long)r->id, noun);
	else if (err < 0)
		reply_error(r, &e);
	else if (!!ret_row->patched_text != comparison)
		reply_problem(r, 404, "%lld is no %s but a %s: see `patchbay %s show %lld`.",
			(long long)r->id, noun, series_noun(ret_row), series_noun(ret_row),
			(long long)r->id);
	else
		return true;
	return false;
}

static void answer_series(struct request *r, unsigned status, const struct series_row *row)
{
	struct error e = ERROR_INIT;
	cJSON *body;

	if (json_series(r->http->sched, row, &body, &e) < 0)
		reply_error(r, &e);
	else
		reply_json(r, status, body);
}

struct needs {
	int64_t ids[SUBMIT_MAX_NEEDS];
	size_t n;
	char bad[64]; /* the first that is no id */
};

/* needs=1,2&needs=3 */
static enum MHD_Result add_needs(
	void *data, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct needs *needs = data;

	if (!streq(key, "needs"))
		return MHD_YES;
	for (const char *s = value ? value : "";; s += strspn(s, ",")) {
		size_t len = strcspn(s, ",");
		char one[64];

		(void)snprintf(one, sizeof(one), "%.*s", (int)MIN_OF(len, sizeof(one) - 1), s);
		if (needs->n == SUBMIT_MAX_NEEDS ||
			parse_int64(one, 1, INT64_MAX, &needs->ids[needs->n]) < 0) {
			memcpy(needs->bad, one, sizeof(one));
			return MHD_NO;
		}
		needs->n++;
		s += len;
		if (!*s)
			return MHD_YES;
	}
}

static bool query_needs(struct request *r, struct needs *needs)
{
	bool seen = request_query(r, "needs") != NULL;

	(void)MHD_get_connection_values(r->conn, MHD_GET_ARGUMENT_KIND, add_needs, needs);
	if (needs->n == SUBMIT_MAX_NEEDS && needs->bad[0])
		reply_problem(r, 400, "A series can need at most %d others.", SUBMIT_MAX_NEEDS);
	else if (needs->bad[0] || (seen && needs->n == 0))
		reply_problem(r, 400,
			"'needs' takes ids of series that are in the lab, as in needs=3,4; '%s' is "
			"none.",
			needs->bad);
	return r->response == NULL;
}

/* Mail under any of the names that tools give it; answers 415 else. */
static bool check_type(struct request *r)
{
	static const char *const good[] = {"text/", "application/mbox", "message/rfc822",
		"application/octet-stream", "application/json"};
	const char *type = request_header(r, MHD_HTTP_HEADER_CONTENT_TYPE);

	if (!type)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (strncasecmp(type, good[i], strlen(good[i])) == 0)
			return true;
	reply_problem(r, 415,
		"The body has to be mail: send the mbox as it is, with 'Content-Type: "
		"application/mbox', or name the series as application/json; not '%.100s'.",
		type);
	return false;
}

void series_post(struct request *r)
{
	struct submit_opts opts = {
		.mail_path = r->upload.path,
		.mail_sha256 = r->upload.sha256,
		.mail_size = (int64_t)r->upload.bytes,
		.tree = request_query(r, "tree"),
		.base = request_query(r, "base"),
		.profile = request_query(r, "profile"),
		.until = request_query(r, "until"),
	};
	AUTO_SERIES struct series_row row = {0};
	struct needs needs = {0};
	struct error e = ERROR_INIT;
	bool created;

	if (!check_type(r) || !query_needs(r, &needs) ||
		!request_query_flag(r, "no_inherit", &opts.no_inherit) ||
		!request_query_flag(r, "keep_older", &opts.keep_older))
		return;
	opts.needs = needs.ids;
	opts.n_needs = needs.n;
	if (r->upload.bytes == 0) {
		reply_problem(r, 400,
			"The body is empty. Send an mbox with the patches, for example what `git "
			"format-patch --stdout` writes.");
		return;
	}
	upload_finish(&r->upload);
	if ((named_is(r) ? named_submit(r, &opts, &row, &created, &e)
			 : sched_submit(r->http->sched, &opts, &row, &created, &e)) < 0) {
		reply_error(r, &e);
		return;
	}
	answer_series(r, created ? 201 : 200, &row);
	reply_header(r, MHD_HTTP_HEADER_LOCATION, "/api/v1/series/%lld", (long long)row.id);
}

/* The names that the API gives to states; the store compares only. */
static bool check_word(struct request *r, const char *key, const char *const *words, size_t n)
{
	const char *value = request_query(r, key);
	AUTO_STRBUF struct strbuf all;

	strbuf_init(&all, 256);
	if (!value)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (streq(value, words[i]))
			return true;
		(void)strbuf_addf(&all, "%s%s", i > 0 ? ", " : "", words[i]);
	}
	reply_problem(r, 400, "'%s' is one of %s, not '%.60s'.", key, all.buf, value);
	return false;
}

void series_get_list(struct request *r)
{
	static const char *const states[] = {
		"received", "held", "applying", "building", "testing", "done", "cancelled"};
	static const char *const verdicts[] = {
		"pass", "fail", "regression", "error", "held", "cancelled"};
	struct series_filter filter = {
		.comparisons = request_is_comparison(r),
		.state = request_query(r, "state"),
		.tree = request_query(r, "tree"),
		.verdict = request_query(r, "verdict"),
	};
	AUTO_JSON cJSON *items = cJSON_CreateArray();
	struct error e = ERROR_INIT;
	struct series_row *rows;
	struct page page;
	int64_t next;
	size_t n;
	int result;

	if (!check_word(r, "state", states, ARRAY_SIZE(states)) ||
		!check_word(r, "verdict", verdicts, ARRAY_SIZE(verdicts)) ||
		!request_page(r, &page))
		return;
	result = series_list(r->http->store, &filter, &page, &rows, &n, &next, &e);
	if (result < 0) {
		reply_error(r, &e);
		return;
	}
	for (size_t i = 0; i < n && result == 0; i++) {
		cJSON *item;

		result = json_series_brief(r->http->sched, &rows[i], &item, &e);
		if (result == 0)
			cJSON_AddItemToArray(items, item);
	}
	series_free_all(rows, n);
	if (result < 0)
		reply_error(r, &e);
	else
		reply_json(r, 200, json_page(steal_ptr(items), next));
}

void series_get_one(struct request *r)
{
	AUTO_SERIES struct series_row row = {0};

	if (find(r, &row))
		answer_series(r, 200, &row);
}

/* By `format`, or by what Accept names first; NULL: answered. */
static const struct report_format *asked_format(struct request *r)
{
	const char *name = request_query(r, "format");
	const struct report_format *format =
		name ? report_format_named(name)
		     : report_format_accepted(request_header(r, MHD_HTTP_HEADER_ACCEPT));

	if (!format)
		reply_problem(r, 400, "'format' is json, text, mail or junit, not '%.60s'.", name);
	return format;
}

#define REPORT_TEXT_MAX (16 * 1024 * 1024)

void series_get_report(struct request *r)
{
	const struct report_format *format = asked_format(r);
	AUTO_SERIES struct series_row row = {0};
	AUTO_JSON cJSON *report = NULL;
	AUTO_STRBUF struct strbuf text;
	struct error e = ERROR_INIT;
	size_t len;

	strbuf_init(&text, REPORT_TEXT_MAX);
	if (!format || !find(r, &row))
		return;
	if (sched_report(r->http->sched, r->id, &report, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	if (!format->write) {
		reply_json(r, 200, steal_ptr(report));
	} else {
		format->write(report, &text);
		if (text.overflow) {
			reply_problem(r, 500,
				"As %s this report has more than %d MiB: take it as JSON.",
				format->name, REPORT_TEXT_MAX / 1024 / 1024);
			return;
		}
		len = text.len;
		reply_text(r, 200, format->type, strbuf_detach(&text, NULL), len);
	}
	reply_header(r, MHD_HTTP_HEADER_VARY, "Accept");
}

/* A verb on the row that the address names; the answer is the row after it. */
static void answer_verb(struct request *r,
	int (*verb)(struct sched *s, int64_t id, struct series_row *ret_row, struct error *e))
{
	AUTO_SERIES struct series_row before = {0};
	AUTO_SERIES struct series_row row = {0};
	struct error e = ERROR_INIT;

	if (!find(r, &before))
		return;
	if (verb(r->http->sched, r->id, &row, &e) < 0)
		reply_error(r, &e);
	else
		answer_series(r, 200, &row);
}

void series_post_rerun(struct request *r)
{
	answer_verb(r, sched_rerun);
}

void series_post_cancel(struct request *r)
{
	answer_verb(r, sched_cancel);
}

void series_post_approve(struct request *r)
{
	answer_verb(r, sched_approve);
}

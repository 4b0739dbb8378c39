/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons of two commits. What they share with series is in series.c. */
#include "daemon/http/json.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"

static int check_types(const cJSON *body, struct error *e)
{
	const cJSON *item;

	json_for_each (item, body) {
		bool flag = streq(item->string, "no_inherit");

		if (!cJSON_IsNull(item) && !(flag ? cJSON_IsBool(item) : cJSON_IsString(item)))
			return error_set(e, ERR_SYNTAX, "\"%s\" has to be %s", item->string,
				flag ? "true or false" : "text");
	}
	return 0;
}

/* Strings stay the body's. */
static int read_opts(const cJSON *body, struct submit_opts *ret_opts, struct error *e)
{
	const char *base, *patched;
	int err = request_check_members(body, "tree base patched profile no_inherit", e);

	if (err < 0 || (err = check_types(body, e)) < 0 ||
		(err = json_need_str(body, "base", &base, e)) < 0 ||
		(err = json_need_str(body, "patched", &patched, e)) < 0)
		return err;
	*ret_opts = (struct submit_opts){
		.tree = json_str(body, "tree", NULL),
		.base = base,
		.patched = patched,
		.profile = json_str(body, "profile", NULL),
		.no_inherit = json_bool(body, "no_inherit", false),
	};
	return 0;
}

void comparisons_post(struct request *r)
{
	AUTO_JSON cJSON *body = request_json(r);
	AUTO_SERIES struct series_row row = {0};
	struct error e = ERROR_INIT;
	struct submit_opts opts;
	cJSON *answer;
	bool created;

	if (!body)
		return;
	if (read_opts(body, &opts, &e) < 0 ||
		sched_submit(r->http->sched, &opts, &row, &created, &e) < 0 ||
		json_series(r->http->sched, &row, &answer, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	reply_json(r, created ? 201 : 200, answer);
	reply_header(r, MHD_HTTP_HEADER_LOCATION, "/api/v1/comparisons/%lld", (long long)row.id);
}

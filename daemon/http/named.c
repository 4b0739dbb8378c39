/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A submission that names its series instead of bringing it: {message_id | url | git}. */
#include "base/file.h"
#include "daemon/http/json.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"

#define NAME_MAX_BYTES 1000 /* of a message id, an address, a range */

/* Strings and numbers stay the document's. */
struct named {
	cJSON *body;
	cJSON *source;
	struct submit_opts opts;
	int64_t needs[SUBMIT_MAX_NEEDS];
};

static void named_done(struct named *n)
{
	cJSON_Delete(n->body);
	cJSON_Delete(n->source);
}

static int check_text(const char *what, const char *text, struct error *e)
{
	size_t len = strlen(text);

	if (len == 0 || len > NAME_MAX_BYTES)
		return error_set(
			e, ERR_SYNTAX, "\"%s\" has to be 1 to %d bytes long", what, NAME_MAX_BYTES);
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 127)
			return error_set(e, ERR_SYNTAX,
				"\"%s\" has a blank or a control character in it", what);
	return 0;
}

/* "<a@b>" and "a@b" are the same message. */
static char *bare_id(const char *id)
{
	size_t len = strlen(id);

	return len > 2 && id[0] == '<' && id[len - 1] == '>' ? xstrndup(id + 1, len - 2)
							     : xstrdup(id);
}

static int read_source(struct named *n, struct error *e)
{
	const char *id = json_str(n->body, "message_id", NULL);
	const char *url = json_str(n->body, "url", NULL);
	const cJSON *git = json_get(n->body, "git");
	const char *range = json_str(git, "range", NULL);
	int err = 0;

	if (!!id + !!url + !!git != 1)
		return error_set(e, ERR_SYNTAX,
			"name the series by one of \"message_id\", \"url\" and \"git\", or send "
			"its mbox as application/mbox");
	n->source = cJSON_CreateObject();
	if (id) {
		AUTO_FREE char *bare = bare_id(id);

		err = check_text("message_id", bare, e);
		json_set_str(n->source, "message_id", bare);
	} else if (url) {
		err = check_text("url", url, e);
		if (!err && !starts_with(url, "http://") && !starts_with(url, "https://"))
			err = error_set(e, ERR_SYNTAX, "\"url\" is an http or https address");
		json_set_str(n->source, "url", url);
	} else if (!range) {
		err = error_set(e, ERR_SYNTAX,
			"\"git\" is {\"tree\":NAME,\"range\":\"A..B\" or a revision}");
	} else {
		err = check_text("range", range, e);
		if (!err && range[0] == '-')
			err = error_set(e, ERR_SYNTAX, "\"range\" does not begin with '-'");
		json_set_str(n->source, "git", range);
	}
	return err;
}

static int read_needs(struct named *n, struct error *e)
{
	const cJSON *item;

	json_for_each (item, json_get(n->body, "needs")) {
		if (n->opts.n_needs == SUBMIT_MAX_NEEDS || !cJSON_IsNumber(item) ||
			item->valuedouble < 1 || item->valuedouble > 1e15)
			return error_set(e, ERR_SYNTAX,
				"\"needs\" is a list of at most %d ids of series",
				SUBMIT_MAX_NEEDS);
		n->needs[n->opts.n_needs++] = (int64_t)item->valuedouble;
	}
	n->opts.needs = n->needs;
	return 0;
}

static int read_named(struct named *n, const struct request *r, struct error *e)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	int err = file_read(r->upload.path, HTTP_MAX_BODY, &text, &len, e);

	if (!err)
		err = json_parse(text, len, &n->body, e);
	if (!err && !cJSON_IsObject(n->body))
		err = error_set(e, ERR_SYNTAX, "the body has to be a JSON object");
	if (!err)
		err = request_check_members(n->body,
			"message_id url git tree base needs profile until no_inherit keep_older",
			e);
	if (!err)
		err = read_source(n, e);
	return err ? err : read_needs(n, e);
}

bool named_is(struct request *r)
{
	const char *type = request_header(r, MHD_HTTP_HEADER_CONTENT_TYPE);

	return type && strncasecmp(type, "application/json", 16) == 0;
}

/* A member of the body, else the query's parameter. */
static const char *option(struct request *r, const struct named *n, const char *key)
{
	const char *value = json_str(n->body, key, NULL);

	return value ? value : request_query(r, key);
}

int named_submit(struct request *r, const struct submit_opts *query, struct series_row *ret_row,
	bool *ret_created, struct error *e)
{
	CLEANUP(named_done) struct named n = {.opts = *query};
	int err;

	n.opts.n_needs = 0;
	err = read_named(&n, r, e);
	if (err)
		return err;
	n.opts.mail_path = NULL;
	n.opts.source = n.source;
	n.opts.tree = json_str(json_get(n.body, "git"), "tree", option(r, &n, "tree"));
	n.opts.base = option(r, &n, "base");
	n.opts.profile = option(r, &n, "profile");
	n.opts.until = option(r, &n, "until");
	n.opts.no_inherit = json_bool(n.body, "no_inherit", query->no_inherit);
	n.opts.keep_older = json_bool(n.body, "keep_older", query->keep_older);
	if (n.opts.n_needs == 0) {
		n.opts.needs = query->needs;
		n.opts.n_needs = query->n_needs;
	}
	return sched_submit(r->http->sched, &n.opts, ret_row, ret_created, e);
}

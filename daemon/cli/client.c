/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/client_internal.h"
#include "base/clock.h"

#define REPLY_MAX ((size_t)256 * 1024 * 1024)
#define PAGES_MAX 10000

int client_new(const char *server, const char *token, bool personal, struct client **ret_client,
	struct error *e)
{
	struct client *c = xcalloc(1, sizeof(*c));

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		free(c);
		return error_set(e, ERR_STATE, "libcurl does not start");
	}
	c->server = xstrdup(server);
	for (size_t len = strlen(c->server); len > 0 && c->server[len - 1] == '/';)
		c->server[--len] = '\0';
	c->token = xstrdup_null(token);
	c->personal = personal;
	*ret_client = c;
	return 0;
}

struct client *client_free(struct client *c)
{
	if (!c)
		return NULL;
	cJSON_Delete(c->problem);
	free(c->server);
	if (c->token)
		explicit_bzero(c->token, strlen(c->token));
	free(c->token);
	free(c);
	return NULL;
}

const char *client_server(const struct client *c)
{
	return c->server;
}

const cJSON *client_problem(const struct client *c)
{
	return c->problem;
}

long client_status(const struct client *c)
{
	return c->status;
}

int client_query(struct strbuf *path, const char *key, const char *value)
{
	char *escaped;
	int r;

	if (!value)
		return 0;
	escaped = curl_easy_escape(NULL, value, (int)strlen(value));
	r = strbuf_addf(
		path, "%c%s=%s", strchr(path->buf, '?') ? '&' : '?', key, escaped ? escaped : "");
	curl_free(escaped);
	return r;
}

void transfer_header(struct transfer *t, const char *name, const char *value)
{
	AUTO_FREE char *line = xasprintf("%s: %s", name, value);

	t->headers = curl_slist_append(t->headers, line);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
	explicit_bzero(line, strlen(line));
}

int transfer_init(struct transfer *t, struct client *c, const char *path, const char *accept,
	const char *content_type, struct error *e)
{
	AUTO_FREE char *url = starts_with(path, "//") ? xasprintf("%s%s", c->server, path + 1)
						      : xasprintf("%s/api/v1%s", c->server, path);

	memset(t, 0, sizeof(*t));
	t->easy = curl_easy_init();
	if (!t->easy)
		return error_set(e, ERR_STATE, "libcurl does not start");
	transfer_header(t, "Accept", accept);
	if (content_type)
		transfer_header(t, "Content-Type", content_type);
	if (c->token) {
		AUTO_FREE char *value = xasprintf("Bearer %s", c->token);

		transfer_header(t, "Authorization", value);
		explicit_bzero(value, strlen(value));
	}
	curl_easy_setopt(t->easy, CURLOPT_URL, url);
	curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->reason);
	curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT, 15L);
	curl_easy_setopt(t->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "patchbay/" PATCHBAY_VERSION);
	curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	if (c->personal)
		curl_easy_setopt(t->easy, CURLOPT_NOPROXY, "*");
	return 0;
}

void transfer_done(struct transfer *t)
{
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	memset(t, 0, sizeof(*t));
}

int transfer_error(const struct transfer *t, struct client *c, CURLcode code, struct error *e)
{
	const char *reason = t->reason[0] ? t->reason : curl_easy_strerror(code);

	if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
		return error_set(e, -EINVAL, "`%s` is no address of a lab: %s", c->server, reason);
	if (c->personal)
		return error_set(e, ERR_LINK,
			"the lab at %s does not answer (%s): `patchbay up --detach` starts it",
			c->server, reason);
	return error_set(e, ERR_LINK, "the lab at %s does not answer: %s", c->server, reason);
}

static int code_of_status(long status)
{
	switch (status) {
	case 401:
	case 403:
		return ERR_AUTH;
	case 404:
		return ERR_MISSING;
	case 409:
		return ERR_CONFLICT;
	case 413:
		return ERR_LIMIT;
	case 429:
		return ERR_STATE;
	default:
		return status < 500 ? ERR_SYNTAX : ERR_STATE;
	}
}

int refusal(struct client *c, long status, const char *body, size_t len, struct error *e)
{
	const char *detail;

	cJSON_Delete(c->problem);
	c->problem = NULL;
	if (json_parse(body, len, &c->problem, NULL) < 0 || !cJSON_IsObject(c->problem)) {
		cJSON_Delete(c->problem);
		c->problem = NULL;
		return error_set(e, code_of_status(status), "%s answers HTTP status %ld: %.200s",
			c->server, status, body);
	}
	detail = json_str(c->problem, "detail", json_str(c->problem, "title", NULL));
	if (!detail)
		return error_set(
			e, code_of_status(status), "%s answers HTTP status %ld", c->server, status);
	return error_set(e, code_of_status(status), "%s", detail);
}

struct sink {
	struct transfer *t;
	struct strbuf *text; /* all of it, or what a refusal says */
	FILE *to; /* where a good answer goes instead, or NULL */
};

static size_t on_body(char *data, size_t size, size_t n, void *userdata)
{
	struct sink *s = userdata;
	long status = 0;

	curl_easy_getinfo(s->t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (s->to && status < 300)
		return fwrite(data, size, n, s->to);
	return strbuf_add(s->text, data, size * n) < 0 ? 0 : size * n;
}

/* One exchange, its answer in text or to; a refusal is an error. */
static int exchange(
	struct client *c, struct transfer *t, struct strbuf *text, FILE *to, struct error *e)
{
	struct sink s = {t, text, to};
	CURLcode code;

	c->status = 0;
	cJSON_Delete(c->problem);
	c->problem = NULL;
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, &s);
	code = curl_easy_perform(t->easy);
	if (code != CURLE_OK) {
		if (text->overflow)
			return error_set(e, ERR_LIMIT, "the answer of %s is over %zu MiB",
				c->server, text->max >> 20);
		if (code == CURLE_WRITE_ERROR)
			return error_set(e, -EIO, "cannot write the answer of %s", c->server);
		return transfer_error(t, c, code, e);
	}
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &c->status);
	if (c->status >= 300)
		return refusal(c, c->status, text->buf, text->len, e);
	return 0;
}

static int answer_json(
	struct client *c, const struct strbuf *text, cJSON **ret_json, struct error *e)
{
	if (!ret_json)
		return 0;
	if (text->len == 0) {
		*ret_json = cJSON_CreateObject();
		return 0;
	}
	if (json_parse(text->buf, text->len, ret_json, e) < 0)
		return error_prefix(e, "%s does not answer as a lab does", c->server);
	return 0;
}

int client_get(struct client *c, const char *path, cJSON **ret_json, struct error *e)
{
	struct transfer t __attribute__((cleanup(transfer_done))) = {0};
	AUTO_STRBUF struct strbuf text;
	int r;

	strbuf_init(&text, REPLY_MAX);
	r = transfer_init(&t, c, path, "application/json", NULL, e);
	if (r == 0)
		r = exchange(c, &t, &text, NULL, e);
	return r < 0 ? r : answer_json(c, &text, ret_json, e);
}

int client_get_text(struct client *c, const char *path, const char *accept, size_t max,
	char **ret_text, struct error *e)
{
	struct transfer t __attribute__((cleanup(transfer_done))) = {0};
	AUTO_STRBUF struct strbuf text;
	int r;

	strbuf_init(&text, max);
	r = transfer_init(&t, c, path, accept, NULL, e);
	if (r == 0)
		r = exchange(c, &t, &text, NULL, e);
	if (r < 0)
		return r;
	*ret_text = strbuf_detach(&text, NULL);
	return 0;
}

int client_copy(struct client *c, const char *path, FILE *to, struct error *e)
{
	struct transfer t __attribute__((cleanup(transfer_done))) = {0};
	AUTO_STRBUF struct strbuf text;
	int r;

	strbuf_init(&text, REPLY_MAX);
	r = transfer_init(&t, c, path, "*/*", NULL, e);
	return r < 0 ? r : exchange(c, &t, &text, to, e);
}

int client_upload(struct client *c, const char *path, const char *content_type, const void *data,
	size_t len, cJSON **ret_json, struct error *e)
{
	struct transfer t __attribute__((cleanup(transfer_done))) = {0};
	AUTO_STRBUF struct strbuf text;
	int r;

	strbuf_init(&text, REPLY_MAX);
	r = transfer_init(&t, c, path, "application/json", content_type, e);
	if (r < 0)
		return r;
	curl_easy_setopt(t.easy, CURLOPT_POST, 1L);
	curl_easy_setopt(t.easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	curl_easy_setopt(t.easy, CURLOPT_POSTFIELDS, data);
	r = exchange(c, &t, &text, NULL, e);
	return r < 0 ? r : answer_json(c, &text, ret_json, e);
}

int client_post(
	struct client *c, const char *path, const cJSON *body, cJSON **ret_json, struct error *e)
{
	AUTO_FREE char *text = body ? json_text(body) : NULL;

	return client_upload(c, path, "application/json", text ? text : "{}",
		text ? strlen(text) : 2, ret_json, e);
}

int client_delete(struct client *c, const char *path, struct error *e)
{
	struct transfer t __attribute__((cleanup(transfer_done))) = {0};
	AUTO_STRBUF struct strbuf text;
	int r;

	strbuf_init(&text, REPLY_MAX);
	r = transfer_init(&t, c, path, "application/json", NULL, e);
	if (r < 0)
		return r;
	curl_easy_setopt(t.easy, CURLOPT_CUSTOMREQUEST, "DELETE");
	return exchange(c, &t, &text, NULL, e);
}

int client_list(struct client *c, const char *path, cJSON **ret_list, struct error *e)
{
	AUTO_JSON cJSON *all = cJSON_CreateObject();
	cJSON *items = json_add_array(all, "items");
	AUTO_FREE char *cursor = NULL;

	for (int page_no = 0; page_no < PAGES_MAX; page_no++) {
		AUTO_STRBUF struct strbuf where;
		AUTO_JSON cJSON *page = NULL;
		cJSON *more;
		int r;

		strbuf_init(&where, 4096);
		(void)strbuf_adds(&where, path);
		(void)client_query(&where, "cursor", cursor);
		r = client_get(c, where.buf, &page, e);
		if (r < 0)
			return r;
		more = cJSON_DetachItemFromObject(page, "items");
		while (more && more->child)
			cJSON_AddItemToArray(items, cJSON_DetachItemViaPointer(more, more->child));
		cJSON_Delete(more);
		free(cursor);
		cursor = xstrdup_null(json_str(page, "next", NULL));
		if (!cursor && json_get(page, "next"))
			cursor = xasprintf("%lld", (long long)json_int(page, "next", 0));
		if (!cursor) {
			json_set(all, "next", NULL);
			*ret_list = steal_ptr(all);
			return 0;
		}
	}
	return error_set(e, ERR_LIMIT, "the list at %s%s has no end", c->server, path);
}

int client_find(
	struct client *c, const char *path, const char *name, cJSON **ret_item, struct error *e)
{
	AUTO_JSON cJSON *list = NULL;
	cJSON *item;
	int r = client_list(c, path, &list, e);

	if (r < 0)
		return r;
	json_for_each (item, json_get(list, "items")) {
		if (!streq(json_str(item, "name", NULL), name))
			continue;
		*ret_item = cJSON_Duplicate(item, true);
		return 0;
	}
	return error_set(e, ERR_MISSING, "the lab has no `%s` in %s", name, path);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/route.h"
#include "daemon/http/server.h"
#include "daemon/http/static.h"
#include <ctype.h>

static bool is_name(const char *s, size_t len)
{
	if (len == 0 || len >= NAME_SIZE || s[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("._-", s[i]))
			return false;
	return true;
}

static bool capture(const char *part, size_t part_len, const char *s, size_t len, int64_t *ret_id,
	char *ret_name)
{
	if (part_len == 3 && memcmp(part, ":id", 3) == 0) {
		char digits[20];

		if (len == 0 || len >= sizeof(digits) || !isdigit((unsigned char)s[0]))
			return false;
		memcpy(digits, s, len);
		digits[len] = '\0';
		return parse_int64(digits, 1, INT64_MAX, ret_id) == 0;
	}
	if (part_len == 5 && memcmp(part, ":name", 5) == 0) {
		if (!is_name(s, len))
			return false;
		memcpy(ret_name, s, len);
		ret_name[len] = '\0';
		return true;
	}
	return part_len == len && memcmp(part, s, len) == 0;
}

bool route_match(const char *pattern, const char *path, int64_t *ret_id, char *ret_name)
{
	while (*pattern == '/' && *path == '/') {
		size_t part_len = strcspn(++pattern, "/");
		size_t len = strcspn(++path, "/");

		if (!capture(pattern, part_len, path, len, ret_id, ret_name))
			return false;
		pattern += part_len;
		path += len;
	}
	return *pattern == '\0' && *path == '\0';
}

static void refuse_method(struct request *r, const char *allow)
{
	if (streq(r->method, "OPTIONS"))
		reply_empty(r, 204);
	else
		reply_problem(r, 405, "%s is not for %s; it takes %s.", r->method, r->path, allow);
	reply_header(r, MHD_HTTP_HEADER_ALLOW, "%s", allow);
}

void route_find(struct request *r)
{
	char allow[64] = "";

	for (const struct route *route = http_routes; route->method; route++) {
		size_t used = strlen(allow);

		if (!route_match(route->path, r->path, &r->id, r->name))
			continue;
		if (streq(route->method, r->method)) {
			r->route = route;
			return;
		}
		(void)snprintf(allow + used, sizeof(allow) - used, "%s%s", used > 0 ? ", " : "",
			streq(route->method, "GET") ? "GET, HEAD" : route->method);
	}
	if (allow[0])
		refuse_method(r, allow);
	else if (starts_with(r->path, "/api/") || streq(r->path, "/api"))
		reply_problem(r, 404,
			"There is nothing at %.200s. The interface is described at "
			"/api/v1/openapi.json.",
			r->path);
	else if (!streq(r->method, "GET"))
		refuse_method(r, "GET, HEAD");
	else
		r->route = &static_route;
}

struct known {
	const char *names;
	char unknown[64];
};

/* names: with blanks between; NULL: none. */
static bool is_one_of(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *s = names; s && *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		if (n == len && memcmp(s, name, n) == 0)
			return true;
		s += n;
	}
	return false;
}

static enum MHD_Result check_one(
	void *data, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct known *known = data;

	if (is_one_of(known->names, key))
		return MHD_YES;
	(void)snprintf(known->unknown, sizeof(known->unknown), "%.60s", *key ? key : "(empty)");
	return MHD_NO;
}

void route_check_query(struct request *r)
{
	struct known known = {r->route->query, ""};

	if (r->route == &static_route)
		return;
	(void)MHD_get_connection_values(r->conn, MHD_GET_ARGUMENT_KIND, check_one, &known);
	if (!known.unknown[0])
		return;
	if (known.names)
		reply_problem(r, 400, "There is no parameter '%s' here; there are: %s.",
			known.unknown, known.names);
	else
		reply_problem(
			r, 400, "There is no parameter '%s' here; there are none.", known.unknown);
}

const char *request_query(struct request *r, const char *key)
{
	return MHD_lookup_connection_value(r->conn, MHD_GET_ARGUMENT_KIND, key);
}

const char *request_header(struct request *r, const char *key)
{
	return MHD_lookup_connection_value(r->conn, MHD_HEADER_KIND, key);
}

bool request_query_int(
	struct request *r, const char *key, int64_t min, int64_t max, int64_t def, int64_t *ret_n)
{
	const char *text = request_query(r, key);

	*ret_n = def;
	if (!text || parse_int64(text, min, max, ret_n) == 0)
		return true;
	reply_problem(r, 400, "'%s' has to be a number from %lld to %lld, not '%.60s'.", key,
		(long long)min, (long long)max, text);
	return false;
}

bool request_query_flag(struct request *r, const char *key, bool *ret_flag)
{
	static const char *const yes[] = {"", "1", "true", "yes"};
	static const char *const no[] = {"0", "false", "no"};
	const char *text = NULL;

	*ret_flag = false;
	if (MHD_lookup_connection_value_n(
		    r->conn, MHD_GET_ARGUMENT_KIND, key, strlen(key), &text, NULL) != MHD_YES)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (streq(text ? text : "", yes[i]))
			return *ret_flag = true;
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (streq(text, no[i]))
			return true;
	reply_problem(r, 400, "'%s' has to be 1 or 0, not '%.60s'.", key, text ? text : "");
	return false;
}

cJSON *request_json(struct request *r)
{
	const struct strbuf *text = &r->upload.text;
	struct error e = ERROR_INIT;
	cJSON *body = NULL;

	if (text->len == 0)
		return cJSON_CreateObject();
	if (json_parse(text->buf, text->len, &body, &e) < 0) {
		reply_problem(r, 400, "The body is no JSON document: %s", e.msg);
		return NULL;
	}
	if (!cJSON_IsObject(body)) {
		cJSON_Delete(body);
		reply_problem(r, 400, "The body has to be a JSON object.");
		return NULL;
	}
	return body;
}

int request_check_members(const cJSON *body, const char *known, struct error *e)
{
	const cJSON *item;

	json_for_each (item, body)
		if (!is_one_of(known, item->string))
			return error_set(e, ERR_SYNTAX,
				"there is no member \"%.60s\" here; there are: %s", item->string,
				known);
	return 0;
}

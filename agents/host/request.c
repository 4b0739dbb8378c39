/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/request.h"

int request_parse(const char *payload, size_t len, struct request *ret_req, struct error *e)
{
	struct request req = {.text = NULL, .n = 0};
	size_t pos = 0;

	if (!len || payload[len - 1])
		return error_set(e, ERR_SYNTAX, "the request does not end in NUL");
	req.text = xmalloc(len);
	memcpy(req.text, payload, len);
	while (pos < len) {
		char *name = req.text + pos;
		char *eq = strchr(name, '=');

		pos += strlen(name) + 1;
		if (!eq || eq == name || req.n == REQUEST_MAX_PARAMS) {
			free(req.text);
			if (eq && eq != name)
				return error_set(e, ERR_LIMIT, "more than %d parameters",
					REQUEST_MAX_PARAMS);
			return error_set(e, ERR_SYNTAX, "a parameter is not NAME=value");
		}
		*eq = '\0';
		req.params[req.n].name = name;
		req.params[req.n++].value = eq + 1;
	}
	*ret_req = req;
	return 0;
}

void request_done(struct request *req)
{
	if (!req)
		return;
	free(req->text);
	req->text = NULL;
	req->n = 0;
}

const char *request_nth(const struct request *req, const char *name, size_t i)
{
	for (size_t k = 0; k < req->n; k++)
		if (streq(req->params[k].name, name) && !i--)
			return req->params[k].value;
	return NULL;
}

const char *request_get(const struct request *req, const char *name, const char *def)
{
	const char *s = request_nth(req, name, 0);

	return s && *s ? s : def;
}

int request_need(const struct request *req, const char *name, const char **ret_s, struct error *e)
{
	const char *s = request_get(req, name, NULL);

	if (!s)
		return error_set(e, ERR_SYNTAX, "the request lacks \"%s\"", name);
	*ret_s = s;
	return 0;
}

int request_int(const struct request *req, const char *name, int64_t min, int64_t max, int64_t def,
	int64_t *ret_n, struct error *e)
{
	const char *s = request_get(req, name, NULL);

	if (!s) {
		*ret_n = def;
		return 0;
	}
	if (parse_int64(s, min, max, ret_n))
		return error_set(e, ERR_SYNTAX,
			"\"%s\" is %.40s, and must be a whole number from %lld to %lld", name, s,
			(long long)min, (long long)max);
	return 0;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-';
}

int request_name(const struct request *req, const char *name, const char **ret_s, struct error *e)
{
	const char *s = "";
	size_t n = 0;
	int r = request_need(req, name, &s, e);

	if (r)
		return r;
	while (name_char(s[n]))
		n++;
	if (s[n] || n > 100 || *s == '.')
		return error_set(e, ERR_SYNTAX,
			"\"%s\" is \"%.100s\", and must be at most 100 letters, digits, '.', '_' "
			"or '-' with no dot first",
			name, s);
	*ret_s = s;
	return 0;
}

int request_hex(const struct request *req, const char *name, size_t digits, const char **ret_s,
	struct error *e)
{
	const char *s = "";
	int r = request_need(req, name, &s, e);

	if (r)
		return r;
	if (strlen(s) != digits || strspn(s, "0123456789abcdef") != digits)
		return error_set(e, ERR_SYNTAX,
			"\"%s\" is \"%.80s\", and must be %zu lower-case hex digits", name, s,
			digits);
	*ret_s = s;
	return 0;
}

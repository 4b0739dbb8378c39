/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/auth.h"
#include "daemon/http/server.h"

static void refuse_unknown(struct request *r, const char *what, const char *challenge)
{
	reply_problem(r, 401,
		"%s Send 'Authorization: Bearer TOKEN' with a token of this lab; `patchbay token "
		"create` makes one.",
		what);
	reply_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "%s", challenge);
}

/* "Bearer TOKEN"; the scheme's case does not matter. NULL: another scheme. */
static const char *bearer(const char *header)
{
	if (strncasecmp(header, "Bearer ", 7) != 0)
		return NULL;
	header += 7;
	return header + strspn(header, " ");
}

/*
 * Browsers send the cookie along with what a page of this lab asks, SameSite=Strict sees to that;
 * what changes something has to prove it once more. "http://HOST" is the Origin of our pages.
 */
static bool same_origin(struct request *r)
{
	const char *origin = request_header(r, MHD_HTTP_HEADER_ORIGIN);
	const char *host = request_header(r, MHD_HTTP_HEADER_HOST);
	const char *name;

	if (streq(r->method, "GET"))
		return true;
	if (!origin || !host)
		return false;
	name = strstr(origin, "://");
	return name && streq(name + 3, host);
}

void auth_check(struct request *r)
{
	const char *header = request_header(r, MHD_HTTP_HEADER_AUTHORIZATION);
	const char *cookie = MHD_lookup_connection_value(r->conn, MHD_COOKIE_KIND, AUTH_COOKIE);
	const char *token = NULL;
	struct error e = ERROR_INIT;
	enum scope need;

	if (r->route->access == ACCESS_OPEN)
		return;
	need = (enum scope)(r->route->access - ACCESS_READ);
	if (header) {
		token = bearer(header);
		if (!token) {
			refuse_unknown(r, "That is no bearer token.", "Bearer realm=\"patchbay\"");
			return;
		}
	} else if (cookie) {
		if (!same_origin(r)) {
			reply_problem(r, 403,
				"This came from another site's page. Do it from the dashboard of "
				"this lab.");
			return;
		}
		token = cookie;
		r->by_cookie = true;
	} else {
		refuse_unknown(r, "This needs a token.", "Bearer realm=\"patchbay\"");
		return;
	}
	switch (token_check(r->http->store, token, need, &r->token, &e)) {
	case 0:
		return;
	case ERR_AUTH:
		refuse_unknown(r, "This token is not valid here.",
			"Bearer realm=\"patchbay\", error=\"invalid_token\"");
		return;
	default:
		reply_error(r, &e);
		if (r->status == 403)
			reply_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
				"Bearer realm=\"patchbay\", error=\"insufficient_scope\", "
				"scope=\"%s\"",
				scope_name(need));
	}
}

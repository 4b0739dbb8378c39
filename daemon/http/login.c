/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/login.h"
#include "base/clock.h"
#include "daemon/http/auth.h"
#include "daemon/http/server.h"
#include <sys/random.h>

#define COOKIE_SECONDS (90 * 24 * 3600)
#define SECRET_BYTES 32
#define SECRET_SIZE (2 * SECRET_BYTES + 1)

static bool secret_new(char *secret)
{
	unsigned char bytes[SECRET_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		(void)snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

/* A session that opens another one passes on what it depends on itself. */
static int64_t owner(const struct token_row *token)
{
	return token->parent_id ? token->parent_id : token->id;
}

void login_make_link(struct request *r)
{
	struct login *login = &r->http->login;
	struct login_link *link = &login->links[login->next];
	const char *host = request_header(r, MHD_HTTP_HEADER_HOST);
	AUTO_FREE char *url = NULL;
	char secret[SECRET_SIZE];
	char when[32];
	cJSON *body;

	if (!secret_new(secret)) {
		reply_problem(r, 500, "The system gave no random numbers. Try again.");
		return;
	}
	login->next = (login->next + 1) % LOGIN_LINKS;
	sha256_of(secret, strlen(secret), link->sha256);
	link->expires_ms = clock_mono_ms() + LOGIN_LINK_MS;
	link->scope = r->token.scope;
	link->token = owner(&r->token);
	url = xasprintf("http://%s/?token=%s", host ? host : "localhost", secret);
	body = cJSON_CreateObject();
	json_set_str(body, "url", url);
	json_set_str(body, "expires", clock_iso(clock_unix_ms() + LOGIN_LINK_MS, when));
	reply_json(r, 201, body);
}

static const struct login_link *link_use(struct login *login, const char *secret)
{
	char sha256[SHA256_HEX];

	sha256_of(secret, strlen(secret), sha256);
	for (size_t i = 0; i < LOGIN_LINKS; i++) {
		struct login_link *link = &login->links[i];

		if (!streq(link->sha256, sha256))
			continue;
		link->sha256[0] = '\0';
		return clock_mono_ms() < link->expires_ms ? link : NULL;
	}
	return NULL;
}

static bool session_new(struct request *r, int64_t parent, enum scope scope, char *token)
{
	struct error e = ERROR_INIT;
	struct token_row row;

	if (token_create_session(r->http->store, parent, MIN_OF(scope, SCOPE_SUBMIT),
		    clock_unix_ms() + 1000LL * COOKIE_SECONDS, token, &row, &e) == 0)
		return true;
	reply_error(r, &e);
	return false;
}

static void give_cookie(struct request *r, const char *token, int seconds)
{
	reply_header(r, MHD_HTTP_HEADER_SET_COOKIE,
		AUTH_COOKIE "=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict", token, seconds);
}

void login_open_link(struct request *r, const char *secret)
{
	const struct login_link *link = r->head ? NULL : link_use(&r->http->login, secret);
	char token[TOKEN_SIZE];

	/* The answer is never the page itself: the secret must not stay in the address bar. */
	if (!link) {
		reply_empty(r, 303);
		reply_header(r, MHD_HTTP_HEADER_LOCATION, "/#link-used");
		return;
	}
	if (!session_new(r, link->token, link->scope, token))
		return;
	reply_empty(r, 303);
	reply_header(r, MHD_HTTP_HEADER_LOCATION, "/");
	give_cookie(r, token, COOKIE_SECONDS);
}

static cJSON *session_json(struct request *r)
{
	cJSON *body = cJSON_CreateObject();

	json_set_str(body, "scope", scope_name(r->token.scope));
	json_set_int(body, "token", r->token.id);
	json_set_bool(body, "cookie", r->by_cookie);
	json_set_str(body, "version", PATCHBAY_VERSION);
	return body;
}

void login_set_cookie(struct request *r)
{
	char token[TOKEN_SIZE];

	if (!session_new(r, owner(&r->token), r->token.scope, token))
		return;
	reply_json(r, 201, session_json(r));
	give_cookie(r, token, COOKIE_SECONDS);
}

void login_show(struct request *r)
{
	reply_json(r, 200, session_json(r));
}

void login_sign_out(struct request *r)
{
	struct error e = ERROR_INIT;

	if (!r->by_cookie) {
		reply_problem(r, 409,
			"This signs a dashboard out, and you are using a token. DELETE "
			"/api/v1/tokens/%lld revokes that.",
			(long long)r->token.id);
		return;
	}
	if (token_revoke(r->http->store, r->token.id, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	streams_recheck(&r->http->streams);
	reply_empty(r, 204);
	give_cookie(r, "", 0);
}

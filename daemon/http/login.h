/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signing in to the dashboard. Whoever has a token can ask for a link, "/?token=SECRET", that
 * works once and for LOGIN_LINK_MS; opening it sets the cookie. The cookie is a token of its own:
 * it outlives a restart, is listed among the others, and signing out revokes it. It reaches as far
 * as the token it was asked for with, but never to `admin`.
 */
#ifndef HTTP_LOGIN_H
#define HTTP_LOGIN_H

#include "base/sha256.h"
#include "daemon/store/token.h"

#define LOGIN_LINK_MS (10 * 60 * 1000)
#define LOGIN_LINKS 16 /* unused ones; one more drops the oldest */

struct login_link {
	char sha256[SHA256_HEX]; /* of the secret; empty: free */
	int64_t expires_ms; /* monotonic */
	enum scope scope;
	int64_t token; /* that it was made with */
};

struct login {
	struct login_link links[LOGIN_LINKS];
	size_t next;
};

struct request;

/* POST /session/link */
void login_make_link(struct request *r);
/* GET /?token=SECRET */
void login_open_link(struct request *r, const char *secret);
/* POST, GET, DELETE /session */
void login_set_cookie(struct request *r);
void login_show(struct request *r);
void login_sign_out(struct request *r);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who asks. A bearer token in the Authorization header, or the dashboard's cookie, which holds a
 * token too; the cookie does not count for a request that another site made.
 */
#ifndef HTTP_AUTH_H
#define HTTP_AUTH_H

#include "daemon/http/request.h"

#define AUTH_COOKIE "patchbay"

/* Fill r->token, or answer 401 or 403. */
void auth_check(struct request *r);

#endif

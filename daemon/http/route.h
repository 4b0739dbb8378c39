/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From method and path to a handler, and what a request says in its query. */
#ifndef HTTP_ROUTE_H
#define HTTP_ROUTE_H

#include "daemon/http/request.h"

/* Does path fit pattern? Fills what it captures: ":id" into *ret_id, ":name" into ret_name. */
bool route_match(const char *pattern, const char *path, int64_t *ret_id, char *ret_name);
/* Find the route of r->method and r->path; answers 404 or 405 where there is none. */
void route_find(struct request *r);
/* Answers 400 for a parameter that the route does not know: a typo must not be an option lost. */
void route_check_query(struct request *r);

#endif

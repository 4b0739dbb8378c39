/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One request inside daemon/http: what it asks, who asks, its body and its answer.
 *
 * A handler sets exactly one answer with a reply_ function and returns; server.c queues it when
 * the request has been read to its end. An answer that is there before that is a refusal: the
 * rest of the body is read and thrown away, so that the client gets to read why.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "base/json.h"
#include "daemon/http/http.h"
#include "daemon/http/upload.h"
#include <microhttpd.h>

#define NAME_SIZE 65 /* of trees, hosts, machines; with the NUL */

/* Who may: everybody, or a token whose scope reaches. */
enum access { ACCESS_OPEN, ACCESS_READ, ACCESS_SUBMIT, ACCESS_ADMIN };

struct request;
typedef void (*route_fn)(struct request *r);

struct route {
	const char *method;
	const char *path; /* "/api/v1/series/:id/report"; ":id" a number, ":name" a word */
	enum access access;
	enum upload_kind body;
	route_fn handler;
	const char *query; /* names of the parameters it knows, with blanks between; NULL: none */
};

struct request {
	struct http *http;
	struct MHD_Connection *conn;
	const struct route *route;
	char *method; /* GET for HEAD too */
	bool head;
	char *path;
	int64_t id; /* :id */
	char name[NAME_SIZE]; /* :name */
	struct token_row token; /* id 0: none */
	bool by_cookie;
	struct upload upload;
	uint64_t discarded; /* bytes thrown away after a refusal */
	struct MHD_Response *response;
	unsigned status;
	bool queued;
};

/* Query parameters and headers: NULL where absent. They live as long as the request. */
const char *request_query(struct request *r, const char *key);
const char *request_header(struct request *r, const char *key);
/* Number in the query; answers 400 and returns false where it is none in [min, max]. */
bool request_query_int(
	struct request *r, const char *key, int64_t min, int64_t max, int64_t def, int64_t *ret_n);
/* Query flags: absent false; "", 1, true, yes are true. Anything else is 400 and false. */
bool request_query_flag(struct request *r, const char *key, bool *ret_flag);
/* The body as a JSON object; answers 400 and returns NULL where it is none. An empty body is {}. */
cJSON *request_json(struct request *r);
/* That a body has none but these members, named with blanks between; else ERR_SYNTAX. */
int request_check_members(const cJSON *body, const char *known, struct error *e);

/* Answers. Each replaces one that was there before. */
void reply_json(struct request *r, unsigned status, cJSON *body); /* takes body */
/* RFC 9457; title from the status. detail says what happened and what to do. */
void reply_problem(struct request *r, unsigned status, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The status that fits e->code. */
void reply_error(struct request *r, const struct error *e);
/* text is the caller's to give: heap. */
void reply_text(struct request *r, unsigned status, const char *type, char *text, size_t len);
void reply_empty(struct request *r, unsigned status);
void reply_response(struct request *r, unsigned status, struct MHD_Response *response);
void reply_header(struct request *r, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif

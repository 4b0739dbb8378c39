/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The HTTP side of patchbayd: the API under /api/v1 and the dashboard's files, served by
 * libmicrohttpd inside the daemon's own loop, on its one thread. docs/internals/http.md has the
 * rules; schemas/openapi.yaml the interface.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "base/loop.h"
#include "daemon/sched/verbs.h"

struct http;

struct http_config {
	const char *address; /* numeric: "127.0.0.1", "::1", "0.0.0.0" */
	uint16_t port; /* 0: any free one */
	const char *web; /* folder of the built dashboard, or NULL */
	const char *openapi; /* path of openapi.yaml, or NULL */
};

#define HTTP_MAX_SUBMISSION SUBMIT_MAX_BYTES
#define HTTP_MAX_BODY (64 * 1024) /* bytes of any other body */
#define HTTP_MAX_UPLOADS 16 /* submissions arriving at one time */
#define HTTP_MAX_STREAMS 128 /* open event streams */
#define HTTP_MAX_CONNECTIONS 512

/* Listens when it returns. The loop and the lab must outlive it. */
int http_new(struct loop *loop, struct sched *sched, const struct http_config *config,
	struct http **ret_http, struct error *e);
/* Cuts what is open. NULL is fine; returns NULL. */
struct http *http_free(struct http *http);
uint16_t http_port(const struct http *http);

#endif

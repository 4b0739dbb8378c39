/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of daemon/http share: the server itself. */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "daemon/http/client.h"
#include "daemon/http/login.h"
#include "daemon/http/request.h"
#include "daemon/http/stream.h"

struct http_counters {
	uint64_t requests;
	uint64_t by_class[6]; /* answers by the first digit of their status */
	uint64_t upload_bytes;
};

struct http {
	struct loop *loop;
	struct sched *sched;
	struct store *store;
	char *web;
	char *openapi;
	struct MHD_Daemon *mhd;
	struct loop_source *io;
	struct loop_source *timer; /* MHD's own deadlines */
	uint16_t port;
	int64_t started_ms; /* Unix */
	size_t n_uploads;
	struct clients clients;
	struct streams streams;
	struct events *events;
	struct follower *followers; /* of logs */
	struct login login;
	struct observer *observer;
	struct http_counters counters;
};

/* Every route; ends with a NULL method. */
extern const struct route http_routes[];

#endif

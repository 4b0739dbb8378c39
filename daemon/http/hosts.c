/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adding and probing hosts; taking hosts and machines out of service. */
#include "daemon/http/json.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"

/* Strings of the body stay the body's: the row must not be released. */
static int host_from(const cJSON *body, struct host_row *row, struct error *e)
{
	const char *name, *address, *user, *key, *host_key;
	int64_t port = 22;
	int r;

	if ((r = json_need_str(body, "name", &name, e)) < 0 ||
		(r = json_need_str(body, "address", &address, e)) < 0 ||
		(r = json_need_str(body, "user", &user, e)) < 0 ||
		(r = json_need_str(body, "key", &key, e)) < 0 ||
		(r = json_need_str(body, "host_key", &host_key, e)) < 0)
		return r;
	if (json_get(body, "port") && (r = json_need_int(body, "port", 1, 65535, &port, e)) < 0)
		return r;
	row->name = (char *)name;
	row->address = (char *)address;
	row->port = (int)port;
	row->user = (char *)user;
	row->key = (char *)key;
	row->host_key = (char *)host_key;
	row->root = (char *)json_str(body, "root", NULL);
	return 0;
}

void hosts_post(struct request *r)
{
	AUTO_JSON cJSON *body = request_json(r);
	AUTO_HOST struct host_row row = {0};
	struct host_row asked = {0};
	struct error e = ERROR_INIT;

	if (!body)
		return;
	if (host_from(body, &asked, &e) < 0 || sched_host_add(r->http->sched, &asked, &row, &e) < 0)
		reply_error(r, &e);
	else
		reply_json(r, 201, json_host(&row));
}

void hosts_post_probe(struct request *r)
{
	AUTO_HOST struct host_row row = {0};
	struct error e = ERROR_INIT;

	if (sched_host_probe(r->http->sched, r->name, &row, &e) < 0)
		reply_error(r, &e);
	else
		reply_json(r, 202, json_host(&row));
}

/* POST of NOUNs/NAME/drain and …/resume. */
#define DRAIN_ROUTES(noun, NOUN)                                                          \
	static void noun##_drain(struct request *r, bool drained)                         \
	{                                                                                 \
		AUTO_##NOUN struct noun##_row row = {0};                                  \
		struct error e = ERROR_INIT;                                              \
                                                                                          \
		if (sched_##noun##_drain(r->http->sched, r->name, drained, &row, &e) < 0) \
			reply_error(r, &e);                                               \
		else                                                                      \
			reply_json(r, 200, json_##noun(&row));                            \
	}                                                                                 \
	void noun##s_post_drain(struct request *r)                                        \
	{                                                                                 \
		noun##_drain(r, true);                                                    \
	}                                                                                 \
	void noun##s_post_resume(struct request *r)                                       \
	{                                                                                 \
		noun##_drain(r, false);                                                   \
	}

DRAIN_ROUTES(host, HOST)
DRAIN_ROUTES(machine, MACHINE)

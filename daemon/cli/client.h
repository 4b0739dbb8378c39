/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An HTTP client of one lab. Failures carry the sentence the lab gave (problem JSON's `detail`);
 * a lab that cannot be reached is ERR_LINK. Paths begin behind /api/v1 unless they start with
 * "//", which is the server's root: "//healthz".
 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "base/json.h"

struct client;

/* personal: the lab of this machine, reached past any proxy; how to start it is in its errors. */
int client_new(const char *server, const char *token, bool personal, struct client **ret_client,
	struct error *e);
struct client *client_free(struct client *c);
const char *client_server(const struct client *c);
/* The problem document of the last request that failed with one, else NULL. */
const cJSON *client_problem(const struct client *c);
/* The HTTP status of the last answer; 0 where there was none. */
long client_status(const struct client *c);

int client_get(struct client *c, const char *path, cJSON **ret_json, struct error *e);
/* body NULL: an empty one. ret_json may be NULL. */
int client_post(
	struct client *c, const char *path, const cJSON *body, cJSON **ret_json, struct error *e);
int client_delete(struct client *c, const char *path, struct error *e);
int client_upload(struct client *c, const char *path, const char *content_type, const void *data,
	size_t len, cJSON **ret_json, struct error *e);
/* The body as text of at most max bytes. accept: a media type. */
int client_get_text(struct client *c, const char *path, const char *accept, size_t max,
	char **ret_text, struct error *e);
/* The body, written to a stream as it arrives. */
int client_copy(struct client *c, const char *path, FILE *to, struct error *e);
/* Every item of a list, its pages followed: {"items":[…],"next":null}. */
int client_list(struct client *c, const char *path, cJSON **ret_list, struct error *e);

/* The item of a list that has that name. ERR_MISSING. */
int client_find(
	struct client *c, const char *path, const char *name, cJSON **ret_item, struct error *e);

/* "?a=b&c=d": adds one more pair, escaped, with the right separator. value NULL: nothing. */
int client_query(struct strbuf *path, const char *key, const char *value);

/* A stream of server-sent events. */
struct events;

enum events_result {
	EVENTS_GOT = 1,
	EVENTS_OPEN, /* once, when the lab has begun to send: nothing after this is missed */
	EVENTS_DEADLINE, /* the deadline passed */
	EVENTS_WAKE, /* wake_fd is readable */
};

struct event {
	const char *name; /* "message" where the stream names none */
	const char *data; /* until the next call */
};

/* last_id: go on after that event; NULL: from now on, or as the stream begins. */
int events_open(struct client *c, const char *path, const char *last_id, struct events **ret_events,
	struct error *e);
/* The id of the newest event that had one; empty before. Until the next call. */
const char *events_last_id(const struct events *ev);
struct events *events_close(struct events *ev);
/* Waits for what comes first. deadline_ms: monotonic, -1 none; wake_fd: -1 none. A stream that
 * ended or broke is ERR_LINK; one that was refused is the refusal. */
int events_next(struct events *ev, int64_t deadline_ms, int wake_fd, struct event *ret_event,
	struct error *e);

#endif

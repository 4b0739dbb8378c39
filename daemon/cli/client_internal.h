/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What client.c and events.c share. */
#ifndef CLI_CLIENT_INTERNAL_H
#define CLI_CLIENT_INTERNAL_H

#include "daemon/cli/client.h"
#include <curl/curl.h>
#include <errno.h>

struct client {
	char *server; /* without a slash at its end */
	char *token; /* or NULL */
	bool personal;
	long status;
	cJSON *problem; /* or NULL */
};

struct transfer {
	CURL *easy;
	struct curl_slist *headers;
	char reason[CURL_ERROR_SIZE];
};

int transfer_init(struct transfer *t, struct client *c, const char *path, const char *accept,
	const char *content_type, struct error *e);
void transfer_header(struct transfer *t, const char *name, const char *value);
void transfer_done(struct transfer *t);
/* No answer came. */
int transfer_error(const struct transfer *t, struct client *c, CURLcode code, struct error *e);
/* An answer came, and it was no. */
int refusal(struct client *c, long status, const char *body, size_t len, struct error *e);

#endif

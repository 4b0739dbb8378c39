/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A request: NAME=value strings, each ended by NUL (docs/internals/agent-protocol.md). A name
 * may come more than once where the command says so; else the first counts. All values belong to
 * the request.
 */
#ifndef HOST_REQUEST_H
#define HOST_REQUEST_H

#include "base/error.h"

#define REQUEST_MAX_PARAMS 256

struct request {
	char *text;
	struct {
		const char *name;
		const char *value;
	} params[REQUEST_MAX_PARAMS];
	size_t n;
};

/* Copies the payload. */
int request_parse(const char *payload, size_t len, struct request *ret_req, struct error *e);
void request_done(struct request *req);

/* The default where it is absent or empty. */
const char *request_get(const struct request *req, const char *name, const char *def);
/* The i-th value of a repeated name, or NULL. */
const char *request_nth(const struct request *req, const char *name, size_t i);
/* ERR_SYNTAX names the parameter. */
int request_need(const struct request *req, const char *name, const char **ret_s, struct error *e);
/* def where absent or empty. */
int request_int(const struct request *req, const char *name, int64_t min, int64_t max, int64_t def,
	int64_t *ret_n, struct error *e);
/* A name that becomes a file's: letters, digits, '.', '_', '-'; no dot first; at most 100. */
int request_name(const struct request *req, const char *name, const char **ret_s, struct error *e);
/* Exactly `digits` lower-case hex digits. */
int request_hex(const struct request *req, const char *name, size_t digits, const char **ret_s,
	struct error *e);

#endif

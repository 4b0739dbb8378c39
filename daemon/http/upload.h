/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The body of a request. Small ones are kept in memory; a submission goes to a file of its own
 * in the incoming folder while it is hashed, and is whole when upload_finish() has returned. Who
 * keeps it puts it on disk: what the lab has already needs no fsync(), which would hold up the loop.
 * upload_done() removes what is still there under its path: a client that vanishes leaves
 * nothing, and who wants the file moves it away.
 */
#ifndef HTTP_UPLOAD_H
#define HTTP_UPLOAD_H

#include "base/sha256.h"
#include "base/strbuf.h"

enum upload_kind { UPLOAD_NONE, UPLOAD_JSON, UPLOAD_FILE };

struct upload {
	enum upload_kind kind;
	uint64_t bytes;
	uint64_t limit;
	uint64_t flushed; /* bytes whose writing to disk was started */
	int fd;
	char *path;
	struct sha256 hash;
	char sha256[SHA256_HEX]; /* after upload_finish() */
	struct strbuf text;
};

#define UPLOAD_INIT      \
	{                \
		.fd = -1 \
	}

int upload_begin(struct upload *u, enum upload_kind kind, uint64_t limit, const char *folder,
	struct error *e);
/* ERR_LIMIT past the limit. */
int upload_add(struct upload *u, const void *data, size_t len, struct error *e);
void upload_finish(struct upload *u);
void upload_done(struct upload *u);

#endif

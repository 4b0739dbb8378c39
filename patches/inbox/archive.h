/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Following a mailing-list archive: every mail that it took in since the position where the last
 * visit ended, once, in the archive's order. docs/internals/inbox.md.
 */
#ifndef INBOX_ARCHIVE_H
#define INBOX_ARCHIVE_H

#include "patches/inbox/epoch.h"

#define ARCHIVE_MAX_MAIL ((size_t)16 << 20) /* one mail */

struct archive_position {
	int epoch;
	struct oid last; /* null: the epoch had no mail */
};

struct archive_mail {
	int epoch;
	struct oid commit;
	bool taken_back; /* the archive removed it */
	const char *data; /* NULL: it cannot be read */
	size_t len;
	const char *why; /* it cannot be read */
};

/* Nonzero: the visit ends behind this mail; the next one goes on there. */
typedef int (*archive_mail_fn)(const struct archive_mail *mail, void *data);

struct archive {
	const struct import *in; /* progress of fetches */
	const char *address; /* see epoch.h */
	const char *folder; /* for mirrors of the epochs; ours, made where it is not there */
	int64_t since_s; /* mails that the archive took in before are not looked at */
	struct archive_position *positions; /* by epoch; moved on by archive_follow(); heap */
	size_t n_positions;
	bool more; /* the visit ended before the archive did */
	bool rewritten; /* mails were purged or edited */
};

/*
 * Visits the archive. Errors leave the positions where they were before the epoch that failed.
 * ERR_MISSING: there is no archive. An unchanged archive costs one fetch, and one question
 * whether the next epoch has begun.
 */
int archive_follow(struct archive *a, archive_mail_fn fn, void *data, struct error *e);
void archive_done(struct archive *a);

#endif

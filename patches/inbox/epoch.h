/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The epochs of a public-inbox v2 archive: bare git repositories numbered from 0, of which only the
 * newest grows. A commit is one mail: the blob `m` that it adds, or `d` where it takes one back.
 * https://public-inbox.org/public-inbox-v2-format.html.
 *
 * An archive is named by the http or https address of its list, where epoch N is ADDRESS/N, or by
 * the absolute path of its folder, where it is FOLDER/git/N.git.
 */
#ifndef INBOX_EPOCH_H
#define INBOX_EPOCH_H

#include "patches/git/import.h"

#define EPOCH_MAX 9999
#define EPOCH_MAX_COMMITS 2000000 /* of one epoch; the largest there are have half as many */

/* One answer of the archive; nothing is fetched. */
int epoch_exists(const char *archive, int n, bool *ret_exists, struct error *e);

/* Brings folder/N.git up to date and opens it. *ret_tip is null where the epoch has no mail yet. */
int epoch_fetch(const struct import *in, const char *archive, int n, const char *folder,
	struct repo **ret_repo, struct oid *ret_tip, struct error *e);
char *epoch_folder(const char *folder, int n);

struct epoch_mail {
	struct oid commit;
	struct oid blob;
	int64_t committed_s; /* when the archive took it in */
	bool taken_back; /* `d` */
};

/* The newest first. */
struct epoch_list {
	struct epoch_mail *mails;
	size_t n;
	bool rewritten; /* last is no ancestor of tip: mails were purged or edited */
	bool all; /* every mail of the epoch is in it */
};
void epoch_list_done(struct epoch_list *list);
#define AUTO_EPOCH_LIST CLEANUP(epoch_list_done)

/*
 * What tip has and last had not. Where there is no last (null), or it is not here any more: mails
 * that the archive took in at since_s or later. Where history was rewritten: what stands behind the
 * newest mail that the old one has in the same bytes; what differs before that was edited, and is
 * not new.
 */
int epoch_news(struct repo *repo, const struct oid *tip, const struct oid *last, int64_t since_s,
	struct epoch_list *ret_list, struct error *e);

/* One mail. ERR_LIMIT past max bytes, ERR_MISSING where it cannot be read. */
int epoch_read(struct repo *repo, const struct epoch_mail *mail, size_t max, char **ret_data,
	size_t *ret_len, struct error *e);

#endif

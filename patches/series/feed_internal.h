/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of a feed: its mails, and which of them hang together; see feed.h. */
#ifndef SERIES_FEED_INTERNAL_H
#define SERIES_FEED_INTERNAL_H

#include "patches/series/feed.h"
#include "patches/series/tags.h"

struct feed_mail {
	int64_t origin;
	uint64_t place; /* among all mails that came */
	size_t bytes;
	struct message *m;
	struct tags tags;
	bool given; /* it is a patch of a series that was given out */
	bool reported; /* as ignored */
};

/* Mails of one thread, and those that may belong to it without referring to it. */
struct cluster {
	struct feed_mail **mails; /* as they came */
	size_t n;
	size_t news; /* patches and cover letters since it was last looked at */
	size_t missing; /* so many more before another look can change something; 0: look */
	int64_t arrived_s; /* the last of them */
	bool unsettled; /* looked at before it was quiet */
	bool queued; /* to be looked at */
	bool leaving; /* out of the window after that */
	struct cluster *older, *newer; /* in the window, by their last mail */
	struct cluster *next; /* of the queue */
};

struct window {
	void *ids; /* tree of struct mention */
	struct cluster *oldest, *newest;
	size_t n_mails;
	size_t bytes;
	uint64_t places;
};

/* Puts the mail where it belongs, which can join clusters; the one that it is in now. */
struct cluster *window_add(struct window *w, struct feed_mail *mail, int64_t arrived_s);
/* Out of the window; the cluster is the caller's. */
void window_remove(struct window *w, struct cluster *c);
/* The cluster that a message id belongs to, or NULL. */
struct cluster *window_find(const struct window *w, const char *message_id);
/* Takes one mail out of its cluster, and frees it. */
void window_drop(struct window *w, struct cluster *c, size_t i);

struct cluster *cluster_free(struct cluster *c);

#endif

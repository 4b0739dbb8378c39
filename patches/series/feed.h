/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mails one by one, as an archive gives them, to series. The rules are those of
 * series_set_assemble(), on a window of the newest mails: memory does not grow with their number.
 *
 * A series is given out once, as soon as all of it is there and nothing about it is ambiguous.
 * Where its mails answer one that did not come, its cover letter as a rule, that one is waited for
 * until series_feed_settle(). What is incomplete waits for the missing mail, and is given up with
 * the reason when it falls out of the window.
 *
 * Crash-only: the feed keeps nothing on disk. Whoever feeds it stores, with the place reached in
 * the archive, what series_feed_waiting() names, and feeds those mails again after a restart.
 *
 *	series_feed_add(f, origin, arrived_s, data, len);
 *	while (series_feed_next(f, &event))
 *		...
 *
 * One owner, one thread. Cost of a mail: that of parsing it, and a logarithm.
 */
#ifndef SERIES_FEED_H
#define SERIES_FEED_H

#include "patches/series/series.h"

#define FEED_MAX_MAILS 5000 /* in the window */
#define FEED_MAX_BYTES ((size_t)64 << 20) /* of their text, undecoded */
#define FEED_MAX_MAIL ((size_t)16 << 20) /* one mail; a bigger one is ignored with the reason */
#define FEED_MAX_THREAD 4000 /* mails that hang together; further ones are ignored */

struct series_feed;

enum feed_kind {
	FEED_SERIES, /* complete: to be tested; series->held may still say why it cannot be */
	FEED_GIVEN_UP, /* it left the window incomplete or ambiguous: series->held says why */
	FEED_IGNORED, /* one mail that belongs to no series: why says it */
};

/* Everything in it is the feed's, until the next call with this feed. */
struct feed_event {
	enum feed_kind kind;
	const struct series *series; /* NULL for FEED_IGNORED */
	const char *message_id; /* FEED_IGNORED; or NULL */
	const char *why; /* FEED_IGNORED; one sentence */
	/*
	 * The mails of it: cover letter, patches by number, replies; before them, in the same
	 * order, those of the version that a partial reroll rests on. Written into one mbox in
	 * this order, they are a submission that is understood as this series.
	 */
	const int64_t *origins;
	size_t n_origins;
};

/* 0: FEED_MAX_MAILS, FEED_MAX_BYTES. */
struct series_feed *series_feed_new(size_t max_mails, size_t max_bytes);
struct series_feed *series_feed_free(struct series_feed *f);

static inline void series_feed_freep(struct series_feed **f)
{
	*f = series_feed_free(*f);
}
#define AUTO_SERIES_FEED CLEANUP(series_feed_freep)

/*
 * One mail, without or with an mbox separator. origin: the caller's name for it. arrived_s: Unix
 * seconds, when the archive got it; not from the mail. Never fails: a mail that cannot be read is
 * an event with the reason. data is copied as far as it is needed.
 */
void series_feed_add(
	struct series_feed *f, int64_t origin, int64_t arrived_s, const char *data, size_t len);
/* The archive forgot a mail (purged, spam). What was given out stays; nothing of it waits on. */
void series_feed_forget(struct series_feed *f, const char *message_id);
/* Complete series whose last mail arrived before that are given out, cover letter or not. */
void series_feed_settle(struct series_feed *f, int64_t before_s);
/* What came of it, oldest first: true with an event, or false when there is none. */
bool series_feed_next(struct series_feed *f, struct feed_event *ret_event);
/* The mails that incomplete series wait with, as they came. The list is the feed's, as above. */
size_t series_feed_waiting(struct series_feed *f, const int64_t **ret_origins);

#endif

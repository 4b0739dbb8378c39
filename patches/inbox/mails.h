/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mails as they came, beside the series that they make: what is needed to write a series into a
 * mailbox of its own, and to know where each mail is from.
 */
#ifndef INBOX_MAILS_H
#define INBOX_MAILS_H

#include "base/json.h"
#include "patches/series/series.h"

/* Message ids longer than this are no message's name, but somebody's experiment. */
#define MAILS_MAX_ID 500

struct mails_raw {
	char *data;
	size_t len;
	int64_t part; /* of the open series that it belongs to; 0: it is new */
};

struct mails {
	struct series_set set; /* its messages stand beside raw, in the same order */
	struct mails_raw *raw;
	size_t n;
};

void mails_init(struct mails *m);
void mails_done(struct mails *m);
#define AUTO_MAILS CLEANUP(mails_done)

/* One mail, copied. What cannot be read is among set.ignored, and no error. */
void mails_add(struct mails *m, const char *data, size_t len, int64_t part);
/* A whole mailbox; errors concern it as a whole. */
int mails_add_mbox(struct mails *m, const char *data, size_t len, int64_t part, struct error *e);
/* Takes back the mails with that id. Before mails_assemble(). */
void mails_take_back(struct mails *m, const char *message_id);
/* Once, after the last. */
void mails_assemble(struct mails *m);

/* All messages of a series: cover letter, patches, replies. The array is the caller's. */
const struct message **series_messages(const struct series *s, size_t *ret_n);
/* Of a partial reroll, without those that it took from the version before. */
const struct message **series_own_messages(const struct series *s, size_t *ret_n);
/* The raw mail of a message of the set. */
const struct mails_raw *mails_raw_of(const struct mails *m, const struct message *message);

/* A series as mboxrd, a partial reroll with the version that it replaces patches of before it.
 * ERR_LIMIT past out's maximum. */
int mails_write(const struct mails *m, const struct series *s, struct strbuf *out, struct error *e);
/* One mail appended to an mboxrd. */
int mails_write_one(const char *data, size_t len, struct strbuf *out);

#endif

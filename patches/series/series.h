/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages to series: which patches belong together, in which version and order, what is missing,
 * and what belongs to nothing. docs/internals/series.md has the rules. What cannot be known is
 * held with a reason, never guessed; every message ends in a series or among the ignored.
 */
#ifndef SERIES_SERIES_H
#define SERIES_SERIES_H

#include "patches/mail/message.h"

struct series_patch {
	int n; /* from 1 */
	const struct message *message;
	int version; /* the series', or the earlier one that a partial reroll took it from */
	bool carried; /* taken from the version before */
};

/* Reviewed-by and its like: what the patches carry, and what replies gave them. */
struct series_trailer {
	char *name; /* "Reviewed-by" */
	char *value; /* "A Reviewer <a@example.org>" */
	int patch; /* 0: the whole series */
	const struct message *message;
	bool reply; /* message is a reply, else the patch itself */
	char *refused; /* why it does not count, one sentence; or NULL */
};

/* How a series was found to be a version of another. */
enum series_link { LINK_NONE, LINK_CHANGE_ID, LINK_REPLY, LINK_TITLE };
const char *series_link_name(enum series_link link);

enum prerequisite_kind {
	PREREQUISITE_PATCH_ID,
	PREREQUISITE_MESSAGE_ID,
	PREREQUISITE_CHANGE_ID,
	PREREQUISITE_TEXT, /* Depends-on: whatever it says */
};
const char *prerequisite_name(enum prerequisite_kind kind);

struct prerequisite {
	enum prerequisite_kind kind;
	char *value;
};

struct series {
	char *title;
	int version; /* from 1 */
	int minor; /* of v2.1; else 0 */
	bool resend;
	int total;
	bool rfc;
	const struct message *top; /* its own: the cover letter, else the first patch */
	const struct message *cover; /* or NULL */
	struct series_patch *patches; /* by n */
	size_t n_patches;
	const struct message **replies; /* in the order they came */
	size_t n_replies;
	bool complete; /* all of 1..total are there, each once */
	/* Mail that would say more may still come: it was put together by the time of its mails,
	 * or what it answers, its cover letter as a rule, is not here. */
	bool loose;
	char *held; /* why it cannot be used as it is, one sentence; or NULL */
	char *base_commit; /* 40 hex digits, or NULL */
	char *change_id; /* or NULL */
	struct prerequisite *prerequisites;
	size_t n_prerequisites;
	struct series_trailer *trailers;
	size_t n_trailers;
	const struct series *previous; /* the version before, of the same set; or NULL */
	enum series_link link;
	bool partial; /* what was not sent again is the previous version's */
};

enum ignored_kind {
	IGNORED_UNREADABLE,
	IGNORED_TALK, /* no patch, and no comment on one that is here */
	IGNORED_PULL, /* a pull request */
	IGNORED_DOUBLE, /* its id, or its place in its series, is taken */
	IGNORED_STRAY, /* it says it is a patch, and is none that could be used */
	IGNORED_COMMENT, /* a diff in a reply */
};
const char *ignored_name(enum ignored_kind kind);

struct series_ignored {
	enum ignored_kind kind;
	const struct message *message; /* NULL: unreadable */
	char *message_id; /* or NULL */
	char *why; /* one sentence */
};

struct series_set {
	struct series *series; /* in the order of their first message */
	size_t n_series;
	struct series_ignored *ignored;
	size_t n_ignored;
	struct message **messages; /* what the series point into */
	size_t n_messages;
};

void series_set_init(struct series_set *set);
void series_set_done(struct series_set *set);
#define AUTO_SERIES_SET CLEANUP(series_set_done)

/* Takes the message over. */
void series_set_add(struct series_set *set, struct message *m);
/* A message that could not be read, and why. message_id may be NULL. */
void series_set_unread(struct series_set *set, const char *message_id, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Once, after the last message. */
void series_set_assemble(struct series_set *set);

/*
 * A whole mailbox: split, parsed and assembled; messages that cannot be read are ignored with the
 * reason. ERR_SYNTAX and ERR_LIMIT concern the mailbox as a whole.
 */
int series_set_read(struct series_set *set, const char *data, size_t len, struct error *e);
/*
 * The one series that a submission consists of, the newest where it holds several versions;
 * ERR_CONFLICT with the reason it must be held.
 */
int series_set_only(
	const struct series_set *set, const struct series **ret_series, struct error *e);

#endif

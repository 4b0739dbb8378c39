/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One mail as a patch carrier: author, subject, date, body and diff byte for byte as `git mailinfo`
 * gives them (its defaults: in-body headers count, scissors do not), and what threading needs.
 *
 * MIME is walked line by line, without recursion, as git does it: boundaries at most five deep,
 * every text part in turn through one filter that looks for the place where the diff begins.
 */
#ifndef MAIL_MESSAGE_H
#define MAIL_MESSAGE_H

#include "base/strbuf.h"

#define MESSAGE_MAX_HEADER ((size_t)256 << 10) /* one header, unfolded */
#define MESSAGE_MAX_HEADERS ((size_t)1 << 20) /* all headers of a message or part */
#define MESSAGE_MAX_DEPTH 5
#define MESSAGE_MAX_PARTS 1000
#define MESSAGE_MAX_REFERENCES 100

struct message {
	/* as git mailinfo has them; never NULL */
	char *subject; /* [PATCH ...] and Re: taken off */
	char *author_name;
	char *author_email;
	char *date; /* as written, in-body or header */
	char *body; /* the log message below the subject */
	char *diff; /* from the line where the patch begins, "---" or "diff --git" */
	size_t body_len;
	size_t diff_len;
	/* as the mail's own header has them */
	char *full_subject; /* decoded, with its tags; never NULL */
	char *sender_email; /* "" where it has none */
	int64_t sent_s; /* Unix seconds of the Date: header; 0 where it cannot be read */
	char *message_id; /* without the brackets, or NULL */
	char **references; /* In-Reply-To and References, the nearest first */
	size_t n_references;
	char *refused; /* why its diff cannot be trusted, one sentence; or NULL */
};

/* ERR_SYNTAX, ERR_LIMIT: this mail cannot be used, with the reason; others are not concerned. */
int message_parse(const char *data, size_t len, struct message **ret_message, struct error *e);
struct message *message_free(struct message *m);

static inline void message_freep(struct message **m)
{
	*m = message_free(*m);
}
#define AUTO_MESSAGE CLEANUP(message_freep)

/* For messages of which only the id is wanted, broken ones: the first Message-ID, or NULL. Heap. */
char *message_find_id(const char *data, size_t len);

#endif

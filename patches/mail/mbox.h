/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Splitting a mailbox into messages, where `git mailsplit -b` would split it: a message begins at
 * a line "From X ... hh:mm:ss YYYY", so a "From " inside a body stays there. A file that begins
 * with a header instead is one message (a saved mail, a maildir file). CRLF becomes LF. In the
 * mboxrd dialect, told by public-inbox's separators "From mboxrd@z ", one '>' is taken off
 * ">From " lines; elsewhere quoting is left as git leaves it, for it cannot be told from content.
 */
#ifndef MAIL_MBOX_H
#define MAIL_MBOX_H

#include "base/strbuf.h"

#define MBOX_MAX_BYTES ((size_t)64 << 20)
#define MBOX_MAX_MESSAGES 20000

struct mbox {
	const char *next; /* the rest of the data, which stays the caller's */
	const char *end;
	size_t count; /* messages given out */
	size_t max_messages;
	bool bare; /* one message without a separator */
	bool rd;
};

/* ERR_SYNTAX: empty, or not an mbox. ERR_LIMIT: more than max_bytes. */
int mbox_init(struct mbox *m, const char *data, size_t len, size_t max_bytes, size_t max_messages,
	struct error *e);
/*
 * The next message into ret_message (initialized by the caller, emptied first), separator
 * included. Returns 1, or 0 at the end; ERR_LIMIT past max_messages or the strbuf's maximum.
 */
int mbox_next(struct mbox *m, struct strbuf *ret_message, struct error *e);

#endif

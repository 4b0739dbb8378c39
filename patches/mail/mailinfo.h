/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What message_parse() is made of; see message.h. */
#ifndef MAIL_MAILINFO_H
#define MAIL_MAILINFO_H

#include "patches/mail/message.h"
#include "patches/mail/text.h"

enum field { FIELD_FROM, FIELD_SUBJECT, FIELD_DATE, FIELDS };

/* The filter that every line of text goes through: in-body headers, log message, diff. */
struct filter {
	char *inbody[FIELDS]; /* NULL until seen */
	struct strbuf pending; /* an in-body header that may still be continued */
	struct strbuf body;
	struct strbuf diff;
	bool past_headers; /* no in-body header can come any more */
	bool in_diff;
};

void filter_init(struct filter *f, size_t max);
void filter_done(struct filter *f);
/* One line with its newline, if it has one. charset: of the part, or "". */
int filter_line(
	struct filter *f, const char *line, size_t len, const char *charset, struct error *e);
/* At the end of the message. */
int filter_finish(struct filter *f, struct error *e);

/* "From", "Subject" or "Date" at the start of "Name: value"; -1: none of them. */
int field_of(const char *line);
/* The value behind "Name:" and its white space; NULL where the line is no such header. */
const char *header_value(const char *line, const char *name);
/* In place: brackets, Re: and colons off the front, as git mailinfo without -k. */
void subject_clean(char *subject);

#endif

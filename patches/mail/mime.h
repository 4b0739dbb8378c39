/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walking the parts of one mail, line by line; see message.h. */
#ifndef MAIL_MIME_H
#define MAIL_MIME_H

#include "patches/mail/mailinfo.h"

struct mime {
	const char *next; /* the rest of the message */
	const char *end;
	char *boundaries[MESSAGE_MAX_DEPTH];
	size_t depth;
	size_t parts;
	size_t header_bytes; /* of this part so far */
	/* of the current part */
	enum text_encoding encoding;
	char charset[64];
	bool flowed;
	bool delsp;
	bool flowed_diff; /* lines of the diff came through a format=flowed part */
	struct filter filter;
};

void mime_init(struct mime *m, const char *data, size_t len);
void mime_done(struct mime *m);
/* One header with its continuation lines, without its newline. 1, or 0 where the headers end; the
 * line that ends them is still next. */
int mime_header(struct mime *m, struct strbuf *ret_line, struct error *e);
/* Content-Type and Content-Transfer-Encoding take effect. */
int mime_note_header(struct mime *m, const char *line, struct error *e);
/* Everything below the headers, through the filter. */
int mime_body(struct mime *m, char *fields[FIELDS], struct error *e);
/* A header that git mailinfo reads into its field; the value decoded. */
int mime_set_field(char **field, const char *value, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mail: MIME, encodings, charsets, headers, dates. */
#include "patches/mail/date.h"
#include "patches/mail/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_MESSAGE struct message *m = NULL;
	struct error e = ERROR_INIT;
	int64_t when;
	int offset;
	int r = message_parse((const char *)data, size, &m, &e);

	free(message_find_id((const char *)data, size));
	if (r) {
		if (r != ERR_SYNTAX && r != ERR_LIMIT)
			abort();
		if (!*e.msg)
			abort();
		return 0;
	}
	if (strlen(m->subject) > size * 3 + 16 || m->diff_len > size * 3 + 16)
		abort();
	if (!date_parse(m->date, &when, &offset) && (offset < -1440 || offset > 1440))
		abort();
	return 0;
}

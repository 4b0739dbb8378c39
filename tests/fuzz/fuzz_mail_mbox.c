/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mbox splitter: every byte comes out once, carriage returns and quotes aside. */
#include "patches/mail/mbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = ERROR_INIT;
	struct strbuf message;
	struct mbox m;
	size_t total = 0;
	int r;

	if (mbox_init(&m, (const char *)data, size, 1 << 20, 1000, &e))
		return 0;
	strbuf_init(&message, 1 << 20);
	while ((r = mbox_next(&m, &message, &e)) > 0) {
		if (!message.len)
			abort();
		total += message.len;
	}
	if (total > size || (r == 0 && m.next != m.end))
		abort();
	strbuf_done(&message);
	return 0;
}

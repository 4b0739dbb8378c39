/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames as a host could send them: each is inside the buffer, and each step takes some of it. */
#include "base/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_STRBUF struct strbuf in;
	enum frame_type type;
	const char *payload;
	size_t len, total;

	strbuf_init(&in, size);
	strbuf_add(&in, data, size);
	while (frame_next(&in, &type, &payload, &len, &total) == 1) {
		if (payload < in.buf || len > in.len || payload + len > in.buf + in.len ||
			total > in.len || !total)
			abort();
		strbuf_consume(&in, total);
	}
	return 0;
}

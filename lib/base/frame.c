/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/frame.h"

#include "base/file.h"

#include <errno.h>

#define HEADER 5

static void put_header(char *h, enum frame_type type, size_t len)
{
	h[0] = (char)type;
	h[1] = (char)(len >> 24);
	h[2] = (char)(len >> 16);
	h[3] = (char)(len >> 8);
	h[4] = (char)len;
}

int frame_write(int fd, enum frame_type type, const void *payload, size_t len)
{
	char header[HEADER];
	int r;

	if (len > FRAME_MAX)
		return -EMSGSIZE;
	put_header(header, type, len);
	r = write_all(fd, header, sizeof(header));
	return r ? r : write_all(fd, payload, len);
}

int frame_add(struct strbuf *sb, enum frame_type type, const void *payload, size_t len)
{
	char header[HEADER];

	if (len > FRAME_MAX || sb->len + HEADER + len > sb->max)
		return ERR_LIMIT;
	put_header(header, type, len);
	strbuf_add(sb, header, sizeof(header));
	return strbuf_add(sb, payload, len);
}

int frame_next(const struct strbuf *in, enum frame_type *ret_type, const char **ret_payload,
	size_t *ret_len, size_t *ret_total)
{
	const uint8_t *h = (const uint8_t *)in->buf;
	size_t len;

	if (in->len < 1)
		return 0;
	if (!h[0] || !strchr("QBSELCR", h[0]))
		return ERR_SYNTAX;
	if (in->len < HEADER)
		return 0;
	len = (size_t)h[1] << 24 | (size_t)h[2] << 16 | (size_t)h[3] << 8 | h[4];
	if (len > FRAME_MAX)
		return ERR_LIMIT;
	if (in->len < HEADER + len)
		return 0;
	*ret_type = (enum frame_type)h[0];
	*ret_payload = in->buf + HEADER;
	*ret_len = len;
	*ret_total = HEADER + len;
	return 1;
}

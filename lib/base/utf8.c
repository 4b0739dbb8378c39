/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#include "base/strbuf.h"

size_t utf8_len(const char *text, size_t left)
{
	const uint8_t *s = (const uint8_t *)text;
	uint8_t c = s[0], low = 0x80, high = 0xbf;
	size_t n;

	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		n = 2;
	else if ((c & 0xf0) == 0xe0)
		n = 3;
	else if (c >= 0xf0 && c <= 0xf4)
		n = 4;
	else
		return 0;
	if (c == 0xe0)
		low = 0xa0;
	else if (c == 0xed)
		high = 0x9f;
	else if (c == 0xf0)
		low = 0x90;
	else if (c == 0xf4)
		high = 0x8f;
	if (left < n || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

bool utf8_is_valid(const char *s, size_t len)
{
	while (len) {
		size_t n = utf8_len(s, len);

		if (!n)
			return false;
		s += n;
		len -= n;
	}
	return true;
}

char *utf8_clean(const char *s)
{
	size_t left = strlen(s);
	struct strbuf out;

	strbuf_init(&out, 3 * left);
	while (left) {
		size_t n = utf8_len(s, left);

		if (n)
			strbuf_add(&out, s, n);
		else
			strbuf_adds(&out, UTF8_REPLACEMENT);
		n += !n;
		s += n;
		left -= n;
	}
	return strbuf_detach(&out, NULL);
}

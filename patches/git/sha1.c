/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/sha1.h"

void sha1_init(struct sha1 *h)
{
	*h = (struct sha1){.state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}};
}

static uint32_t rotate(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

static void add_block(struct sha1 *h, const uint8_t *p)
{
	uint32_t w[80];
	uint32_t a = h->state[0], b = h->state[1], c = h->state[2], d = h->state[3];
	uint32_t e = h->state[4];

	for (size_t i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (size_t i = 16; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (size_t i = 0; i < 80; i++) {
		uint32_t f, k, next;

		if (i < 20) {
			f = (b & c) | (~b & d);
			k = 0x5A827999;
		} else if (i < 40) {
			f = b ^ c ^ d;
			k = 0x6ED9EBA1;
		} else if (i < 60) {
			f = (b & c) | (b & d) | (c & d);
			k = 0x8F1BBCDC;
		} else {
			f = b ^ c ^ d;
			k = 0xCA62C1D6;
		}
		next = rotate(a, 5) + f + e + k + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	h->state[0] += a;
	h->state[1] += b;
	h->state[2] += c;
	h->state[3] += d;
	h->state[4] += e;
}

void sha1_add(struct sha1 *h, const void *data, size_t len)
{
	const uint8_t *p = data;

	h->total_bytes += len;
	while (len) {
		size_t n = MIN_OF(len, sizeof(h->block) - h->fill);

		memcpy(h->block + h->fill, p, n);
		h->fill += n;
		p += n;
		len -= n;
		if (h->fill == sizeof(h->block)) {
			add_block(h, h->block);
			h->fill = 0;
		}
	}
}

void sha1_end(struct sha1 *h, uint8_t digest[20])
{
	uint64_t bits = h->total_bytes * 8;
	uint8_t size[8];

	sha1_add(h, "\x80", 1);
	while (h->fill != 56)
		sha1_add(h, "", 1);
	for (int i = 7; i >= 0; i--) {
		size[i] = (uint8_t)bits;
		bits >>= 8;
	}
	sha1_add(h, size, sizeof(size));
	for (size_t i = 0; i < 5; i++) {
		digest[4 * i] = (uint8_t)(h->state[i] >> 24);
		digest[4 * i + 1] = (uint8_t)(h->state[i] >> 16);
		digest[4 * i + 2] = (uint8_t)(h->state[i] >> 8);
		digest[4 * i + 3] = (uint8_t)h->state[i];
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>

static const uint32_t round_constant[64] = {
	0x428a2f98,
	0x71374491,
	0xb5c0fbcf,
	0xe9b5dba5,
	0x3956c25b,
	0x59f111f1,
	0x923f82a4,
	0xab1c5ed5,
	0xd807aa98,
	0x12835b01,
	0x243185be,
	0x550c7dc3,
	0x72be5d74,
	0x80deb1fe,
	0x9bdc06a7,
	0xc19bf174,
	0xe49b69c1,
	0xefbe4786,
	0x0fc19dc6,
	0x240ca1cc,
	0x2de92c6f,
	0x4a7484aa,
	0x5cb0a9dc,
	0x76f988da,
	0x983e5152,
	0xa831c66d,
	0xb00327c8,
	0xbf597fc7,
	0xc6e00bf3,
	0xd5a79147,
	0x06ca6351,
	0x14292967,
	0x27b70a85,
	0x2e1b2138,
	0x4d2c6dfc,
	0x53380d13,
	0x650a7354,
	0x766a0abb,
	0x81c2c92e,
	0x92722c85,
	0xa2bfe8a1,
	0xa81a664b,
	0xc24b8b70,
	0xc76c51a3,
	0xd192e819,
	0xd6990624,
	0xf40e3585,
	0x106aa070,
	0x19a4c116,
	0x1e376c08,
	0x2748774c,
	0x34b0bcb5,
	0x391c0cb3,
	0x4ed8aa4a,
	0x5b9cca4f,
	0x682e6ff3,
	0x748f82ee,
	0x78a5636f,
	0x84c87814,
	0x8cc70208,
	0x90befffa,
	0xa4506ceb,
	0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void add_block(struct sha256 *h, const uint8_t *p)
{
	uint32_t w[64], s[8];

	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(s, h->state, sizeof(s));
	for (int i = 0; i < 64; i++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
			      choice + round_constant[i] + w[i];
		uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		h->state[i] += s[i];
}

void sha256_init(struct sha256 *h)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	*h = (struct sha256){0};
	memcpy(h->state, start, sizeof(start));
}

void sha256_add(struct sha256 *h, const void *data, size_t len)
{
	const uint8_t *p = data;

	h->total_bytes += len;
	if (h->fill) {
		size_t n = MIN_OF(len, sizeof(h->block) - h->fill);

		memcpy(h->block + h->fill, p, n);
		h->fill += n;
		p += n;
		len -= n;
		if (h->fill < sizeof(h->block))
			return;
		add_block(h, h->block);
		h->fill = 0;
	}
	for (; len >= sizeof(h->block); p += sizeof(h->block), len -= sizeof(h->block))
		add_block(h, p);
	if (len)
		memcpy(h->block, p, len);
	h->fill = len;
}

void sha256_hex(struct sha256 *h, char *hex)
{
	uint64_t bits = h->total_bytes * 8;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(h, "\x80", 1);
	while (h->fill != 56)
		sha256_add(h, "", 1);
	sha256_add(h, length, sizeof(length));
	for (int i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", h->state[i]);
}

void sha256_of(const void *data, size_t len, char *hex)
{
	struct sha256 h;

	sha256_init(&h);
	sha256_add(&h, data, len);
	sha256_hex(&h, hex);
}

int sha256_file(const char *path, char *hex, struct error *e)
{
	size_t size = 256 * 1024;
	AUTO_FREE char *buf = xmalloc(size);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sha256 h;
	ssize_t n;

	if (fd < 0)
		return error_errno(e, "cannot open %s", path);
	sha256_init(&h);
	while ((n = read(fd, buf, size)) != 0) {
		if (n > 0)
			sha256_add(&h, buf, (size_t)n);
		else if (errno != EINTR)
			return error_errno(e, "cannot read %s", path);
	}
	sha256_hex(&h, hex);
	return 0;
}

uint32_t crc32_add(uint32_t crc, const void *data, size_t len)
{
	/* The remainders of the sixteen half-bytes: small, and fast enough for result lines. */
	static const uint32_t half[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	const uint8_t *p = data;

	crc = ~crc;
	for (; len; len--, p++) {
		crc = half[(crc ^ *p) & 15] ^ crc >> 4;
		crc = half[(crc ^ *p >> 4) & 15] ^ crc >> 4;
	}
	return ~crc;
}

bool is_sha256(const char *s)
{
	return s && strlen(s) == SHA256_HEX - 1 && strspn(s, "0123456789abcdef") == SHA256_HEX - 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4), and CRC-32 as in zlib and Ethernet (polynomial 0xEDB88320). */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/error.h"

struct sha256 {
	uint32_t state[8];
	uint64_t total_bytes;
	uint8_t block[64];
	size_t fill;
};

#define SHA256_HEX 65 /* 64 digits and the NUL */

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *data, size_t len);
/* Lower-case hex into hex[SHA256_HEX]. */
void sha256_hex(struct sha256 *h, char *hex);
void sha256_of(const void *data, size_t len, char *hex);
int sha256_file(const char *path, char *hex, struct error *e);
/* 64 lower-case hex digits. */
bool is_sha256(const char *s);

/* Start with crc = 0. */
uint32_t crc32_add(uint32_t crc, const void *data, size_t len);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-1 (FIPS 180-4), for patch ids; objects are hashed by libgit2. */
#ifndef GIT_SHA1_H
#define GIT_SHA1_H

#include "base/util.h"

struct sha1 {
	uint32_t state[5];
	uint64_t total_bytes;
	uint8_t block[64];
	size_t fill;
};

void sha1_init(struct sha1 *h);
void sha1_add(struct sha1 *h, const void *data, size_t len);
void sha1_end(struct sha1 *h, uint8_t digest[20]);

#endif

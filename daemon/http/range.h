/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Range header (RFC 9110, 14.2) for one range of bytes. */
#ifndef HTTP_RANGE_H
#define HTTP_RANGE_H

#include <stdint.h>

enum range {
	RANGE_ALL, /* none asked for, or one to ignore: another unit, several, bad syntax */
	RANGE_PART, /* *ret_first .. *ret_last, both within size */
	RANGE_OUTSIDE, /* 416 */
};

enum range range_parse(const char *header, uint64_t size, uint64_t *ret_first, uint64_t *ret_last);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/range.h"
#include "base/util.h"

/* Digits up to end; saturates. Returns false for none. */
static bool number(const char **s, uint64_t *ret_n)
{
	const char *start = *s;
	uint64_t n = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++)
		n = n > (UINT64_MAX - 9) / 10 ? UINT64_MAX : n * 10 + (uint64_t)(**s - '0');
	*ret_n = n;
	return *s > start;
}

enum range range_parse(const char *header, uint64_t size, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t first, last;
	bool has_first, has_last;

	if (!header || strncasecmp(header, "bytes=", 6) != 0)
		return RANGE_ALL;
	header += 6;
	has_first = number(&header, &first);
	if (*header++ != '-')
		return RANGE_ALL;
	has_last = number(&header, &last);
	if (*header != '\0' || (!has_first && !has_last) || (has_first && has_last && first > last))
		return RANGE_ALL;
	if (!has_first) {
		if (last == 0 || size == 0)
			return RANGE_OUTSIDE;
		*ret_first = last < size ? size - last : 0;
		*ret_last = size - 1;
		return RANGE_PART;
	}
	if (first >= size)
		return RANGE_OUTSIDE;
	*ret_first = first;
	*ret_last = has_last && last < size ? last : size - 1;
	return RANGE_PART;
}

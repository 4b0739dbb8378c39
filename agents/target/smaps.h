/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel says about a range of our memory, out of /proc/self/smaps. */
#ifndef TARGET_SMAPS_H
#define TARGET_SMAPS_H

#include "base/error.h"

struct smaps {
	uint64_t mapped; /* bytes of areas that lie within the range */
	uint64_t anonymous;
	uint64_t anon_huge; /* in huge pages mapped as such */
	uint64_t hugetlb;
	uint64_t min_page_bytes; /* KernelPageSize, the smallest and largest of the areas */
	uint64_t max_page_bytes;
};

/* Pure. An area that only overlaps [start, end) is not counted: it is not what was asked for. */
int smaps_parse(
	const char *text, uint64_t start, uint64_t end, struct smaps *ret_smaps, struct error *e);
int smaps_read(const void *start, size_t size, struct smaps *ret_smaps, struct error *e);

#endif

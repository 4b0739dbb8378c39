/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/iova.h"

/* The lowest address >= from that is congruent; false where it would wrap. */
static bool congruent_from(uint64_t from, uint64_t vaddr, uint64_t align, uint64_t *ret_address)
{
	uint64_t step = (vaddr - from) & (align - 1);

	if (from + step < from)
		return false;
	*ret_address = from + step;
	return true;
}

static bool choose_from(const struct iova_range *ranges, size_t n, uint64_t lowest, uint64_t vaddr,
	uint64_t size, uint64_t align, uint64_t *ret_iova)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		uint64_t at;

		if (!congruent_from(MAX_OF(ranges[i].first, lowest), vaddr, align, &at))
			continue;
		if (at > ranges[i].last || ranges[i].last - at < size - 1)
			continue;
		if (found && at >= *ret_iova)
			continue;
		*ret_iova = at;
		found = true;
	}
	return found;
}

int iova_choose(const struct iova_range *ranges, size_t n, uint64_t vaddr, uint64_t size,
	uint64_t align, uint64_t *ret_iova, struct error *e)
{
	uint64_t iova;

	if (!choose_from(ranges, n, IOVA_PREFERRED, vaddr, size, align, &iova) &&
		!choose_from(ranges, n, 1, vaddr, size, align, &iova))
		return error_set(e, ERR_MISSING,
			"none of the %zu address ranges of the IOMMU has room for %llu bytes "
			"aligned to %llu: give a smaller size_mib",
			n, (unsigned long long)size, (unsigned long long)align);
	*ret_iova = iova;
	return 0;
}

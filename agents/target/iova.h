/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the device's address space memory may be mapped. Pure. */
#ifndef TARGET_IOVA_H
#define TARGET_IOVA_H

#include "base/error.h"

#define IOVA_MAX_RANGES 64
/* Above the 32-bit space with its reserved holes (interrupts at 0xfee00000), where there is
 * room: the published test's address too. */
#define IOVA_PREFERRED (UINT64_C(4) << 30)

struct iova_range {
	uint64_t first;
	uint64_t last; /* inclusive */
};

/*
 * The lowest address from IOVA_PREFERRED on, else the lowest at all but 0, so that size bytes lie
 * in one usable range and the address is congruent to vaddr modulo align (a power of two): an
 * IOMMU uses large pages only where both are aligned alike. ERR_MISSING says what there is.
 */
int iova_choose(const struct iova_range *ranges, size_t n, uint64_t vaddr, uint64_t size,
	uint64_t align, uint64_t *ret_iova, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another memory layout for every seed, and the same for the same seed: before anything is
 * measured, blocks of seeded sizes are allocated and written, then a seeded part of them is freed
 * and the rest held for good. Where later pages land depends on the holes.
 *
 * A neutral change of the kernel moves memory about too. Measuring over several seeds shows how
 * much that alone can do (docs/internals/dma-map.md).
 */
#ifndef TARGET_LAYOUT_H
#define TARGET_LAYOUT_H

#include "base/error.h"

#define LAYOUT_BLOCKS 256
#define LAYOUT_TOTAL_PAGES 16384 /* 64 MiB of 4 KiB pages, for every seed the same */

struct layout_block {
	uint32_t pages;
	bool hold;
};

struct layout {
	struct layout_block blocks[LAYOUT_BLOCKS];
	size_t n; /* 0 for seed 0 */
};

/* Pure: the pattern of a seed. */
void layout_plan(uint64_t seed, struct layout *ret_layout);
/* Carry it out in this process. *ret_held_bytes stays allocated until it ends. */
int layout_apply(const struct layout *layout, uint64_t *ret_held_bytes, struct error *e);

#endif

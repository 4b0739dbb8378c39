/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/layout.h"
#include <sys/mman.h>

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void layout_plan(uint64_t seed, struct layout *ret_layout)
{
	uint64_t state = seed;
	uint32_t left = LAYOUT_TOTAL_PAGES;

	memset(ret_layout, 0, sizeof(*ret_layout));
	if (seed == 0)
		return;
	while (left > 0) {
		struct layout_block *block = &ret_layout->blocks[ret_layout->n++];
		/* Every order of magnitude is as likely as the next, up to the limit. */
		uint32_t most = 2u << (next_random(&state) % 10);
		uint32_t pages = 1 + (uint32_t)(next_random(&state) % most);

		block->hold = next_random(&state) & 1;
		/* The last block that there is room for takes the rest. */
		if (ret_layout->n == LAYOUT_BLOCKS || pages > left)
			pages = left;
		block->pages = pages;
		left -= pages;
	}
}

static void *allocate(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	(void)madvise(p, bytes, MADV_NOHUGEPAGE);
	/* A benchmark's process has no use for it, and copying page tables costs time. */
	(void)madvise(p, bytes, MADV_DONTFORK);
	for (size_t at = 0; at < bytes; at += (size_t)getpagesize())
		((volatile char *)p)[at] = 1;
	return p;
}

int layout_apply(const struct layout *layout, uint64_t *ret_held_bytes, struct error *e)
{
	size_t page = (size_t)getpagesize();
	void *memory[LAYOUT_BLOCKS];
	uint64_t held = 0;

	for (size_t i = 0; i < layout->n; i++) {
		memory[i] = allocate(layout->blocks[i].pages * page);
		if (!memory[i])
			return error_errno(e,
				"cannot perturb the memory layout: block %zu of %u pages", i,
				layout->blocks[i].pages);
	}
	for (size_t i = 0; i < layout->n; i++) {
		size_t bytes = layout->blocks[i].pages * page;

		if (layout->blocks[i].hold)
			held += bytes;
		else
			(void)munmap(memory[i], bytes);
	}
	*ret_held_bytes = held;
	return 0;
}

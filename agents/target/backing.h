/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory to be mapped for a device, in the ways the published test knows: private, and every page
 * written before it is handed out (a page that was only read is the shared zero page, and pinning
 * it for writing would copy it inside the timed call).
 */
#ifndef TARGET_BACKING_H
#define TARGET_BACKING_H

#include "agents/target/smaps.h"

#define HUGE_PAGE (UINT64_C(2) << 20)
#define GIANT_PAGE (UINT64_C(1) << 30)
#define BACKING_MIN_COVERAGE 0.99

struct backing_ops {
	const char *name; /* the case, as metrics have it */
	const char *flags; /* how it is made, for the record */
	uint64_t page_bytes; /* of the pages that it should be made of; 0: base pages */
	bool pooled; /* the pages are taken out of a pool: hugepool.h */
	/* Map size bytes at this address, over the reservation that is there. 0 or -errno. */
	int (*place)(const struct backing_ops *ops, void *at, size_t size, struct error *e);
	/* Bytes that are backed as they should be. */
	uint64_t (*covered)(const struct backing_ops *ops, const struct smaps *smaps);
};

extern const struct backing_ops backing_madv_hugepage;
extern const struct backing_ops backing_map_populate;
extern const struct backing_ops backing_hugetlbfs;
extern const struct backing_ops backing_hugetlbfs_1g;

struct backing {
	char *memory; /* aligned to align */
	size_t size;
	uint64_t align;
	double coverage; /* the part of it that smaps says is backed as it should be */
	void *reserved;
	size_t reserved_size;
};

/* Bytes of one page: what memory and device address are both aligned to is the larger of this and
 * HUGE_PAGE, so that small pages have the same alignment as large ones. */
uint64_t backing_page_bytes(const struct backing_ops *ops);

int backing_make(
	const struct backing_ops *ops, size_t size, struct backing *ret_backing, struct error *e);
/* ERR_STATE where it is not what it was to be: measuring it would say something else. */
int backing_prove(const struct backing_ops *ops, const struct backing *b, struct error *e);
void backing_done(struct backing *b);
#define BACKING_INIT      \
	{                 \
		.size = 0 \
	}
#define AUTO_BACKING CLEANUP(backing_done)

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/backing.h"
#include "agents/target/hugepool.h"
#include <sys/mman.h>

#define READ_WRITE (PROT_READ | PROT_WRITE)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED)

static int place_madv_hugepage(
	const struct backing_ops *ops, void *at, size_t size, struct error *e)
{
	if (mmap(at, size, READ_WRITE, ANONYMOUS, -1, 0) == MAP_FAILED)
		return error_errno(e, "cannot map %zu bytes", size);
	if (madvise(at, size, MADV_HUGEPAGE) != 0)
		return error_errno(e,
			"madvise(MADV_HUGEPAGE) is refused (the kernel's configuration needs "
			"TRANSPARENT_HUGEPAGE)");
	return 0;
}

static uint64_t covered_madv_hugepage(const struct backing_ops *ops, const struct smaps *smaps)
{
	return smaps->anon_huge;
}

const struct backing_ops backing_madv_hugepage = {
	.name = "madv_hugepage",
	.flags = "MAP_PRIVATE|MAP_ANONYMOUS,MADV_HUGEPAGE,written",
	.page_bytes = HUGE_PAGE,
	.place = place_madv_hugepage,
	.covered = covered_madv_hugepage,
};

/* Small pages because huge ones are for those who ask (noise.c sets that), and none here does. */
static int place_map_populate(const struct backing_ops *ops, void *at, size_t size, struct error *e)
{
	if (mmap(at, size, READ_WRITE, ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
		return error_errno(e, "cannot map and populate %zu bytes", size);
	return 0;
}

static uint64_t covered_map_populate(const struct backing_ops *ops, const struct smaps *smaps)
{
	if (smaps->max_page_bytes != (uint64_t)getpagesize() || smaps->anon_huge > smaps->anonymous)
		return 0;
	return smaps->anonymous - smaps->anon_huge;
}

const struct backing_ops backing_map_populate = {
	.name = "map_populate",
	.flags = "MAP_PRIVATE|MAP_ANONYMOUS|MAP_POPULATE,written",
	.place = place_map_populate,
	.covered = covered_map_populate,
};

static int place_hugetlbfs(const struct backing_ops *ops, void *at, size_t size, struct error *e)
{
	AUTO_CLOSE int fd = -1;
	int err = hugepool_file(ops->page_bytes, size, &fd, e);

	if (err)
		return err;
	if (mmap(at, size, READ_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		return error_errno(e, "cannot map %zu bytes of hugetlbfs", size);
	return 0;
}

static uint64_t covered_hugetlbfs(const struct backing_ops *ops, const struct smaps *smaps)
{
	return smaps->min_page_bytes == ops->page_bytes ? smaps->hugetlb : 0;
}

const struct backing_ops backing_hugetlbfs = {
	.name = "hugetlbfs",
	.flags = "MAP_PRIVATE,hugetlbfs,written",
	.page_bytes = HUGE_PAGE,
	.pooled = true,
	.place = place_hugetlbfs,
	.covered = covered_hugetlbfs,
};

const struct backing_ops backing_hugetlbfs_1g = {
	.name = "hugetlbfs_1g",
	.flags = "MAP_PRIVATE,hugetlbfs,written",
	.page_bytes = GIANT_PAGE,
	.pooled = true,
	.place = place_hugetlbfs,
	.covered = covered_hugetlbfs,
};

uint64_t backing_page_bytes(const struct backing_ops *ops)
{
	return ops->page_bytes ? ops->page_bytes : (uint64_t)getpagesize();
}

/* Addresses with room for size bytes at an aligned one, all within areas of our own, so that none
 * is merged with a neighbour. False with errno set. */
static bool reserve(struct backing *b, size_t size, uint64_t align)
{
	void *p = mmap(
		NULL, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uintptr_t skip;

	if (p == MAP_FAILED)
		return false;
	b->reserved = p;
	b->reserved_size = size + align;
	skip = -(uintptr_t)p & (align - 1);
	b->memory = (char *)p + skip;
	b->size = size;
	b->align = align;
	return true;
}

int backing_make(
	const struct backing_ops *ops, size_t size, struct backing *ret_backing, struct error *e)
{
	AUTO_BACKING struct backing b = BACKING_INIT;
	struct smaps smaps;
	int err;

	if (!reserve(&b, size, MAX_OF(backing_page_bytes(ops), HUGE_PAGE)))
		return error_errno(e, "cannot reserve %zu bytes of addresses", size);
	err = ops->place(ops, b.memory, size, e);
	if (err)
		return err;
	for (size_t at = 0; at < size; at += (size_t)getpagesize())
		((volatile char *)b.memory)[at] = 1;
	err = smaps_read(b.memory, size, &smaps, e);
	if (err)
		return err;
	b.coverage = (double)ops->covered(ops, &smaps) / (double)size;
	*ret_backing = b;
	b = (struct backing)BACKING_INIT;
	return 0;
}

int backing_prove(const struct backing_ops *ops, const struct backing *b, struct error *e)
{
	if (b->coverage >= BACKING_MIN_COVERAGE)
		return 0;
	return error_set(e, ERR_STATE,
		"only %.1f %% of the memory is in pages of %llu bytes, so this would not measure "
		"what it says: the guest may have too little memory, or its kernel no such pages",
		b->coverage * 100, (unsigned long long)backing_page_bytes(ops));
}

void backing_done(struct backing *b)
{
	if (b && b->reserved)
		(void)munmap(b->reserved, b->reserved_size);
	if (b)
		*b = (struct backing)BACKING_INIT;
}

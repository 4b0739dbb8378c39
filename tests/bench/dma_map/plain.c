/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What somebody would write who only wants to know how long the two calls take: map memory for a device
 * through VFIO and unmap it, in a loop, and print the time of each. dma-map (the benchmark) is compared
 * with it, in the same guest. It expects a device that is bound to vfio-pci.
 * SIZE_MIB and ITERATIONS are given to the compiler: the lab starts its tests without arguments.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/vfio.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IOVA (UINT64_C(4) << 30)
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

enum kind { MADV_HUGEPAGE_CASE, MAP_POPULATE_CASE, HUGETLBFS_CASE };
static const char *const names[] = {"madv_hugepage", "map_populate", "hugetlbfs"};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *memory_of(enum kind kind, size_t size)
{
	int flags = MAP_PRIVATE, fd = -1;
	char *p;

	if (kind == HUGETLBFS_CASE) {
		fd = open("/tmp/plain", O_TMPFILE | O_RDWR, 0600);
		if (fd < 0 || ftruncate(fd, (off_t)size))
			err(1, "hugetlbfs");
	} else {
		flags |= MAP_ANONYMOUS | (kind == MAP_POPULATE_CASE ? MAP_POPULATE : 0);
	}
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	if (kind == MADV_HUGEPAGE_CASE && madvise(p, size, MADV_HUGEPAGE))
		err(1, "madvise");
	for (size_t i = 0; i < size; i += 4096)
		((volatile char *)p)[i] = 1;
	if (fd >= 0)
		close(fd);
	return p;
}

static void measure(int container, enum kind kind, size_t size, int print)
{
	char *p = memory_of(kind, size);
	struct vfio_iommu_type1_dma_map map = {.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)p,
		.iova = IOVA,
		.size = size};
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap), .iova = IOVA, .size = size};
	double t0, t1, t2, t3;

	t0 = now();
	if (ioctl(container, VFIO_IOMMU_MAP_DMA, &map))
		err(1, "MAP_DMA");
	t1 = now();
	t2 = now();
	if (ioctl(container, VFIO_IOMMU_UNMAP_DMA, &unmap))
		err(1, "UNMAP_DMA");
	t3 = now();
	munmap(p, size);
	if (print)
		printf("%s.map %.9f s\n%s.unmap %.9f s\n", names[kind], t1 - t0, names[kind],
			t3 - t2);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

static int open_container(void)
{
	int container = open("/dev/vfio/vfio", O_RDWR), group;
	glob_t g;

	if (glob("/dev/vfio/[0-9]*", 0, NULL, &g))
		errx(1, "no group");
	group = open(g.gl_pathv[0], O_RDWR);
	if (container < 0 || group < 0 || ioctl(group, VFIO_GROUP_SET_CONTAINER, &container) ||
		ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		err(1, "%s", g.gl_pathv[0]);
	return container;
}

int main(void)
{
	size_t size = (size_t)SIZE_MIB << 20;
	char pages[32];
	int container;

	(void)snprintf(pages, sizeof(pages), "%zu", size >> 21);
	write_text(POOL, pages);
	mkdir("/tmp/plain", 0700);
	if (mount("none", "/tmp/plain", "hugetlbfs", 0, "pagesize=2M"))
		err(1, "mount");
	container = open_container();
	for (int kind = MADV_HUGEPAGE_CASE; kind <= HUGETLBFS_CASE; kind++)
		for (int i = -1; i < ITERATIONS; i++)
			measure(container, kind, size, i >= 0);
	umount("/tmp/plain");
	write_text(POOL, "0");
	return 0;
}

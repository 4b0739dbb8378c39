/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * VFIO's containers and groups: container, group, TYPE1v2, then MAP_DMA and UNMAP_DMA. A container is
 * VFIO's own, or an iommufd, which answers the same calls.
 */
#include "agents/target/mapper.h"
#include "agents/target/node.h"
#include "agents/target/sysfs.h"
#include <errno.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>

#define INFO_MAX 65536
/* Of VFIO's own containers, and for all of them. */
#define SMALL_PAGES "/sys/module/vfio_iommu_type1/parameters/disable_hugepages"

struct mapper {
	int container;
	int group;
	int device;
	uint32_t access; /* VFIO_DMA_MAP_FLAG_… */
	bool reset_small_pages; /* when it is closed */
};

static struct mapper *type1_close(struct mapper *m)
{
	if (!m)
		return NULL;
	closep(&m->device);
	closep(&m->group);
	closep(&m->container);
	if (m->reset_small_pages)
		(void)sysfs_write(SMALL_PAGES, "N", NULL);
	free(m);
	return NULL;
}

static void type1_closep(struct mapper **m)
{
	*m = type1_close(*m);
}
#define AUTO_MAPPER CLEANUP(type1_closep)

static int open_group(struct mapper *m, const struct pci_device *device, struct error *e)
{
	struct vfio_group_status status = {.argsz = sizeof(status)};
	char path[64];
	int err;

	(void)snprintf(path, sizeof(path), "/dev/vfio/%d", device->group);
	err = node_open(path, "VFIO_GROUP and the device bound to vfio-pci", &m->group, e);
	if (err)
		return err;
	if (ioctl(m->group, VFIO_GROUP_GET_STATUS, &status) != 0)
		return error_errno(e, "VFIO_GROUP_GET_STATUS failed");
	if (!(status.flags & VFIO_GROUP_FLAGS_VIABLE))
		return error_set(e, ERR_MISSING,
			"IOMMU group %d is not viable: another driver holds a device of it",
			device->group);
	return 0;
}

static int attach(
	struct mapper *m, const struct pci_device *device, unsigned long type, struct error *e)
{
	if (ioctl(m->container, VFIO_GET_API_VERSION) != VFIO_API_VERSION)
		return error_set(
			e, ERR_CONFLICT, "VFIO_GET_API_VERSION is not %d", VFIO_API_VERSION);
	if (ioctl(m->container, VFIO_CHECK_EXTENSION, type) != 1)
		return error_set(e, ERR_MISSING, "the kernel needs VFIO_IOMMU_TYPE1");
	if (ioctl(m->group, VFIO_GROUP_SET_CONTAINER, &m->container) != 0)
		return error_errno(e, "VFIO_GROUP_SET_CONTAINER failed");
	if (ioctl(m->container, VFIO_SET_IOMMU, type) != 0)
		return error_errno(e, "VFIO_SET_IOMMU(%s) failed%s",
			type == VFIO_TYPE1_IOMMU ? "VFIO_TYPE1_IOMMU" : "VFIO_TYPE1v2_IOMMU",
			errno == EPERM ? " (without interrupt remapping it needs "
					 "vfio_iommu_type1.allow_unsafe_interrupts=1)"
				       : "");
	m->device = ioctl(m->group, VFIO_GROUP_GET_DEVICE_FD, device->address);
	if (m->device < 0)
		return error_errno(e, "VFIO_GROUP_GET_DEVICE_FD(%s) failed", device->address);
	return 0;
}

static struct mapper *new_mapper(const struct mapper_options *options)
{
	struct mapper *m = xmalloc(sizeof(*m));

	*m = (struct mapper){-1, -1, -1,
		VFIO_DMA_MAP_FLAG_READ | (options->read_only ? 0 : VFIO_DMA_MAP_FLAG_WRITE), false};
	return m;
}

static int open_nodes(struct mapper *m, const char *container, const char *option,
	const struct pci_device *device, struct error *e)
{
	int err = node_open(container, option, &m->container, e);

	return err ? err : open_group(m, device, e);
}

static int type1_open(const struct pci_device *device, const struct mapper_options *options,
	struct mapper **ret_mapper, struct error *e)
{
	AUTO_MAPPER struct mapper *m = new_mapper(options);
	int err = open_nodes(m, "/dev/vfio/vfio", "VFIO and VFIO_CONTAINER", device, e);

	if (!err && options->small_pages) {
		err = sysfs_write(SMALL_PAGES, "Y", e);
		m->reset_small_pages = !err;
	}
	if (!err)
		err = attach(m, device, VFIO_TYPE1v2_IOMMU, e);
	if (!err)
		*ret_mapper = steal_ptr(m);
	return err;
}

/* TYPE1 differs from TYPE1v2 there in nothing but that it has no large pages. */
static int compat_open(const struct pci_device *device, const struct mapper_options *options,
	struct mapper **ret_mapper, struct error *e)
{
	AUTO_MAPPER struct mapper *m = new_mapper(options);
	int err = open_nodes(m, "/dev/iommu", "IOMMUFD", device, e);

	if (!err)
		err = attach(
			m, device, options->small_pages ? VFIO_TYPE1_IOMMU : VFIO_TYPE1v2_IOMMU, e);
	if (!err)
		*ret_mapper = steal_ptr(m);
	return err;
}

static void read_ranges(const char *cap, size_t size, struct mapper_info *info)
{
	struct vfio_iommu_type1_info_cap_iova_range head;
	struct vfio_iova_range range;

	if (size < sizeof(head))
		return;
	memcpy(&head, cap, sizeof(head));
	for (size_t i = 0; i < head.nr_iovas && info->n_ranges < IOVA_MAX_RANGES; i++) {
		size_t at = sizeof(head) + i * sizeof(range);

		if (at + sizeof(range) > size)
			return;
		memcpy(&range, cap + at, sizeof(range));
		info->ranges[info->n_ranges++] = (struct iova_range){range.start, range.end};
	}
}

static void read_capabilities(
	const char *text, size_t size, uint32_t first, struct mapper_info *info)
{
	size_t at = first;

	/* Offsets only grow in what the kernel writes; one that does not would be a loop. */
	while (at >= sizeof(struct vfio_iommu_type1_info) &&
		at + sizeof(struct vfio_info_cap_header) <= size) {
		struct vfio_iommu_type1_info_dma_avail avail;
		struct vfio_info_cap_header head;

		memcpy(&head, text + at, sizeof(head));
		if (head.id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE)
			read_ranges(text + at, size - at, info);
		if (head.id == VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL && at + sizeof(avail) <= size) {
			memcpy(&avail, text + at, sizeof(avail));
			info->mappings_left = avail.avail;
		}
		if (head.next <= at)
			break;
		at = head.next;
	}
}

int mapper_read_info(int fd, struct mapper_info *ret_info, struct error *e)
{
	struct vfio_iommu_type1_info head = {.argsz = sizeof(head)};
	AUTO_FREE char *text = NULL;

	if (ioctl(fd, VFIO_IOMMU_GET_INFO, &head) != 0)
		return error_errno(e, "VFIO_IOMMU_GET_INFO failed");
	if (head.argsz > INFO_MAX || head.argsz < sizeof(head))
		return error_set(e, ERR_LIMIT, "VFIO_IOMMU_GET_INFO wants %u bytes", head.argsz);
	text = xcalloc(1, head.argsz);
	memcpy(text, &head, sizeof(head));
	if (ioctl(fd, VFIO_IOMMU_GET_INFO, text) != 0)
		return error_errno(e, "VFIO_IOMMU_GET_INFO failed");
	memset(ret_info, 0, sizeof(*ret_info));
	ret_info->mappings_left = -1;
	if (head.flags & VFIO_IOMMU_INFO_PGSIZES)
		ret_info->page_sizes = head.iova_pgsizes;
	if (head.flags & VFIO_IOMMU_INFO_CAPS) {
		size_t size = head.argsz;

		memcpy(&head, text, sizeof(head));
		read_capabilities(text, size, head.cap_offset, ret_info);
	}
	if (!ret_info->n_ranges)
		return error_set(e, ERR_MISSING,
			"VFIO_IOMMU_GET_INFO names no usable addresses: no kernel since 5.4 leaves "
			"them out");
	return 0;
}

static int type1_info(struct mapper *m, struct mapper_info *ret_info, struct error *e)
{
	return mapper_read_info(m->container, ret_info, e);
}

static int type1_map(struct mapper *m, void *memory, uint64_t iova, uint64_t size)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = m->access,
		.vaddr = (uintptr_t)memory,
		.iova = iova,
		.size = size,
	};

	return ioctl(m->container, VFIO_IOMMU_MAP_DMA, &map) == 0 ? 0 : -errno;
}

static int type1_unmap(struct mapper *m, uint64_t iova, uint64_t size, uint64_t *ret_unmapped)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.iova = iova,
		.size = size,
	};

	if (ioctl(m->container, VFIO_IOMMU_UNMAP_DMA, &unmap) != 0)
		return -errno;
	/* The kernel puts there what it really unmapped. */
	*ret_unmapped = unmap.size;
	return 0;
}

const struct mapper_ops mapper_type1 = {
	.name = "type1v2",
	.open = type1_open,
	.close = type1_close,
	.info = type1_info,
	.map = type1_map,
	.unmap = type1_unmap,
};

const struct mapper_ops mapper_compat = {
	.name = "iommufd-type1",
	.open = compat_open,
	.close = type1_close,
	.info = type1_info,
	.map = type1_map,
	.unmap = type1_unmap,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's ways to map memory for a device. Each is one file. */
#ifndef TARGET_MAPPER_H
#define TARGET_MAPPER_H

#include "agents/target/iova.h"
#include "agents/target/pci.h"

struct mapper; /* of the implementation */

struct mapper_info {
	uint64_t page_sizes; /* bitmap of what the IOMMU can map at once */
	int64_t mappings_left; /* -1: the kernel does not say */
	struct iova_range ranges[IOVA_MAX_RANGES];
	size_t n_ranges;
};

struct mapper_options {
	bool read_only; /* the device may read and not write */
	bool small_pages; /* the IOMMU is given nothing larger than the kernel's pages */
};

struct mapper_ops {
	const char *name;
	/* The device must be bound to vfio-pci. ERR_MISSING and -EPERM are the lab's trouble (a
	 * kernel without it, an IOMMU without interrupt remapping). */
	int (*open)(const struct pci_device *device, const struct mapper_options *options,
		struct mapper **ret_mapper, struct error *e);
	struct mapper *(*close)(struct mapper *m);
	int (*info)(struct mapper *m, struct mapper_info *ret_info, struct error *e);
	/* These two are timed: one system call each, no words. Return 0 or -errno. */
	int (*map)(struct mapper *m, void *memory, uint64_t iova, uint64_t size);
	int (*unmap)(struct mapper *m, uint64_t iova, uint64_t size, uint64_t *ret_unmapped);
};

extern const struct mapper_ops mapper_type1; /* VFIO's own containers */
extern const struct mapper_ops mapper_compat; /* the same calls, answered by iommufd */
extern const struct mapper_ops mapper_iommufd; /* iommufd's calls, VFIO's device files */

/* VFIO_IOMMU_GET_INFO, which containers answer and /dev/iommu as well. */
int mapper_read_info(int fd, struct mapper_info *ret_info, struct error *e);

#endif

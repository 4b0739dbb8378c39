/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's iommufd (/dev/iommu) and VFIO's device files: a device bound to it, spaces of device
 * addresses (IOAS), and page tables (HWPT) that a device is attached to. iommufd_uapi.h has the
 * system calls' structures, which older systems have no header for.
 */
#ifndef TARGET_IOMMUFD_H
#define TARGET_IOMMUFD_H

#include "agents/target/iova.h"
#include "agents/target/pci.h"

struct iommufd {
	int fd; /* /dev/iommu */
	int device; /* /dev/vfio/devices/vfioN, bound to fd */
	uint32_t device_id;
};
#define IOMMUFD_INIT      \
	{                 \
		-1, -1, 0 \
	}

/* The device must be bound to vfio-pci. ERR_MISSING and -EPERM are the lab's trouble (a kernel
 * without it, an IOMMU without interrupt remapping). */
int iommufd_open(const struct pci_device *device, struct iommufd *ret_iommufd, struct error *e);
void iommufd_close(struct iommufd *m);
#define AUTO_IOMMUFD CLEANUP(iommufd_close)

int iommufd_ioas_alloc(const struct iommufd *m, uint32_t *ret_ioas, struct error *e);
/* Whether runs of pages may become large mappings: right after it was made. */
int iommufd_ioas_large_pages(const struct iommufd *m, uint32_t ioas, bool large, struct error *e);
/* The addresses that may be used, at most IOVA_MAX_RANGES; none is no error. */
int iommufd_ioas_ranges(const struct iommufd *m, uint32_t ioas, struct iova_range *ret_ranges,
	size_t *ret_n, struct error *e);
/* A page table of the device's IOMMU that holds what the IOAS holds, attached to nothing yet. */
int iommufd_hwpt_alloc(const struct iommufd *m, uint32_t ioas, uint32_t *ret_hwpt, struct error *e);
/* Which space VFIO's calls on m->fd are about, such as VFIO_IOMMU_GET_INFO. */
int iommufd_set_compatible(const struct iommufd *m, uint32_t ioas, struct error *e);
int iommufd_destroy(const struct iommufd *m, uint32_t id, struct error *e);

/* One system call each, no words, so that they can be timed: 0 or -errno. */
int iommufd_map(
	const struct iommufd *m, uint32_t ioas, const void *memory, uint64_t iova, uint64_t size);
/* The same, for a device that may read and not write. */
int iommufd_map_read_only(
	const struct iommufd *m, uint32_t ioas, const void *memory, uint64_t iova, uint64_t size);
int iommufd_unmap(const struct iommufd *m, uint32_t ioas, uint64_t iova, uint64_t size,
	uint64_t *ret_unmapped);
/* id: an IOAS or a HWPT. */
int iommufd_attach(const struct iommufd *m, uint32_t id);
int iommufd_detach(const struct iommufd *m);

#endif

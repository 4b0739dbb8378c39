/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's iommufd (/dev/iommu) and VFIO's device files: a device bound to it, and spaces of
 * device addresses (IOAS) that it is attached to. iommufd_uapi.h has the system calls' structures,
 * which older systems have no header for.
 */
#ifndef TARGET_IOMMUFD_H
#define TARGET_IOMMUFD_H

#include "agents/target/pci.h"

struct iommufd {
	int fd; /* /dev/iommu */
	int device; /* /dev/vfio/devices/vfioN, bound to fd */
};
#define IOMMUFD_INIT   \
	{              \
		-1, -1 \
	}

/* The device must be bound to vfio-pci. ERR_MISSING and -EPERM are the lab's trouble (a kernel
 * without it, an IOMMU without interrupt remapping). */
int iommufd_open(const struct pci_device *device, struct iommufd *ret_iommufd, struct error *e);
void iommufd_close(struct iommufd *m);

int iommufd_ioas_alloc(const struct iommufd *m, uint32_t *ret_ioas, struct error *e);
/* No run of pages becomes a large mapping there: right after it was made. */
int iommufd_ioas_small_pages(const struct iommufd *m, uint32_t ioas, struct error *e);
/* Which space VFIO's calls on m->fd are about, such as VFIO_IOMMU_GET_INFO. */
int iommufd_set_compatible(const struct iommufd *m, uint32_t ioas, struct error *e);

/* One system call each, no words, so that they can be timed: 0 or -errno. read_only: the device may
 * read and not write. */
int iommufd_map(const struct iommufd *m, uint32_t ioas, const void *memory, uint64_t iova,
	uint64_t size, bool read_only);
int iommufd_unmap(const struct iommufd *m, uint32_t ioas, uint64_t iova, uint64_t size,
	uint64_t *ret_unmapped);
int iommufd_attach(const struct iommufd *m, uint32_t ioas);

#endif

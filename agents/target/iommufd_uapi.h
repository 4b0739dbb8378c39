/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the system calls of iommufd and of VFIO's device files look like, as far as they are used
 * here. Stable kernel ABI, since Linux 6.2 (iommufd) and 6.6 (VFIO); written down here
 * because the headers of older systems do not have it.
 *
 * Every structure of iommufd begins with its own size: a kernel that knows a longer one takes the
 * rest for zero.
 */
#ifndef TARGET_IOMMUFD_UAPI_H
#define TARGET_IOMMUFD_UAPI_H

#include <stdint.h>
#include <sys/ioctl.h>

#define UAPI_IOMMUFD(nr) _IO(';', nr)

struct uapi_ioas_alloc {
	uint32_t size;
	uint32_t flags;
	uint32_t ioas; /* out */
};
#define UAPI_IOAS_ALLOC UAPI_IOMMUFD(0x81)

#define UAPI_MAP_FIXED_IOVA (1U << 0)
#define UAPI_MAP_WRITEABLE (1U << 1)
#define UAPI_MAP_READABLE (1U << 2)

struct uapi_ioas_map {
	uint32_t size;
	uint32_t flags;
	uint32_t ioas;
	uint32_t reserved;
	uint64_t memory;
	uint64_t length;
	uint64_t iova;
};
#define UAPI_IOAS_MAP UAPI_IOMMUFD(0x85)

struct uapi_ioas_unmap {
	uint32_t size;
	uint32_t ioas;
	uint64_t iova;
	uint64_t length; /* out: bytes unmapped */
};
#define UAPI_IOAS_UNMAP UAPI_IOMMUFD(0x86)

#define UAPI_OPTION_HUGE_PAGES 1
#define UAPI_OPTION_SET 0

struct uapi_option {
	uint32_t size;
	uint32_t option;
	uint16_t op;
	uint16_t reserved;
	uint32_t object;
	uint64_t value;
};
#define UAPI_OPTION UAPI_IOMMUFD(0x87)

#define UAPI_VFIO_IOAS_SET 1

/* The space that VFIO's own calls on /dev/iommu mean. */
struct uapi_vfio_ioas {
	uint32_t size;
	uint32_t ioas;
	uint16_t op;
	uint16_t reserved;
};
#define UAPI_VFIO_IOAS UAPI_IOMMUFD(0x88)

#define UAPI_VFIO(nr) _IO(';', 100 + (nr))

struct uapi_vfio_bind {
	uint32_t argsz;
	uint32_t flags;
	int32_t iommufd;
	uint32_t device; /* out */
};
#define UAPI_VFIO_BIND UAPI_VFIO(18)

struct uapi_vfio_attach {
	uint32_t argsz;
	uint32_t flags;
	uint32_t id; /* in: what to attach to; out: the page table */
};
#define UAPI_VFIO_ATTACH UAPI_VFIO(19)

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/iommufd.h"
#include "agents/target/iommufd_uapi.h"
#include "agents/target/node.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>

static int call(int fd, unsigned long what, void *arg)
{
	return ioctl(fd, what, arg) == 0 ? 0 : -errno;
}

/* The device's own file is named by a number that only sysfs knows. */
static int open_device(const struct pci_device *device, int *ret_fd, struct error *e)
{
	char folder[PATH_MAX], path[PATH_MAX] = "";
	DIR *dir;

	(void)snprintf(folder, sizeof(folder), "/sys/bus/pci/devices/%s/vfio-dev", device->address);
	dir = opendir(folder);
	if (dir) {
		for (struct dirent *entry; (entry = readdir(dir));)
			if (starts_with(entry->d_name, "vfio"))
				(void)snprintf(
					path, sizeof(path), "/dev/vfio/devices/%s", entry->d_name);
		closedir(dir);
	}
	if (!path[0])
		return error_set(e, ERR_MISSING,
			"PCI device %s has no device file of VFIO: the kernel needs "
			"VFIO_DEVICE_CDEV, and the device bound to vfio-pci",
			device->address);
	return node_open(path, "VFIO_DEVICE_CDEV", ret_fd, e);
}

static int bind(struct iommufd *m, struct error *e)
{
	struct uapi_vfio_bind arg = {.argsz = sizeof(arg), .iommufd = m->fd};
	int err = call(m->device, UAPI_VFIO_BIND, &arg);

	if (err)
		return error_set(e, err, "VFIO_DEVICE_BIND_IOMMUFD failed: %s%s", strerror(-err),
			err == -EPERM ? " (without interrupt remapping it needs "
					"iommufd.allow_unsafe_interrupts=1)"
				      : "");
	return 0;
}

int iommufd_open(const struct pci_device *device, struct iommufd *ret_iommufd, struct error *e)
{
	struct iommufd m = IOMMUFD_INIT;
	int err = node_open("/dev/iommu", "IOMMUFD", &m.fd, e);

	if (!err)
		err = open_device(device, &m.device, e);
	if (!err)
		err = bind(&m, e);
	if (err) {
		iommufd_close(&m);
		return err;
	}
	*ret_iommufd = m;
	return 0;
}

void iommufd_close(struct iommufd *m)
{
	/* The device first: its page tables are in use until then. */
	closep(&m->device);
	closep(&m->fd);
	*m = (struct iommufd)IOMMUFD_INIT;
}

int iommufd_ioas_alloc(const struct iommufd *m, uint32_t *ret_ioas, struct error *e)
{
	struct uapi_ioas_alloc arg = {.size = sizeof(arg)};
	int err = call(m->fd, UAPI_IOAS_ALLOC, &arg);

	if (err)
		return error_set(e, err, "IOMMU_IOAS_ALLOC failed: %s", strerror(-err));
	*ret_ioas = arg.ioas;
	return 0;
}

int iommufd_ioas_small_pages(const struct iommufd *m, uint32_t ioas, struct error *e)
{
	struct uapi_option arg = {.size = sizeof(arg),
		.option = UAPI_OPTION_HUGE_PAGES,
		.op = UAPI_OPTION_SET,
		.object = ioas,
		.value = 0};
	int err = call(m->fd, UAPI_OPTION, &arg);

	return err ? error_set(e, err, "IOMMU_OPTION_HUGE_PAGES=0 failed: %s", strerror(-err)) : 0;
}

int iommufd_set_compatible(const struct iommufd *m, uint32_t ioas, struct error *e)
{
	struct uapi_vfio_ioas arg = {.size = sizeof(arg), .ioas = ioas, .op = UAPI_VFIO_IOAS_SET};
	int err = call(m->fd, UAPI_VFIO_IOAS, &arg);

	return err ? error_set(e, err, "IOMMU_VFIO_IOAS failed: %s", strerror(-err)) : 0;
}

int iommufd_map(const struct iommufd *m, uint32_t ioas, const void *memory, uint64_t iova,
	uint64_t size, bool read_only)
{
	struct uapi_ioas_map arg = {.size = sizeof(arg),
		.flags = UAPI_MAP_FIXED_IOVA | UAPI_MAP_READABLE |
			 (read_only ? 0 : UAPI_MAP_WRITEABLE),
		.ioas = ioas,
		.memory = (uintptr_t)memory,
		.length = size,
		.iova = iova};

	return call(m->fd, UAPI_IOAS_MAP, &arg);
}

int iommufd_unmap(const struct iommufd *m, uint32_t ioas, uint64_t iova, uint64_t size,
	uint64_t *ret_unmapped)
{
	struct uapi_ioas_unmap arg = {
		.size = sizeof(arg), .ioas = ioas, .iova = iova, .length = size};
	int err = call(m->fd, UAPI_IOAS_UNMAP, &arg);

	/* The kernel puts there what it really unmapped. */
	if (!err)
		*ret_unmapped = arg.length;
	return err;
}

int iommufd_attach(const struct iommufd *m, uint32_t ioas)
{
	struct uapi_vfio_attach arg = {.argsz = sizeof(arg), .id = ioas};

	return call(m->device, UAPI_VFIO_ATTACH, &arg);
}

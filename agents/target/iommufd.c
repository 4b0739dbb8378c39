/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/iommufd.h"
#include "agents/target/iommufd_uapi.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

static int call(int fd, unsigned long what, void *arg)
{
	return ioctl(fd, what, arg) == 0 ? 0 : -errno;
}

static int open_node(const char *path, const char *option, int *ret_fd, struct error *e)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		return error_set(
			e, ERR_MISSING, "there is no %s: the kernel needs %s", path, option);
	if (fd < 0)
		return error_errno(e, "cannot open %s", path);
	*ret_fd = fd;
	return 0;
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
	return open_node(path, "VFIO_DEVICE_CDEV", ret_fd, e);
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
	m->device_id = arg.device;
	return 0;
}

int iommufd_open(const struct pci_device *device, struct iommufd *ret_iommufd, struct error *e)
{
	struct iommufd m = IOMMUFD_INIT;
	int err = open_node("/dev/iommu", "IOMMUFD", &m.fd, e);

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

int iommufd_ioas_large_pages(const struct iommufd *m, uint32_t ioas, bool large, struct error *e)
{
	struct uapi_option arg = {.size = sizeof(arg),
		.option = UAPI_OPTION_HUGE_PAGES,
		.op = UAPI_OPTION_SET,
		.object = ioas,
		.value = large};
	int err = call(m->fd, UAPI_OPTION, &arg);

	return err ? error_set(
			     e, err, "IOMMU_OPTION_HUGE_PAGES=%d failed: %s", large, strerror(-err))
		   : 0;
}

int iommufd_ioas_ranges(const struct iommufd *m, uint32_t ioas, struct iova_range *ret_ranges,
	size_t *ret_n, struct error *e)
{
	struct uapi_range ranges[IOVA_MAX_RANGES];
	struct uapi_ioas_ranges arg = {.size = sizeof(arg),
		.ioas = ioas,
		.n = IOVA_MAX_RANGES,
		.ranges = (uintptr_t)ranges};
	int err = call(m->fd, UAPI_IOAS_RANGES, &arg);

	/* EMSGSIZE: there are more, and these are the first. */
	if (err && err != -EMSGSIZE)
		return error_set(e, err, "IOMMU_IOAS_IOVA_RANGES failed: %s", strerror(-err));
	*ret_n = MIN_OF(arg.n, (uint32_t)IOVA_MAX_RANGES);
	for (size_t i = 0; i < *ret_n; i++)
		ret_ranges[i] = (struct iova_range){ranges[i].first, ranges[i].last};
	return 0;
}

int iommufd_hwpt_alloc(const struct iommufd *m, uint32_t ioas, uint32_t *ret_hwpt, struct error *e)
{
	struct uapi_hwpt_alloc arg = {.size = sizeof(arg), .device = m->device_id, .parent = ioas};
	int err = call(m->fd, UAPI_HWPT_ALLOC, &arg);

	if (err)
		return error_set(e, err, "IOMMU_HWPT_ALLOC failed: %s", strerror(-err));
	*ret_hwpt = arg.hwpt;
	return 0;
}

int iommufd_set_compatible(const struct iommufd *m, uint32_t ioas, struct error *e)
{
	struct uapi_vfio_ioas arg = {.size = sizeof(arg), .ioas = ioas, .op = UAPI_VFIO_IOAS_SET};
	int err = call(m->fd, UAPI_VFIO_IOAS, &arg);

	return err ? error_set(e, err, "IOMMU_VFIO_IOAS failed: %s", strerror(-err)) : 0;
}

int iommufd_destroy(const struct iommufd *m, uint32_t id, struct error *e)
{
	struct uapi_destroy arg = {.size = sizeof(arg), .id = id};
	int err = call(m->fd, UAPI_DESTROY, &arg);

	return err ? error_set(e, err, "IOMMU_DESTROY failed: %s", strerror(-err)) : 0;
}

static int map(const struct iommufd *m, uint32_t ioas, const void *memory, uint64_t iova,
	uint64_t size, uint32_t access)
{
	struct uapi_ioas_map arg = {.size = sizeof(arg),
		.flags = UAPI_MAP_FIXED_IOVA | access,
		.ioas = ioas,
		.memory = (uintptr_t)memory,
		.length = size,
		.iova = iova};

	return call(m->fd, UAPI_IOAS_MAP, &arg);
}

int iommufd_map(
	const struct iommufd *m, uint32_t ioas, const void *memory, uint64_t iova, uint64_t size)
{
	return map(m, ioas, memory, iova, size, UAPI_MAP_WRITEABLE | UAPI_MAP_READABLE);
}

int iommufd_map_read_only(
	const struct iommufd *m, uint32_t ioas, const void *memory, uint64_t iova, uint64_t size)
{
	return map(m, ioas, memory, iova, size, UAPI_MAP_READABLE);
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

int iommufd_attach(const struct iommufd *m, uint32_t id)
{
	struct uapi_vfio_attach arg = {.argsz = sizeof(arg), .id = id};

	return call(m->device, UAPI_VFIO_ATTACH, &arg);
}

int iommufd_detach(const struct iommufd *m)
{
	struct uapi_vfio_detach arg = {.argsz = sizeof(arg)};

	return call(m->device, UAPI_VFIO_DETACH, &arg);
}

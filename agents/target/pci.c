/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/pci.h"
#include "agents/target/sysfs.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>

#define DRIVER "vfio-pci"

static bool is_address(const char *which)
{
	return strlen(which) == strlen("0000:00:05.0") && which[4] == ':' && which[7] == ':';
}

/* "0x1b36\n" and "0x0005\n" beside "1b36:0005". */
static bool has_ids(const char *sys, const char *address, const char *ids)
{
	char path[PATH_MAX], vendor[16], device[16], both[40];

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/vendor", sys, address);
	if (sysfs_read(path, vendor, sizeof(vendor)))
		return false;
	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/device", sys, address);
	if (sysfs_read(path, device, sizeof(device)))
		return false;
	if (!starts_with(vendor, "0x") || !starts_with(device, "0x"))
		return false;
	(void)snprintf(both, sizeof(both), "%s:%s", vendor + 2, device + 2);
	return streq(both, ids);
}

static int find_address(const char *sys, const char *which, char *address, size_t size)
{
	char path[PATH_MAX];
	DIR *dir;

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices", sys);
	dir = opendir(path);
	if (!dir)
		return -errno;
	address[0] = '\0';
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (!is_address(entry->d_name))
			continue;
		if (is_address(which) ? !streq(entry->d_name, which)
				      : !has_ids(sys, entry->d_name, which))
			continue;
		if (!address[0] || strcmp(entry->d_name, address) < 0)
			(void)snprintf(address, size, "%s", entry->d_name);
	}
	closedir(dir);
	return address[0] ? 0 : -ENODEV;
}

int pci_find(const char *sys, const char *which, struct pci_device *ret_device, struct error *e)
{
	struct pci_device found = {.group = -1};
	char path[PATH_MAX], group[16];
	int64_t n;

	if (find_address(sys, which, found.address, sizeof(found.address)))
		return error_set(e, ERR_MISSING,
			"no PCI device %s: the machine must have one (QEMU: -device pci-testdev)",
			which);
	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/iommu_group", sys, found.address);
	if (sysfs_link_name(path, group, sizeof(group)) || parse_int64(group, 0, INT_MAX, &n))
		return error_set(e, ERR_MISSING,
			"PCI device %s has no IOMMU group: the machine must have an IOMMU, and the "
			"kernel use it (intel_iommu=on)",
			found.address);
	found.group = (int)n;
	*ret_device = found;
	return 0;
}

int pci_bind_vfio(const char *sys, const struct pci_device *device, struct error *e)
{
	char folder[PATH_MAX - 32], path[PATH_MAX], driver[64];
	int err;

	(void)snprintf(folder, sizeof(folder), "%s/bus/pci/devices/%s", sys, device->address);
	(void)snprintf(path, sizeof(path), "%s/driver", folder);
	if (sysfs_link_name(path, driver, sizeof(driver)) == 0) {
		if (streq(driver, DRIVER))
			return 0;
		(void)snprintf(path, sizeof(path), "%s/driver/unbind", folder);
		err = sysfs_write(path, device->address, e);
		if (err)
			return err;
	}
	(void)snprintf(path, sizeof(path), "%s/driver_override", folder);
	err = sysfs_write(path, DRIVER, e);
	if (err)
		return err;
	(void)snprintf(path, sizeof(path), "%s/bus/pci/drivers_probe", sys);
	err = sysfs_write(path, device->address, e);
	if (err)
		return err;
	(void)snprintf(path, sizeof(path), "%s/driver", folder);
	if (sysfs_link_name(path, driver, sizeof(driver)) || !streq(driver, DRIVER))
		return error_set(e, ERR_MISSING,
			"PCI device %s was not taken by " DRIVER
			": the kernel must have VFIO_PCI, and its log says why it refused",
			device->address);
	return 0;
}

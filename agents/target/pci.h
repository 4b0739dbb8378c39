/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PCI device that a benchmark maps memory for: found, and handed to vfio-pci. */
#ifndef TARGET_PCI_H
#define TARGET_PCI_H

#include "base/error.h"

#define PCI_TEST_DEVICE "1b36:0005" /* QEMU's pci-testdev: does no DMA of its own */

struct pci_device {
	char address[16]; /* 0000:00:05.0 */
	int group; /* IOMMU group */
};

/*
 * which: VENDOR:DEVICE in hexadecimal (the first by address) or an address. sys is "/sys" outside
 * of tests. ERR_MISSING where there is none, or where it has no IOMMU group.
 */
int pci_find(const char *sys, const char *which, struct pci_device *ret_device, struct error *e);
/* Through driver_override, so that no other device of the kind is taken. */
int pci_bind_vfio(const char *sys, const struct pci_device *device, struct error *e);

#endif

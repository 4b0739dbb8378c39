/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder laid out like /sys stands in for one: what a kernel does with it is the end-to-end
 * test's. */
#include "agents/target/pci.h"
#include "agents/target/sysfs.h"
#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char sys[64];

static void put(const char *device, const char *name, const char *text)
{
	AUTO_FREE char *folder = xasprintf("%s/bus/pci/devices/%s", sys, device);
	AUTO_FREE char *path = path_join(folder, name);

	assert_int_equal(file_mkdirs(folder, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), 0600, NULL), 0);
}

static void link_to(const char *device, const char *name, const char *to)
{
	AUTO_FREE char *path = xasprintf("%s/bus/pci/devices/%s/%s", sys, device, name);

	assert_int_equal(symlink(to, path), 0);
}

static int setup(void **state)
{
	(void)snprintf(sys, sizeof(sys), "/tmp/test-pci.XXXXXX");
	assert_non_null(mkdtemp(sys));
	for (int i = 7; i >= 5; i--) {
		char device[16];

		(void)snprintf(device, sizeof(device), "0000:00:%02d.0", i);
		put(device, "vendor", "0x1b36\n");
		put(device, "device", i == 7 ? "0x0001\n" : "0x0005\n");
	}
	link_to("0000:00:05.0", "iommu_group", "../../../kernel/iommu_groups/3");
	link_to("0000:00:07.0", "iommu_group", "../../../kernel/iommu_groups/x");
	return 0;
}

static int teardown(void **state)
{
	return file_remove_tree(sys, NULL);
}

static void test_find(void **state)
{
	struct pci_device d;
	struct error e = ERROR_INIT;

	assert_int_equal(pci_find(sys, PCI_TEST_DEVICE, &d, &e), 0);
	assert_string_equal(d.address, "0000:00:05.0");
	assert_int_equal(d.group, 3);
	assert_int_equal(pci_find(sys, "0000:00:05.0", &d, &e), 0);
	assert_int_equal(pci_find(sys, "1b36:0009", &d, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "pci-testdev"));
	assert_int_equal(pci_find(sys, "0000:00:04.0", &d, &e), ERR_MISSING);
}

static void test_no_group(void **state)
{
	struct pci_device d;
	struct error e = ERROR_INIT;

	assert_int_equal(pci_find(sys, "0000:00:06.0", &d, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "intel_iommu=on"));
	assert_int_equal(pci_find(sys, "0000:00:07.0", &d, &e), ERR_MISSING);
	assert_int_equal(pci_find("/nonexistent", PCI_TEST_DEVICE, &d, &e), ERR_MISSING);
}

static void test_bind(void **state)
{
	const struct pci_device device = {"0000:00:05.0", 3};
	AUTO_FREE char *probe = xasprintf("%s/bus/pci/drivers_probe", sys);
	AUTO_FREE char *override =
		xasprintf("%s/bus/pci/devices/0000:00:05.0/driver_override", sys);
	struct error e = ERROR_INIT;
	char text[32];

	/* A kernel that takes the request and does not bind. */
	put("0000:00:05.0", "driver_override", "");
	assert_int_equal(file_write_atomic(probe, "", 0, 0600, NULL), 0);
	assert_int_equal(pci_bind_vfio(sys, &device, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "VFIO_PCI"));
	assert_int_equal(sysfs_read(override, text, sizeof(text)), 0);
	assert_string_equal(text, "vfio-pci");
	assert_int_equal(sysfs_read(probe, text, sizeof(text)), 0);
	assert_string_equal(text, "0000:00:05.0");
	/* Bound already: nothing is left to do. */
	assert_int_equal(unlink(probe), 0);
	link_to("0000:00:05.0", "driver", "../../../bus/pci/drivers/vfio-pci");
	assert_int_equal(pci_bind_vfio(sys, &device, &e), 0);
}

static void test_chosen(void **state)
{
	char word[16];

	sysfs_chosen("always [madvise] never", word, sizeof(word));
	assert_string_equal(word, "madvise");
	sysfs_chosen("0", word, sizeof(word));
	assert_string_equal(word, "0");
	sysfs_chosen("open [ended", word, sizeof(word));
	assert_string_equal(word, "open [ended");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_find, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_group, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bind, setup, teardown),
		cmocka_unit_test(test_chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

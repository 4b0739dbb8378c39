/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/model.h"

#include "agents/counted.h"

/* pci-testdev at slot 5 is what vfio-pci is bound to: a device that does nothing by itself. */
static const char *const vtd_devices[] = {
	"-device", "intel-iommu", "-device", "pci-testdev,addr=5", NULL};

/* The same under virtio-iommu; edu can be told to do DMA. */
static const char *const viommu_devices[] = {"-device", "virtio-iommu-pci", "-device", "edu,addr=6",
	"-device", "pci-testdev,addr=5", NULL};

static const struct model models[] = {
	{"q35-vtd", "x86_64", "qemu-system-x86_64", "qemu-system-x86", "q35", vtd_devices},
	{"q35-viommu", "x86_64", "qemu-system-x86_64", "qemu-system-x86", "q35", viommu_devices},
};

const struct model *model_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (streq(models[i].name, name))
			return &models[i];
	return NULL;
}

const char *model_names(char *buf, size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(models) && used < size; i++)
		used += (size_t)snprintf(
			buf + used, size - used, "%s%s", i ? ", " : "", models[i].name);
	return buf;
}

static void begin(struct argv *a, const struct model *m)
{
	argv_adds(a, (const char *const[]){m->program, "-nodefaults", "-no-user-config", "-display",
			     "none", "-no-reboot", "-machine", NULL});
}

void model_add_counted(struct argv *a, const struct model *m)
{
	begin(a, m);
	argv_adds(a, (const char *const[]){m->machine, "-accel", "tcg,thread=single", "-cpu",
			     "max,-rdrand,-rdseed", "-smp", "1", "-icount", NULL});
	/* Without sleep, time jumps to the next timer where the guest waits for one. */
	argv_addf(a, "shift=%d,sleep=off", COUNTED_SHIFT);
	argv_adds(a, (const char *const[]){
			     "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1", NULL});
}

void model_add_accel(struct argv *a, const struct model *m, const char *accel)
{
	bool kvm = streq(accel, "kvm");

	begin(a, m);
	/* The IOMMU remaps interrupts, which the kernel's own I/O APIC would not pass by it. */
	argv_addf(a, "%s%s", m->machine, kvm ? ",kernel-irqchip=split" : "");
	argv_adds(a, (const char *const[]){"-accel", kvm ? "kvm" : "tcg,thread=multi", "-cpu",
			     kvm ? "host" : "max", NULL});
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines that QEMU is asked to be. */
#ifndef HOST_MODEL_H
#define HOST_MODEL_H

#include "agents/host/sandbox.h"

struct model {
	const char *name;
	const char *arch;
	const char *program;
	const char *package;
	const char *machine;
	const char *const *devices; /* arguments, NULL at the end */
};

/* Where a kernel's console and result channel come out of QEMU, in its sandbox. */
#define MODEL_RUN_DIR "/run/patchbay"
#define MODEL_CONSOLE "/dev/fd/1"
#define MODEL_RESULT "/run/patchbay/result"
#define MODEL_INITRD "/run/patchbay/initrd"
#define MODEL_KERNEL "/run/kernel"

/* NULL: there is none. */
const struct model *model_find(const char *name);
/* Names of all, for a sentence. */
const char *model_names(char *buf, size_t size);

/* QEMU itself and how it makes a processor: "kvm" or "tcg". */
void model_add_accel(struct argv *a, const struct model *m, const char *accel);

/* QEMU as an emulator whose guest time is a count of instructions, and into which nothing comes from
 * outside: the same image, command line and devices give the same run. One processor. */
void model_add_counted(struct argv *a, const struct model *m);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The initramfs of a guest: a cpio archive in the "newc" form (Documentation/driver-api/
 * early-userspace/buffer-format.rst of the kernel) with /init, /dev and /dev/console. The same
 * program gives the same bytes.
 */
#ifndef HOST_INITRD_H
#define HOST_INITRD_H

#include "base/error.h"

#define INITRD_MAX_INIT (64 * 1024 * 1024) /* bytes of the program */

/* Reads the program, writes the archive (a new file). */
int initrd_write(const char *init, const char *path, struct error *e);

#endif

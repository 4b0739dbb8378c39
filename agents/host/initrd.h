/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The initramfs of a guest: /init, /dev and /dev/console, and behind it archives that are there
 * already (the lab's own tests). The same program and archives give the same bytes.
 */
#ifndef HOST_INITRD_H
#define HOST_INITRD_H

#include "base/error.h"

#define INITRD_MAX_INIT (64 * 1024 * 1024) /* bytes of the program */
#define INITRD_MAX_EXTRA (32 * 1024 * 1024) /* of each archive */
#define INITRD_MAX_EXTRAS 8
#define INITRD_MAX (INITRD_MAX_INIT + INITRD_MAX_EXTRAS * (size_t)INITRD_MAX_EXTRA + 65536)

/* Reads the program and the archives (NULL at the end), writes a new file. */
int initrd_write(const char *init, const char *const *extras, const char *path, struct error *e);

#endif

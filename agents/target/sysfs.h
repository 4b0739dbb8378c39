/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's small text files, below /sys and /proc. */
#ifndef TARGET_SYSFS_H
#define TARGET_SYSFS_H

#include "base/error.h"

#define SYSFS_MAX 4096

/* Contents without the white space at the end, cut to size. Returns 0 or -errno; buf is then "". */
int sysfs_read(const char *path, char *buf, size_t size);
/* One write() of the whole text: the kernel takes or refuses it at once. */
int sysfs_write(const char *path, const char *text, struct error *e);
/* The number behind "NAME:" on a line of such a file. False: there is none. */
bool sysfs_number(const char *text, const char *name, int64_t *ret_n);
/* Of a setting written as "always [madvise] never", the chosen word; other text as it is. */
void sysfs_chosen(const char *text, char *buf, size_t size);
/* The last part of where a symbolic link leads. Returns 0 or -errno. */
int sysfs_link_name(const char *path, char *buf, size_t size);

#endif

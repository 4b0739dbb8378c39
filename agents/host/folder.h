/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files in a folder that a sandbox wrote: whoever was in it may have left links to anywhere,
 * pipes, or files without end. Nothing here follows a symbolic link or waits.
 */
#ifndef HOST_FOLDER_H
#define HOST_FOLDER_H

#include "base/error.h"
#include <sys/stat.h>

/* A regular file below dir; flags as for open(). Returns the descriptor, or a negative error:
 * ERR_MISSING where there is none. */
int folder_open(const char *dir, const char *name, int flags, struct error *e);
int folder_read(const char *dir, const char *name, size_t max, char **ret_text, size_t *ret_len,
	struct error *e);
/* Replaces the file. */
int folder_write(const char *dir, const char *name, const void *data, size_t len, struct error *e);
bool folder_has(const char *dir, const char *name);

/* Everything below dir in the order of names, a folder after what is in it; name is relative to
 * dir. fn may remove what it is given. Stops at the first error of fn. */
int folder_walk(const char *dir,
	int (*fn)(void *data, const char *name, const struct stat *st, struct error *e), void *data,
	struct error *e);

/* Everything in dir goes; dir stays. */
int folder_empty(const char *dir, struct error *e);

#endif

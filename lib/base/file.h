/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and folders. Paths are NUL-terminated; every read has a limit. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"
#include <sys/types.h>

/* The whole file into a heap buffer with a NUL behind it. ERR_LIMIT past max bytes. */
int file_read(const char *path, size_t max, char **ret_data, size_t *ret_len, struct error *e);
/* The same from a descriptor, until its end. */
int file_read_fd(
	int fd, const char *name, size_t max, char **ret_data, size_t *ret_len, struct error *e);
/* Temporary file, fsync, rename, fsync of the folder: after 0 it is on disk, else nothing
 * changed. */
int file_write_atomic(const char *path, const void *data, size_t len, mode_t mode, struct error *e);
/* All of it, through short writes and EINTR. Returns 0 or -errno. */
int write_all(int fd, const void *data, size_t len);
int file_mkdirs(const char *path, mode_t mode, struct error *e);
/* rm -rf without following symbolic links; no error where there is nothing. */
int file_remove_tree(const char *path, struct error *e);
int file_copy(const char *from, const char *to, mode_t mode, struct error *e);
bool file_exists(const char *path);
/* dir/name on the heap. */
char *path_join(const char *dir, const char *name);
/* ${XDG_CACHE_HOME:-~/.cache}/patchbay and ~/.local/state/patchbay (or $PATCHBAY_STATE), heap. */
char *path_cache(void);
char *path_state(void);
/* The folder of the running program (build/bin), heap. */
char *path_self_dir(void);

#endif

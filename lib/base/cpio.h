/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Archives that a kernel unpacks as its first file system: cpio in the "newc" form (Linux,
 * Documentation/driver-api/early-userspace/buffer-format.rst). No owner and no time goes in, and
 * names are in order, so that the same files give the same bytes. Archives may follow one another.
 */
#ifndef BASE_CPIO_H
#define BASE_CPIO_H

#include "base/strbuf.h"
#include <sys/types.h>

#define CPIO_MAX_FILES 4096 /* of a folder, in all below it */
#define CPIO_MAX_DEPTH 16

struct cpio_entry {
	const char *name; /* without a slash before it */
	mode_t mode; /* with the type */
	unsigned major, minor; /* of a device */
	const char *data; /* a file's, or where a symbolic link leads */
	size_t len;
};

struct cpio {
	struct strbuf data; /* the archive; overflow is set past its maximum */
	unsigned entries;
};

void cpio_init(struct cpio *c, size_t max);
void cpio_done(struct cpio *c);
#define AUTO_CPIO CLEANUP(cpio_done)

void cpio_add(struct cpio *c, const struct cpio_entry *entry);
void cpio_add_folder(struct cpio *c, const char *name);
/* A file, or a folder with all that is below it, as `name`. Symbolic links stay links. ERR_SYNTAX for
 * what is neither, ERR_LIMIT where it is too much. */
int cpio_add_tree(struct cpio *c, const char *path, const char *name, struct error *e);
/* The end of the archive. */
void cpio_end(struct cpio *c);
/* Behind that, another archive as it is. */
void cpio_append(struct cpio *c, const void *archive, size_t len);

#endif

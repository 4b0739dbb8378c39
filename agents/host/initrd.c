/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/initrd.h"

#include "base/cpio.h"
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>

static int add_extra(struct cpio *c, const char *extra, struct error *e)
{
	AUTO_FREE char *data = NULL;
	size_t len;
	int r = file_read(extra, INITRD_MAX_EXTRA, &data, &len, e);

	if (!r)
		cpio_append(c, data, len);
	return r;
}

int initrd_write(const char *init, const char *const *extras, const char *path, struct error *e)
{
	AUTO_CPIO struct cpio c;
	AUTO_FREE char *program = NULL;
	AUTO_CLOSE int fd = -1;
	size_t len;
	int r;

	cpio_init(&c, INITRD_MAX);
	r = file_read(init, INITRD_MAX_INIT, &program, &len, e);
	if (r)
		return r;
	cpio_add_folder(&c, "dev");
	cpio_add(&c, &(struct cpio_entry){"dev/console", S_IFCHR | 0600, 5, 1, "", 0});
	cpio_add(&c, &(struct cpio_entry){"init", S_IFREG | 0755, 0, 0, program, len});
	cpio_end(&c);
	for (; *extras && !r; extras++)
		r = add_extra(&c, *extras, e);
	if (r)
		return r;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(e, "cannot make %s", path);
	r = write_all(fd, c.data.buf, c.data.len);
	return r ? error_set(e, r, "cannot write %s: %s", path, strerror(-r)) : 0;
}

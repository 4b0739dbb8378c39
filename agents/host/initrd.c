/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/initrd.h"

#include "base/file.h"
#include "base/strbuf.h"

#include <fcntl.h>
#include <sys/stat.h>

#define BLOCK 512 /* the archive's length is a multiple of it */

struct entry {
	const char *name;
	mode_t mode;
	unsigned major, minor; /* of a device */
	const char *data;
	size_t len;
};

static void pad(struct strbuf *out, size_t to)
{
	while (out->len % to)
		strbuf_addc(out, '\0');
}

static void add_entry(struct strbuf *out, unsigned ino, const struct entry *en)
{
	unsigned links = S_ISDIR(en->mode) ? 2 : 1;

	/* magic ino mode uid gid nlink mtime size, device, device it is, name, checksum (none) */
	strbuf_addf(out, "070701%08X%08X%08X%08X%08X%08X%08zX%08X%08X%08X%08X%08zX%08X", ino,
		(unsigned)en->mode, 0U, 0U, links, 0U, en->len, 0U, 0U, en->major, en->minor,
		strlen(en->name) + 1, 0U);
	strbuf_add(out, en->name, strlen(en->name) + 1);
	pad(out, 4);
	strbuf_add(out, en->data, en->len);
	pad(out, 4);
}

int initrd_write(const char *init, const char *path, struct error *e)
{
	AUTO_STRBUF struct strbuf out;
	AUTO_FREE char *program = NULL;
	AUTO_CLOSE int fd = -1;
	size_t len;
	int r;

	strbuf_init(&out, INITRD_MAX_INIT + 65536);
	r = file_read(init, INITRD_MAX_INIT, &program, &len, e);
	if (r)
		return r;

	const struct entry entries[] = {
		{"dev", S_IFDIR | 0755, 0, 0, "", 0},
		{"dev/console", S_IFCHR | 0600, 5, 1, "", 0},
		{"init", S_IFREG | 0755, 0, 0, program, len},
		{"TRAILER!!!", 0, 0, 0, "", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		add_entry(&out, (unsigned)i + 1, &entries[i]);
	pad(&out, BLOCK);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(e, "cannot make %s", path);
	r = write_all(fd, out.buf, out.len);
	return r ? error_set(e, r, "cannot write %s: %s", path, strerror(-r)) : 0;
}

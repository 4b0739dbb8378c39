/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cpio.h"
#include "base/file.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define BLOCK 512 /* the archive's length is a multiple of it */

void cpio_init(struct cpio *c, size_t max)
{
	strbuf_init(&c->data, max);
	c->entries = 0;
}

void cpio_done(struct cpio *c)
{
	strbuf_done(&c->data);
}

static void pad(struct strbuf *out, size_t to)
{
	while (out->len % to && !out->overflow)
		strbuf_addc(out, '\0');
}

void cpio_add(struct cpio *c, const struct cpio_entry *en)
{
	unsigned links = S_ISDIR(en->mode) ? 2 : 1;

	/* magic ino mode uid gid nlink mtime size, device, device it is, name, checksum (none) */
	strbuf_addf(&c->data, "070701%08X%08X%08X%08X%08X%08X%08zX%08X%08X%08X%08X%08zX%08X",
		++c->entries, (unsigned)en->mode, 0U, 0U, links, 0U, en->len, 0U, 0U, en->major,
		en->minor, strlen(en->name) + 1, 0U);
	strbuf_add(&c->data, en->name, strlen(en->name) + 1);
	pad(&c->data, 4);
	strbuf_add(&c->data, en->data, en->len);
	pad(&c->data, 4);
}

void cpio_add_folder(struct cpio *c, const char *name)
{
	cpio_add(c, &(struct cpio_entry){name, S_IFDIR | 0755, 0, 0, "", 0});
}

void cpio_end(struct cpio *c)
{
	cpio_add(c, &(struct cpio_entry){"TRAILER!!!", 0, 0, 0, "", 0});
	pad(&c->data, BLOCK);
}

/* Archives begin at multiples of four. */
void cpio_append(struct cpio *c, const void *archive, size_t len)
{
	pad(&c->data, 4);
	strbuf_add(&c->data, archive, len);
	pad(&c->data, 4);
}

struct walk {
	struct cpio *c;
	unsigned files;
};

static int too_large(const struct cpio *c, struct error *e)
{
	return error_set(e, ERR_LIMIT, "it is larger than %zu bytes: leave out what is not needed",
		c->data.max);
}

static int add_any(struct walk *w, int dir, const char *path, const char *name, unsigned depth,
	struct error *e);

static int add_file(struct walk *w, int dir, const char *path, const char *name,
	const struct stat *st, struct error *e)
{
	AUTO_CLOSE int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	AUTO_FREE char *data = NULL;
	size_t len = 0;
	int err;

	if (fd < 0)
		return error_errno(e, "cannot open %s", name);
	err = file_read_fd(fd, name, w->c->data.max, &data, &len, e);
	if (!err)
		cpio_add(w->c, &(struct cpio_entry){
				       name, S_IFREG | (st->st_mode & 0777), 0, 0, data, len});
	return err;
}

static int add_link(struct walk *w, int dir, const char *path, const char *name, struct error *e)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(dir, path, to, sizeof(to));

	if (n < 0)
		return error_errno(e, "cannot read the link %s", name);
	cpio_add(w->c, &(struct cpio_entry){name, S_IFLNK | 0777, 0, 0, to, (size_t)n});
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in the folder, sorted. */
static int list(DIR *from, const char *name, char ***ret_names, size_t *ret_n, struct error *e)
{
	for (struct dirent *entry; (entry = readdir(from));) {
		if (streq(entry->d_name, ".") || streq(entry->d_name, ".."))
			continue;
		if (*ret_n == CPIO_MAX_FILES)
			return error_set(
				e, ERR_LIMIT, "%s holds more than %d files", name, CPIO_MAX_FILES);
		*ret_names = xgrow(*ret_names, *ret_n, sizeof(**ret_names));
		(*ret_names)[(*ret_n)++] = xstrdup(entry->d_name);
	}
	if (*ret_n)
		qsort(*ret_names, *ret_n, sizeof(**ret_names), by_name);
	return 0;
}

static int add_below(struct walk *w, int dir, const char *path, const char *name, unsigned depth,
	struct error *e)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *from = fd < 0 ? NULL : fdopendir(fd);
	char **names = NULL;
	size_t n = 0;
	int err;

	if (!from) {
		err = error_errno(e, "cannot open the folder %s", name);
		closep(&fd);
		return err;
	}
	cpio_add_folder(w->c, name);
	err = list(from, name, &names, &n, e);
	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *whole = xasprintf("%s/%s", name, names[i]);

		if (!err)
			err = add_any(w, fd, names[i], whole, depth + 1, e);
		free(names[i]);
	}
	free(names);
	closedir(from);
	return err;
}

static int add_any(struct walk *w, int dir, const char *path, const char *name, unsigned depth,
	struct error *e)
{
	struct stat st;

	if (w->c->data.overflow)
		return too_large(w->c, e);
	if (++w->files > CPIO_MAX_FILES)
		return error_set(e, ERR_LIMIT, "more than %d files", CPIO_MAX_FILES);
	if (depth > CPIO_MAX_DEPTH)
		return error_set(
			e, ERR_LIMIT, "%s is more than %d folders deep", name, CPIO_MAX_DEPTH);
	if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return error_errno(e, "cannot look at %s", name);
	if (S_ISDIR(st.st_mode))
		return add_below(w, dir, path, name, depth, e);
	if (S_ISREG(st.st_mode))
		return add_file(w, dir, path, name, &st, e);
	if (S_ISLNK(st.st_mode))
		return add_link(w, dir, path, name, e);
	return error_set(e, ERR_SYNTAX, "%s is no file, folder or symbolic link", name);
}

int cpio_add_tree(struct cpio *c, const char *path, const char *name, struct error *e)
{
	struct walk w = {c, 0};
	int err = add_any(&w, AT_FDCWD, path, name, 0, e);

	return !err && c->data.overflow ? too_large(c, e) : err;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/folder.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

int folder_open(const char *dir, const char *name, int flags, struct error *e)
{
	AUTO_CLOSE int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.mode = flags & O_CREAT ? 0644 : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (dirfd < 0)
		return error_errno(e, "cannot open %s", dir);
	fd = (int)syscall(SYS_openat2, dirfd, name, &how, sizeof(how));
	if (fd < 0 && errno == ENOENT)
		return error_set(e, ERR_MISSING, "there is no %s in %s", name, dir);
	if (fd < 0 || fstat(fd, &st))
		return error_errno(e, "cannot open %s in %s", name, dir);
	if (!S_ISREG(st.st_mode))
		return error_set(e, ERR_CONFLICT, "%s/%s is no file", dir, name);
	return steal_fd(&fd);
}

int folder_read(const char *dir, const char *name, size_t max, char **ret_text, size_t *ret_len,
	struct error *e)
{
	AUTO_CLOSE int fd = folder_open(dir, name, O_RDONLY, e);
	size_t len;
	int r;

	if (fd < 0)
		return fd;
	r = file_read_fd(fd, name, max, ret_text, &len, e);
	if (!r && ret_len)
		*ret_len = len;
	return r;
}

int folder_write(const char *dir, const char *name, const void *data, size_t len, struct error *e)
{
	AUTO_CLOSE int fd = folder_open(dir, name, O_WRONLY | O_CREAT | O_TRUNC, e);
	int r;

	if (fd < 0)
		return fd;
	r = write_all(fd, data, len);
	return r ? error_set(e, r, "cannot write %s/%s: %s", dir, name, strerror(-r)) : 0;
}

bool folder_has(const char *dir, const char *name)
{
	AUTO_CLOSE int fd = folder_open(dir, name, O_RDONLY, NULL);

	return fd >= 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int folder_walk(const char *dir,
	int (*fn)(void *data, const char *name, const struct stat *st, struct error *e), void *data,
	struct error *e)
{
	AUTO_FREE char *root = xstrdup(dir);
	char *const roots[] = {root, NULL};
	size_t skip = strlen(dir) + 1;
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *ent;
	int r = 0;

	if (!fts)
		return error_errno(e, "cannot read %s", dir);
	while (!r && (ent = fts_read(fts))) {
		if (ent->fts_info == FTS_ERR || ent->fts_info == FTS_DNR) {
			errno = ent->fts_errno;
			r = error_errno(e, "cannot read %s", ent->fts_path);
		} else if (ent->fts_info != FTS_D && ent->fts_info != FTS_NS &&
			   ent->fts_pathlen > skip) {
			r = fn(data, ent->fts_path + skip, ent->fts_statp, e);
		}
	}
	fts_close(fts);
	return r;
}

int folder_empty(const char *dir, struct error *e)
{
	int r = file_remove_tree(dir, e);

	return r ? r : file_mkdirs(dir, 0700, e);
}

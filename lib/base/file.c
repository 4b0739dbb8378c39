/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>

#define COPY_BUFFER (256 * 1024)

int file_read_fd(
	int fd, const char *name, size_t max, char **ret_data, size_t *ret_len, struct error *e)
{
	AUTO_FREE char *data = NULL;
	size_t len = 0, alloc = 0;
	struct stat st;
	ssize_t n;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		alloc = MIN_OF((size_t)st.st_size, max) + 2;
	else
		alloc = 4096;
	data = xmalloc(alloc);
	for (;;) {
		/* One byte past the maximum is asked for, so that too much is seen. */
		n = read(fd, data + len, MIN_OF(alloc - 1 - len, max - len + 1));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(e, "cannot read %s", name);
		if (!n)
			break;
		len += (size_t)n;
		if (len > max)
			return error_set(e, ERR_LIMIT, "%s is larger than the limit of %zu bytes",
				name, max);
		if (len + 1 >= alloc) {
			alloc = MIN_OF(alloc * 2, max + 2);
			data = xrealloc(data, alloc);
		}
	}
	data[len] = '\0';
	*ret_data = steal_ptr(data);
	if (ret_len)
		*ret_len = len;
	return 0;
}

int file_read(const char *path, size_t max, char **ret_data, size_t *ret_len, struct error *e)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_errno(e, "cannot open %s", path);
	return file_read_fd(fd, path, max, ret_data, ret_len, e);
}

int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			struct pollfd pfd = {.fd = fd, .events = POLLOUT};

			if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int sync_folder_of(const char *path, struct error *e)
{
	AUTO_FREE char *copy = xstrdup(path);
	const char *dir = dirname(copy);
	AUTO_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_errno(e, "cannot open the folder %s", dir);
	if (fsync(fd))
		return error_errno(e, "cannot write the folder %s to disk", dir);
	return 0;
}

/* An empty temporary file beside path; *ret_tmp is its name, on the heap. */
static int open_beside(const char *path, mode_t mode, char **ret_tmp, int *ret_fd, struct error *e)
{
	AUTO_FREE char *tmp = xasprintf("%s.tmp-XXXXXX", path);
	AUTO_CLOSE int fd = mkostemp(tmp, O_CLOEXEC);

	if (fd < 0)
		return error_errno(e, "cannot make a temporary file beside %s", path);
	if (fchmod(fd, mode)) {
		error_errno(e, "cannot set the mode of %s", tmp);
		unlink(tmp);
		return -EIO;
	}
	*ret_tmp = steal_ptr(tmp);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int put_in_place(int fd, const char *tmp, const char *path, struct error *e)
{
	if (fsync(fd))
		return error_errno(e, "cannot write %s to disk", tmp);
	if (rename(tmp, path))
		return error_errno(e, "cannot rename %s to %s", tmp, path);
	return sync_folder_of(path, e);
}

int file_write_atomic(const char *path, const void *data, size_t len, mode_t mode, struct error *e)
{
	AUTO_FREE char *tmp = NULL;
	AUTO_CLOSE int fd = -1;
	int r;

	r = open_beside(path, mode, &tmp, &fd, e);
	if (!tmp)
		return r;
	r = write_all(fd, data, len);
	if (r)
		error_set(e, r, "cannot write %s: %s", path, strerror(-r));
	else
		r = put_in_place(fd, tmp, path, e);
	if (r)
		unlink(tmp);
	return r;
}

int file_mkdirs(const char *path, mode_t mode, struct error *e)
{
	AUTO_FREE char *part = xstrdup(path);
	struct stat st;

	for (char *p = part + 1; *part; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(part, mode) && errno != EEXIST)
			return error_errno(e, "cannot make the folder %s", part);
		*p = c;
		if (!c)
			break;
	}
	if (stat(path, &st))
		return error_errno(e, "cannot make the folder %s", path);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, -ENOTDIR, "%s is in the way: it is not a folder", path);
	return 0;
}

/*
 * Removing a tree. Each level holds a descriptor, and a hostile tree may be deeper than there
 * are descriptors (or than a path can be long): what is below MAX_LEVELS is moved up beside the
 * root of the walk first, and the walk starts again.
 */
#define MAX_LEVELS 64

struct removal {
	int root;
	unsigned moved;
	bool again;
	struct error *e;
};

static int remove_entries(struct removal *r, int fd, int level);

static int remove_folder(struct removal *r, int at, const char *name, int level)
{
	AUTO_CLOSE int fd = -1;
	int rc;

	if (level > MAX_LEVELS) {
		char up[64];

		do
			snprintf(up, sizeof(up), ".removed-%u", r->moved++);
		while (!faccessat(r->root, up, F_OK, AT_SYMLINK_NOFOLLOW));
		if (renameat(at, name, r->root, up))
			return error_errno(r->e, "cannot move the folder %s", name);
		r->again = true;
		return 0;
	}
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EACCES && !fchmodat(at, name, 0700, 0))
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_errno(r->e, "cannot open the folder %s", name);
	rc = remove_entries(r, steal_fd(&fd), level);
	if (rc)
		return rc;
	if (unlinkat(at, name, AT_REMOVEDIR) && errno != ENOENT)
		return error_errno(r->e, "cannot remove the folder %s", name);
	return 0;
}

static int remove_entry(struct removal *r, DIR *dir, const char *name, int level)
{
	int fd = dirfd(dir);

	if (!unlinkat(fd, name, 0) || errno == ENOENT)
		return 0;
	if (errno == EISDIR)
		return remove_folder(r, fd, name, level + 1);
	if (errno == EACCES || errno == EPERM) {
		struct stat st;

		/* A folder without write permission: ours, so it can be given back. */
		if (fchmod(fd, 0700) == 0 && !unlinkat(fd, name, 0))
			return 0;
		if (!fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode))
			return remove_folder(r, fd, name, level + 1);
	}
	return error_errno(r->e, "cannot remove %s", name);
}

/* Takes fd over. */
static int remove_entries(struct removal *r, int fd, int level)
{
	DIR *dir = fdopendir(fd);
	struct dirent *d;
	int rc = 0;

	if (!dir) {
		rc = error_errno(r->e, "cannot read a folder");
		close(fd);
		return rc;
	}
	while (!rc) {
		errno = 0;
		d = readdir(dir);
		if (!d) {
			if (errno)
				rc = error_errno(r->e, "cannot read a folder");
			break;
		}
		if (!streq(d->d_name, ".") && !streq(d->d_name, ".."))
			rc = remove_entry(r, dir, d->d_name, level);
	}
	closedir(dir);
	return rc;
}

int file_remove_tree(const char *path, struct error *e)
{
	struct removal r = {.root = -1, .e = e};
	AUTO_CLOSE int root = -1;
	struct stat st;
	int rc;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : error_errno(e, "cannot look at %s", path);
	if (!S_ISDIR(st.st_mode)) {
		if (unlink(path) && errno != ENOENT)
			return error_errno(e, "cannot remove %s", path);
		return 0;
	}
	root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (root < 0 && errno == EACCES && !chmod(path, 0700))
		root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (root < 0)
		return error_errno(e, "cannot open the folder %s", path);
	r.root = root;
	do {
		int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return error_errno(e, "cannot open the folder %s", path);
		r.again = false;
		rc = remove_entries(&r, fd, 0);
	} while (!rc && r.again);
	if (rc) {
		error_prefix(e, "cannot remove %s", path);
		return rc;
	}
	if (rmdir(path) && errno != ENOENT)
		return error_errno(e, "cannot remove the folder %s", path);
	return 0;
}

int file_copy(const char *from, const char *to, mode_t mode, struct error *e)
{
	AUTO_CLOSE int in = open(from, O_RDONLY | O_CLOEXEC);
	AUTO_FREE char *buf = xmalloc(COPY_BUFFER);
	AUTO_FREE char *tmp = NULL;
	AUTO_CLOSE int out = -1;
	ssize_t n;
	int r;

	if (in < 0)
		return error_errno(e, "cannot open %s", from);
	r = open_beside(to, mode, &tmp, &out, e);
	if (!tmp)
		return r;
	while (!r && (n = read(in, buf, COPY_BUFFER)) != 0) {
		if (n > 0) {
			r = write_all(out, buf, (size_t)n);
			if (r)
				error_set(e, r, "cannot write %s: %s", to, strerror(-r));
		} else if (errno != EINTR) {
			r = error_errno(e, "cannot read %s", from);
		}
	}
	if (!r)
		r = put_in_place(out, tmp, to, e);
	if (r)
		unlink(tmp);
	return r;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *path_join(const char *dir, const char *name)
{
	return xasprintf("%s%s%s", dir, ends_with(dir, "/") ? "" : "/", name);
}

/* A folder from the environment, which counts only if it is absolute (XDG says so too). */
static const char *env_folder(const char *name)
{
	const char *value = getenv(name);

	return value && *value == '/' ? value : NULL;
}

static const char *home(void)
{
	const char *value = env_folder("HOME");

	return value ? value : "/";
}

char *path_cache(void)
{
	const char *cache = env_folder("XDG_CACHE_HOME");

	if (cache)
		return path_join(cache, "patchbay");
	return path_join(home(), ".cache/patchbay");
}

char *path_state(void)
{
	const char *state = getenv("PATCHBAY_STATE");

	if (state && *state)
		return xstrdup(state);
	return path_join(home(), ".local/state/patchbay");
}

char *path_self_dir(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n < 0)
		return xstrdup(".");
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash && slash != path)
		*slash = '\0';
	return xstrdup(path);
}

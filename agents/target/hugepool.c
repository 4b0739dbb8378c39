/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/hugepool.h"
#include "agents/target/sysfs.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>

static int find_file(uint64_t page_bytes, const char *name, char *path, struct error *e)
{
	unsigned long long kib = page_bytes / 1024;

	(void)snprintf(path, PATH_MAX, "/sys/kernel/mm/hugepages/hugepages-%llukB/%s", kib, name);
	if (file_exists(path))
		return 0;
	return error_set(e, ERR_MISSING,
		"the kernel has no huge pages of %llu KiB: its configuration needs HUGETLBFS, and "
		"the processor must know them",
		kib);
}

static int64_t read_pages(const char *path, int64_t otherwise)
{
	char text[32];
	int64_t n = otherwise;

	if (sysfs_read(path, text, sizeof(text)) == 0)
		(void)parse_int64(text, 0, INT64_MAX, &n);
	return n;
}

int hugepool_need(uint64_t page_bytes, uint64_t pages, struct error *e)
{
	unsigned long long kib = page_bytes / 1024;
	char path[PATH_MAX];
	int64_t free_pages;
	int err = find_file(page_bytes, "free_hugepages", path, e);

	if (err)
		return err;
	free_pages = read_pages(path, 0);
	if ((uint64_t)free_pages >= pages)
		return 0;
	return error_set(e, ERR_LIMIT,
		"of %llu huge pages of %llu KiB that are needed %lld are free: the kernel reserves "
		"them at boot (hugepagesz=%lluK hugepages=%llu), where the machine has the memory",
		(unsigned long long)pages, kib, (long long)free_pages, kib,
		(unsigned long long)pages);
}

int hugepool_set(uint64_t page_bytes, uint64_t pages, struct error *e)
{
	unsigned long long kib = page_bytes / 1024;
	char path[PATH_MAX], text[32];
	int64_t got;
	int err = find_file(page_bytes, "nr_hugepages", path, e);

	if (err)
		return err;
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)pages);
	err = sysfs_write(path, text, e);
	if (err)
		return err;
	got = read_pages(path, -1);
	if (got < 0 || (uint64_t)got < pages) {
		/* What it did find would be missed elsewhere. */
		(void)sysfs_write(path, "0", NULL);
		return error_set(e, ERR_LIMIT,
			"the kernel found %lld of %llu huge pages of %llu KiB: give the machine "
			"more memory or the benchmark a smaller size_mib",
			(long long)got, (unsigned long long)pages, kib);
	}
	return 0;
}

static int mount_at(const char *where, uint64_t page_bytes, struct error *e)
{
	struct statfs fs;
	char options[64];

	if (statfs(where, &fs) == 0 && fs.f_type == HUGETLBFS_MAGIC)
		return 0;
	if (mkdir(where, 0700) != 0 && errno != EEXIST)
		return error_errno(e, "cannot make %s", where);
	(void)snprintf(
		options, sizeof(options), "pagesize=%lluK", (unsigned long long)page_bytes / 1024);
	if (mount("hugetlbfs", where, "hugetlbfs", MS_NOSUID | MS_NODEV, options) != 0)
		return error_errno(e, "cannot mount hugetlbfs with %s", options);
	return 0;
}

int hugepool_file(uint64_t page_bytes, uint64_t size, int *ret_fd, struct error *e)
{
	AUTO_CLOSE int fd = -1;
	char where[64];
	struct statfs fs;
	int err;

	(void)snprintf(where, sizeof(where), "/tmp/hugepages-%llukB",
		(unsigned long long)page_bytes / 1024);
	err = mount_at(where, page_bytes, e);
	if (err)
		return err;
	fd = open(where, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(e, "cannot make a file on hugetlbfs");
	if (fstatfs(fd, &fs) != 0 || (uint64_t)fs.f_bsize != page_bytes)
		return error_set(e, ERR_CONFLICT, "hugetlbfs has pages of %llu bytes, not %llu",
			(unsigned long long)fs.f_bsize, (unsigned long long)page_bytes);
	if (ftruncate(fd, (off_t)size) != 0)
		return error_errno(e, "cannot size a file on hugetlbfs");
	*ret_fd = steal_fd(&fd);
	return 0;
}

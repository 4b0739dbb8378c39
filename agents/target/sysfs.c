/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/sysfs.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

int sysfs_read(const char *path, char *buf, size_t size)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	while (len + 1 < size) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			buf[0] = '\0';
			return -errno;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	while (len > 0 && isspace((unsigned char)buf[len - 1]))
		len--;
	buf[len] = '\0';
	return 0;
}

int sysfs_write(const char *path, const char *text, struct error *e)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return error_errno(e, "cannot open %s", path);
	n = write(fd, text, len);
	if (n < 0)
		return error_errno(e, "%s does not take '%s'", path, text);
	if ((size_t)n != len)
		return error_set(e, -EIO, "%s took only a part of '%s'", path, text);
	return 0;
}

bool sysfs_number(const char *text, const char *name, int64_t *ret_n)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		long long n;

		line += *line == '\n' ? 1 : 0;
		line += strspn(line, " ");
		if (strncmp(line, name, len) == 0 && line[len] == ':' &&
			sscanf(line + len + 1, "%lld", &n) == 1) {
			*ret_n = n;
			return true;
		}
	}
	return false;
}

void sysfs_chosen(const char *text, char *buf, size_t size)
{
	const char *open_bracket = strchr(text, '[');
	const char *close_bracket = open_bracket ? strchr(open_bracket, ']') : NULL;

	if (close_bracket)
		(void)snprintf(buf, size, "%.*s", (int)(close_bracket - open_bracket - 1),
			open_bracket + 1);
	else
		(void)snprintf(buf, size, "%s", text);
}

int sysfs_link_name(const char *path, char *buf, size_t size)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	const char *name;

	if (n < 0)
		return -errno;
	to[n] = '\0';
	name = strrchr(to, '/');
	name = name ? name + 1 : to;
	if (strlen(name) >= size)
		return -ENAMETOOLONG;
	(void)snprintf(buf, size, "%s", name);
	return 0;
}

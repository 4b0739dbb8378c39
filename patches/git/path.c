/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/diff.h"

#include <strings.h>

/*
 * ".git" as HFS+ sees it: it ignores some Unicode characters. They are all U+200C..U+200F,
 * U+202A..U+202E, U+206A..U+206F and U+FEFF: E2 80 8C..8F, E2 80 AA..AE, E2 81 AA..AF, EF BB BF.
 */
static size_t ignorable(const unsigned char *p, size_t len)
{
	if (len < 3)
		return 0;
	if (p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF)
		return 3;
	if (p[0] != 0xE2)
		return 0;
	if (p[1] == 0x80 && ((p[2] >= 0x8C && p[2] <= 0x8F) || (p[2] >= 0xAA && p[2] <= 0xAE)))
		return 3;
	return p[1] == 0x81 && p[2] >= 0xAA && p[2] <= 0xAF ? 3 : 0;
}

/* A name as HFS+ compares it; cut off where it is longer than any that matters. */
static void plain_name(const char *part, size_t len, char plain[64])
{
	size_t n = 0;
	size_t skip;

	for (size_t i = 0; i < len && n < 63; i += skip ? skip : 1) {
		skip = ignorable((const unsigned char *)part + i, len - i);
		if (!skip)
			plain[n++] = part[i];
	}
	plain[n] = '\0';
}

/* NTFS drops trailing spaces and dots, ':' begins a stream, and '\' ends a folder's name. */
static bool ends_there(const char *p)
{
	p += strspn(p, " .");
	return !*p || *p == ':' || *p == '\\';
}

/* The name itself, or one of the four short ones that NTFS may give it. */
static bool is_named(const char *plain, const char *name, const char *shortened)
{
	size_t n = strlen(name);
	size_t m = strlen(shortened);

	if (strncasecmp(plain, name, n) == 0)
		return ends_there(plain + n);
	return strncasecmp(plain, shortened, m) == 0 && plain[m] >= '1' && plain[m] <= '4' &&
	       ends_there(plain + m + 1);
}

/* ".git", "GIT~1", ".git ", ".git.", ".git::$INDEX_ALLOCATION", "x\.git" and the like. */
static bool is_dot_git(const char *part, size_t len)
{
	const char *end = part + len;

	for (;;) {
		const char *slash = memchr(part, '\\', (size_t)(end - part));
		char plain[64];

		plain_name(part, (size_t)(end - part), plain);
		if (is_named(plain, ".git", "git~"))
			return true;
		if (!slash)
			return false;
		part = slash + 1;
	}
}

bool path_is_gitmodules(const char *path)
{
	char plain[64];

	if (strchr(path, '/'))
		return false;
	plain_name(path, strlen(path), plain);
	return is_named(plain, ".gitmodules", "gitmod~");
}

/* What is below may be a link itself, and ".." behind that one leads anywhere. */
bool link_escapes(const char *path, const char *target, size_t len)
{
	long depth = 0;
	bool down = false;

	if (!len || *target == '/' || memchr(target, '\0', len))
		return true;
	for (; *path; path++)
		depth += *path == '/';
	while (len) {
		const char *slash = memchr(target, '/', len);
		size_t n = slash ? (size_t)(slash - target) : len;

		if (n == 2 && memcmp(target, "..", 2) == 0) {
			if (down || --depth < 0)
				return true;
		} else if (n && !(n == 1 && *target == '.')) {
			down = true;
		}
		n += slash != NULL;
		target += n;
		len -= n;
	}
	return false;
}

int path_check(const char *path, struct error *e)
{
	const char *part = path;

	if (strlen(path) > DIFF_MAX_PATH)
		return error_set(e, ERR_LIMIT, "a path is longer than %d bytes", DIFF_MAX_PATH);
	if (!*path || *path == '/')
		return error_set(e, ERR_SYNTAX, "the path \"%.200s\" is %s", path,
			*path ? "absolute" : "empty");
	for (;;) {
		size_t len = strcspn(part, "/");

		if (!len || (len == 1 && *part == '.') || (len == 2 && memcmp(part, "..", 2) == 0))
			return error_set(e, ERR_SYNTAX,
				"the path \"%.200s\" leaves the tree: refused", path);
		if (is_dot_git(part, len))
			return error_set(e, ERR_SYNTAX,
				"the path \"%.200s\" reaches into .git: refused", path);
		if (!part[len])
			return 0;
		part += len + 1;
	}
}

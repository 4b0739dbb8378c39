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

/* ".git", "GIT~1", ".git ", ".git.", ".git::$INDEX_ALLOCATION" and the like. */
static bool is_dot_git(const char *part, size_t len)
{
	char plain[32];
	size_t n = 0;
	size_t skip;

	for (size_t i = 0; i < len && n < sizeof(plain) - 1; i += skip ? skip : 1) {
		skip = ignorable((const unsigned char *)part + i, len - i);
		if (!skip)
			plain[n++] = part[i];
	}
	plain[n] = '\0';
	n = 0;
	if (strncasecmp(plain, ".git", 4) == 0)
		n = 4;
	else if (strncasecmp(plain, "git~1", 5) == 0)
		n = 5;
	if (!n)
		return false;
	/* NTFS drops trailing spaces and dots, and ':' begins a stream. */
	n += strspn(plain + n, " .");
	return !plain[n] || plain[n] == ':';
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

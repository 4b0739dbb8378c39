/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/util.h"

#include <errno.h>

static void *check(void *p)
{
	static const char text[] = "out of memory\n";

	if (!p) {
		/* Without stdio: it may want memory too. */
		if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
			abort();
		abort();
	}
	return p;
}

void *xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
	return check(realloc(p, size ? size : 1));
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	return check(reallocarray(p, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return check(strdup(s));
}

char *xstrdup_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	return check(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return check(s);
}

bool ends_with(const char *s, const char *suffix)
{
	size_t len = strlen(s), n = strlen(suffix);

	return n <= len && memcmp(s + len - n, suffix, n) == 0;
}

int parse_int64(const char *s, int64_t min, int64_t max, int64_t *ret_n)
{
	long long n;
	char *end;

	/* strtoll() alone would take spaces and a plus sign. */
	if (*s != '-' && (*s < '0' || *s > '9'))
		return -EINVAL;
	errno = 0;
	n = strtoll(s, &end, 10);
	if (errno || end == s || *end || n < min || n > max)
		return -EINVAL;
	*ret_n = n;
	return 0;
}

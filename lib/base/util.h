/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ownership and small arithmetic that every file uses.
 *
 * Allocation: the x* functions never return NULL; a process that cannot allocate says so
 * on standard error and aborts. Patchbay is crash-only, so this is a job that ends in
 * `error`, never a wrong answer.
 */
#ifndef BASE_UTIL_H
#define BASE_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Run f(&variable) when the variable goes out of scope. */
#define CLEANUP(f) __attribute__((cleanup(f)))

/* Hand a pointer over: evaluates to it and leaves NULL behind. */
#define steal_ptr(p)                             \
	({                                       \
		__typeof__(p) *steal_ = &(p);    \
		__typeof__(p) stolen_ = *steal_; \
		*steal_ = NULL;                  \
		stolen_;                         \
	})

/* Hand a descriptor over: evaluates to it and leaves -1 behind. */
static inline int steal_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

#define AUTO_FREE CLEANUP(freep)
#define AUTO_CLOSE CLEANUP(closep)
#define AUTO_FCLOSE CLEANUP(fclosep)

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
/* Room for count elements of size bytes; aborts where the product overflows. */
void *xreallocarray(void *p, size_t count, size_t size);

/* Room for one more element behind count of them: an array that only ever grows this way doubles. */
static inline void *xgrow(void *p, size_t count, size_t size)
{
	return count & (count - 1) ? p : xreallocarray(p, count ? 2 * count : 1, size);
}

char *xstrdup(const char *s);
/* NULL stays NULL. */
char *xstrdup_null(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

static inline bool streq(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static inline bool starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool ends_with(const char *s, const char *suffix);

/* Whole-string decimal numbers within [min, max]. Return 0, or -EINVAL and leave ret_n alone. */
int parse_int64(const char *s, int64_t min, int64_t max, int64_t *ret_n);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing string with a mandatory maximum. buf is never NULL and always ends in NUL, so it
 * can be printed at any time. Adding past max keeps what fits, sets overflow and returns
 * ERR_LIMIT; callers that feed it hostile data check overflow once, at the end.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include "base/error.h"

struct strbuf {
	char *buf;
	size_t len;
	size_t alloc; /* 0 while buf is the shared empty string */
	size_t max; /* bytes, without the NUL */
	bool overflow;
};

void strbuf_init(struct strbuf *sb, size_t max);
void strbuf_done(struct strbuf *sb);
#define AUTO_STRBUF CLEANUP(strbuf_done)

int strbuf_add(struct strbuf *sb, const void *data, size_t len);
int strbuf_adds(struct strbuf *sb, const char *s);
int strbuf_addc(struct strbuf *sb, char c);
/* One word for a POSIX shell, in single quotes. */
int strbuf_add_quoted(struct strbuf *sb, const char *word);
int strbuf_addf(struct strbuf *sb, const char *fmt, ...) PRINTF_LIKE(2, 3);
int strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* Drop n bytes at the start. */
void strbuf_consume(struct strbuf *sb, size_t n);
void strbuf_truncate(struct strbuf *sb, size_t len);
/* Give the string away (heap, NUL-terminated) and start anew with the same maximum. */
char *strbuf_detach(struct strbuf *sb, size_t *ret_len);

#endif

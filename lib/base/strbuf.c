/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/strbuf.h"

/* Never written to: every write goes through reserve(), which allocates first. */
static char empty[1];

void strbuf_init(struct strbuf *sb, size_t max)
{
	*sb = (struct strbuf){.buf = empty, .max = max};
}

void strbuf_done(struct strbuf *sb)
{
	if (!sb)
		return;
	if (sb->alloc)
		free(sb->buf);
	strbuf_init(sb, sb->max);
}

/* Room for n more bytes and the NUL; n is within the maximum already. */
static void reserve(struct strbuf *sb, size_t n)
{
	size_t need = sb->len + n + 1;
	size_t alloc = sb->alloc ? sb->alloc : 64;

	if (need <= sb->alloc)
		return;
	while (alloc < need)
		alloc = alloc > SIZE_MAX / 2 ? need : alloc * 2;
	sb->buf = xrealloc(sb->alloc ? sb->buf : NULL, alloc);
	sb->alloc = alloc;
}

int strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	size_t room = sb->max > sb->len ? sb->max - sb->len : 0;
	int r = 0;

	if (len > room) {
		sb->overflow = true;
		len = room;
		r = ERR_LIMIT;
	}
	if (len) {
		reserve(sb, len);
		memcpy(sb->buf + sb->len, data, len);
		sb->len += len;
		sb->buf[sb->len] = '\0';
	}
	return r;
}

int strbuf_adds(struct strbuf *sb, const char *s)
{
	return strbuf_add(sb, s, strlen(s));
}

int strbuf_addc(struct strbuf *sb, char c)
{
	return strbuf_add(sb, &c, 1);
}

int strbuf_add_quoted(struct strbuf *sb, const char *word)
{
	(void)strbuf_addc(sb, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			(void)strbuf_adds(sb, "'\\''");
		else
			(void)strbuf_addc(sb, *word);
	}
	return strbuf_addc(sb, '\'');
}

int strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
	return r;
}

int strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	char small[512];
	char *text = NULL;
	va_list again;
	int n, r;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n >= 0 && (size_t)n < sizeof(small)) {
		r = strbuf_add(sb, small, n);
	} else {
		if (vasprintf(&text, fmt, again) < 0)
			abort();
		r = strbuf_adds(sb, text);
		free(text);
	}
	va_end(again);
	return r;
}

void strbuf_consume(struct strbuf *sb, size_t n)
{
	if (n >= sb->len) {
		strbuf_truncate(sb, 0);
		return;
	}
	if (!n)
		return;
	memmove(sb->buf, sb->buf + n, sb->len - n);
	strbuf_truncate(sb, sb->len - n);
}

void strbuf_truncate(struct strbuf *sb, size_t len)
{
	if (len >= sb->len)
		return;
	sb->len = len;
	sb->buf[len] = '\0';
}

char *strbuf_detach(struct strbuf *sb, size_t *ret_len)
{
	char *s = sb->alloc ? sb->buf : xstrdup("");

	if (ret_len)
		*ret_len = sb->len;
	strbuf_init(sb, sb->max);
	return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/internal.h"

#include <limits.h>

#define TEXT_COLUMNS 98

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_columns(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += !continues(s[i]);
	return n;
}

size_t text_fit(const char *s, size_t columns)
{
	size_t n = 0;

	for (size_t left = columns; s[n] && (left || continues(s[n])); n++)
		left -= !continues(s[n]);
	return n;
}

int text_pad(const char *s, int columns)
{
	size_t len = strlen(s);

	return columns + (int)(len - text_columns(s, len));
}

int text_lines(struct strbuf *out, const char *prefix, const char *text, int max_lines)
{
	int lines = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (lines++ < max_lines)
			(void)strbuf_addf(out, "%s%.*s\n", prefix, (int)n, text);
		text += n + (text[n] == '\n');
	}
	return MAX_OF(lines - max_lines, 0);
}

void text_indented(struct strbuf *out, const char *prefix, const char *text)
{
	(void)text_lines(out, prefix, text, INT_MAX);
}

void text_excerpt(struct strbuf *out, const char *prefix, const char *text, int max_lines)
{
	int left = text_lines(out, prefix, text, max_lines);

	if (left)
		(void)strbuf_addf(
			out, "%s… and %d more line%s\n", prefix, left, left == 1 ? "" : "s");
}

/* A number keeps its unit. */
static size_t word_length(const char *s)
{
	size_t n = strcspn(s, " \n");
	bool unit = starts_with(s + n, " %") || starts_with(s + n, " MiB");

	return unit ? n + 1 + strcspn(s + n + 1, " \n") : n;
}

void text_wrapped_to(
	struct strbuf *out, size_t columns, const char *first, const char *rest, const char *text)
{
	size_t at = text_columns(first, strlen(first));

	(void)strbuf_adds(out, first);
	while (*text) {
		size_t blanks = strspn(text, " \n");
		size_t word = word_length(text + blanks);
		size_t wide = text_columns(text + blanks, word);

		if (blanks && at + 1 + wide > columns) {
			(void)strbuf_addf(out, "\n%s", rest);
			at = text_columns(rest, strlen(rest));
		} else if (blanks) {
			(void)strbuf_addc(out, ' ');
			at++;
		}
		(void)strbuf_add(out, text + blanks, word);
		at += wide;
		text += blanks + word;
	}
	(void)strbuf_addc(out, '\n');
}

void text_wrapped(struct strbuf *out, const char *first, const char *rest, const char *text)
{
	text_wrapped_to(out, TEXT_COLUMNS, first, rest, text);
}

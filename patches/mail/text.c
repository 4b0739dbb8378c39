/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/text.h"

#include <ctype.h>
#include <errno.h>
#include <gmime/gmime.h>

bool text_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_istarts(const char *s, const char *prefix)
{
	while (*prefix && text_lower(*s) == text_lower(*prefix)) {
		s++;
		prefix++;
	}
	return !*prefix;
}

bool text_is_header(const char *line, size_t len)
{
	size_t i;

	if ((len >= 5 && memcmp(line, "From ", 5) == 0) ||
		(len >= 6 && memcmp(line, ">From ", 6) == 0))
		return true;
	for (i = 0; i < len && line[i] > ' ' && line[i] < 127 && line[i] != ':'; i++)
		;
	return i < len && line[i] == ':';
}

void text_collapse(char *s)
{
	char *out = s;

	while (*s) {
		if (!text_is_space(*s)) {
			*out++ = *s++;
			continue;
		}
		while (text_is_space(*s))
			s++;
		*out++ = ' ';
	}
	*out = '\0';
}

void text_trim(char *s)
{
	size_t len = strlen(s);
	size_t start = 0;

	while (len && text_is_space(s[len - 1]))
		len--;
	while (start < len && text_is_space(s[start]))
		start++;
	memmove(s, s + start, len - start);
	s[len - start] = '\0';
}

void text_decode(enum text_encoding encoding, const char *in, size_t len, struct strbuf *out)
{
	char buf[8192];
	GMimeEncoding state;

	if (encoding == TEXT_PLAIN) {
		(void)strbuf_add(out, in, len);
		return;
	}
	g_mime_encoding_init_decode(&state, encoding == TEXT_BASE64
						    ? GMIME_CONTENT_ENCODING_BASE64
						    : GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
	while (len) {
		/* Decoding never makes text longer than a few bytes of kept state. */
		size_t n = MIN_OF(len, sizeof(buf) - 16);

		(void)strbuf_add(out, buf, g_mime_encoding_step(&state, in, n, buf));
		in += n;
		len -= n;
	}
	(void)strbuf_add(out, buf, g_mime_encoding_flush(&state, "", 0, buf));
}

#define CHARSET_MAX 64

/*
 * The converter from a charset, in its initial state; (iconv_t)-1: it is not known. The last one
 * stays open: to look a charset up takes longer than to convert a line, and a mail has many lines.
 */
static iconv_t converter_from(const char *charset)
{
	static char name[CHARSET_MAX];
	static iconv_t cd = (iconv_t)-1;

	if (strlen(charset) >= CHARSET_MAX)
		return (iconv_t)-1;
	if (!streq(name, charset)) {
		/* GMime's table of charset names has to be there first. */
		if (!*name)
			g_mime_init();
		if (cd != (iconv_t)-1)
			(void)g_mime_iconv_close(cd);
		cd = g_mime_iconv_open("UTF-8", charset);
		(void)snprintf(name, sizeof(name), "%s", charset);
	} else if (cd != (iconv_t)-1) {
		(void)iconv(cd, NULL, NULL, NULL, NULL);
	}
	return cd;
}

static bool names_utf8(const char *charset)
{
	return g_ascii_strcasecmp(charset, "utf-8") == 0 ||
	       g_ascii_strcasecmp(charset, "utf8") == 0;
}

int text_to_utf8(
	const char *charset, const char *in, size_t len, struct strbuf *out, struct error *e)
{
	char buf[4096];
	char *from = (char *)(uintptr_t)in;
	iconv_t cd;

	if (!charset || !*charset || names_utf8(charset)) {
		(void)strbuf_add(out, in, len);
		return 0;
	}
	cd = converter_from(charset);
	if (cd == (iconv_t)-1)
		return error_set(e, ERR_SYNTAX, "its charset \"%.40s\" is not known", charset);
	for (bool flush = false;;) {
		char *to = buf;
		size_t room = sizeof(buf);
		size_t n = flush ? iconv(cd, NULL, NULL, &to, &room)
				 : iconv(cd, &from, &len, &to, &room);

		(void)strbuf_add(out, buf, (size_t)(to - buf));
		if (n == (size_t)-1 && errno != E2BIG)
			return error_set(e, ERR_SYNTAX,
				"it says its charset is \"%.40s\", which does not have its bytes",
				charset);
		if (n == (size_t)-1)
			continue;
		if (flush)
			return 0;
		flush = true;
	}
}

static int hex_value(char c)
{
	c = text_lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The Q encoding of encoded words: quoted-printable with '_' for a space. */
static void decode_q(const char *in, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < len; i++) {
		int hi = in[i] == '=' && i + 2 < len ? hex_value(in[i + 1]) : -1;
		int lo = hi >= 0 ? hex_value(in[i + 2]) : -1;

		if (lo >= 0) {
			(void)strbuf_addc(out, (char)(hi * 16 + lo));
			i += 2;
		} else {
			(void)strbuf_addc(out, in[i] == '_' ? ' ' : in[i]);
		}
	}
}

/* One word at "=?"; *ret_end points behind its "?=". */
static int decode_word(const char *word, struct strbuf *out, const char **ret_end, struct error *e)
{
	AUTO_STRBUF struct strbuf bytes;
	AUTO_FREE char *charset = NULL;
	const char *name = word + 2;
	const char *mark = strchr(name, '?');
	const char *text = mark && mark[1] && mark[2] == '?' ? mark + 3 : NULL;
	const char *end = text ? strstr(text, "?=") : NULL;
	char kind = text ? text_lower(mark[1]) : 0;

	strbuf_init(&bytes, out->max);
	if (!end || (kind != 'b' && kind != 'q'))
		return error_set(
			e, ERR_SYNTAX, "a header has a broken encoded word: \"%.40s\"", word);
	charset = xstrndup(name, (size_t)(mark - name));
	if (kind == 'b')
		text_decode(TEXT_BASE64, text, (size_t)(end - text), &bytes);
	else
		decode_q(text, (size_t)(end - text), &bytes);
	*ret_end = end + 2;
	/* RFC 2231 lets a language follow the charset. */
	charset[strcspn(charset, "*")] = '\0';
	return text_to_utf8(charset, bytes.buf, bytes.len, out, e);
}

int text_decode_words(const char *in, struct strbuf *out, struct error *e)
{
	const char *start = in;
	const char *word;

	while ((word = strstr(in, "=?"))) {
		const char *p = in;
		int r;

		/* White space between two words belongs to neither. */
		while (p < word && text_is_space(*p))
			p++;
		if (p != word || in == start)
			(void)strbuf_add(out, in, (size_t)(word - in));
		r = decode_word(word, out, &in, e);
		if (r)
			return r;
	}
	(void)strbuf_adds(out, in);
	return 0;
}

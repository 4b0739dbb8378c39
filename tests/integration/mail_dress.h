/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ways in which people's programs send a patch that git wrote: transfer encodings, line ends,
 * parts. What git reads from all of them is the same, but for a diff of CRLF lines.
 */
#ifndef TESTS_MAIL_DRESS_H
#define TESTS_MAIL_DRESS_H

#include "patch_edits.h"

#include <gmime/gmime.h>

static inline void dress_encode(
	GMimeContentEncoding encoding, const char *data, size_t len, struct strbuf *out)
{
	GMimeEncoding state;
	AUTO_FREE char *buf = NULL;

	g_mime_encoding_init_encode(&state, encoding);
	buf = xmalloc(g_mime_encoding_outlen(&state, len));
	(void)strbuf_add(out, buf, g_mime_encoding_flush(&state, data, len, buf));
}

/* Headers without those that say how the body is encoded; *ret_charset: the one they name, "". */
static inline void dress_headers(
	const char *p, const char *end, struct strbuf *out, char ret_charset[64])
{
	static const char type[] = "Content-Type: text/plain; charset=";

	*ret_charset = '\0';
	while (p < end) {
		const char *next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		size_t len = (size_t)(next - p);

		if (starts_with(p, type))
			(void)snprintf(ret_charset, 64, "%.*s", (int)(len - strlen(type) - 1),
				p + strlen(type));
		else if (!starts_with(p, "MIME-Version:") && !starts_with(p, "Content-"))
			(void)strbuf_add(out, p, len);
		p = next;
	}
}

/* One mail as git wrote it, with its separator line, in one way or another. */
static inline void dress_mail(struct maker *m, const char *mail, size_t len, struct strbuf *out)
{
	static const GMimeContentEncoding encodings[] = {GMIME_CONTENT_ENCODING_8BIT,
		GMIME_CONTENT_ENCODING_BASE64, GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE};
	const char *body = (const char *)memmem(mail, len, "\n\n", 2) + 2;
	size_t body_len = len - (size_t)(body - mail);
	size_t way = maker_below(m, 10);
	GMimeContentEncoding encoding = encodings[way == 0 || way == 1 ? way + 1
						  : way == 2	       ? maker_below(m, 3)
								       : 0];
	char charset[64];

	if (way > 3) {
		(void)strbuf_add(out, mail, len);
		return;
	}
	if (way == 3) {
		maker_add_crlf(mail, len, out);
		return;
	}
	dress_headers(mail, body - 1, out, charset);
	(void)strbuf_adds(out, "MIME-Version: 1.0\n");
	if (way == 2)
		(void)strbuf_adds(out, "Content-Type: multipart/mixed; boundary=\"=-cut\"\n\n"
				       "Not for programs.\n\n--=-cut\n");
	(void)strbuf_addf(
		out, "Content-Type: text/plain; charset=%s\n", *charset ? charset : "us-ascii");
	(void)strbuf_addf(out, "Content-Transfer-Encoding: %s\n\n",
		g_mime_content_encoding_to_string(encoding));
	dress_encode(encoding, body, body_len, out);
	if (way == 2)
		(void)strbuf_adds(out, "\n--=-cut--\n");
	(void)strbuf_addc(out, '\n');
}

/* All of what `git log --format=email` wrote. */
static inline void dress_mails(struct maker *m, const char *p, size_t len, struct strbuf *out)
{
	static const char stamp[] = " Mon Sep 17 00:00:00 2001\n";
	const char *end = p + len;

	while (p < end) {
		const char *next = p;

		do {
			next = memmem(next + 1, (size_t)(end - next - 1), "\nFrom ", 6);
		} while (
			next && (end - next < 70 || strncmp(next + 46, stamp, strlen(stamp)) != 0));
		next = next ? next + 1 : end;
		dress_mail(m, p, (size_t)(next - p), out);
		p = next;
	}
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text as mail carries it: white space, transfer encodings, charsets, encoded words. Decoding is
 * GMime's and iconv's; what counts as white space, and what is left alone, is what git mailinfo
 * does, since results are compared with it byte for byte.
 */
#ifndef MAIL_TEXT_H
#define MAIL_TEXT_H

#include "base/strbuf.h"

enum text_encoding { TEXT_PLAIN, TEXT_BASE64, TEXT_QP };

/* Space, tab, newline, carriage return: git's idea of white space, whatever the locale. */
bool text_is_space(char c);
/* Lower case for ASCII only. */
char text_lower(char c);
/* s begins with prefix, ASCII case ignored. */
bool text_istarts(const char *s, const char *prefix);
/* The line looks like a header: printable characters up to a colon, or an mbox "From ". */
bool text_is_header(const char *line, size_t len);

/* In place: each run of white space becomes one space. */
void text_collapse(char *s);
/* In place: no white space at either end. */
void text_trim(char *s);

/* Undo a transfer encoding; appends to out. Never fails: what is no code is skipped or kept. */
void text_decode(enum text_encoding encoding, const char *in, size_t len, struct strbuf *out);
/* Convert from charset to UTF-8; appends to out. NULL, "" and UTF-8 itself copy the bytes.
 * ERR_SYNTAX: unknown charset, or bytes that it does not have. */
int text_to_utf8(
	const char *charset, const char *in, size_t len, struct strbuf *out, struct error *e);
/* A header's encoded words (RFC 2047) to UTF-8; appends to out. */
int text_decode_words(const char *in, struct strbuf *out, struct error *e);

#endif

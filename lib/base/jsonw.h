/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing JSON without a tree, for the static helpers and for lines: each call appends to a
 * strbuf; commas are placed by looking at what is there. Text is escaped, and bytes that are not
 * UTF-8 become U+FFFD.
 */
#ifndef BASE_JSONW_H
#define BASE_JSONW_H

#include "base/strbuf.h"

/* key NULL: an array element, or the document itself. */
void jsonw_begin(struct strbuf *sb, const char *key, char bracket); /* '{' or '[' */
void jsonw_end(struct strbuf *sb, char bracket); /* '}' or ']' */
void jsonw_str(struct strbuf *sb, const char *key, const char *value); /* NULL: null */
void jsonw_strn(struct strbuf *sb, const char *key, const char *value, size_t len);
void jsonw_int(struct strbuf *sb, const char *key, int64_t value);
void jsonw_num(struct strbuf *sb, const char *key, double value); /* %.17g; not finite: null */
void jsonw_bool(struct strbuf *sb, const char *key, bool value);
void jsonw_raw(struct strbuf *sb, const char *key, const char *json);

#endif

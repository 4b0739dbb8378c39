/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8, for bytes that claim to be text. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/util.h"

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the sequence at s, of which `left` are there; 0 where there is none: overlong forms,
 * surrogates and what is past U+10FFFF are none. left is not 0. */
size_t utf8_len(const char *s, size_t left);
bool utf8_is_valid(const char *s, size_t len);
/* A copy in which each byte that belongs to no sequence is U+FFFD; heap. */
char *utf8_clean(const char *s);

#endif

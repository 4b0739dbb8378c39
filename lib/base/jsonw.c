/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/jsonw.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>

static void add_escape(struct strbuf *sb, uint8_t c)
{
	static const char letter[] = "btn.fr"; /* for 8 to 13; 11 has none */

	if (c == '"' || c == '\\')
		strbuf_addf(sb, "\\%c", c);
	else if (c >= 8 && c <= 13 && c != 11)
		strbuf_addf(sb, "\\%c", letter[c - 8]);
	else
		strbuf_addf(sb, "\\u%04x", c);
}

static void add_string(struct strbuf *sb, const char *value, size_t len)
{
	const uint8_t *s = (const uint8_t *)value;
	size_t plain = 0; /* start of what needs no escape */

	strbuf_addc(sb, '"');
	for (size_t i = 0; i < len;) {
		size_t n = utf8_len(value + i, len - i);
		bool as_is = n > 1 || (n == 1 && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' &&
					      s[i] != 0x7f);

		if (as_is) {
			i += n;
			continue;
		}
		strbuf_add(sb, s + plain, i - plain);
		if (n)
			add_escape(sb, s[i]);
		else
			strbuf_adds(sb, UTF8_REPLACEMENT);
		plain = ++i;
	}
	strbuf_add(sb, s + plain, len - plain);
	strbuf_addc(sb, '"');
}

static void add_key(struct strbuf *sb, const char *key)
{
	char last = sb->len ? sb->buf[sb->len - 1] : '\n';

	if (!strchr("{[:,\n", last))
		strbuf_addc(sb, ',');
	if (key) {
		add_string(sb, key, strlen(key));
		strbuf_addc(sb, ':');
	}
}

void jsonw_begin(struct strbuf *sb, const char *key, char bracket)
{
	add_key(sb, key);
	strbuf_addc(sb, bracket);
}

void jsonw_end(struct strbuf *sb, char bracket)
{
	strbuf_addc(sb, bracket);
}

void jsonw_str(struct strbuf *sb, const char *key, const char *value)
{
	if (value)
		jsonw_strn(sb, key, value, strlen(value));
	else
		jsonw_raw(sb, key, "null");
}

void jsonw_strn(struct strbuf *sb, const char *key, const char *value, size_t len)
{
	add_key(sb, key);
	add_string(sb, value, len);
}

void jsonw_int(struct strbuf *sb, const char *key, int64_t value)
{
	add_key(sb, key);
	strbuf_addf(sb, "%" PRId64, value);
}

void jsonw_num(struct strbuf *sb, const char *key, double value)
{
	add_key(sb, key);
	if (isfinite(value))
		strbuf_addf(sb, "%.17g", value);
	else
		strbuf_adds(sb, "null");
}

void jsonw_bool(struct strbuf *sb, const char *key, bool value)
{
	jsonw_raw(sb, key, value ? "true" : "false");
}

void jsonw_raw(struct strbuf *sb, const char *key, const char *json)
{
	add_key(sb, key);
	strbuf_adds(sb, json);
}

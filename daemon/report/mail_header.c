/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers as RFC 5322 wants them, encoded words of RFC 2047, and lines that mail may carry. What
 * goes in comes from strangers' mails: a title may hold line ends, and a message id anything.
 */
#include "daemon/report/internal.h"
#include "base/utf8.h"

#include <time.h>

#define MAX_HEADER_BYTES 400
#define MAX_ID_BYTES 250
#define LINE_COLUMNS 76 /* of lines with encoded words: RFC 2047, 2 */
#define MAX_PLAIN_WORD 60
#define MAX_LINE_BYTES 990 /* RFC 5322 allows 998 */

#define ENCODED_BEGIN "=?utf-8?q?"
#define ENCODED_END "?="

/* What a terminal may obey: of ASCII, or between U+0080 and U+009F. */
static bool is_control(const char *s, size_t n)
{
	return n == 1 ? (unsigned char)*s < 0x20 || *s == 0x7f
		      : n == 2 && memcmp(s, "\xc2\xa0", 2) < 0;
}

/* One line, without control characters, in UTF-8, of bounded length; heap. */
static char *one_line(const char *text)
{
	AUTO_FREE char *clean = utf8_clean(text);
	struct strbuf out;

	strbuf_init(&out, MAX_HEADER_BYTES + 8);
	for (const char *s = clean; *s;) {
		size_t n = utf8_len(s, strlen(s));

		if (out.len + n > MAX_HEADER_BYTES) {
			(void)strbuf_adds(&out, "…");
			break;
		}
		if (is_control(s, n) || *s == ' ') {
			if (out.len && out.buf[out.len - 1] != ' ')
				(void)strbuf_addc(&out, ' ');
		} else {
			(void)strbuf_add(&out, s, n);
		}
		s += n;
	}
	if (out.len && out.buf[out.len - 1] == ' ')
		strbuf_truncate(&out, out.len - 1);
	return strbuf_detach(&out, NULL);
}

/* Readers take it as it stands: ASCII, nothing that looks encoded, words short enough to fold. */
static bool is_plain(const char *text)
{
	size_t word = 0;

	if (strstr(text, "=?"))
		return false;
	for (; *text; text++) {
		word = *text == ' ' ? 0 : word + 1;
		if ((unsigned char)*text >= 0x7f || word > MAX_PLAIN_WORD)
			return false;
	}
	return true;
}

static void add_encoded(struct strbuf *out, size_t at, const char *text)
{
	static const char literal[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!*+-/";
	const size_t around = strlen(ENCODED_BEGIN) + strlen(ENCODED_END);
	bool open = false;

	while (*text) {
		size_t n = utf8_len(text, strlen(text));
		bool as_is = n == 1 && (*text == ' ' || strchr(literal, *text));
		size_t wide = as_is ? 1 : 3 * n;

		if (open && at + wide + strlen(ENCODED_END) > LINE_COLUMNS) {
			(void)strbuf_adds(out, ENCODED_END "\n ");
			at = 1;
			open = false;
		}
		if (!open) {
			(void)strbuf_adds(out, ENCODED_BEGIN);
			at += around - strlen(ENCODED_END);
			open = true;
		}
		for (size_t i = 0; i < n; i++) {
			if (as_is)
				(void)strbuf_addc(out, *text == ' ' ? '_' : *text);
			else
				(void)strbuf_addf(out, "=%02X", (unsigned char)text[i]);
		}
		at += wide;
		text += n;
	}
	if (open)
		(void)strbuf_adds(out, ENCODED_END);
}

void mail_header(struct strbuf *out, const char *name, const char *text)
{
	AUTO_FREE char *line = one_line(text);
	AUTO_FREE char *first = xasprintf("%s:", name);

	if (is_plain(line)) {
		AUTO_FREE char *value = xasprintf(" %s", line);

		text_wrapped_to(out, LINE_COLUMNS, first, " ", value);
		return;
	}
	(void)strbuf_addf(out, "%s ", first);
	add_encoded(out, strlen(first) + 1, line);
	(void)strbuf_addc(out, '\n');
}

/* An address-like token. What is odd and legal (quoted strings, literals) is left out as well. */
static bool is_message_id(const char *id)
{
	const char *at = strchr(id, '@');
	size_t len = strlen(id);

	if (!at || at == id || !at[1] || strchr(at + 1, '@') || len > MAX_ID_BYTES)
		return false;
	for (; *id; id++)
		if (*id <= ' ' || *id >= 0x7f || strchr("<>()[],;:\\\"", *id))
			return false;
	return true;
}

void mail_header_id(struct strbuf *out, const char *name, const char *id)
{
	if (id && is_message_id(id))
		(void)strbuf_addf(out, "%s: <%s>\n", name, id);
}

void mail_header_date(struct strbuf *out, const char *iso)
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char *const months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	struct tm tm = {0};
	time_t t;

	if (!iso || !strptime(iso, "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	t = timegm(&tm);
	if (!gmtime_r(&t, &tm))
		return;
	(void)strbuf_addf(out, "Date: %s, %d %s %d %02d:%02d:%02d +0000\n", days[tm.tm_wday],
		tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* What some would take for the end of the mail, or for the beginning of another. */
static bool is_misread(const char *line)
{
	return starts_with(line, "From ") || (*line == '.' && (line[1] == '\n' || !line[1]));
}

void mail_add_body(struct strbuf *out, const char *text)
{
	static const char cut[] = " [...]";

	while (*text) {
		size_t left = strcspn(text, "\n"), line = 0;

		if (is_misread(text))
			(void)strbuf_addc(out, ' ');
		while (left) {
			size_t n = utf8_len(text, left);
			bool bad = n == 0 || (is_control(text, n) && *text != '\t');

			n = n ? n : 1;
			if (line + n + strlen(cut) > MAX_LINE_BYTES) {
				(void)strbuf_adds(out, cut);
				break;
			}
			(void)strbuf_add(out, bad ? "?" : text, bad ? 1 : n);
			line += bad ? 1 : n;
			text += n;
			left -= n;
		}
		text += left;
		if (*text) {
			(void)strbuf_addc(out, '\n');
			text++;
		}
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/mbox.h"

#include "patches/mail/text.h"

/* Just past the line that begins at p. */
static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl + 1 : end;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "From ", then anything, then a clock and a year after 1990. */
static bool is_separator(const char *p, const char *end)
{
	size_t len = (size_t)(end - p);
	const char *colon;
	int year = 0;

	if (len < 20 || memcmp(p, "From ", 5) != 0)
		return false;
	for (colon = end - 3; colon >= p + 5 && *colon != ':'; colon--)
		;
	/* hh:mm:ss, seen from its last colon */
	if (colon < p + 9 || !digit(colon[-4]) || !digit(colon[-2]) || !digit(colon[-1]) ||
		!digit(colon[1]) || !digit(colon[2]))
		return false;
	for (p = colon + 3; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	for (; p < end && digit(*p) && year < 100000; p++)
		year = year * 10 + (*p - '0');
	return year > 90;
}

static bool is_quoted_from(const char *p, const char *end)
{
	if (p == end || *p != '>')
		return false;
	while (p < end && *p == '>')
		p++;
	return end - p >= 5 && memcmp(p, "From ", 5) == 0;
}

int mbox_init(struct mbox *m, const char *data, size_t len, size_t max_bytes, size_t max_messages,
	struct error *e)
{
	const char *end = data + len;
	const char *first;

	if (len > max_bytes)
		return error_set(e, ERR_LIMIT,
			"the mailbox has %zu bytes, the limit is %zu: send fewer messages", len,
			max_bytes);
	while (data < end && (*data == ' ' || (*data >= '\t' && *data <= '\r')))
		data++;
	if (data == end)
		return error_set(e, ERR_SYNTAX, "the mailbox is empty: there is no message in it");
	first = line_end(data, end);
	*m = (struct mbox){.next = data, .end = end, .max_messages = max_messages};
	m->bare = !is_separator(data, first);
	m->rd = first - data > 14 && memcmp(data, "From mboxrd@z ", 14) == 0;
	/* A mail program's own "From " line without a date is tolerated, as git am does. */
	if (m->bare && !text_is_header(data, (size_t)(first - data)))
		return error_set(e, ERR_SYNTAX,
			"not an mbox and not a mail: the first line is neither \"From ...\" nor a "
			"header; save the mails as mbox, or write them with git format-patch");
	return 0;
}

/* CRLF to LF, and the mboxrd quote taken off. */
static void add_line(const struct mbox *m, const char *p, const char *end, struct strbuf *out)
{
	if (m->rd && is_quoted_from(p, end))
		p++;
	if (end - p >= 2 && end[-1] == '\n' && end[-2] == '\r') {
		(void)strbuf_add(out, p, (size_t)(end - p) - 2);
		(void)strbuf_addc(out, '\n');
		return;
	}
	(void)strbuf_add(out, p, (size_t)(end - p));
}

int mbox_next(struct mbox *m, struct strbuf *ret_message, struct error *e)
{
	strbuf_truncate(ret_message, 0);
	if (m->next == m->end)
		return 0;
	if (m->count == m->max_messages)
		return error_set(e, ERR_LIMIT, "the mailbox has more than %zu messages: send fewer",
			m->max_messages);
	m->count++;
	do {
		const char *end = line_end(m->next, m->end);

		add_line(m, m->next, end, ret_message);
		m->next = end;
	} while (m->next < m->end &&
		 (m->bare || *m->next != 'F' || !is_separator(m->next, line_end(m->next, m->end))));
	if (ret_message->overflow)
		return error_set(e, ERR_LIMIT, "message %zu is longer than %zu bytes", m->count,
			ret_message->max);
	return 1;
}

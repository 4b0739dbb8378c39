/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/mime.h"

void mime_init(struct mime *m, const char *data, size_t len)
{
	*m = (struct mime){.next = data, .end = data + len};
	while (m->next < m->end && text_is_space(*m->next))
		m->next++;
	/* Converting to UTF-8 can make three bytes of one. */
	filter_init(&m->filter, 3 * len + 16);
}

void mime_done(struct mime *m)
{
	for (size_t i = 0; i < m->depth; i++)
		free(m->boundaries[i]);
	filter_done(&m->filter);
}

/* The line at next, with its newline; moves on. Empty only at the end. */
static const char *take_line(struct mime *m, size_t *ret_len)
{
	const char *line = m->next;
	const char *nl = memchr(line, '\n', (size_t)(m->end - line));

	m->next = nl ? nl + 1 : m->end;
	*ret_len = (size_t)(m->next - line);
	return line;
}

static size_t without_end(const char *line, size_t len)
{
	while (len && text_is_space(line[len - 1]))
		len--;
	return len;
}

int mime_header(struct mime *m, struct strbuf *ret_line, struct error *e)
{
	const char *start = m->next;
	size_t len;
	const char *line = take_line(m, &len);

	strbuf_truncate(ret_line, 0);
	len = without_end(line, len);
	if (!len || !text_is_header(line, len)) {
		m->next = start;
		return 0;
	}
	(void)strbuf_add(ret_line, line, len);
	while (m->next < m->end && (*m->next == ' ' || *m->next == '\t')) {
		line = take_line(m, &len);
		len = without_end(line, len);
		(void)strbuf_addc(ret_line, ' ');
		if (len)
			(void)strbuf_add(ret_line, line + 1, len - 1);
	}
	m->header_bytes += (size_t)(m->next - start);
	if (ret_line->overflow)
		return error_set(e, ERR_LIMIT, "its header \"%.30s\" is longer than %zu bytes",
			ret_line->buf, ret_line->max);
	if (m->header_bytes > MESSAGE_MAX_HEADERS)
		return error_set(
			e, ERR_LIMIT, "its headers are longer than %zu bytes", MESSAGE_MAX_HEADERS);
	if (memchr(ret_line->buf, '\0', ret_line->len))
		return error_set(
			e, ERR_SYNTAX, "its header \"%.30s\" holds a NUL byte", ret_line->buf);
	return 1;
}

/* The value of name (with its '=') in a header, on the heap; NULL where it is absent. */
static char *attribute(const char *line, const char *name)
{
	const char *p = strcasestr(line, name);

	if (!p)
		return NULL;
	p += strlen(name);
	if (*p == '"')
		return xstrndup(p + 1, strcspn(p + 1, "\""));
	return xstrndup(p, strcspn(p, "; \t"));
}

static bool attribute_is(const char *line, const char *name, const char *value)
{
	AUTO_FREE char *found = attribute(line, name);

	return found && strcasecmp(found, value) == 0;
}

int mime_note_header(struct mime *m, const char *line, struct error *e)
{
	AUTO_FREE char *boundary = NULL;
	AUTO_FREE char *charset = NULL;

	if (header_value(line, "Content-Transfer-Encoding")) {
		m->encoding = strcasestr(line, "base64")	     ? TEXT_BASE64
			      : strcasestr(line, "quoted-printable") ? TEXT_QP
								     : TEXT_PLAIN;
		return 0;
	}
	if (!header_value(line, "Content-Type"))
		return 0;
	m->flowed = attribute_is(line, "format=", "flowed");
	m->delsp = attribute_is(line, "delsp=", "yes");
	charset = attribute(line, "charset=");
	(void)snprintf(m->charset, sizeof(m->charset), "%s", charset ? charset : "");
	boundary = attribute(line, "boundary=");
	if (!boundary)
		return 0;
	if (m->depth == MESSAGE_MAX_DEPTH)
		return error_set(e, ERR_LIMIT, "its MIME parts are nested more than %d deep",
			MESSAGE_MAX_DEPTH);
	m->boundaries[m->depth++] = xasprintf("--%s", boundary);
	return 0;
}

static bool is_boundary(const struct mime *m, const char *line, size_t len)
{
	const char *boundary = m->depth ? m->boundaries[m->depth - 1] : NULL;
	size_t n = boundary ? strlen(boundary) : 0;

	return boundary && n <= len && memcmp(line, boundary, n) == 0;
}

/* To the next boundary line, which is taken. */
static bool skip_to_boundary(struct mime *m, const char **ret_line, size_t *ret_len)
{
	while (m->next < m->end) {
		*ret_line = take_line(m, ret_len);
		if (is_boundary(m, *ret_line, *ret_len))
			return true;
	}
	return false;
}

int mime_set_field(char **field, const char *value, struct error *e)
{
	AUTO_STRBUF struct strbuf text;
	int r;

	strbuf_init(&text, MESSAGE_MAX_HEADER);
	r = text_decode_words(value, &text, e);
	if (r)
		return r;
	free(*field);
	*field = strbuf_detach(&text, NULL);
	return 0;
}

/* The headers of a part: a From, Subject or Date that the mail itself lacks counts too. */
static int part_headers(struct mime *m, char *fields[FIELDS], struct error *e)
{
	static const char *const names[FIELDS] = {"From", "Subject", "Date"};
	AUTO_STRBUF struct strbuf line;
	size_t len;
	int r;

	strbuf_init(&line, MESSAGE_MAX_HEADER);
	m->encoding = TEXT_PLAIN;
	m->charset[0] = '\0';
	m->header_bytes = 0;
	if (++m->parts > MESSAGE_MAX_PARTS)
		return error_set(e, ERR_LIMIT, "it has more than %d MIME parts", MESSAGE_MAX_PARTS);
	while (m->next < m->end && (r = mime_header(m, &line, e))) {
		int field;

		if (r < 0)
			return r;
		field = field_of(line.buf);
		if (field >= 0 && !fields[field])
			r = mime_set_field(&fields[field], header_value(line.buf, names[field]), e);
		else
			r = mime_note_header(m, line.buf, e);
		if (r < 0)
			return r;
	}
	/* The line that ends them belongs to no part. */
	(void)take_line(m, &len);
	return 0;
}

/* At a boundary line: into the next part. 1, or 0 where there is none. */
static int enter_part(
	struct mime *m, const char *line, size_t len, char *fields[FIELDS], struct error *e)
{
	bool first = true;
	int r;

	for (;;) {
		size_t n = strlen(m->boundaries[m->depth - 1]);

		if (len < n + 2 || line[n] != '-' || line[n + 1] != '-')
			break;
		free(m->boundaries[--m->depth]);
		/* git lets one empty line stand for however many parts end together. */
		r = first ? filter_line(&m->filter, "\n", 1, m->charset, e) : 0;
		if (r)
			return r;
		first = false;
		if (!skip_to_boundary(m, &line, &len))
			return 0;
	}
	r = part_headers(m, fields, e);
	if (r)
		return r;
	return m->next < m->end;
}

/*
 * Lines of a format=flowed part: soft breaks are mended, for the log message may need them. A diff
 * cannot be mended, its trailing and leading spaces are gone.
 */
static int flowed_line(
	struct mime *m, struct strbuf *joined, const char *line, size_t len, struct error *e)
{
	size_t text = len;
	int r;

	m->flowed_diff |= m->filter.in_diff;
	while (text && (line[text - 1] == '\n' || line[text - 1] == '\r'))
		text--;
	if (text == 3 && memcmp(line, "-- ", 3) == 0) {
		/* A signature's separator looks like a soft break. */
		if (joined->len) {
			r = filter_line(&m->filter, joined->buf, joined->len, m->charset, e);
			strbuf_truncate(joined, 0);
			if (r)
				return r;
		}
		return filter_line(&m->filter, line, len, m->charset, e);
	}
	if (text && *line == ' ') {
		line++;
		len--;
		text--;
	}
	if (text && line[text - 1] == ' ') {
		(void)strbuf_add(joined, line, text - m->delsp);
		return 0;
	}
	(void)strbuf_add(joined, line, len);
	r = filter_line(&m->filter, joined->buf, joined->len, m->charset, e);
	m->flowed_diff |= m->filter.in_diff;
	strbuf_truncate(joined, 0);
	return r;
}

/* One part's text, decoded if need be, line by line. */
static int feed_part(struct mime *m, const char *start, const char *end, struct error *e)
{
	AUTO_STRBUF struct strbuf decoded;
	AUTO_STRBUF struct strbuf joined;
	const char *p = start;

	strbuf_init(&decoded, (size_t)(end - start) + 16);
	strbuf_init(&joined, (size_t)(end - start) + 16);
	if (m->encoding != TEXT_PLAIN) {
		text_decode(m->encoding, start, (size_t)(end - start), &decoded);
		p = decoded.buf;
		end = p + decoded.len;
	}
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl ? (size_t)(nl + 1 - p) : (size_t)(end - p);
		int r = m->flowed ? flowed_line(m, &joined, p, len, e)
				  : filter_line(&m->filter, p, len, m->charset, e);

		if (r)
			return r;
		p += len;
	}
	if (joined.len)
		return filter_line(&m->filter, joined.buf, joined.len, m->charset, e);
	return 0;
}

int mime_body(struct mime *m, char *fields[FIELDS], struct error *e)
{
	const char *line;
	size_t len;
	int r = 1;

	if (m->depth) {
		(void)take_line(m, &len); /* what ends the headers */
		if (!skip_to_boundary(m, &line, &len))
			return filter_finish(&m->filter, e);
		r = enter_part(m, line, len, fields, e);
	}
	while (r > 0) {
		const char *start = m->next;
		bool boundary = false;

		/* git takes the first line of a part for text whatever it says. */
		line = take_line(m, &len);
		while (m->next < m->end && !boundary) {
			line = take_line(m, &len);
			boundary = is_boundary(m, line, len);
		}
		r = feed_part(m, start, boundary ? line : m->next, e);
		if (r || !boundary)
			break;
		r = enter_part(m, line, len, fields, e);
	}
	if (r < 0)
		return r;
	return filter_finish(&m->filter, e);
}

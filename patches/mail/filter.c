/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/mailinfo.h"

static const char *const field_names[FIELDS] = {"From", "Subject", "Date"};

void filter_init(struct filter *f, size_t max)
{
	*f = (struct filter){0};
	strbuf_init(&f->pending, MESSAGE_MAX_HEADER);
	strbuf_init(&f->body, max);
	strbuf_init(&f->diff, max);
}

void filter_done(struct filter *f)
{
	for (size_t i = 0; i < FIELDS; i++)
		free(f->inbody[i]);
	strbuf_done(&f->pending);
	strbuf_done(&f->body);
	strbuf_done(&f->diff);
}

const char *header_value(const char *line, const char *name)
{
	if (!text_istarts(line, name) || line[strlen(name)] != ':')
		return NULL;
	for (line += strlen(name) + 1; text_is_space(*line); line++)
		;
	return line;
}

int field_of(const char *line)
{
	for (int i = 0; i < FIELDS; i++)
		if (header_value(line, field_names[i]))
			return i;
	return -1;
}

void subject_clean(char *subject)
{
	char *p = subject;
	char *close;

	for (;;) {
		if (text_istarts(p, "re:") && p[3])
			p += 3;
		else if (*p == ' ' || *p == '\t' || *p == ':')
			p++;
		else if (*p == '[' && (close = strchr(p, ']')))
			p = close + 1;
		else
			break;
	}
	memmove(subject, p, strlen(p) + 1);
	text_trim(subject);
}

/* The header that was gathered is complete. */
static int flush_pending(struct filter *f, struct error *e)
{
	AUTO_STRBUF struct strbuf value;
	int field = field_of(f->pending.buf);
	int r;

	strbuf_init(&value, MESSAGE_MAX_HEADER);
	if (!f->pending.len)
		return 0;
	if (f->pending.overflow)
		return error_set(e, ERR_LIMIT, "a header in its body is longer than %zu bytes",
			f->pending.max);
	r = text_decode_words(header_value(f->pending.buf, field_names[field]), &value, e);
	if (r)
		return r;
	f->inbody[field] = strbuf_detach(&value, NULL);
	strbuf_truncate(&f->pending, 0);
	return 0;
}

/* ">From COMMIT Mon Sep 17 00:00:00 2001": what format-patch wrote, pasted whole. */
static bool is_pasted_separator(const char *line, size_t len)
{
	static const char stamp[] = " Mon Sep 17 00:00:00 2001\n";

	return len == 6 + 40 + sizeof(stamp) - 1 && starts_with(line, ">From ") &&
	       strspn(line + 6, "0123456789abcdef") == 40 && streq(line + 46, stamp);
}

/* Is the line (NUL-terminated) part of the headers in the body? Takes it if so. */
static int take_inbody(
	struct filter *f, const char *line, size_t len, bool *ret_taken, struct error *e)
{
	int field;
	int r;

	*ret_taken = true;
	if (f->pending.len && (*line == ' ' || *line == '\t')) {
		strbuf_truncate(
			&f->pending, f->pending.len - (f->pending.buf[f->pending.len - 1] == '\n'));
		(void)strbuf_add(&f->pending, line, len);
		return 0;
	}
	r = flush_pending(f, e);
	if (r)
		return r;
	if (starts_with(line, ">From") && text_is_space(line[5])) {
		*ret_taken = is_pasted_separator(line, len);
		return 0;
	}
	if (starts_with(line, "[PATCH]") && text_is_space(line[7])) {
		free(f->inbody[FIELD_SUBJECT]);
		f->inbody[FIELD_SUBJECT] = xstrdup(line);
		return 0;
	}
	field = field_of(line);
	if (field >= 0 && !f->inbody[field])
		(void)strbuf_add(&f->pending, line, len);
	else
		*ret_taken = false;
	return 0;
}

/* The line where the diff begins: "diff -", "Index: ", "--- FILE", or a bare "---". */
static bool begins_diff(const char *line, size_t len)
{
	if (starts_with(line, "diff -") || starts_with(line, "Index: "))
		return true;
	if (len < 4 || !starts_with(line, "---"))
		return false;
	if (line[3] == ' ' && !text_is_space(line[4]))
		return true;
	for (size_t i = 3; i < len && text_is_space(line[i]); i++)
		if (line[i] == '\n')
			return true;
	return false;
}

/* A line before the diff. *ret_diff: the diff begins with it. */
static int take_text(struct filter *f, const char *line, size_t len, const char *charset,
	bool *ret_diff, struct error *e)
{
	AUTO_STRBUF struct strbuf utf8;
	bool taken = false;
	int r;

	strbuf_init(&utf8, f->body.max);
	if (!f->past_headers && (!len || (len == 1 && *line == '\n'))) {
		if (!f->pending.len)
			return 0;
		f->past_headers = true;
		return flush_pending(f, e);
	}
	if (!f->past_headers) {
		r = take_inbody(f, line, len, &taken, e);
		if (r || taken)
			return r;
		f->past_headers = true;
	}
	r = text_to_utf8(charset, line, len, &utf8, e);
	if (r)
		return r;
	*ret_diff = begins_diff(utf8.buf, utf8.len);
	if (*ret_diff)
		(void)strbuf_add(&f->diff, utf8.buf, utf8.len);
	else
		(void)strbuf_add(&f->body, utf8.buf, utf8.len);
	return 0;
}

int filter_line(
	struct filter *f, const char *line, size_t len, const char *charset, struct error *e)
{
	AUTO_FREE char *text = NULL;

	if (f->in_diff) {
		(void)strbuf_add(&f->diff, line, len);
		return 0;
	}
	/* It may hold NUL bytes. */
	text = xmalloc(len + 1);
	memcpy(text, line, len);
	text[len] = '\0';
	return take_text(f, text, len, charset, &f->in_diff, e);
}

int filter_finish(struct filter *f, struct error *e)
{
	int r = flush_pending(f, e);

	if (r)
		return r;
	if (f->body.overflow || f->diff.overflow)
		return error_set(e, ERR_LIMIT, "its text is longer than %zu bytes", f->body.max);
	return 0;
}

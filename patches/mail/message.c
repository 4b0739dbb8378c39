/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/message.h"

#include "patches/mail/address.h"
#include "patches/mail/date.h"
#include "patches/mail/mime.h"

#include <gmime/gmime.h>

struct message *message_free(struct message *m)
{
	if (!m)
		return NULL;
	free(m->subject);
	free(m->author_name);
	free(m->author_email);
	free(m->date);
	free(m->body);
	free(m->diff);
	free(m->full_subject);
	free(m->sender_email);
	free(m->message_id);
	for (size_t i = 0; i < m->n_references; i++)
		free(m->references[i]);
	free((void *)m->references);
	free(m->refused);
	free(m);
	return NULL;
}

/* "<id>" or what stands for it, without brackets and white space; NULL where it is empty. */
static char *id_of(const char *value)
{
	const char *open = strchr(value, '<');
	const char *close = open ? strchr(open, '>') : NULL;
	char *id = close ? xstrndup(open + 1, (size_t)(close - open) - 1) : xstrdup(value);

	text_trim(id);
	if (*id)
		return id;
	free(id);
	return NULL;
}

/* Every "<id>" of a header, the last one first. */
static void add_references(struct message *m, const char *value)
{
	const char *p = value + strlen(value);
	const char *close = NULL;

	while (p > value && m->n_references < MESSAGE_MAX_REFERENCES) {
		p--;
		if (*p == '>')
			close = p;
		if (*p != '<' || !close || close - p < 2)
			continue;
		m->references =
			xgrow((void *)m->references, m->n_references, sizeof(*m->references));
		m->references[m->n_references++] = xstrndup(p + 1, (size_t)(close - p) - 1);
		close = NULL;
	}
}

/* In-Reply-To names the parent; it goes before References, whose order is oldest first. */
struct threading {
	struct strbuf in_reply_to;
	struct strbuf references;
};

static int read_headers(struct mime *m, char *fields[FIELDS], struct message *msg,
	struct threading *t, struct error *e)
{
	AUTO_STRBUF struct strbuf line;
	int r;

	strbuf_init(&line, MESSAGE_MAX_HEADER);
	while ((r = mime_header(m, &line, e)) > 0) {
		static const char *const names[FIELDS] = {"From", "Subject", "Date"};
		int field = field_of(line.buf);
		const char *value;

		if (field >= 0)
			r = mime_set_field(&fields[field], header_value(line.buf, names[field]), e);
		else
			r = mime_note_header(m, line.buf, e);
		if (r < 0)
			return r;
		if ((value = header_value(line.buf, "Message-ID")) && !msg->message_id)
			msg->message_id = id_of(value);
		else if ((value = header_value(line.buf, "In-Reply-To")))
			(void)strbuf_adds(&t->in_reply_to, value);
		else if ((value = header_value(line.buf, "References")))
			(void)strbuf_adds(&t->references, value);
	}
	return r;
}

static char *cleaned(const char *text)
{
	char *s = xstrdup(text ? text : "");

	text_collapse(s);
	return s;
}

/* The in-body header counts where there is a diff, else the mail's own. */
static const char *field_value(const struct mime *m, char *const fields[FIELDS], enum field field)
{
	const char *inbody = m->filter.diff.len ? m->filter.inbody[field] : NULL;

	return inbody ? inbody : fields[field] ? fields[field] : "";
}

static void fill(struct message *msg, struct mime *m, char *const fields[FIELDS])
{
	AUTO_FREE char *from = cleaned(field_value(m, fields, FIELD_FROM));
	AUTO_FREE char *sender = cleaned(fields[FIELD_FROM]);
	AUTO_FREE char *sender_name = NULL;
	int offset_min;

	address_parse(from, &msg->author_name, &msg->author_email);
	address_parse(sender, &sender_name, &msg->sender_email);
	msg->subject = xstrdup(field_value(m, fields, FIELD_SUBJECT));
	subject_clean(msg->subject);
	text_collapse(msg->subject);
	msg->full_subject = cleaned(fields[FIELD_SUBJECT]);
	text_trim(msg->full_subject);
	msg->date = cleaned(field_value(m, fields, FIELD_DATE));
	if (!fields[FIELD_DATE] || date_parse(fields[FIELD_DATE], &msg->sent_s, &offset_min) != 0)
		msg->sent_s = 0;
	msg->body = strbuf_detach(&m->filter.body, &msg->body_len);
	msg->diff = strbuf_detach(&m->filter.diff, &msg->diff_len);
	if (m->flowed_diff)
		msg->refused = xstrdup("it was sent as format=flowed, which wraps lines and loses "
				       "white space: send it again with git send-email, or turn "
				       "format=flowed off");
}

int message_parse(const char *data, size_t len, struct message **ret_message, struct error *e)
{
	AUTO_MESSAGE struct message *msg = xcalloc(1, sizeof(*msg));
	struct threading t;
	char *fields[FIELDS] = {NULL};
	struct mime m;
	int r;

	mime_init(&m, data, len);
	strbuf_init(&t.in_reply_to, MESSAGE_MAX_HEADERS);
	strbuf_init(&t.references, MESSAGE_MAX_HEADERS);
	r = read_headers(&m, fields, msg, &t, e);
	if (!r)
		r = mime_body(&m, fields, e);
	if (!r) {
		add_references(msg, t.in_reply_to.buf);
		add_references(msg, t.references.buf);
		fill(msg, &m, fields);
		*ret_message = steal_ptr(msg);
	}
	for (size_t i = 0; i < FIELDS; i++)
		free(fields[i]);
	strbuf_done(&t.in_reply_to);
	strbuf_done(&t.references);
	mime_done(&m);
	return r;
}

char *message_find_id(const char *data, size_t len)
{
	const char *end = data + len;

	while (data < end && *data != '\n') {
		const char *nl = memchr(data, '\n', (size_t)(end - data));
		size_t n = nl ? (size_t)(nl - data) : (size_t)(end - data);

		if (n > 11 && n < 2000 && text_istarts(data, "message-id:")) {
			AUTO_FREE char *value = xstrndup(data + 11, n - 11);

			return id_of(value);
		}
		data += n + (nl != NULL);
	}
	return NULL;
}

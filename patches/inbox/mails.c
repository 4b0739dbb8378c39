/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/mails.h"

#include "patches/mail/mbox.h"

/* What public-inbox writes, and what makes readers take one '>' off. */
#define SEPARATOR "From mboxrd@z Thu Jan  1 00:00:00 1970\n"

void mails_init(struct mails *m)
{
	*m = (struct mails){0};
	series_set_init(&m->set);
}

void mails_done(struct mails *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		free(m->raw[i].data);
	free(m->raw);
	series_set_done(&m->set);
	mails_init(m);
}

void mails_add(struct mails *m, const char *data, size_t len, int64_t part)
{
	AUTO_FREE char *id = NULL;
	AUTO_MESSAGE struct message *message = NULL;
	struct error why = ERROR_INIT;

	if (message_parse(data, len, &message, &why)) {
		id = message_find_id(data, len);
		series_set_unread(&m->set, id, "it cannot be read: %s", why.msg);
		return;
	}
	if (!message->message_id || strlen(message->message_id) > MAILS_MAX_ID) {
		series_set_unread(&m->set, NULL, "it has no message id%s: \"%.200s\"",
			message->message_id ? " of a sane length" : "", message->full_subject);
		return;
	}
	m->raw = xgrow(m->raw, m->n, sizeof(*m->raw));
	m->raw[m->n] = (struct mails_raw){xmalloc(len + 1), len, part};
	memcpy(m->raw[m->n].data, data, len);
	m->raw[m->n].data[len] = '\0';
	m->n++;
	series_set_add(&m->set, steal_ptr(message));
}

int mails_add_mbox(struct mails *m, const char *data, size_t len, int64_t part, struct error *e)
{
	AUTO_STRBUF struct strbuf text;
	struct mbox mbox;
	int r = mbox_init(&mbox, data, len, MBOX_MAX_BYTES, MBOX_MAX_MESSAGES, e);

	strbuf_init(&text, MBOX_MAX_BYTES);
	if (r)
		return r;
	while ((r = mbox_next(&mbox, &text, e)) > 0) {
		const char *at = text.buf;
		size_t skip = 0;

		/* The separator is the mailbox's, not the mail's. */
		if (text.len >= 5 && memcmp(at, "From ", 5) == 0)
			skip = strcspn(at, "\n") + 1;
		skip = MIN_OF(skip, text.len);
		mails_add(m, at + skip, text.len - skip, part);
	}
	return r;
}

void mails_take_back(struct mails *m, const char *message_id)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct message *message = m->set.messages[i];

		if (streq(message->message_id, message_id)) {
			(void)message_free(message);
			free(m->raw[i].data);
			continue;
		}
		m->set.messages[kept] = message;
		m->raw[kept++] = m->raw[i];
	}
	m->n = kept;
	m->set.n_messages = kept;
}

void mails_assemble(struct mails *m)
{
	series_set_assemble(&m->set);
}

static const struct message **list_messages(const struct series *s, bool own, size_t *ret_n)
{
	const struct message **all = xcalloc(s->n_patches + s->n_replies + 1, sizeof(*all));
	size_t n = 0;

	/* A partial reroll has no cover letter of its own. */
	if (s->cover && !(own && s->partial))
		all[n++] = s->cover;
	for (size_t i = 0; i < s->n_patches; i++)
		if (!(own && s->patches[i].carried))
			all[n++] = s->patches[i].message;
	for (size_t i = 0; i < s->n_replies; i++)
		all[n++] = s->replies[i];
	*ret_n = n;
	return all;
}

const struct message **series_messages(const struct series *s, size_t *ret_n)
{
	return list_messages(s, false, ret_n);
}

const struct message **series_own_messages(const struct series *s, size_t *ret_n)
{
	return list_messages(s, true, ret_n);
}

const struct mails_raw *mails_raw_of(const struct mails *m, const struct message *message)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->set.messages[i] == message)
			return &m->raw[i];
	return NULL;
}

int mails_write_one(const char *data, size_t len, struct strbuf *out)
{
	const char *end = data + len;

	(void)strbuf_adds(out, SEPARATOR);
	while (data < end) {
		const char *nl = memchr(data, '\n', (size_t)(end - data));
		size_t n = nl ? (size_t)(nl - data) + 1 : (size_t)(end - data);
		size_t quotes = 0;

		while (quotes < n && data[quotes] == '>')
			quotes++;
		if (n - quotes >= 5 && memcmp(data + quotes, "From ", 5) == 0)
			(void)strbuf_addc(out, '>');
		(void)strbuf_add(out, data, n);
		data += n;
	}
	if (len && end[-1] != '\n')
		(void)strbuf_addc(out, '\n');
	(void)strbuf_addc(out, '\n');
	return out->overflow ? ERR_LIMIT : 0;
}

static int write_own(
	const struct mails *m, const struct series *s, struct strbuf *out, struct error *e)
{
	size_t n;
	AUTO_FREE const struct message **all = series_own_messages(s, &n);

	for (size_t i = 0; i < n; i++) {
		const struct mails_raw *raw = mails_raw_of(m, all[i]);

		if (raw && mails_write_one(raw->data, raw->len, out))
			return error_set(e, ERR_LIMIT,
				"\"%.200s\" has more than the limit of %zu bytes", s->title,
				out->max);
	}
	return 0;
}

int mails_write(const struct mails *m, const struct series *s, struct strbuf *out, struct error *e)
{
	AUTO_FREE const struct series **chain = xcalloc(m->set.n_series + 1, sizeof(*chain));
	size_t n = 0;
	int r = 0;

	/* No chain of versions goes round. */
	for (const struct series *at = s; at; at = at->partial ? at->previous : NULL)
		chain[n++] = at;
	while (n && !r)
		r = write_own(m, chain[--n], out, e);
	return r;
}

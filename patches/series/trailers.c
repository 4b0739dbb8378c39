/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/trailers.h"

#include "patches/mail/text.h"

const char *prerequisite_name(enum prerequisite_kind kind)
{
	static const char *const names[] = {"patch-id", "message-id", "change-id", "text"};

	return names[kind];
}

static void add_prerequisite(struct series *s, enum prerequisite_kind kind, const char *value)
{
	for (size_t i = 0; i < s->n_prerequisites; i++)
		if (s->prerequisites[i].kind == kind && streq(s->prerequisites[i].value, value))
			return;
	if (s->n_prerequisites == TRAILERS_MAX)
		return;
	s->prerequisites = xgrow(s->prerequisites, s->n_prerequisites, sizeof(*s->prerequisites));
	s->prerequisites[s->n_prerequisites++] = (struct prerequisite){kind, xstrdup(value)};
}

static bool is_object_id(const char *s)
{
	return strlen(s) == 40 && strspn(s, "0123456789abcdef") == 40;
}

/* The message id in what Depends-on: says: in angle brackets, or at the end of an archive's
 * address. Else NULL. */
static char *find_message_id(const char *text)
{
	const char *open = strchr(text, '<');
	const char *close = open ? strchr(open, '>') : NULL;
	const char *scheme = strstr(text, "://");
	const char *at;

	if (close && memchr(open, '@', (size_t)(close - open)))
		return xstrndup(open + 1, (size_t)(close - open - 1));
	at = scheme ? strchr(scheme, '@') : NULL;
	if (!at)
		return NULL;
	for (open = at; *open != '/'; open--)
		if (*open == ' ')
			return NULL;
	return xstrndup(open + 1, strcspn(open + 1, "/ \t#?"));
}

/* Depends-on: names a mail, or says in words what it means: a title without its brackets. */
static void add_depends_on(struct series *s, const char *value)
{
	AUTO_FREE char *id = find_message_id(value);

	if (id)
		add_prerequisite(s, PREREQUISITE_MESSAGE_ID, id);
	else
		add_prerequisite(s, PREREQUISITE_TEXT, value);
}

/* "prerequisite-change-id: CHANGE:v2" and "prerequisite-message-id: <ID>" as b4 writes them. */
static void take_line(struct series *s, const char *line, size_t len)
{
	static const struct {
		const char *name;
		enum prerequisite_kind kind;
	} lines[] = {
		{"prerequisite-patch-id:", PREREQUISITE_PATCH_ID},
		{"prerequisite-message-id:", PREREQUISITE_MESSAGE_ID},
		{"prerequisite-change-id:", PREREQUISITE_CHANGE_ID},
		{"Depends-on:", PREREQUISITE_TEXT},
	};
	AUTO_FREE char *text = xstrndup(line, len);
	char *value = strchr(text, ':');

	if (!value)
		return;
	text_trim(++value);
	if (starts_with(text, "base-commit:") && is_object_id(value) && !s->base_commit)
		s->base_commit = xstrdup(value);
	if (starts_with(text, "change-id:") && *value && !s->change_id)
		s->change_id = xstrdup(value);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		size_t n = strlen(value);

		if (!text_istarts(text, lines[i].name) || !n)
			continue;
		if (lines[i].kind == PREREQUISITE_PATCH_ID && !is_object_id(value))
			continue;
		if (lines[i].kind == PREREQUISITE_TEXT) {
			add_depends_on(s, value);
			continue;
		}
		if (*value == '<' && value[n - 1] == '>' && n > 2) {
			value[n - 1] = '\0';
			value++;
		}
		add_prerequisite(s, lines[i].kind, value);
	}
}

/* Lines of a diff begin with a space, a sign or a header's word, never with these names. */
static void read_text(struct series *s, const char *p, size_t len)
{
	const char *end = p + len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl ? (size_t)(nl - p) : (size_t)(end - p);

		if (n > 10 && n < 1000 && strchr("bcpdD", *p) && memchr(p, ':', MIN_OF(n, 30)))
			take_line(s, p, n);
		p += n + (nl != NULL);
	}
}

void trailers_read(struct series *s, const struct message *m)
{
	read_text(s, m->body, m->body_len);
	read_text(s, m->diff, m->diff_len);
}

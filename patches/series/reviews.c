/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reviewed-by and its like, from the patches and from the replies to them. */
#include "patches/mail/address.h"
#include "patches/mail/text.h"
#include "patches/series/assembly.h"
#include "patches/series/trailers.h"

#define NAME_MAX_BYTES 40
#define VALUE_MAX_BYTES 300

/* "Reviewed-by:": the length of the name before the colon; 0: the line is no such trailer. */
static size_t name_length(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && n <= NAME_MAX_BYTES &&
		((text_lower(line[n]) >= 'a' && text_lower(line[n]) <= 'z') || line[n] == '-'))
		n++;
	if (n < 4 || n > NAME_MAX_BYTES || n == len || line[n] != ':')
		return 0;
	return strncasecmp(line + n - 3, "-by", 3) == 0 ? n : 0;
}

/* The address without what follows a '+' in its local part; lower case. Heap. */
static char *address_of(const char *value)
{
	char *name;
	char *email;
	char *at;
	char *plus;

	address_parse(value, &name, &email);
	free(name);
	for (char *p = email; *p; p++)
		*p = text_lower(*p);
	at = strrchr(email, '@');
	plus = strchr(email, '+');
	if (at && plus && plus < at)
		memmove(plus, at, strlen(at) + 1);
	return email;
}

static char *refusal(const char *value, const struct message *m)
{
	AUTO_FREE char *named = address_of(value);
	AUTO_FREE char *sender = address_of(m->sender_email);

	if (!*named)
		return xstrdup("it names no address, so nobody can tell who gave it");
	if (streq(named, sender))
		return NULL;
	return xasprintf("it names %.100s, and the mail with it came from %.100s: only who it "
			 "names can give it",
		named, *sender ? sender : "nobody");
}

/* What counts already is not refused because somebody else says it too. */
static bool has_trailer(const struct series *s, const struct series_trailer *t)
{
	for (size_t i = 0; i < s->n_trailers; i++)
		if (s->trailers[i].patch == t->patch &&
			strcasecmp(s->trailers[i].name, t->name) == 0 &&
			streq(s->trailers[i].value, t->value) &&
			(!s->trailers[i].refused || t->refused))
			return true;
	return false;
}

static void trailer_done(struct series_trailer *t)
{
	free(t->name);
	free(t->value);
	free(t->refused);
}

/* Takes it over. */
static void add_trailer(struct series *s, struct series_trailer *t)
{
	if (s->n_trailers == TRAILERS_MAX || has_trailer(s, t)) {
		trailer_done(t);
		return;
	}
	s->trailers = xgrow(s->trailers, s->n_trailers, sizeof(*s->trailers));
	s->trailers[s->n_trailers++] = *t;
}

static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl : end;
}

/* A value that was wrapped, which mail programs do before the address. */
static char *take_value(const char *p, const char **next, const char *end)
{
	const char *stop = line_end(p, end);
	char *value = xstrndup(p, MIN_OF((size_t)(stop - p), VALUE_MAX_BYTES));

	if (!strchr(value, '@') && stop + 1 < end && (stop[1] == ' ' || stop[1] == '\t')) {
		const char *second = stop + 1;
		AUTO_FREE char *first = value;

		stop = line_end(second, end);
		value = xasprintf(
			"%s %.*s", first, (int)MIN_OF(stop - second, VALUE_MAX_BYTES), second);
	}
	text_collapse(value);
	text_trim(value);
	*next = stop;
	return value;
}

/* Below the signature nobody says anything; what a reply proposes as a diff has its own. */
static bool ends_text(const char *p, size_t len)
{
	return (len >= 2 && memcmp(p, "--", 2) == 0 && (len == 2 || (len == 3 && p[2] == ' '))) ||
	       (len > 5 && memcmp(p, "diff -", 6) == 0);
}

static void read_text(
	struct series *s, const struct message *m, int patch, bool reply, const char *p, size_t len)
{
	const char *end = p + len;

	while (p < end) {
		const char *stop = line_end(p, end);
		size_t n = name_length(p, (size_t)(stop - p));

		if (ends_text(p, (size_t)(stop - p)))
			return;
		/* Signing off is what sends a patch on; a reply does not do that. */
		if (n && !(reply && n == 13 && strncasecmp(p, "Signed-off-by", 13) == 0)) {
			struct series_trailer t = {.name = xstrndup(p, n),
				.value = take_value(p + n + 1, &stop, end),
				.patch = patch,
				.message = m,
				.reply = reply};

			t.refused = reply ? refusal(t.value, m) : NULL;
			add_trailer(s, &t);
		}
		p = stop + (stop < end);
	}
}

/* What was said of a patch that a partial reroll did not send again still holds. */
static void carry_over(const struct series_set *set, struct series *s, const size_t *own)
{
	for (const struct series *old = s->previous; old; old = old->partial ? old->previous : NULL)
		for (size_t i = 0; i < own[old - set->series]; i++) {
			const struct series_trailer *t = &old->trailers[i];
			struct series_trailer copy = *t;
			bool carried = false;

			for (size_t p = 0; p < s->n_patches && t->patch; p++)
				carried |= s->patches[p].n == t->patch && s->patches[p].carried &&
					   s->patches[p].version == old->version;
			if (!carried)
				continue;
			copy.name = xstrdup(t->name);
			copy.value = xstrdup(t->value);
			copy.refused = xstrdup_null(t->refused);
			add_trailer(s, &copy);
		}
}

void assembly_collect_trailers(struct assembly *a, const size_t *numbers, const size_t *targets)
{
	struct series_set *set = a->set;
	AUTO_FREE size_t *own = xcalloc(set->n_series + 1, sizeof(*own));

	for (size_t i = 0; i < set->n_series; i++) {
		struct series *s = &set->series[i];

		for (size_t p = 0; p < s->n_patches; p++)
			if (!s->patches[p].carried)
				read_text(s, s->patches[p].message, s->patches[p].n, false,
					s->patches[p].message->body,
					s->patches[p].message->body_len);
	}
	for (size_t i = 0; i < a->n; i++) {
		const struct message *m = a->mails[i].m;
		const struct mail *target;

		if (targets[i] == THREADS_NONE)
			continue;
		target = &a->mails[targets[i]];
		for (int part = 0; part < 2; part++)
			read_text(&set->series[numbers[target->group]], m,
				target->role == ROLE_PATCH ? target->place : 0, true,
				part ? m->diff : m->body, part ? m->diff_len : m->body_len);
	}
	for (size_t i = 0; i < set->n_series; i++)
		own[i] = set->series[i].n_trailers;
	for (size_t i = 0; i < set->n_series; i++)
		if (set->series[i].partial)
			carry_over(set, &set->series[i], own);
}

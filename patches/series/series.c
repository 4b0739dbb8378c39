/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/series.h"

#include "patches/mail/mbox.h"
#include "patches/series/assembly.h"

void series_set_init(struct series_set *set)
{
	*set = (struct series_set){0};
}

static void series_done(struct series *s)
{
	free(s->title);
	free(s->patches);
	free((void *)s->replies);
	free(s->held);
	free(s->base_commit);
	free(s->change_id);
	for (size_t i = 0; i < s->n_prerequisites; i++)
		free(s->prerequisites[i].value);
	free(s->prerequisites);
	for (size_t i = 0; i < s->n_trailers; i++) {
		free(s->trailers[i].name);
		free(s->trailers[i].value);
		free(s->trailers[i].refused);
	}
	free(s->trailers);
}

void series_set_done(struct series_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n_series; i++)
		series_done(&set->series[i]);
	for (size_t i = 0; i < set->n_ignored; i++) {
		free(set->ignored[i].message_id);
		free(set->ignored[i].why);
	}
	for (size_t i = 0; i < set->n_messages; i++)
		(void)message_free(set->messages[i]);
	free(set->series);
	free(set->ignored);
	free((void *)set->messages);
	series_set_init(set);
}

void series_set_add(struct series_set *set, struct message *m)
{
	set->messages = xgrow((void *)set->messages, set->n_messages, sizeof(*set->messages));
	set->messages[set->n_messages++] = m;
}

const char *ignored_name(enum ignored_kind kind)
{
	static const char *const names[] = {
		"unreadable", "talk", "pull-request", "double", "stray", "comment"};

	return names[kind];
}

static void PRINTF_LIKE(5, 0) ignore(struct series_set *set, enum ignored_kind kind,
	const struct message *m, const char *message_id, const char *fmt, va_list ap)
{
	char why[512];

	(void)vsnprintf(why, sizeof(why), fmt, ap);
	set->ignored = xgrow(set->ignored, set->n_ignored, sizeof(*set->ignored));
	set->ignored[set->n_ignored++] =
		(struct series_ignored){kind, m, xstrdup_null(message_id), xstrdup(why)};
}

void series_set_unread(struct series_set *set, const char *message_id, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ignore(set, IGNORED_UNREADABLE, NULL, message_id, fmt, ap);
	va_end(ap);
}

void assembly_ignore(
	struct assembly *a, const struct message *m, enum ignored_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ignore(a->set, kind, m, m->message_id, fmt, ap);
	va_end(ap);
}

int series_set_read(struct series_set *set, const char *data, size_t len, struct error *e)
{
	AUTO_STRBUF struct strbuf text;
	struct mbox mbox;
	int r;

	strbuf_init(&text, MBOX_MAX_BYTES);
	r = mbox_init(&mbox, data, len, MBOX_MAX_BYTES, MBOX_MAX_MESSAGES, e);
	if (r)
		return r;
	while ((r = mbox_next(&mbox, &text, e)) > 0) {
		AUTO_FREE char *id = NULL;
		struct message *m;
		struct error why = ERROR_INIT;

		if (message_parse(text.buf, text.len, &m, &why) == 0) {
			series_set_add(set, m);
			continue;
		}
		id = message_find_id(text.buf, text.len);
		series_set_unread(set, id, "message %zu cannot be read: %s", mbox.count, why.msg);
	}
	if (r)
		return r;
	series_set_assemble(set);
	return 0;
}

/* The series that all others are earlier versions of; NULL: there is none. */
static const struct series *newest_version(const struct series_set *set)
{
	AUTO_FREE bool *replaced = xcalloc(set->n_series + 1, sizeof(*replaced));
	const struct series *newest = NULL;

	for (size_t i = 0; i < set->n_series; i++)
		if (set->series[i].previous)
			replaced[set->series[i].previous - set->series] = true;
	/* No chain of versions goes round, so one that is left has all others below it. */
	for (size_t i = 0; i < set->n_series; i++) {
		if (replaced[i])
			continue;
		if (newest)
			return NULL;
		newest = &set->series[i];
	}
	return newest;
}

int series_set_only(const struct series_set *set, const struct series **ret_series, struct error *e)
{
	const struct series *newest = newest_version(set);

	if (!set->n_series && set->n_ignored)
		return error_set(e, ERR_CONFLICT,
			"there is no patch series in it: %zu messages, the first is left out "
			"because: %s",
			set->n_messages + (set->n_messages == 0), set->ignored[0].why);
	if (!set->n_series)
		return error_set(e, ERR_CONFLICT, "there is no patch series in it");
	if (!newest)
		return error_set(e, ERR_CONFLICT,
			"there are %zu series in it (\"%.80s\" v%d, \"%.80s\" v%d%s): submit one "
			"file for each, and say with --needs which goes before which",
			set->n_series, set->series[0].title, set->series[0].version,
			set->series[1].title, set->series[1].version,
			set->n_series > 2 ? ", ..." : "");
	if (newest->held)
		return error_set(e, ERR_CONFLICT, "%s", newest->held);
	*ret_series = newest;
	return 0;
}

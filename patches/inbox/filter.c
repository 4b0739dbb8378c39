/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/filter.h"

#include "patches/git/diff.h"
#include "patches/inbox/authres.h"
#include "patches/mail/mime.h"

/* The word stands in text, with nothing around it that would make it another name. */
static bool names(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strcasestr(p, word)); p++) {
		bool begins = p == text || strchr("<>,:; \t\"", p[-1]);

		if (begins && strchr("<>,:; \t\"", p[n])) /* or the end, a NUL */
			return true;
	}
	return false;
}

bool filter_has_list(const struct words *lists, const char *mail, size_t len)
{
	AUTO_STRBUF struct strbuf line;
	struct mime m;
	bool found = lists->n == 0;

	strbuf_init(&line, MESSAGE_MAX_HEADER);
	mime_init(&m, mail, len);
	while (!found && mime_header(&m, &line, NULL) > 0) {
		const char *value = header_value(line.buf, "List-Id");

		value = value ? value : header_value(line.buf, "To");
		value = value ? value : header_value(line.buf, "Cc");
		for (size_t i = 0; value && i < lists->n; i++)
			found |= names(value, lists->words[i]);
	}
	mime_done(&m);
	return found;
}

static bool is_under(const char *file, const char *path)
{
	size_t n = strlen(path);

	while (n && path[n - 1] == '/')
		n--;
	return strncmp(file, path, n) == 0 && (file[n] == '/' || !file[n]);
}

static bool touches(const struct words *paths, const struct diff_file *f)
{
	for (size_t i = 0; i < paths->n; i++)
		if ((f->old_name && is_under(f->old_name, paths->words[i])) ||
			(f->new_name && is_under(f->new_name, paths->words[i])))
			return true;
	return false;
}

bool filter_has_path(const struct words *paths, const struct series *s)
{
	if (paths->n == 0)
		return true;
	for (size_t i = 0; i < s->n_patches; i++) {
		const struct message *m = s->patches[i].message;
		AUTO_DIFF struct diff *diff = NULL;

		if (diff_parse(m->diff, m->diff_len, &diff, NULL))
			continue;
		for (size_t j = 0; j < diff->n_files; j++)
			if (touches(paths, &diff->files[j]))
				return true;
	}
	return false;
}

static bool is_allowed(const struct words *allow, const char *email)
{
	const char *domain = strrchr(email, '@');

	for (size_t i = 0; i < allow->n; i++) {
		const char *word = allow->words[i];

		if (strcasecmp(word, email) == 0 ||
			(word[0] == '@' && domain && strcasecmp(word, domain) == 0))
			return true;
	}
	return false;
}

bool filter_may_run(
	const struct inbox_filter *f, const struct mails *m, const struct series *s, char **ret_why)
{
	size_t n;
	AUTO_FREE const struct message **all = series_messages(s, &n);

	*ret_why = NULL;
	for (size_t i = 0; i < n - s->n_replies; i++) {
		const struct mails_raw *raw = mails_raw_of(m, all[i]);
		AUTO_FREE char *found = NULL;

		if (!is_allowed(&f->allow, all[i]->sender_email)) {
			*ret_why = xasprintf("its sender %.200s is not among those that may",
				*all[i]->sender_email ? all[i]->sender_email : "(none)");
			return false;
		}
		if (raw && authres_is_authentic(raw->data, raw->len, all[i]->sender_email,
				   f->trust.words, f->trust.n, &found))
			continue;
		*ret_why = xasprintf("mail %.200s %s", all[i]->message_id,
			found ? found : "is not there any more");
		return false;
	}
	return true;
}

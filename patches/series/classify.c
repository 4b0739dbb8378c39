/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/assembly.h"

/* Is there a diff to apply: "diff --git", or "--- a", "+++ b", "@@ -"? */
static bool has_patch(const char *p, size_t len)
{
	const char *end = p + len;
	int plain = 0;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl ? (size_t)(nl - p) : (size_t)(end - p);

		if (n > 11 && memcmp(p, "diff --git ", 11) == 0)
			return true;
		if (n > 4 && memcmp(p, "--- ", 4) == 0)
			plain = 1;
		else if (n > 4 && plain == 1 && memcmp(p, "+++ ", 4) == 0)
			plain = 2;
		else if (n > 4 && plain == 2 && memcmp(p, "@@ -", 4) == 0)
			return true;
		else
			plain = 0;
		p += n + (nl != NULL);
	}
	return false;
}

static size_t find_parent(const struct assembly *a, size_t i)
{
	const struct message *m = a->mails[i].m;

	for (size_t r = 0; r < m->n_references; r++) {
		size_t parent = threads_find(a->threads, m->references[r]);

		if (parent != THREADS_NONE && parent != i)
			return parent;
	}
	return THREADS_NONE;
}

/* A patch whose number cannot be. */
static void check_number(struct assembly *a, struct mail *mail)
{
	const struct tags *t = &mail->tags;

	if (mail->role != ROLE_PATCH || !t->numbered)
		return;
	if (t->n == 0) {
		/* What stands in a cover letter is an example. */
		mail->role = ROLE_COVER;
		assembly_ignore(a, mail->m, IGNORED_STRAY,
			"patch 0/%d carries a diff: it counts as the cover letter only", t->total);
	} else if (t->n > t->total) {
		mail->role = ROLE_NONE;
		assembly_ignore(a, mail->m, IGNORED_STRAY,
			"it is numbered %d/%d, but its series has only %d", t->n, t->total,
			t->total);
	}
}

static bool is_hex_id(const char *p, const char *end)
{
	return end - p >= 40 && strspn(p, "0123456789abcdef") >= 40;
}

/* What `git request-pull` writes, under whatever subject: which commits, and where they are. */
static bool asks_to_pull(const struct message *m)
{
	static const char since[] = "The following changes since commit ";
	static const char where[] = "\nare available in the ";
	const char *end = m->body + m->body_len;
	const char *at = memmem(m->body, m->body_len, since, strlen(since));

	/* It stands at the start of a line, and both in this order. */
	if (!at || (at != m->body && at[-1] != '\n') || !is_hex_id(at + strlen(since), end))
		return false;
	return memmem(at, (size_t)(end - at), where, strlen(where)) != NULL;
}

static void find_role(struct assembly *a, size_t i)
{
	struct mail *mail = &a->mails[i];
	const struct message *m = mail->m;
	bool diff = has_patch(m->diff, m->diff_len);

	if (m->message_id && threads_find(a->threads, m->message_id) != i)
		assembly_ignore(a, m, IGNORED_DOUBLE,
			"its message id is here twice: only the first one counts");
	else if (mail->tags.pull)
		assembly_ignore(a, m, IGNORED_PULL,
			"a pull request: submit its tree and range as git instead");
	else if (mail->tags.reply)
		mail->role = ROLE_REPLY;
	else if (asks_to_pull(m) && !mail->tags.numbered && !(diff && mail->tags.patch))
		assembly_ignore(a, m, IGNORED_PULL,
			"what `git request-pull` writes: submit its tree and range as git instead");
	else if (diff && (mail->tags.patch || mail->parent == THREADS_NONE))
		mail->role = ROLE_PATCH;
	else if (mail->tags.numbered && mail->tags.n == 0)
		mail->role = ROLE_COVER;
	else if (m->n_references)
		mail->role = ROLE_REPLY;
	else
		assembly_ignore(a, m, mail->tags.patch ? IGNORED_STRAY : IGNORED_TALK,
			"there is no patch in it");
	if (mail->role == ROLE_REPLY && diff)
		assembly_ignore(a, m, IGNORED_COMMENT,
			"a reply that carries a diff: kept as a comment, not taken for a patch");
	check_number(a, mail);
}

/* Numbered alike by one sender: one series, but for the version. */
static bool same_kind(const struct mail *a, const struct mail *b)
{
	return (b->role == ROLE_PATCH || b->role == ROLE_COVER) && a->tags.numbered &&
	       b->tags.numbered && a->tags.total == b->tags.total &&
	       a->tags.resend == b->tags.resend && streq(a->m->sender_email, b->m->sender_email);
}

/* A subject without a version has that of the nearest mail above it that says one. */
static void find_version(struct assembly *a, size_t i)
{
	struct mail *mail = &a->mails[i];
	size_t at = i;

	for (int steps = 0; steps < TAGS_MAX_TOTAL; steps++) {
		if (a->mails[at].tags.version) {
			mail->version = a->mails[at].tags.version;
			mail->minor = a->mails[at].tags.minor;
			return;
		}
		at = a->mails[at].parent;
		if (at == THREADS_NONE || !same_kind(mail, &a->mails[at]))
			return;
	}
}

void assembly_classify(struct assembly *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct mail *mail = &a->mails[i];

		mail->m = a->set->messages[i];
		mail->group = THREADS_NONE;
		mail->root = threads_root(a->threads, i);
		mail->parent = find_parent(a, i);
		tags_parse(mail->m->full_subject, &mail->tags);
		mail->place = mail->tags.numbered ? mail->tags.n : 1;
		find_role(a, i);
	}
	for (size_t i = 0; i < a->n; i++)
		find_version(a, i);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/assembly.h"
#include "patches/series/feed_internal.h"

#include <search.h>

/* Of a message id, or of the hour in which a sender's mails of one kind were sent. */
struct mention {
	const char *key;
	struct cluster *cluster;
	size_t mentions; /* by mails of the window */
};

typedef void visit_fn(struct window *w, const char *key, struct cluster *c);

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct mention *)a)->key, ((const struct mention *)b)->key);
}

static struct mention *find_entry(const struct window *w, const char *key)
{
	const struct mention wanted = {.key = key};
	void *node = tfind(&wanted, &w->ids, compare_entries);

	return node ? *(struct mention **)node : NULL;
}

/* No message id begins with a space. hours: before or after the mail's own. */
static char *kind_key(const struct feed_mail *mail, int hours)
{
	long long hour = mail->m->sent_s / ASSEMBLY_WINDOW_S + hours;

	return xasprintf(
		" %s %d %d %lld", mail->m->sender_email, mail->tags.total, mail->tags.resend, hour);
}

/* Does time say what belongs to it, since it refers to nothing? */
static bool goes_by_time(const struct feed_mail *mail)
{
	return mail->tags.numbered && mail->tags.total > 1 && !mail->tags.reply &&
	       !mail->m->n_references && mail->m->sent_s;
}

static void visit_keys(
	struct window *w, const struct feed_mail *mail, struct cluster *c, visit_fn *visit)
{
	if (mail->m->message_id)
		visit(w, mail->m->message_id, c);
	for (size_t i = 0; i < mail->m->n_references; i++)
		visit(w, mail->m->references[i], c);
	/* Those with a thread are found too by those without. */
	if (mail->tags.numbered && !mail->tags.reply && mail->m->sent_s) {
		AUTO_FREE char *key = kind_key(mail, 0);

		visit(w, key, c);
	}
}

static void add_mention(struct window *w, const char *key, struct cluster *c)
{
	struct mention *entry = find_entry(w, key);

	if (!entry) {
		entry = xmalloc(sizeof(*entry));
		*entry = (struct mention){.key = xstrdup(key)};
		if (!tsearch(entry, &w->ids, compare_entries))
			abort();
	}
	entry->mentions++;
	entry->cluster = c;
}

static void drop_mention(struct window *w, const char *key, struct cluster *c)
{
	struct mention *entry = find_entry(w, key);

	/* A thread that was too long is in several clusters; who else mentions it is not known. */
	if (entry->cluster == c)
		entry->cluster = NULL;
	if (--entry->mentions)
		return;
	(void)tdelete(entry, &w->ids, compare_entries);
	free((char *)(uintptr_t)entry->key);
	free(entry);
}

static void point_to(struct window *w, const char *key, struct cluster *c)
{
	find_entry(w, key)->cluster = c;
}

static void list_remove(struct window *w, struct cluster *c)
{
	*(c->older ? &c->older->newer : &w->oldest) = c->newer;
	*(c->newer ? &c->newer->older : &w->newest) = c->older;
	c->older = c->newer = NULL;
}

static void list_append(struct window *w, struct cluster *c)
{
	c->older = w->newest;
	*(w->newest ? &w->newest->newer : &w->oldest) = c;
	w->newest = c;
}

static void push_mail(struct cluster *c, struct feed_mail *mail)
{
	c->mails = xgrow((void *)c->mails, c->n, sizeof(*c->mails));
	c->mails[c->n++] = mail;
}

static int compare_places(const void *a, const void *b)
{
	const struct feed_mail *x = *(struct feed_mail *const *)a;
	const struct feed_mail *y = *(struct feed_mail *const *)b;

	return (x->place > y->place) - (x->place < y->place);
}

/* The smaller into the bigger, so that no mail moves more often than a logarithm. */
static struct cluster *join(struct window *w, struct cluster *x, struct cluster *y)
{
	if (x == y || !x || !y || x->n + y->n > FEED_MAX_THREAD)
		return x ? x : y;
	if (x->n < y->n) {
		struct cluster *z = x;

		x = y;
		y = z;
	}
	for (size_t i = 0; i < y->n; i++) {
		push_mail(x, y->mails[i]);
		visit_keys(w, y->mails[i], x, point_to);
	}
	qsort((void *)x->mails, x->n, sizeof(*x->mails), compare_places);
	x->news += y->news;
	x->missing = 0;
	x->unsettled |= y->unsettled;
	list_remove(w, y);
	y->n = 0;
	/* The queue still has it, as one that is empty. */
	if (y->queued)
		y->leaving = true;
	else
		(void)cluster_free(y);
	return x;
}

static struct cluster *find_key(struct window *w, const char *key)
{
	struct mention *entry = find_entry(w, key);

	return entry ? entry->cluster : NULL;
}

static struct cluster *find_home(struct window *w, const struct feed_mail *mail)
{
	struct cluster *c = mail->m->message_id ? find_key(w, mail->m->message_id) : NULL;

	for (size_t i = 0; i < mail->m->n_references; i++)
		c = join(w, c, find_key(w, mail->m->references[i]));
	for (int hours = -1; hours <= 1 && goes_by_time(mail); hours++) {
		AUTO_FREE char *key = kind_key(mail, hours);

		c = join(w, c, find_key(w, key));
	}
	return c;
}

struct cluster *window_add(struct window *w, struct feed_mail *mail, int64_t arrived_s)
{
	struct cluster *c = find_home(w, mail);

	mail->place = w->places++;
	if (c && c->n < FEED_MAX_THREAD)
		list_remove(w, c);
	else
		c = xcalloc(1, sizeof(*c));
	list_append(w, c);
	push_mail(c, mail);
	visit_keys(w, mail, c, add_mention);
	c->arrived_s = MAX_OF(c->arrived_s, arrived_s);
	w->n_mails++;
	w->bytes += mail->bytes;
	return c;
}

static void forget_mail(struct window *w, struct cluster *c, const struct feed_mail *mail)
{
	visit_keys(w, mail, c, drop_mention);
	w->n_mails--;
	w->bytes -= mail->bytes;
}

void window_remove(struct window *w, struct cluster *c)
{
	for (size_t i = 0; i < c->n; i++)
		forget_mail(w, c, c->mails[i]);
	list_remove(w, c);
}

struct cluster *window_find(const struct window *w, const char *message_id)
{
	const struct mention *entry = find_entry(w, message_id);

	return entry ? entry->cluster : NULL;
}

static void mail_free(struct feed_mail *mail)
{
	(void)message_free(mail->m);
	free(mail);
}

void window_drop(struct window *w, struct cluster *c, size_t i)
{
	forget_mail(w, c, c->mails[i]);
	mail_free(c->mails[i]);
	memmove((void *)&c->mails[i], (void *)&c->mails[i + 1], (c->n - i - 1) * sizeof(*c->mails));
	c->n--;
	for (i = 0; i < c->n; i++)
		visit_keys(w, c->mails[i], c, point_to);
}

struct cluster *cluster_free(struct cluster *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->n; i++)
		mail_free(c->mails[i]);
	free((void *)c->mails);
	free(c);
	return NULL;
}

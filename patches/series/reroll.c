/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of one series: patches that were sent again alone, and which series came before which. */
#include "patches/series/assembly.h"

#include <stdlib.h>

/* The nearest mail above it that is in another group, or THREADS_NONE. */
static size_t answered_mail(const struct assembly *a, size_t i)
{
	size_t group = a->mails[i].group;
	size_t at = a->mails[i].parent;

	for (int steps = 0; steps < TAGS_MAX_TOTAL && at != THREADS_NONE; steps++) {
		size_t other = a->mails[at].group;

		if (other != THREADS_NONE && other != group)
			return at;
		at = a->mails[at].parent;
	}
	return THREADS_NONE;
}

static bool same_sender(const struct mail *x, const struct mail *y)
{
	return streq(x->m->sender_email, y->m->sender_email);
}

/* Does mail i replace the patch that it answers: same sender, same place, a later version? */
static bool replaces(const struct assembly *a, size_t i, size_t answered)
{
	const struct mail *mail = &a->mails[i];
	const struct mail *old = answered == THREADS_NONE ? NULL : &a->mails[answered];

	return old && old->role == ROLE_PATCH && mail->tags.numbered && old->tags.numbered &&
	       old->place == mail->place && old->tags.total == mail->tags.total &&
	       same_sender(mail, old) && mail_compare_version(old, mail) < 0;
}

/* "v2 2/3" in reply to 2/3: every patch of the group answers the one in its place. */
static void find_numbered(struct assembly *a, struct group *g)
{
	size_t base = THREADS_NONE;

	for (size_t i = 0; i < g->n_patches; i++) {
		size_t answered = answered_mail(a, g->patches[i]);

		if (!replaces(a, g->patches[i], answered))
			return;
		if (base != THREADS_NONE && base != a->mails[answered].group)
			return;
		base = a->mails[answered].group;
	}
	g->base = base;
}

/* "v2" without a number in reply to a patch of several: it replaces that one if it has its subject. */
static void find_unnumbered(struct assembly *a, struct group *g)
{
	struct mail *mail = &a->mails[g->patches[0]];
	size_t answered = answered_mail(a, g->patches[0]);
	const struct mail *old = answered == THREADS_NONE ? NULL : &a->mails[answered];

	if (!old || old->role != ROLE_PATCH || a->groups[old->group].total < 2 ||
		!same_sender(mail, old) || mail->version < 2 ||
		mail_compare_version(old, mail) >= 0)
		return;
	if (!streq(mail->m->subject, old->m->subject)) {
		g->ambiguous =
			xasprintf("it answers patch %d/%d of another series, and neither its "
				  "number nor its subject says whether it replaces that one: "
				  "send the whole series again",
				old->place, a->groups[old->group].total);
		return;
	}
	g->base = old->group;
	g->total = a->groups[old->group].total;
	mail->place = old->place;
}

void assembly_find_partial(struct assembly *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		struct group *g = &a->groups[i];

		if (g->gone || g->cover != THREADS_NONE || !g->n_patches || g->ambiguous)
			continue;
		if (!a->mails[g->patches[0]].tags.numbered)
			find_unnumbered(a, g);
		else if (!group_whole(g))
			find_numbered(a, g);
	}
}

static int compare_order(const struct series *x, const struct series *y)
{
	int r = x->version - y->version;

	if (!r)
		r = x->minor - y->minor;
	return r ? r : x->resend - y->resend;
}

static void link_to(struct series *s, const struct series *previous, enum series_link link)
{
	s->previous = previous;
	s->link = link;
}

/* What makes two series versions of one, as one order; 0: they may be. */
typedef int key_fn(const struct series *x, const struct series *y);

static int compare_change_ids(const struct series *x, const struct series *y)
{
	return strcmp(x->change_id ? x->change_id : "", y->change_id ? y->change_id : "");
}

static int compare_titles(const struct series *x, const struct series *y)
{
	int r = strcmp(x->top->sender_email, y->top->sender_email);

	return r ? r : strcmp(x->title, y->title);
}

static int compare_linkable(const void *pa, const void *pb, void *data)
{
	const struct series *x = *(struct series *const *)pa;
	const struct series *y = *(struct series *const *)pb;
	key_fn *key = *(key_fn **)data;
	int r = key(x, y);

	if (!r)
		r = compare_order(x, y);
	return r ? r : (x > y) - (x < y);
}

/* Each to the newest that has the same key and an earlier version. */
static void link_by_key(
	struct series_set *set, struct series **order, key_fn *key, enum series_link link)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n_series; i++)
		if (link == LINK_CHANGE_ID ? set->series[i].change_id != NULL
					   : *set->series[i].title != '\0')
			order[n++] = &set->series[i];
	qsort_r((void *)order, n, sizeof(*order), compare_linkable, (void *)&key);
	for (size_t i = 0, before = 0; i < n; i++) {
		/* `before`: the last of the version that precedes order[i]'s. */
		if (i == 0 || key(order[i - 1], order[i]))
			before = i;
		else if (compare_order(order[i - 1], order[i]) < 0)
			before = i - 1;
		if (!order[i]->previous && !key(order[before], order[i]) &&
			compare_order(order[before], order[i]) < 0)
			link_to(order[i], order[before], link);
	}
}

/* Its top answers a mail of the version before. */
static void link_by_reply(struct assembly *a, const struct group *g, const size_t *numbers)
{
	struct series *s = &a->set->series[numbers[g - a->groups]];
	size_t top = g->cover != THREADS_NONE ? g->cover : g->patches[0];
	size_t answered = answered_mail(a, top);
	const struct series *other;

	if (answered == THREADS_NONE || s->previous)
		return;
	other = &a->set->series[numbers[a->mails[answered].group]];
	if (compare_order(other, s) < 0 &&
		(same_sender(&a->mails[answered], &a->mails[top]) || streq(other->title, s->title)))
		link_to(s, other, LINK_REPLY);
}

void assembly_link(struct assembly *a, const size_t *numbers)
{
	struct series_set *set = a->set;
	AUTO_FREE struct series **order = xcalloc(set->n_series + 1, sizeof(*order));

	link_by_key(set, order, compare_change_ids, LINK_CHANGE_ID);
	for (size_t g = 0; g < a->n_groups; g++)
		if (!a->groups[g].gone)
			link_by_reply(a, &a->groups[g], numbers);
	link_by_key(set, order, compare_titles, LINK_TITLE);
}

const char *series_link_name(enum series_link link)
{
	static const char *const names[] = {"none", "change-id", "in-reply-to", "title"};

	return names[link];
}

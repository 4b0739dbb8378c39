/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/assembly.h"

#include "patches/series/trailers.h"

#include <assert.h>
#include <stdlib.h>

#define SEVERAL (THREADS_NONE - 1)

/* Where replies without a parent here go to. */
struct lookup {
	size_t *only; /* [root]: the thread's one group, THREADS_NONE or SEVERAL */
	size_t *by_subject; /* patches and cover letters */
	size_t n_by_subject;
};

static int compare_subjects(const void *pa, const void *pb, void *data)
{
	const struct assembly *a = data;
	size_t i = *(const size_t *)pa;
	size_t j = *(const size_t *)pb;
	int r = strcmp(a->mails[i].m->subject, a->mails[j].m->subject);

	return r ? r : (i > j) - (i < j);
}

static void lookup_init(struct lookup *l, struct assembly *a)
{
	l->only = xcalloc(a->n + 1, sizeof(*l->only));
	l->by_subject = xcalloc(a->n + 1, sizeof(*l->by_subject));
	l->n_by_subject = 0;
	for (size_t i = 0; i < a->n; i++)
		l->only[i] = THREADS_NONE;
	for (size_t i = 0; i < a->n; i++) {
		const struct mail *mail = &a->mails[i];

		if (mail->group == THREADS_NONE)
			continue;
		l->by_subject[l->n_by_subject++] = i;
		if (l->only[mail->root] == THREADS_NONE)
			l->only[mail->root] = mail->group;
		else if (l->only[mail->root] != mail->group)
			l->only[mail->root] = SEVERAL;
	}
	qsort_r(l->by_subject, l->n_by_subject, sizeof(*l->by_subject), compare_subjects, a);
}

/* The group that has a mail with this subject, tags aside; THREADS_NONE: none, or several. */
static size_t group_by_subject(
	const struct lookup *l, const struct assembly *a, const char *subject)
{
	size_t low = 0;
	size_t high = l->n_by_subject;
	size_t found = THREADS_NONE;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(a->mails[l->by_subject[mid]].m->subject, subject) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; *subject && low < l->n_by_subject; low++) {
		const struct mail *mail = &a->mails[l->by_subject[low]];

		if (!streq(mail->m->subject, subject))
			break;
		if (found != THREADS_NONE && found != mail->group)
			return THREADS_NONE;
		found = mail->group;
	}
	return found;
}

/* Of the nearest mail above it, of the thread's only series, or of the one with that subject. */
static size_t group_of_reply(const struct lookup *l, const struct assembly *a, size_t i)
{
	size_t at = a->mails[i].parent;

	for (int steps = 0; steps < TAGS_MAX_TOTAL && at != THREADS_NONE; steps++) {
		if (a->mails[at].group != THREADS_NONE)
			return a->mails[at].group;
		at = a->mails[at].parent;
	}
	if (l->only[a->mails[i].root] < SEVERAL)
		return l->only[a->mails[i].root];
	return group_by_subject(l, a, a->mails[i].m->subject);
}

/* "patch 2/3 is missing", "patches 1/3, 3/3 are missing" */
static char *missing_text(const struct assembly *a, const struct group *g)
{
	struct strbuf list;
	size_t have = 0;
	int missing = 0;
	char *text;

	strbuf_init(&list, 300);
	for (int n = 1; n <= g->total; n++) {
		if (have < g->n_patches && mail_place(&a->mails[g->patches[have]]) == n) {
			have++;
			continue;
		}
		if (list.len < 200)
			(void)strbuf_addf(&list, "%s%d/%d", missing ? ", " : "", n, g->total);
		missing++;
	}
	if (list.len >= 200)
		(void)strbuf_adds(&list, " ...");
	text = xasprintf("%s%s %s %s missing: %zu of %d came; send the whole series in one file",
		g->n_patches ? "" : "only the cover letter is here, ",
		missing == 1 ? "patch" : "patches", list.buf, missing == 1 ? "is" : "are",
		g->n_patches, g->total);
	strbuf_done(&list);
	return text;
}

static char *held_text(const struct assembly *a, const struct group *g)
{
	if (g->ambiguous)
		return xstrdup(g->ambiguous);
	if (!group_whole(g))
		return missing_text(a, g);
	for (size_t i = 0; i < g->n_patches; i++) {
		const struct mail *mail = &a->mails[g->patches[i]];

		if (mail->m->refused)
			return xasprintf("patch %d/%d cannot be used: %s", mail_place(mail),
				g->total, mail->m->refused);
	}
	return NULL;
}

static void fill_series(const struct assembly *a, const struct group *g, struct series *s)
{
	const struct mail *cover = g->cover == THREADS_NONE ? NULL : &a->mails[g->cover];
	const struct mail *title = cover ? cover : &a->mails[g->patches[0]];

	/* A group starts from a mail: it has a cover, or a patch. */
	assert(title && (cover || g->n_patches > 0));
	s->title = xstrdup(title->m->subject);
	s->total = g->total;
	s->complete = group_whole(g) && !g->ambiguous;
	s->held = held_text(a, g);
	s->loose = g->joined;
	for (size_t i = 0; i < g->n_patches && !cover; i++)
		s->loose |= mail_answers_absent(a, &a->mails[g->patches[i]]);
	s->version = cover ? cover->version : 0;
	s->rfc = cover && cover->tags.rfc;
	s->patches = xcalloc(g->n_patches + 1, sizeof(*s->patches));
	if (cover) {
		s->cover = cover->m;
		trailers_read(s, cover->m);
	}
	for (size_t i = 0; i < g->n_patches; i++) {
		const struct mail *mail = &a->mails[g->patches[i]];

		s->patches[s->n_patches++] = (struct series_patch){mail_place(mail), mail->m};
		s->version = MAX_OF(s->version, mail->version);
		s->rfc |= mail->tags.rfc;
		trailers_read(s, mail->m);
	}
	s->version = MAX_OF(s->version, 1);
}

static int compare_groups(const void *pa, const void *pb, void *data)
{
	const struct assembly *a = data;
	size_t x = a->groups[*(const size_t *)pa].first;
	size_t y = a->groups[*(const size_t *)pb].first;

	return (x > y) - (x < y);
}

/* Groups to series, in the order of their first mails; *numbers says which became which. */
static void make_series(struct assembly *a, size_t *numbers)
{
	struct series_set *set = a->set;
	size_t *order = xcalloc(a->n_groups + 1, sizeof(*order));
	size_t n = 0;

	for (size_t g = 0; g < a->n_groups; g++)
		if (!a->groups[g].gone)
			order[n++] = g;
	qsort_r(order, n, sizeof(*order), compare_groups, a);
	set->series = xcalloc(n + 1, sizeof(*set->series));
	for (size_t i = 0; i < n; i++) {
		numbers[order[i]] = i;
		fill_series(a, &a->groups[order[i]], &set->series[i]);
	}
	set->n_series = n;
	free(order);
}

static void attach_replies(struct assembly *a, const size_t *numbers)
{
	struct lookup l;

	lookup_init(&l, a);
	for (size_t i = 0; i < a->n; i++) {
		size_t g = a->mails[i].role == ROLE_REPLY ? group_of_reply(&l, a, i) : THREADS_NONE;
		struct series *s;

		if (a->mails[i].role != ROLE_REPLY)
			continue;
		if (g == THREADS_NONE) {
			assembly_ignore(
				a, a->mails[i].m, IGNORED_TALK, "a reply to mail that is not here");
			continue;
		}
		s = &a->set->series[numbers[g]];
		s->replies = xgrow((void *)s->replies, s->n_replies, sizeof(*s->replies));
		s->replies[s->n_replies++] = a->mails[i].m;
	}
	free(l.only);
	free(l.by_subject);
}

void series_set_assemble(struct series_set *set)
{
	struct assembly a = {.set = set, .n = set->n_messages};
	size_t *numbers;

	a.threads = threads_new(set->messages, set->n_messages);
	a.mails = xcalloc(a.n + 1, sizeof(*a.mails));
	assembly_classify(&a);
	assembly_group(&a);
	numbers = xcalloc(a.n_groups + 1, sizeof(*numbers));
	make_series(&a, numbers);
	attach_replies(&a, numbers);
	for (size_t g = 0; g < a.n_groups; g++) {
		free(a.groups[g].patches);
		free(a.groups[g].ambiguous);
	}
	free(numbers);
	free(a.groups);
	free(a.mails);
	(void)threads_free(a.threads);
}

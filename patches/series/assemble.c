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

/* A mail with this subject, tags aside, where one group only has it; else THREADS_NONE. */
static size_t mail_by_subject(const struct lookup *l, const struct assembly *a, const char *subject)
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
		if (found != THREADS_NONE && a->mails[found].group != mail->group)
			return THREADS_NONE;
		if (found == THREADS_NONE)
			found = l->by_subject[low];
	}
	return found;
}

/* The nearest mail above it, any of the thread's only series, or the one with that subject. */
static size_t target_of_reply(const struct lookup *l, const struct assembly *a, size_t i)
{
	size_t at = a->mails[i].parent;

	for (int steps = 0; steps < TAGS_MAX_TOTAL && at != THREADS_NONE; steps++) {
		if (a->mails[at].group != THREADS_NONE)
			return at;
		at = a->mails[at].parent;
	}
	if (l->only[a->mails[i].root] < SEVERAL)
		return a->groups[l->only[a->mails[i].root]].first;
	return mail_by_subject(l, a, a->mails[i].m->subject);
}

/* "patch 2/3 is missing", "patches 1/3, 3/3 are missing" */
static char *missing_text(const struct series *s)
{
	struct strbuf list;
	size_t have = 0;
	int missing = 0;
	char *text;

	strbuf_init(&list, 300);
	for (int n = 1; n <= s->total; n++) {
		if (have < s->n_patches && s->patches[have].n == n) {
			have++;
			continue;
		}
		if (list.len < 200)
			(void)strbuf_addf(&list, "%s%d/%d", missing ? ", " : "", n, s->total);
		missing++;
	}
	if (list.len >= 200)
		(void)strbuf_adds(&list, " ...");
	text = xasprintf("%s%s %s %s missing: %zu of %d came; send the whole series in one file",
		s->n_patches ? "" : "only the cover letter is here, ",
		missing == 1 ? "patch" : "patches", list.buf, missing == 1 ? "is" : "are",
		s->n_patches, s->total);
	strbuf_done(&list);
	return text;
}

static char *held_text(const struct group *g, const struct series *s)
{
	if (g->ambiguous)
		return xstrdup(g->ambiguous);
	if (!s->complete)
		return missing_text(s);
	for (size_t i = 0; i < s->n_patches; i++)
		if (s->patches[i].message->refused)
			return xasprintf("patch %d/%d cannot be used: %s", s->patches[i].n,
				s->total, s->patches[i].message->refused);
	return NULL;
}

static void add_patch(struct series *s, int n, const struct message *m, int version, bool carried)
{
	s->patches = xgrow(s->patches, s->n_patches, sizeof(*s->patches));
	s->patches[s->n_patches++] = (struct series_patch){n, m, version, carried};
}

static void carry_patch(struct series *s, const struct series_patch *old)
{
	add_patch(s, old->n, old->message, old->version, true);
}

/* Its own patches, and in a partial reroll those of the version before for the other places. */
static void fill_patches(const struct assembly *a, const struct group *g, const struct series *base,
	struct series *s)
{
	size_t old = 0;

	for (size_t i = 0; i < g->n_patches; i++) {
		const struct mail *mail = &a->mails[g->patches[i]];

		s->version = MAX_OF(s->version, mail->version);
		s->minor = MAX_OF(s->minor, mail->minor);
		s->rfc |= mail->tags.rfc;
	}
	s->version = MAX_OF(s->version, 1);
	for (size_t i = 0; i < g->n_patches; i++) {
		const struct mail *mail = &a->mails[g->patches[i]];

		for (; base && old < base->n_patches && base->patches[old].n <= mail->place; old++)
			if (base->patches[old].n < mail->place)
				carry_patch(s, &base->patches[old]);
		add_patch(s, mail->place, mail->m, s->version, false);
	}
	for (; base && old < base->n_patches; old++)
		carry_patch(s, &base->patches[old]);
}

static void fill_series(const struct assembly *a, const struct group *g, const struct series *base,
	struct series *s)
{
	const struct mail *cover = g->cover == THREADS_NONE ? NULL : &a->mails[g->cover];
	const struct mail *top = cover ? cover : &a->mails[g->patches[0]];

	/* A group starts from a mail: it has a cover, or a patch. */
	assert(top && (cover || g->n_patches > 0));
	s->title = xstrdup(base ? base->title : top->m->subject);
	s->total = g->total;
	s->version = top->version;
	s->minor = top->minor;
	s->resend = top->tags.resend;
	s->rfc = top->tags.rfc;
	s->top = top->m;
	s->cover = cover ? cover->m : base ? base->cover : NULL;
	fill_patches(a, g, base, s);
	s->complete = s->n_patches == (size_t)s->total && !g->ambiguous;
	s->held = held_text(g, s);
	s->loose = g->joined;
	for (size_t i = 0; i < g->n_patches && !cover && !base; i++)
		s->loose |= mail_answers_absent(a, &a->mails[g->patches[i]]);
	if (base) {
		s->partial = true;
		s->previous = base;
		s->link = LINK_REPLY;
	}
	if (s->cover)
		trailers_read(s, s->cover);
	for (size_t i = 0; i < s->n_patches; i++)
		trailers_read(s, s->patches[i].message);
}

static int compare_groups(const void *pa, const void *pb, void *data)
{
	const struct assembly *a = data;
	size_t x = a->groups[*(const size_t *)pa].first;
	size_t y = a->groups[*(const size_t *)pb].first;

	return (x > y) - (x < y);
}

static int compare_versions(const void *pa, const void *pb, void *data)
{
	const struct assembly *a = data;
	size_t i = *(const size_t *)pa;
	size_t j = *(const size_t *)pb;
	const struct mail *x = &a->mails[a->groups[i].first];
	const struct mail *y = &a->mails[a->groups[j].first];
	int r = (a->groups[i].base != THREADS_NONE) - (a->groups[j].base != THREADS_NONE);

	if (!r)
		r = mail_compare_version(x, y);
	return r ? r : (i > j) - (i < j);
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
	set->n_series = n;
	for (size_t i = 0; i < n; i++)
		numbers[order[i]] = i;
	/* What a partial reroll takes its patches from has an earlier version. */
	qsort_r(order, n, sizeof(*order), compare_versions, a);
	for (size_t i = 0; i < n; i++) {
		const struct group *g = &a->groups[order[i]];
		const struct series *base =
			g->base == THREADS_NONE ? NULL : &set->series[numbers[g->base]];

		fill_series(a, g, base, &set->series[numbers[order[i]]]);
	}
	free(order);
}

/* targets[i]: the mail that message i is a reply to; THREADS_NONE: none, or it is no reply. */
static void attach_replies(struct assembly *a, const size_t *numbers, size_t *targets)
{
	struct lookup l;

	lookup_init(&l, a);
	for (size_t i = 0; i < a->n; i++) {
		struct series *s;

		targets[i] = THREADS_NONE;
		if (a->mails[i].role != ROLE_REPLY)
			continue;
		targets[i] = target_of_reply(&l, a, i);
		if (targets[i] == THREADS_NONE) {
			assembly_ignore(
				a, a->mails[i].m, IGNORED_TALK, "a reply to mail that is not here");
			continue;
		}
		s = &a->set->series[numbers[a->mails[targets[i]].group]];
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
	size_t *targets;

	a.threads = threads_new(set->messages, set->n_messages);
	a.mails = xcalloc(a.n + 1, sizeof(*a.mails));
	assembly_classify(&a);
	assembly_group(&a);
	numbers = xcalloc(a.n_groups + 1, sizeof(*numbers));
	targets = xcalloc(a.n + 1, sizeof(*targets));
	make_series(&a, numbers);
	attach_replies(&a, numbers, targets);
	assembly_collect_trailers(&a, numbers, targets);
	assembly_link(&a, numbers);
	for (size_t g = 0; g < a.n_groups; g++) {
		free(a.groups[g].patches);
		free(a.groups[g].ambiguous);
	}
	free(numbers);
	free(targets);
	free(a.groups);
	free(a.mails);
	(void)threads_free(a.threads);
}

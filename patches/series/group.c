/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/assembly.h"

#include <stdlib.h>

static int compare_size(size_t x, size_t y)
{
	return x < y ? -1 : x > y;
}

int mail_compare_kind(const struct mail *x, const struct mail *y)
{
	int r = strcmp(x->m->sender_email, y->m->sender_email);

	if (!r)
		r = x->tags.total - y->tags.total;
	return r ? r : x->tags.resend - y->tags.resend;
}

int mail_compare_version(const struct mail *x, const struct mail *y)
{
	int r = x->version - y->version;

	return r ? r : x->minor - y->minor;
}

/* Mails that make one group stand together, by number, then as they came. */
static int compare_mails(const void *pa, const void *pb, void *data)
{
	const struct assembly *a = data;
	size_t i = *(const size_t *)pa;
	size_t j = *(const size_t *)pb;
	const struct mail *x = &a->mails[i];
	const struct mail *y = &a->mails[j];
	int r = compare_size(x->root, y->root);

	if (!r)
		r = mail_compare_kind(x, y);
	if (!r)
		r = mail_compare_version(x, y);
	if (!r)
		r = x->tags.numbered - y->tags.numbered;
	if (!r)
		r = x->place - y->place;
	return r ? r : compare_size(i, j);
}

static bool same_group(const struct mail *x, const struct mail *y)
{
	return x->tags.numbered && y->tags.numbered && x->root == y->root &&
	       !mail_compare_kind(x, y) && !mail_compare_version(x, y);
}

static struct group *add_group(struct assembly *a, size_t i)
{
	const struct mail *mail = &a->mails[i];
	struct group *g;

	a->groups = xgrow(a->groups, a->n_groups, sizeof(*a->groups));
	g = &a->groups[a->n_groups++];
	*g = (struct group){.first = i,
		.total = mail->tags.numbered ? mail->tags.total : 1,
		.cover = THREADS_NONE,
		.base = THREADS_NONE,
		.from_s = mail->m->sent_s,
		.to_s = mail->m->sent_s};
	return g;
}

/* A second mail for a place that is taken. */
static void double_patch(struct assembly *a, struct group *g, const struct message *x,
	const struct message *y, int n)
{
	if (x->diff_len == y->diff_len && memcmp(x->diff, y->diff, x->diff_len) == 0) {
		assembly_ignore(a, y, IGNORED_DOUBLE,
			"patch %d/%d is here twice and the same: one is enough", n, g->total);
		return;
	}
	assembly_ignore(a, y, IGNORED_DOUBLE, "there is another patch %d/%d", n, g->total);
	if (!g->ambiguous)
		g->ambiguous = xasprintf("patch %d/%d is here twice, and they differ: send only "
					 "the series that is meant",
			n, g->total);
}

/* Mails come by number, so that the list stays sorted. */
static void add_mail(struct assembly *a, struct group *g, size_t i)
{
	struct mail *mail = &a->mails[i];
	size_t last = g->n_patches ? g->patches[g->n_patches - 1] : THREADS_NONE;

	mail->group = (size_t)(g - a->groups);
	g->first = MIN_OF(g->first, i);
	g->from_s = MIN_OF(g->from_s, mail->m->sent_s);
	g->to_s = MAX_OF(g->to_s, mail->m->sent_s);
	if (mail->role == ROLE_COVER && g->cover != THREADS_NONE) {
		assembly_ignore(a, mail->m, IGNORED_DOUBLE, "the series has another cover letter");
	} else if (mail->role == ROLE_COVER) {
		g->cover = i;
	} else if (last != THREADS_NONE && a->mails[last].place == mail->place) {
		double_patch(a, g, a->mails[last].m, mail->m, mail->place);
	} else {
		g->patches = xgrow(g->patches, g->n_patches, sizeof(*g->patches));
		g->patches[g->n_patches++] = i;
	}
}

/* Is no place taken in both? */
static bool fits(const struct assembly *a, const struct group *x, const struct group *y)
{
	size_t i = 0;
	size_t j = 0;

	if (x->cover != THREADS_NONE && y->cover != THREADS_NONE)
		return false;
	while (i < x->n_patches && j < y->n_patches) {
		int n = a->mails[x->patches[i]].place;
		int m = a->mails[y->patches[j]].place;

		if (n == m)
			return false;
		if (n < m)
			i++;
		else
			j++;
	}
	return true;
}

/* y into x; they fit. */
static void merge(struct assembly *a, struct group *x, struct group *y)
{
	size_t n = x->n_patches + y->n_patches;
	size_t *all = xcalloc(n + 1, sizeof(*all));
	size_t i = 0;
	size_t j = 0;

	for (size_t k = 0; k < n; k++) {
		bool from_x = j == y->n_patches ||
			      (i < x->n_patches && a->mails[x->patches[i]].place <
							   a->mails[y->patches[j]].place);

		all[k] = from_x ? x->patches[i++] : y->patches[j++];
	}
	free(x->patches);
	x->patches = all;
	x->n_patches = n;
	for (j = 0; j < y->n_patches; j++)
		a->mails[y->patches[j]].group = (size_t)(x - a->groups);
	if (y->cover != THREADS_NONE) {
		x->cover = y->cover;
		a->mails[y->cover].group = (size_t)(x - a->groups);
	}
	x->first = MIN_OF(x->first, y->first);
	x->from_s = MIN_OF(x->from_s, y->from_s);
	x->to_s = MAX_OF(x->to_s, y->to_s);
	if (!x->ambiguous)
		x->ambiguous = steal_ptr(y->ambiguous);
	y->gone = true;
	y->base = (size_t)(x - a->groups);
}

/* Does a mail of it belong to a thread that is not here? Then so does what it lacks. */
static bool answers_absent(const struct assembly *a, const struct group *g)
{
	if (g->cover != THREADS_NONE && mail_answers_absent(a, &a->mails[g->cover]))
		return true;
	for (size_t i = 0; i < g->n_patches; i++)
		if (mail_answers_absent(a, &a->mails[g->patches[i]]))
			return true;
	return false;
}

/* Groups of a kind stand together; whole ones and single patches are left out. */
static size_t list_parts(struct assembly *a, size_t *parts)
{
	size_t n = 0;

	for (size_t g = 0; g < a->n_groups; g++)
		if (!a->groups[g].gone && !group_whole(&a->groups[g]) &&
			a->groups[g].base == THREADS_NONE && !answers_absent(a, &a->groups[g]))
			parts[n++] = g;
	/* A cover letter is a part too, even where all its patches are in another. */
	return n;
}

static int compare_covers(const void *pa, const void *pb, void *data)
{
	const struct assembly *a = data;
	const struct group *x = &a->groups[*(const size_t *)pa];
	const struct group *y = &a->groups[*(const size_t *)pb];
	const struct mail *mx = &a->mails[x->first];
	const struct mail *my = &a->mails[y->first];
	int r = compare_size(mx->root, my->root);

	if (!r)
		r = mail_compare_kind(mx, my);
	return r ? r : compare_size(x->first, y->first);
}

/*
 * In one thread, a cover letter "v3" over patches that say nothing and answer something else, or
 * the other way round: one cover without patches, one group without cover, and not two versions.
 */
static void join_covers(struct assembly *a, size_t *parts)
{
	size_t n = 0;

	for (size_t g = 0; g < a->n_groups; g++)
		if (a->mails[a->groups[g].first].tags.numbered)
			parts[n++] = g;
	qsort_r(parts, n, sizeof(*parts), compare_covers, a);
	for (size_t i = 0; i < n;) {
		const struct mail *first = &a->mails[a->groups[parts[i]].first];
		struct group *cover = NULL;
		struct group *bare = NULL;
		size_t others = 0;
		size_t j = i;

		for (; j < n; j++) {
			struct group *g = &a->groups[parts[j]];
			const struct mail *mail = &a->mails[g->first];

			if (mail->root != first->root || mail_compare_kind(mail, first))
				break;
			if (g->cover != THREADS_NONE && !g->n_patches && !cover)
				cover = g;
			else if (g->cover == THREADS_NONE && !bare)
				bare = g;
			else
				others++;
		}
		if (cover && bare && !others &&
			(!a->mails[cover->first].version || !a->mails[bare->first].version))
			merge(a, cover, bare);
		i = j;
	}
}

static int compare_parts(const void *pa, const void *pb, void *data)
{
	const struct assembly *a = data;
	const struct group *x = &a->groups[*(const size_t *)pa];
	const struct group *y = &a->groups[*(const size_t *)pb];
	int r = mail_compare_kind(&a->mails[x->first], &a->mails[y->first]);

	if (!r)
		r = mail_compare_version(&a->mails[x->first], &a->mails[y->first]);
	if (!r)
		r = x->from_s < y->from_s ? -1 : x->from_s > y->from_s;
	return r ? r : compare_size(x->first, y->first);
}

static void mark_ambiguous(struct group *g)
{
	if (!g->ambiguous)
		g->ambiguous = xstrdup("mails of several series with the same numbers came "
				       "together, and none refers to the others: send each "
				       "series on its own, or threaded");
}

/* Parts that were sent together and do not refer to each other, in the order they were sent. */
static void join_parts(struct assembly *a, size_t *parts)
{
	size_t n = list_parts(a, parts);
	struct group *last = NULL;

	qsort_r(parts, n, sizeof(*parts), compare_parts, a);
	for (size_t i = 0; i < n; i++) {
		struct group *g = &a->groups[parts[i]];
		bool near = last && a->mails[g->first].tags.numbered && g->from_s && last->to_s &&
			    !mail_compare_kind(&a->mails[last->first], &a->mails[g->first]) &&
			    !mail_compare_version(&a->mails[last->first], &a->mails[g->first]) &&
			    g->from_s - last->to_s <= ASSEMBLY_WINDOW_S && !group_whole(last);

		if (near && fits(a, last, g)) {
			merge(a, last, g);
			last->joined = true;
			continue;
		}
		/* In threads of their own they are two series, each of which lacks something. */
		if (near && a->mails[last->first].m->n_references + last->n_patches < 2 &&
			g->n_patches < 2) {
			mark_ambiguous(last);
			mark_ambiguous(g);
		}
		last = g;
	}
}

void assembly_group(struct assembly *a)
{
	size_t *order = xcalloc(a->n + 1, sizeof(*order));
	size_t n = 0;
	struct group *g = NULL;

	for (size_t i = 0; i < a->n; i++)
		if (a->mails[i].role == ROLE_PATCH || a->mails[i].role == ROLE_COVER)
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), compare_mails, a);
	for (size_t i = 0; i < n; i++) {
		if (!g || !same_group(&a->mails[order[i - 1]], &a->mails[order[i]]))
			g = add_group(a, order[i]);
		add_mail(a, g, order[i]);
	}
	join_covers(a, order);
	assembly_find_partial(a);
	join_parts(a, order);
	/* Those for which there was no place are in no list of their group. */
	for (size_t i = 0; i < a->n; i++)
		while (a->mails[i].group != THREADS_NONE && a->groups[a->mails[i].group].gone)
			a->mails[i].group = a->groups[a->mails[i].group].base;
	for (size_t i = 0; i < a->n_groups; i++)
		while (a->groups[i].base != THREADS_NONE && !a->groups[i].gone &&
			a->groups[a->groups[i].base].gone)
			a->groups[i].base = a->groups[a->groups[i].base].base;
	free(order);
}

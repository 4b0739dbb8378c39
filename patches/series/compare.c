/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/compare.h"

#include "patches/series/lines.h"

#include <stdlib.h>

#define NOWHERE SIZE_MAX
/* Of the lines that two patches add and remove, so many have to be the same. */
#define ALIKE 0.5

struct patch {
	const struct series_patch *p;
	struct lines diff;
	uint64_t *changed; /* hashes of the lines that it adds and removes, sorted */
	size_t n_changed;
	size_t mate; /* in the other version; NOWHERE */
};

struct version {
	struct patch *v;
	size_t n;
};

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void read_version(const struct series *s, struct version *ret)
{
	ret->n = s->n_patches;
	ret->v = xcalloc(s->n_patches + 1, sizeof(*ret->v));
	for (size_t i = 0; i < s->n_patches; i++) {
		struct patch *patch = &ret->v[i];
		const struct message *m = s->patches[i].message;

		patch->p = &s->patches[i];
		patch->mate = NOWHERE;
		lines_of_diff(m->diff, m->diff_len, &patch->diff);
		patch->changed = xcalloc(patch->diff.n + 1, sizeof(*patch->changed));
		for (size_t l = 0; l < patch->diff.n; l++) {
			const struct line *line = &patch->diff.v[l];

			if (line->len && (*line->p == '+' || *line->p == '-'))
				patch->changed[patch->n_changed++] = line->hash;
		}
		qsort(patch->changed, patch->n_changed, sizeof(*patch->changed), compare_hashes);
	}
}

static void version_done(struct version *v)
{
	for (size_t i = 0; i < v->n; i++) {
		lines_done(&v->v[i].diff);
		free(v->v[i].changed);
	}
	free(v->v);
}

static void pair(struct version *old, size_t i, struct version *new, size_t j)
{
	old->v[i].mate = j;
	new->v[j].mate = i;
}

/* How two patches sort where equal ones shall stand together. */
typedef int order_fn(const struct patch *x, const struct patch *y);

static int by_diff(const struct patch *x, const struct patch *y)
{
	if (x->diff.n != y->diff.n)
		return x->diff.n < y->diff.n ? -1 : 1;
	for (size_t i = 0; i < x->diff.n; i++)
		if (x->diff.v[i].hash != y->diff.v[i].hash)
			return x->diff.v[i].hash < y->diff.v[i].hash ? -1 : 1;
	return 0;
}

static int by_subject(const struct patch *x, const struct patch *y)
{
	return strcmp(x->p->message->subject, y->p->message->subject);
}

static int compare_patches(const void *pa, const void *pb, void *data)
{
	const struct patch *x = *(struct patch *const *)pa;
	const struct patch *y = *(struct patch *const *)pb;
	order_fn *order = *(order_fn **)data;
	int r = order(x, y);

	return r ? r : (x > y) - (x < y);
}

static struct patch **sorted(struct version *v, order_fn *order, size_t *ret_n)
{
	struct patch **list = xcalloc(v->n + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].mate == NOWHERE)
			list[n++] = &v->v[i];
	qsort_r((void *)list, n, sizeof(*list), compare_patches, (void *)&order);
	*ret_n = n;
	return list;
}

/* Equal ones pair up in their order. */
static void match_equal(struct version *old, struct version *new, order_fn *order)
{
	size_t n_old;
	size_t n_new;
	AUTO_FREE struct patch **a = sorted(old, order, &n_old);
	AUTO_FREE struct patch **b = sorted(new, order, &n_new);
	size_t i = 0;
	size_t j = 0;

	while (i < n_old && j < n_new) {
		int r = order(a[i], b[j]);

		if (!r)
			pair(old, (size_t)(a[i] - old->v), new, (size_t)(b[j] - new->v));
		i += r <= 0;
		j += r >= 0;
	}
}

/* Of the lines that both change together, the share that is common to both. */
static double likeness(const struct patch *x, const struct patch *y)
{
	size_t common = 0;
	size_t i = 0;
	size_t j = 0;

	while (i < x->n_changed && j < y->n_changed) {
		if (x->changed[i] == y->changed[j]) {
			common++;
			i++;
			j++;
		} else if (x->changed[i] < y->changed[j]) {
			i++;
		} else {
			j++;
		}
	}
	if (!common)
		return 0;
	return 2.0 * (double)common / (double)(x->n_changed + y->n_changed);
}

struct candidate {
	double likeness;
	size_t i, j;
};

/* The most alike first; then in the order of the series. */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;

	if (x->likeness < y->likeness || x->likeness > y->likeness)
		return x->likeness < y->likeness ? 1 : -1;
	if (x->i != y->i)
		return x->i < y->i ? -1 : 1;
	return (x->j > y->j) - (x->j < y->j);
}

static size_t lines_left(const struct version *v, size_t *ret_patches)
{
	size_t lines = 0;

	*ret_patches = 0;
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].mate == NOWHERE) {
			lines += v->v[i].n_changed + 1;
			(*ret_patches)++;
		}
	return lines;
}

/* False where it would be too much work. */
static bool match_alike(struct version *old, struct version *new)
{
	size_t n_old;
	size_t n_new;
	size_t old_lines = lines_left(old, &n_old);
	size_t new_lines = lines_left(new, &n_new);
	AUTO_FREE struct candidate *list = NULL;
	size_t n = 0;

	if (old_lines * n_new + new_lines * n_old > COMPARE_MAX_WORK)
		return false;
	for (size_t i = 0; i < old->n; i++)
		for (size_t j = 0; j < new->n; j++) {
			double how;

			if (old->v[i].mate != NOWHERE || new->v[j].mate != NOWHERE)
				continue;
			how = likeness(&old->v[i], &new->v[j]);
			if (how < ALIKE)
				continue;
			list = xgrow(list, n, sizeof(*list));
			list[n++] = (struct candidate){how, i, j};
		}
	if (n)
		qsort(list, n, sizeof(*list), compare_candidates);
	for (size_t c = 0; c < n; c++)
		if (old->v[list[c].i].mate == NOWHERE && new->v[list[c].j].mate == NOWHERE)
			pair(old, list[c].i, new, list[c].j);
	return true;
}

/* Subject and log message, as one text. */
static char *message_text(const struct message *m)
{
	return xasprintf("%s\n\n%.*s", m->subject, (int)MIN_OF(m->body_len, INT32_MAX), m->body);
}

/* The differing lines of one part under its heading; how many, or -1: too many. */
static int add_part(
	const char *heading, const struct lines *a, const struct lines *b, struct strbuf *out)
{
	size_t before = out->len;
	int edits;

	(void)strbuf_adds(out, heading);
	edits = lines_diff(a, b, COMPARE_MAX_EDITS, out);
	if (edits == 0)
		strbuf_truncate(out, before);
	else if (edits < 0)
		(void)strbuf_adds(out, " ...\n");
	return edits;
}

/* "Patch 3 (2 of v1)" */
static char *place_text(const struct series *old, int was, int n)
{
	if (n == was)
		return xasprintf("Patch %d", n);
	return xasprintf("Patch %d (%d of v%d)", n, was, old->version);
}

static void compare_pair(const struct series *old, const struct patch *a, const struct patch *b,
	struct series_change *change)
{
	AUTO_FREE char *place = place_text(old, a->p->n, b->p->n);
	AUTO_FREE char *text_a = message_text(a->p->message);
	AUTO_FREE char *text_b = message_text(b->p->message);
	AUTO_LINES struct lines la;
	AUTO_LINES struct lines lb;
	AUTO_STRBUF struct strbuf out;
	int words;
	int edits;

	lines_of_text(text_a, strlen(text_a), &la);
	lines_of_text(text_b, strlen(text_b), &lb);
	strbuf_init(&out, COMPARE_MAX_INTERDIFF);
	change->n = b->p->n;
	change->was = a->p->n;
	words = add_part("## log message ##\n", &la, &lb, &out);
	edits = lines_equal(&a->diff, &b->diff)
			? 0
			: add_part("## diff ##\n", &a->diff, &b->diff, &out);
	change->kind = edits ? CHANGE_DIFF : words ? CHANGE_REWORDED : CHANGE_NONE;
	if (edits < 0)
		change->text = xasprintf("%s is changed in more than %d lines of its diff%s.",
			place, COMPARE_MAX_EDITS, words ? ", and its log message is" : "");
	else if (edits)
		change->text = xasprintf("%s is changed: %d %s of its diff%s.", place, edits,
			edits == 1 ? "line" : "lines", words ? ", and its log message" : "");
	else
		change->text = xasprintf(
			"%s is unchanged%s.", place, words ? " but for its log message" : "");
	if (!edits && !words)
		return;
	if (out.overflow) {
		strbuf_truncate(&out, COMPARE_MAX_INTERDIFF - 5);
		(void)strbuf_adds(&out, "\n...\n");
	}
	change->interdiff = strbuf_detach(&out, NULL);
}

static void add_lone(
	const struct series *s, const struct patch *p, bool dropped, struct series_change *change)
{
	const char *subject = p->p->message->subject;

	change->kind = dropped ? CHANGE_DROPPED : CHANGE_NEW;
	change->n = dropped ? 0 : p->p->n;
	change->was = dropped ? p->p->n : 0;
	change->text = dropped ? xasprintf("Patch %d of v%d, \"%.200s\", is dropped.", p->p->n,
					 s->version, subject)
			       : xasprintf("Patch %d is new.", p->p->n);
}

void series_compare(
	const struct series *old, const struct series *new, struct series_changes *ret_changes)
{
	struct version a;
	struct version b;
	struct series_changes c = {0};

	read_version(old, &a);
	read_version(new, &b);
	match_equal(&a, &b, by_diff);
	match_equal(&a, &b, by_subject);
	c.rough = !match_alike(&a, &b);
	c.items = xcalloc(a.n + b.n + 1, sizeof(*c.items));
	for (size_t j = 0; j < b.n; j++) {
		struct series_change *change = &c.items[c.n++];

		if (b.v[j].mate == NOWHERE)
			add_lone(new, &b.v[j], false, change);
		else
			compare_pair(old, &a.v[b.v[j].mate], &b.v[j], change);
	}
	for (size_t i = 0; i < a.n; i++)
		if (a.v[i].mate == NOWHERE)
			add_lone(old, &a.v[i], true, &c.items[c.n++]);
	version_done(&a);
	version_done(&b);
	*ret_changes = c;
}

void series_changes_done(struct series_changes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].text);
		free(c->items[i].interdiff);
	}
	free(c->items);
	*c = (struct series_changes){0};
}

const char *change_name(enum change_kind kind)
{
	static const char *const names[] = {"unchanged", "reworded", "changed", "new", "dropped"};

	return names[kind];
}

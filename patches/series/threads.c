/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/threads.h"

struct entry {
	const char *id;
	size_t message; /* THREADS_NONE: only referred to */
};

struct threads {
	struct entry *entries; /* sorted by id, then message; one for each mention */
	size_t n_entries;
	/* Union-find over messages, then entries: nodes 0..n_messages-1 are messages. */
	size_t *up;
	size_t n_messages;
};

static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;
	int r = strcmp(x->id, y->id);

	if (r)
		return r;
	return x->message < y->message ? -1 : x->message > y->message;
}

static size_t find_root(struct threads *t, size_t node)
{
	while (t->up[node] != node) {
		t->up[node] = t->up[t->up[node]];
		node = t->up[node];
	}
	return node;
}

static void join(struct threads *t, size_t a, size_t b)
{
	a = find_root(t, a);
	b = find_root(t, b);
	/* The smaller number stays root, so that roots do not depend on the order of joining. */
	if (a < b)
		t->up[b] = a;
	else
		t->up[a] = b;
}

/* The first entry of an id; THREADS_NONE where there is none. */
static size_t first_entry(const struct threads *t, const char *id)
{
	size_t low = 0;
	size_t high = t->n_entries;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(t->entries[mid].id, id) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->n_entries && strcmp(t->entries[low].id, id) == 0 ? low : THREADS_NONE;
}

struct threads *threads_new(struct message *const *messages, size_t n)
{
	struct threads *t = xcalloc(1, sizeof(*t));
	size_t mentions = 0;

	for (size_t i = 0; i < n; i++)
		mentions += 1 + messages[i]->n_references;
	t->n_messages = n;
	t->entries = xcalloc(mentions + 1, sizeof(*t->entries));
	for (size_t i = 0; i < n; i++) {
		const struct message *m = messages[i];

		if (m->message_id)
			t->entries[t->n_entries++] = (struct entry){m->message_id, i};
		for (size_t j = 0; j < m->n_references; j++)
			t->entries[t->n_entries++] = (struct entry){m->references[j], THREADS_NONE};
	}
	qsort(t->entries, t->n_entries, sizeof(*t->entries), entry_compare);
	t->up = xcalloc(n + t->n_entries + 1, sizeof(*t->up));
	for (size_t i = 0; i < n + t->n_entries; i++)
		t->up[i] = i;
	for (size_t i = 0; i < n; i++) {
		const struct message *m = messages[i];

		if (m->message_id)
			join(t, i, n + first_entry(t, m->message_id));
		for (size_t j = 0; j < m->n_references; j++)
			join(t, i, n + first_entry(t, m->references[j]));
	}
	return t;
}

struct threads *threads_free(struct threads *t)
{
	if (!t)
		return NULL;
	free(t->entries);
	free(t->up);
	free(t);
	return NULL;
}

size_t threads_root(struct threads *t, size_t message)
{
	return find_root(t, message);
}

size_t threads_find(const struct threads *t, const char *message_id)
{
	size_t at = first_entry(t, message_id);

	return at == THREADS_NONE ? THREADS_NONE : t->entries[at].message;
}

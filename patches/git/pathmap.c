/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/pathmap.h"

void pathmap_done(struct pathmap *m)
{
	free(m->slots);
	*m = (struct pathmap){0};
}

static size_t hash(const char *path)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

/* Where path is, or would go. */
static size_t slot_of(const struct pathmap *m, const char *path)
{
	size_t at = hash(path) & (m->room - 1);

	while (m->slots[at].path && strcmp(m->slots[at].path, path) != 0)
		at = (at + 1) & (m->room - 1);
	return at;
}

size_t pathmap_get(const struct pathmap *m, const char *path)
{
	size_t at;

	if (!m->room)
		return PATHMAP_NONE;
	at = slot_of(m, path);
	return m->slots[at].path ? m->slots[at].value : PATHMAP_NONE;
}

static void grow(struct pathmap *m)
{
	struct pathmap old = *m;

	m->room = old.room ? old.room * 2 : 16;
	m->slots = xcalloc(m->room, sizeof(*m->slots));
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i].path)
			m->slots[slot_of(m, old.slots[i].path)] = old.slots[i];
	free(old.slots);
}

void pathmap_set(struct pathmap *m, const char *path, size_t value)
{
	size_t at;

	if (2 * (m->n + 1) > m->room)
		grow(m);
	at = slot_of(m, path);
	m->n += m->slots[at].path == NULL;
	m->slots[at].path = path;
	m->slots[at].value = value;
}

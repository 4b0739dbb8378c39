/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the mails name as going before the series, looked for in a tree's history. */
#include "daemon/worker/apply.h"

#include "base/strbuf.h"

static struct sought *sought_new(const struct applying *a)
{
	struct sought *list = xcalloc(a->n_named + 1, sizeof(*list));

	for (size_t i = 0; i < a->n_named; i++)
		list[i] = (struct sought){.kind = streq(a->named[i].kind, "patch-id")
							  ? SOUGHT_PATCH_ID
							  : SOUGHT_TRAILER,
			.value = a->named[i].value};
	return list;
}

/* The tip is looked through once; a base of another branch by itself. */
static int look(struct applying *a, struct place *place, const struct oid *base, struct error *e)
{
	bool below = false;
	int r;

	if (!place->sought) {
		place->sought = sought_new(a);
		r = history_find(place->repo, &place->tip, place->sought, a->n_named, e);
		if (r)
			return r;
	}
	r = history_has(place->repo, &place->tip, base, &below, e);
	if (r || below)
		return r;
	return history_find(place->repo, base, place->sought, a->n_named, e);
}

int prerequisites_check(struct applying *a, struct place *place, const struct oid *base,
	size_t *ret_lacks, struct error *e)
{
	size_t i = 0;
	int r = a->n_named ? look(a, place, base, e) : 0;

	for (; i < a->n_named && !r; i++) {
		bool has = false;

		if (place->sought[i].found)
			r = history_has(place->repo, base, &place->sought[i].commit, &has, e);
		if (!r && !has)
			break;
	}
	*ret_lacks = i;
	return r;
}

char *prerequisites_why(const struct applying *a)
{
	const struct named *first = NULL;
	size_t missing = 0;
	AUTO_FREE char *more = NULL;
	AUTO_FREE char *held = NULL;

	for (size_t i = 0; i < a->n_named; i++) {
		bool found = false;

		for (size_t p = 0; p < a->n_places && !found; p++)
			found = a->places[p].sought && a->places[p].sought[i].found;
		if (found)
			continue;
		first = first ? first : &a->named[i];
		missing++;
	}
	if (!first)
		return xstrdup("no base that can be used has all the prerequisites that its mails "
			       "name: say which one with --base");
	if (missing > 1)
		more = xasprintf(" and %zu more", missing - 1);
	if (first->held)
		held = xasprintf("series %lld has it but is held", (long long)first->held);
	return xasprintf("its mails name the prerequisite %s%s%s%s, and %s: submit it, and this "
			 "series goes on by itself, or say with --needs what goes before it",
		streq(first->kind, "text") ? "" : first->kind,
		streq(first->kind, "text") ? "" : " ", first->value, more ? more : "",
		held ? held : "neither the lab's series nor the tree's history has it");
}

cJSON *prerequisites_json(const struct applying *a, const struct place *place)
{
	cJSON *list = cJSON_CreateArray();
	char hex[OID_HEX];

	for (size_t i = 0; i < a->n_named && place->sought; i++) {
		cJSON *item;

		if (!place->sought[i].found)
			continue;
		item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		json_set_int(item, "n", a->named[i].n);
		json_set_str(item, "commit", oid_hex(&place->sought[i].commit, hex));
	}
	return list;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/worker/changes.h"

#include "patches/series/compare.h"

static void add_changes(const struct series *old, const struct series *new, cJSON *o)
{
	AUTO_SERIES_CHANGES struct series_changes c = {0};
	cJSON *list = json_add_array(o, "changes");
	size_t shown = 0;

	series_compare(old, new, &c);
	for (size_t i = 0; i < c.n; i++) {
		const struct series_change *change = &c.items[i];
		size_t len = change->interdiff ? strlen(change->interdiff) : 0;
		bool fits = shown + len <= CHANGES_MAX_SHOWN;
		cJSON *item = cJSON_CreateObject();

		shown += fits ? len : 0;
		json_set_str(item, "change", change_name(change->kind));
		json_set(item, "n", change->n ? cJSON_CreateNumber(change->n) : NULL);
		json_set(item, "was", change->was ? cJSON_CreateNumber(change->was) : NULL);
		json_set_str(item, "text", change->text);
		json_set_str(item, "interdiff", fits ? change->interdiff : NULL);
		cJSON_AddItemToArray(list, item);
	}
	json_set_bool(o, "rough", c.rough);
}

/* Within one file that was found out already; across files it is what made the lab find it. */
static enum series_link link_of(const struct series *old, const struct series *new)
{
	if (new->previous == old)
		return new->link;
	if (streq(old->change_id, new->change_id))
		return LINK_CHANGE_ID;
	return streq(old->title, new->title) ? LINK_TITLE : LINK_REPLY;
}

void changes_add_previous(const struct series *old, const struct series *new, cJSON *previous)
{
	json_set_int(previous, "version", old->version);
	json_set_str(previous, "title", old->title);
	json_set_str(previous, "message_id", old->top->message_id);
	json_set_str(previous, "linked_by", series_link_name(link_of(old, new)));
	json_set_bool(previous, "partial", new->partial);
	add_changes(old, new, previous);
}

cJSON *trailers_json(const struct series *s)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < s->n_trailers; i++) {
		const struct series_trailer *t = &s->trailers[i];
		cJSON *item = cJSON_CreateObject();

		json_set_str(item, "name", t->name);
		json_set_str(item, "value", t->value);
		json_set_int(item, "patch", t->patch);
		json_set_bool(item, "reply", t->reply);
		json_set_str(item, "message_id", t->message->message_id);
		json_set_str(item, "refused", t->refused);
		cJSON_AddItemToArray(list, item);
	}
	return list;
}

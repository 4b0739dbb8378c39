/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/worker/changes.h"

#include "patches/series/compare.h"

void changes_add(const struct series *old, const struct series *new, cJSON *o)
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/json.h"

void json_set_id(cJSON *o, const char *key, int64_t id)
{
	if (id)
		json_set_int(o, key, id);
	else
		json_set(o, key, NULL);
}

void json_set_run(cJSON *o, int64_t series_id, bool of_comparison)
{
	json_set_id(o, "series", of_comparison ? 0 : series_id);
	json_set_id(o, "comparison", of_comparison ? series_id : 0);
}

cJSON *json_page(cJSON *items, int64_t next)
{
	cJSON *page = cJSON_CreateObject();
	char cursor[24];

	(void)snprintf(cursor, sizeof(cursor), "%lld", (long long)next);
	json_set(page, "items", items);
	json_set_str(page, "next", next ? cursor : NULL);
	return page;
}

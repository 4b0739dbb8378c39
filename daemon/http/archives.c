/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mailing-list archives that are followed. */
#include "daemon/http/json.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"

/* What the file says of it, and where it stands. */
static int archive_json(struct request *r, const cJSON *config, cJSON **ret_json, struct error *e)
{
	AUTO_ARCHIVE struct archive_row row = {0};
	AUTO_JSON cJSON *o = cJSON_CreateObject();
	AUTO_JSON cJSON *positions = NULL;
	static const char *const copied[] = {
		"tree", "profile", "until", "every_seconds", "paths", "lists", "allow", "trust"};
	int err = archive_get(r->http->store, json_str(config, "name", ""), &row, e);

	if (err < 0 || (err = archive_positions(r->http->store, row.id, &positions, e)) < 0)
		return err;
	json_set_int(o, "id", row.id);
	json_set_str(o, "name", row.name);
	json_set_str(o, "address", row.address);
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		json_set_copy(o, copied[i], json_get(config, copied[i]));
	json_set_int(o, "mails", row.mails);
	json_set(o, "positions", steal_ptr(positions));
	json_set_str(o, "reason", row.reason);
	json_set_id(o, "job", row.job_id);
	json_set_time(o, "since", row.since_s * 1000);
	json_set_time(o, "created", row.created_ms);
	json_set_time(o, "visited", row.visited_ms);
	*ret_json = steal_ptr(o);
	return 0;
}

/* A file names at most a few dozen: one page. */
void archives_get(struct request *r)
{
	AUTO_JSON cJSON *config = NULL;
	AUTO_JSON cJSON *items = cJSON_CreateArray();
	struct error e = ERROR_INIT;
	const cJSON *item;

	if (sched_archives(r->http->sched, &config, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	json_for_each (item, json_get(config, "archives")) {
		cJSON *archive;

		if (archive_json(r, item, &archive, &e) < 0) {
			reply_error(r, &e);
			return;
		}
		cJSON_AddItemToArray(items, archive);
	}
	reply_json(r, 200, json_page(steal_ptr(items), 0));
}

void archives_post_visit(struct request *r)
{
	AUTO_JSON cJSON *config = NULL;
	AUTO_ARCHIVE struct archive_row row = {0};
	struct error e = ERROR_INIT;
	const cJSON *item;
	cJSON *archive = NULL;

	if (sched_archive_visit(r->http->sched, r->name, &row, &e) < 0 ||
		sched_archives(r->http->sched, &config, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	json_for_each (item, json_get(config, "archives"))
		if (streq(json_str(item, "name", NULL), r->name) &&
			archive_json(r, item, &archive, &e) < 0) {
			reply_error(r, &e);
			return;
		}
	reply_json(r, 202, archive);
}

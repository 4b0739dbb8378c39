/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees, hosts, machines and tokens. */
#include "daemon/http/json.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"
#include <errno.h>

/* GET of a list, NOUNs_get(): the rows of daemon/store's NOUN_list() as json_NOUN() shows them. */
#define LIST_ROUTE(noun)                                                            \
	void noun##s_get(struct request *r)                                         \
	{                                                                           \
		struct error e = ERROR_INIT;                                        \
		struct noun##_row *rows;                                            \
		struct page page;                                                   \
		int64_t next;                                                       \
		cJSON *items;                                                       \
		size_t n;                                                           \
                                                                                    \
		if (!request_page(r, &page))                                        \
			return;                                                     \
		if (noun##_list(r->http->store, &page, &rows, &n, &next, &e) < 0) { \
			reply_error(r, &e);                                         \
			return;                                                     \
		}                                                                   \
		items = cJSON_CreateArray();                                        \
		for (size_t i = 0; i < n; i++)                                      \
			cJSON_AddItemToArray(items, json_##noun(&rows[i]));         \
		noun##_free_all(rows, n);                                           \
		reply_json(r, 200, json_page(items, next));                         \
	}

LIST_ROUTE(tree)

void trees_post(struct request *r)
{
	AUTO_JSON cJSON *body = request_json(r);
	AUTO_TREE struct tree_row row = {0};
	struct error e = ERROR_INIT;
	const char *name, *deb, *git;

	if (!body)
		return;
	deb = json_str(body, "deb", NULL);
	git = json_str(body, "git", NULL);
	if (json_need_str(body, "name", &name, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	if (!deb == !git) {
		reply_problem(r, 400,
			"A tree comes from exactly one of \"deb\" (a package) and \"git\" (a "
			"URL).");
		return;
	}
	if (sched_tree_add(r->http->sched, name, deb, git, &row, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	reply_json(r, 201, json_tree(&row));
}

void trees_post_fetch(struct request *r)
{
	AUTO_TREE struct tree_row row = {0};
	struct error e = ERROR_INIT;

	if (sched_tree_fetch(r->http->sched, r->name, &row, &e) < 0)
		reply_error(r, &e);
	else
		reply_json(r, 202, json_tree(&row));
}

LIST_ROUTE(host)
LIST_ROUTE(machine)

/* Strings of the body stay the body's: the row must not be released. */
static int machine_from(cJSON *body, struct machine_row *row, struct error *e)
{
	const char *name, *host, *kind, *model;
	int64_t memory, cpus;
	cJSON *tag;
	int r;

	if ((r = json_need_str(body, "name", &name, e)) < 0 ||
		(r = json_need_str(body, "host", &host, e)) < 0 ||
		(r = json_need_str(body, "kind", &kind, e)) < 0 ||
		(r = json_need_str(body, "model", &model, e)) < 0 ||
		(r = json_need_int(body, "memory_mib", 128, 4 * 1024 * 1024, &memory, e)) < 0 ||
		(r = json_need_int(body, "cpus", 1, 4096, &cpus, e)) < 0)
		return r;
	row->name = (char *)name;
	row->host = (char *)host;
	row->kind = (char *)kind;
	row->model = (char *)model;
	row->arch = (char *)json_str(body, "arch", "x86_64");
	row->memory_mib = (int)memory;
	row->cpus = (int)cpus;
	row->tags = cJSON_GetObjectItemCaseSensitive(body, "tags");
	if (!row->tags)
		row->tags = json_add_array(body, "tags");
	if (!cJSON_IsArray(row->tags))
		return error_set(e, ERR_SYNTAX, "\"tags\" has to be an array of strings");
	json_for_each (tag, row->tags) {
		if (!cJSON_IsString(tag))
			return error_set(e, ERR_SYNTAX, "\"tags\" has to be an array of strings");
	}
	return 0;
}

void machines_post(struct request *r)
{
	AUTO_JSON cJSON *body = request_json(r);
	AUTO_MACHINE struct machine_row row = {0};
	struct machine_row asked = {0};
	struct error e = ERROR_INIT;

	if (!body)
		return;
	if (machine_from(body, &asked, &e) < 0 ||
		sched_machine_add(r->http->sched, &asked, &row, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	reply_json(r, 201, json_machine(&row));
}

void tokens_get(struct request *r)
{
	AUTO_FREE struct token_row *rows = NULL;
	struct error e = ERROR_INIT;
	struct page page;
	int64_t next;
	cJSON *items;
	size_t n;

	if (!request_page(r, &page))
		return;
	if (token_list(r->http->store, &page, &rows, &n, &next, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	items = cJSON_CreateArray();
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(items, json_token(&rows[i]));
	reply_json(r, 200, json_page(items, next));
}

void tokens_post(struct request *r)
{
	AUTO_JSON cJSON *body = request_json(r);
	struct error e = ERROR_INIT;
	char token[TOKEN_SIZE];
	struct token_row row;
	enum scope scope;
	cJSON *answer;

	if (!body)
		return;
	if (scope_parse(json_str(body, "scope", ""), &scope) < 0) {
		reply_problem(r, 400, "\"scope\" is one of read, submit, admin.");
		return;
	}
	if (token_create(r->http->store, scope, token, &row, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	answer = json_token(&row);
	json_set_str(answer, "token", token);
	reply_json(r, 201, answer);
}

void tokens_delete(struct request *r)
{
	struct error e = ERROR_INIT;

	if (token_revoke(r->http->store, r->id, &e) < 0) {
		reply_error(r, &e);
		return;
	}
	streams_recheck(&r->http->streams);
	reply_empty(r, 204);
}

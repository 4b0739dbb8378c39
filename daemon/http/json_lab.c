/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/json.h"

cJSON *json_tree(const struct tree_row *row)
{
	cJSON *o = cJSON_CreateObject();

	json_set_int(o, "id", row->id);
	json_set_str(o, "name", row->name);
	json_set_copy(o, "source", row->source);
	json_set_str(o, "path", row->path);
	json_set_str(o, "state", row->state);
	json_set_str(o, "tip", row->tip);
	json_set_str(o, "version", row->version);
	json_set_str(o, "reason", row->reason);
	json_set_id(o, "job", row->job_id);
	json_set_time(o, "created", row->created_ms);
	json_set_time(o, "fetched", row->fetched_ms);
	return o;
}

/* Not `key`: where the lab keeps a private key is nobody's business. */
cJSON *json_host(const struct host_row *row)
{
	cJSON *o = cJSON_CreateObject();

	json_set_int(o, "id", row->id);
	json_set_str(o, "name", row->name);
	json_set_str(o, "address", row->address);
	json_set_int(o, "port", row->port);
	json_set_str(o, "user", row->user);
	json_set_str(o, "host_key", row->host_key);
	json_set_str(o, "root", row->root);
	json_set_copy(o, "facts", row->facts);
	json_set_str(o, "reason", row->reason);
	json_set_bool(o, "drained", row->drained);
	json_set_id(o, "job", row->job_id);
	json_set_time(o, "probed", row->probed_ms);
	json_set_time(o, "created", row->created_ms);
	return o;
}

cJSON *json_machine(const struct machine_row *row)
{
	cJSON *o = cJSON_CreateObject();

	json_set_int(o, "id", row->id);
	json_set_str(o, "name", row->name);
	json_set_str(o, "host", row->host);
	json_set_str(o, "kind", row->kind);
	json_set_str(o, "model", row->model);
	json_set_str(o, "arch", row->arch);
	json_set_copy(o, "tags", row->tags);
	json_set_int(o, "memory_mib", row->memory_mib);
	json_set_int(o, "cpus", row->cpus);
	json_set_bool(o, "drained", row->drained);
	json_set_time(o, "created", row->created_ms);
	return o;
}

cJSON *json_token(const struct token_row *row)
{
	cJSON *o = cJSON_CreateObject();

	json_set_int(o, "id", row->id);
	json_set_str(o, "scope", scope_name(row->scope));
	json_set_time(o, "created", row->created_ms);
	json_set_time(o, "revoked", row->revoked_ms);
	return o;
}

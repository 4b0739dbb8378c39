/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a host is and has, as its agent finds it. */
#include "daemon/worker/remote.h"

#define PROBE_MS (180 * 1000) /* it boots a guest of a few bytes, on a slow host without KVM */

static int run(struct job *job, cJSON *result, struct error *e)
{
	static const struct remote_handlers handlers = {.budget_ms = PROBE_MS};
	AUTO_REMOTE struct remote remote;
	AUTO_STRBUF struct strbuf request;
	AUTO_JSON cJSON *facts = NULL;
	int err;

	strbuf_init(&request, 0);
	err = remote_open(&remote, job, e);
	if (err)
		return err;
	request_begin(&request, &remote, "probe");
	err = remote_call(&remote, &request, &handlers, NULL, &facts, e);
	if (err)
		return err;
	cJSON_DeleteItemFromObjectCaseSensitive(facts, "event");
	cJSON_DeleteItemFromObjectCaseSensitive(facts, "status");
	cJSON_DeleteItemFromObjectCaseSensitive(facts, "reason");
	json_set_str(facts, "root", remote.root);
	json_set(result, "facts", steal_ptr(facts));
	return 0;
}

const struct worker_ops worker_probe = {.kind = "probe", .run = run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows as the API shows them. New documents are the caller's. */
#ifndef HTTP_JSON_H
#define HTTP_JSON_H

#include "base/json.h"
#include "daemon/sched/verbs.h"

/* 0 becomes null. */
void json_set_id(cJSON *o, const char *key, int64_t id);
/* "series" and "comparison": one of them is the id, the other null; both are where it is 0. */
void json_set_run(cJSON *o, int64_t series_id, bool of_comparison);
/* {"items":items,"next":"N" or null}; takes items. */
cJSON *json_page(cJSON *items, int64_t next);

/* state, verdict, performance, run, held, input_at_fault, title */
void json_series_state(cJSON *o, const struct series_row *row);
/* Of series and of comparisons. As in lists: with its progress, without its jobs. */
int json_series_brief(
	struct sched *s, const struct series_row *row, cJSON **ret_json, struct error *e);
int json_series(struct sched *s, const struct series_row *row, cJSON **ret_json, struct error *e);

cJSON *json_job_brief(const struct job_row *row);
/* With its result and where it stands. */
cJSON *json_job(struct sched *s, const struct job_row *row);
/* stage, text, done, total, log_size */
void json_job_progress(cJSON *o, const struct progress *p);

cJSON *json_tree(const struct tree_row *row);
cJSON *json_host(const struct host_row *row);
cJSON *json_machine(const struct machine_row *row);
cJSON *json_token(const struct token_row *row);

#endif

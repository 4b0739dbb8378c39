/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The handlers that routes.c lists, by the file they are in. */
#ifndef HTTP_ROUTES_H
#define HTTP_ROUTES_H

#include "daemon/http/request.h"
#include "daemon/store/store.h"

#define LIST_LIMIT 50 /* items of a list where nothing else is asked for */

/* `cursor` and `limit` of a list; answers 400 and returns false where they are none. */
bool request_page(struct request *r, struct page *ret_page);

/* Whether the address is below /comparisons: the handlers of series.c serve those too. */
bool request_is_comparison(const struct request *r);
/* `series` or `comparison` of the query, whose ids are shared; 0: neither. Answers 400 and returns
 * false where it is none. */
bool request_run_id(struct request *r, int64_t *ret_id);

/* named.c: a POST of JSON. named_submit() reads it in place of mail; query: what the query says. */
struct submit_opts;
struct series_row;
bool named_is(struct request *r);
int named_submit(struct request *r, const struct submit_opts *query, struct series_row *ret_row,
	bool *ret_created, struct error *e);

/* series.c, of series and of comparisons */
void series_post(struct request *r);
void series_get_list(struct request *r);
void series_get_one(struct request *r);
void series_get_report(struct request *r);
void series_post_rerun(struct request *r);
void series_post_cancel(struct request *r);
void series_post_approve(struct request *r);

/* comparisons.c */
void comparisons_post(struct request *r);

/* archives.c */
void archives_get(struct request *r);
void archives_post_visit(struct request *r);

/* jobs.c */
void jobs_get_list(struct request *r);
void jobs_get_one(struct request *r);
void jobs_get_reproduce(struct request *r);

/* logs.c */
void logs_get(struct request *r);

/* hosts.c */
void hosts_post(struct request *r);
void hosts_post_probe(struct request *r);
void hosts_post_drain(struct request *r);
void hosts_post_resume(struct request *r);
void machines_post_drain(struct request *r);
void machines_post_resume(struct request *r);

/* lab.c */
void trees_get(struct request *r);
void trees_post(struct request *r);
void trees_post_fetch(struct request *r);
void hosts_get(struct request *r);
void machines_get(struct request *r);
void machines_post(struct request *r);
void tokens_get(struct request *r);
void tokens_post(struct request *r);
void tokens_delete(struct request *r);

/* meta.c */
void openapi_get(struct request *r);
void healthz_get(struct request *r);
void metrics_get(struct request *r);

#endif

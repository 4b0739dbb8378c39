/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jobs: one thing done once on one host or machine. A job that a crash interrupted runs again as
 * its next attempt; results are stored in one transaction when an attempt ends, so there are never
 * results of two attempts.
 */
#ifndef STORE_JOB_H
#define STORE_JOB_H

#include "daemon/store/facts.h"
#include "daemon/store/store.h"

struct job_row {
	int64_t id;
	char *kind; /* tree inbox fetch parse apply resolve probe build boot */
	int64_t series_id; /* 0: none */
	bool of_comparison; /* which that series is; job_insert() does not read it */
	int run; /* 0: none */
	char *tree; /* name, kind tree; else NULL */
	char *archive; /* name, kind inbox; else NULL */
	char *host; /* name, kinds probe build boot; else NULL */
	char *machine; /* name, kind boot; else NULL */
	int64_t batch; /* the first job of those that run back to back; its own id if alone */
	enum status status;
	char *reason; /* or NULL */
	int attempt; /* from 1; 0 until it started */
	int64_t epoch; /* of its newest attempt; 0 until it started */
	int64_t queued_ms; /* Unix; the next three 0 until then */
	int64_t started_ms;
	int64_t ended_ms;
	int64_t tool_ms;
	int64_t log_size; /* as of its end; while it runs see sched_progress() */
	cJSON *result; /* as the worker gave it; or NULL; NULL in lists */
	/* kinds build and boot */
	int patch; /* -1: other kinds */
	char *commit; /* or NULL, like the rest */
	char *arch; /* kind build */
	/* kind boot */
	char *side;
	char *role;
	char *clock;
	char *part; /* "" where one boot does all; NULL is as good when it is inserted */
	int pair;
	int seed;
};
void job_done(struct job_row *r);
#define AUTO_JOB CLEANUP(job_done)
struct job_row *job_free_all(struct job_row *rows, size_t n);

/* kind, series_id, run, tree, host, machine, batch (0: its own id) and what its kind has. */
int job_insert(struct store *s, const struct job_row *row, int64_t *ret_id, struct error *e);
int job_get(struct store *s, int64_t id, struct job_row *ret_row, struct error *e);
/* status running, next attempt, next epoch; both into *row. */
int job_set_started(struct store *s, struct job_row *row, struct error *e);
/* Back to queued without an end: what ran was cut. */
int job_set_interrupted(struct store *s, int64_t id, struct error *e);
int job_set_ended(struct store *s, int64_t id, enum status status, const char *reason,
	int64_t tool_ms, int64_t log_size, const cJSON *result, struct error *e);
/* Every queued job of a run. */
int job_cancel_queued(struct store *s, int64_t series_id, int run, struct error *e);

/* Jobs in state running: what a crash left behind. *ret_ids: heap. */
int job_running(struct store *s, int64_t **ret_ids, size_t *ret_n, struct error *e);
/*
 * The next queued job: on a host (not drained): the rest of a batch that has begun, then the
 * series that has begun to build there and has not come to its boots, then the oldest run. NULL:
 * of those that need no host, without the kinds that are left out. ERR_MISSING: none.
 */
struct job_left_out {
	bool tree;
	bool inbox;
};
int job_next(struct store *s, const char *host, const struct job_left_out *left_out,
	struct job_row *ret_row, struct error *e);

/* NULL, 0: any. series_id: its newest run's only, oldest first; otherwise newest first. */
struct job_filter {
	int64_t series_id;
	const char *status;
	const char *kind;
	const char *host;
	const char *tree;
};
int job_list(struct store *s, const struct job_filter *filter, const struct page *page,
	struct job_row **ret_rows, size_t *ret_n, int64_t *ret_next, struct error *e);

#endif

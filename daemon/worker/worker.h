/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One job, from the inside of patchbay-worker: docs/internals/worker-protocol.md.
 *
 * main.c reads the job, finds the struct worker_ops of its kind and runs it; what comes back
 * becomes the `end` event. SIGTERM ends the process at any point with a whole `end` line of its
 * own, so that no kind needs to look for it; child processes die with the worker, and what runs
 * on hosts ends when its connection does.
 *
 * A job's functions are for the main thread only.
 */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "base/json.h"
#include "scan/scan.h"

#define WORKER_MAX_JOB (16 * 1024 * 1024) /* bytes of the job on standard input */
#define WORKER_MAX_EVENT (8 * 1024 * 1024) /* bytes of one event line */
#define WORKER_MAX_LOG (512 * 1024 * 1024) /* bytes of artifacts/log; see BUILD_MAX_LOG */

struct job; /* below */

/*
 * One kind of job. run() fills *result and returns
 *   0                     pass, or whatever worker_fail() was told
 *   a negative error      `error`: the lab's trouble, with the sentence of *e
 * It never returns an error for what the code under test did: that is worker_fail().
 */
struct worker_ops {
	const char *kind;
	int (*run)(struct job *job, cJSON *result, struct error *e);
};

/* The list is in main.c; each is in the file of its name. */
extern const struct worker_ops worker_tree;
extern const struct worker_ops worker_parse;
extern const struct worker_ops worker_apply;
extern const struct worker_ops worker_resolve;
extern const struct worker_ops worker_probe;
extern const struct worker_ops worker_build;
extern const struct worker_ops worker_boot;
extern const struct worker_ops worker_inbox;
extern const struct worker_ops worker_fetch;

struct job {
	const cJSON *doc; /* the whole job, for what its kind needs */
	int64_t id;
	int attempt;
	int64_t epoch;
	const char *lab;
	const char *artifacts; /* an existing folder, this attempt's own */
	const char *cache; /* folder for what can be fetched again; may not exist yet */
	int64_t tool_ms; /* add time spent in the compiler or the guest */

	/* The rest belongs to job.c. */
	int event_fd;
	int log_fd; /* artifacts/log; -1 before the first byte */
	size_t log_size;
	size_t log_told;
	size_t n_findings;
	bool failed;
	char reason[1024];
};

/* The code under test is at fault: `fail`, with one sentence that says of what. The first
 * sentence stays. */
void worker_fail(struct job *job, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* done of total; total < 0: unknown. */
void worker_progress(struct job *job, int64_t done, int64_t total, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
void worker_stage(struct job *job, const char *name);
/* Past SCAN_MAX_FINDINGS of one job they are dropped. */
void worker_finding(struct job *job, const struct scan_finding *finding);
/* params may be NULL; it stays the caller's. */
void worker_sample(struct job *job, const char *metric, double value, const cJSON *params);
void worker_artifact(
	struct job *job, const char *name, const char *path, const char *sha256, size_t size);

/* Append to artifacts/log. ERR_LIMIT past WORKER_MAX_LOG; a full disk here is an error too. */
int worker_log(struct job *job, const void *data, size_t len, struct error *e);
/* Tell how far the log has grown, where it has: once for each batch of worker_log(). */
void worker_log_tell(struct job *job);

/* artifacts/NAME, heap. */
char *worker_path(const struct job *job, const char *name);

/* For main.c: start from the parsed document, and the last word. */
int worker_job_init(
	struct job *job, const cJSON *doc, const char *kind, int event_fd, struct error *e);
/* Takes result over. r and e are what run() came back with. */
void worker_end(struct job *job, int r, const struct error *e, cJSON *result);
void worker_job_done(struct job *job);

#endif

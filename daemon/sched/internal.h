/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scheduler's files share. */
#ifndef SCHED_INTERNAL_H
#define SCHED_INTERNAL_H

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "daemon/sched/sched.h"
#include "daemon/store/base.h"
#include "daemon/store/result.h"
#include <errno.h>

#define UNBOUND_SLOTS 3 /* jobs without a host that run at one time */

struct running;

/* A series of an archive that was over, and that the archive's next visit assembles again. */
struct recalled {
	int64_t archive_id;
	int64_t part_id;
};

struct sched {
	struct loop *loop;
	struct store *store;
	char *state, *share, *worker, *cache;
	char *incoming, *artifacts, *mail, *trees;
	struct running *running;
	struct observer *observers;
	struct loop_source *kick;
	struct loop_source *inbox; /* the next visit to an archive */
	struct recalled *recalled; /* not stored: a visit that does not find them asks again */
	size_t n_recalled;
	struct loop_source *again; /* after trouble with the disk */
};

/* observe.c */
void sched_notify(struct sched *s, const struct change *change);
void sched_notify_row(struct sched *s, enum change_kind kind, int64_t id);
/* Whether a job waits or runs. job_id 0: there is none. */
bool sched_is_open(const struct sched *s, int64_t job_id);
void sched_notify_job(struct sched *s, const struct job_row *job);
/* One line on standard error. */
void sched_log(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* sched.c: start what can be started, when the loop is next idle. */
void sched_kick(struct sched *s);
/* STATE/artifacts/JOB.ATTEMPT, heap. */
char *sched_artifacts(const struct sched *s, int64_t job_id, int attempt);
/* STATE/artifacts/mail/SHA256, heap. */
char *sched_mail(const struct sched *s, const char *sha256);
/* After trouble with the disk: go on with everything in a while. */
void sched_try_again(struct sched *s);

/* profiles.c */
int sched_profile(const struct sched *s, const char *name, cJSON **ret_profile, struct error *e);
/* Make archives of the tests that a resolved profile names, and write into it where they are. */
int sched_pack_tests(const struct sched *s, cJSON *profile, struct error *e);

/* advance.c: do what is next for a series; for those that need it; for all. Trouble with the disk
 * is logged and tried again later. */
void sched_advance(struct sched *s, int64_t series_id);
void sched_advance_dependents(struct sched *s, int64_t series_id);
void sched_advance_all(struct sched *s);

/* submit.c: a random number. */
int sched_draw(int64_t *ret_draw, struct error *e);
/* submit.c: moves a file to where mail is kept, on disk before any row names it; fine where that
 * was done before. */
int sched_keep_mail(struct sched *s, const char *path, const char *sha256, struct error *e);

/*
 * needs.c: finds what the mails of a series name as prerequisites among the lab's series, and puts
 * all that it needs in order. 1: everything is there; 0: one of them is not ready yet, or the
 * series has to be held, with *ret_hold (heap).
 */
struct facts;
int needs_settle(struct sched *s, const struct facts *f, char **ret_hold, struct error *e);

/* A series went onto its base: those that are held for want of it get one more run, for the caller
 * to advance once that is on disk. *ret_ids: heap. */
int needs_wake(
	struct sched *s, int64_t series_id, int64_t **ret_ids, size_t *ret_n, struct error *e);

/* spec.c: the document for the worker, and how long it may take. */
int spec_new(struct sched *s, const struct job_row *job, const char *artifacts, cJSON **ret_spec,
	int64_t *ret_seconds, struct error *e);

/* What an attempt came to. */
struct outcome {
	enum status status;
	char *reason; /* or NULL */
	int64_t tool_ms;
	int64_t log_size;
	cJSON *result; /* or NULL */
	cJSON *findings; /* arrays */
	cJSON *samples;
	bool recalls; /* a visit to an archive, whose mails are gone through once more */
	int64_t *woken; /* series that can go on now that this is stored */
	size_t n_woken;
	int64_t *superseded; /* series that were cancelled for this one */
	size_t n_superseded;
};
void outcome_done(struct outcome *o);

/* outcome.c: store it all in one transaction, then tell, then go on. Anything but 0: nothing was
 * stored; the disk is full, say. A result that does not fit becomes an error of the job. */
int outcome_store(struct sched *s, const struct job_row *job, struct outcome *o, struct error *e);

/* versions.c: what came to be known of a series says which others it takes the place of; within the
 * transaction that stores it. */
int versions_settle(struct sched *s, const struct job_row *job, const cJSON *series,
	struct outcome *o, struct error *e);
/* Its newest run, with what is queued of it; why: a whole sentence. */
int versions_cancel(
	struct sched *s, const struct series_row *series, const char *why, struct error *e);

/* running.c */
int running_start(struct sched *s, struct job_row *job, struct error *e);
bool running_on_host(const struct sched *s, const char *host);
bool running_kind(const struct sched *s, const char *kind);
size_t running_unbound(const struct sched *s);
void running_cancel(struct sched *s, int64_t series_id);
void running_free_all(struct sched *s);

#endif

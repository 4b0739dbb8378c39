/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be asked of the lab: the verbs behind HTTP. Options come parsed; answers are rows.
 * Codes become statuses: ERR_SYNTAX 400 · ERR_AUTH 401 · -EACCES 403 · ERR_MISSING 404 ·
 * ERR_CONFLICT and ERR_STATE 409 · ERR_LIMIT 413 · anything else 500. Everything is on disk when
 * a verb returns. Lists and lookups of rows: the functions of daemon/store on sched_store().
 *
 * The first admin token: `patchbayd --state DIR --print-admin-token` makes the database where
 * there is none, adds a fresh admin token, prints it as one line and exits; it refuses while a
 * patchbayd runs on that state. `patchbay up` calls it before it starts patchbayd.
 */
#ifndef SCHED_VERBS_H
#define SCHED_VERBS_H

#include "daemon/store/archive.h"
#include "daemon/store/host.h"
#include "daemon/store/job.h"
#include "daemon/store/machine.h"
#include "daemon/store/series.h"
#include "daemon/store/token.h"
#include "daemon/store/tree.h"

struct sched;

struct store *sched_store(struct sched *s);
/* STATE/incoming: uploads are written here; emptied at start. The scheduler's. */
const char *sched_incoming(const struct sched *s);
/* STATE/artifacts/JOB.ATTEMPT/NAME of a job's newest attempt: `log`, `reproduce.sh`; which may not
 * exist (yet). Heap; NULL: it never started. */
char *sched_job_file(const struct sched *s, const struct job_row *job, const char *name);

#define SUBMIT_MAX_BYTES (32 * 1024 * 1024) /* of mail */
#define SUBMIT_MAX_NEEDS 32

/* A series that an archive has. */
struct submit_found {
	struct part_row *part; /* its series_id is filled in */
	const cJSON *message_ids; /* array of strings, new with this */
	const char *waits; /* why it must be approved; NULL: it need not */
};

struct submit_opts {
	const char *mail_path; /* a file in sched_incoming(), complete; moved away on success,
				  * else the caller's to remove */
	const char *mail_sha256; /* hex */
	int64_t mail_size;
	const char *tree; /* NULL: the only one */
	const char *base; /* revision; NULL: the series' own choice, else the tip */
	/* A comparison of two commits: the revision that goes against the base, which is named too.
	 * It has no mail, no needs, and runs to the end. NULL: a series */
	const char *patched;
	const int64_t *needs;
	size_t n_needs;
	const char *profile; /* NULL: the default */
	const char *until; /* apply build test; NULL: test */
	bool no_inherit;
	bool keep_older; /* versions before it that still wait or run go on */
	/* What the lab fetches itself, {"message_id"}, {"url"} or {"git":RANGE of the tree}: then
	 * there is no mail yet. Or NULL. */
	const cJSON *source;
	const struct submit_found *found; /* the scheduler's own; NULL: somebody sent it */
};

/* *ret_created false: the same content was there with the same options onto the same base. */
int sched_submit(struct sched *s, const struct submit_opts *opts, struct series_row *ret_row,
	bool *ret_created, struct error *e);
/* ERR_STATE while it runs. */
int sched_rerun(struct sched *s, int64_t series_id, struct series_row *ret_row, struct error *e);
/* Lets a series run that waits for it; ERR_STATE: it does not. */
int sched_approve(struct sched *s, int64_t series_id, struct series_row *ret_row, struct error *e);
/* Ends its running jobs; a series that has finished is ERR_STATE. */
int sched_cancel(struct sched *s, int64_t series_id, struct series_row *ret_row, struct error *e);
/* The report on the newest run, finished or not; the caller's (report/report.h has its text). */
int sched_report(struct sched *s, int64_t series_id, cJSON **ret_report, struct error *e);

/* The archives that are followed, as config/archives.h resolves them; read anew from the file, and
 * acted on. The caller's. Their rows: archive_get(). */
int sched_archives(struct sched *s, cJSON **ret_config, struct error *e);
/* Look at an archive now: the row's job_id. */
int sched_archive_visit(
	struct sched *s, const char *name, struct archive_row *ret_row, struct error *e);

/* Exactly one of deb and git. The row's job_id is the import. ERR_CONFLICT: another tree has that
 * name. Adding the same one again answers with it, and imports again where that had failed. */
int sched_tree_add(struct sched *s, const char *name, const char *deb, const char *git,
	struct tree_row *ret_row, struct error *e);
int sched_tree_fetch(struct sched *s, const char *name, struct tree_row *ret_row, struct error *e);

/* Adds or updates, and probes it: the row's job_id. name, address, port, user, key, host_key and
 * root are read. */
int sched_host_add(
	struct sched *s, const struct host_row *host, struct host_row *ret_row, struct error *e);
int sched_host_probe(struct sched *s, const char *name, struct host_row *ret_row, struct error *e);
/* Whether it takes new jobs; what runs there goes on. */
int sched_host_drain(
	struct sched *s, const char *name, bool drained, struct host_row *ret_row, struct error *e);
int sched_machine_drain(struct sched *s, const char *name, bool drained,
	struct machine_row *ret_row, struct error *e);
/* name, host, kind, model, arch, tags, memory_mib and cpus are read. */
int sched_machine_add(struct sched *s, const struct machine_row *machine,
	struct machine_row *ret_row, struct error *e);
/* All profiles, resolved, as an array ordered by name; the caller's. */
int sched_profiles(const struct sched *s, cJSON **ret_array, struct error *e);
/* Tokens: token_create(), token_revoke() and token_check() on sched_store(). */

/* Where a running job stands; false: it does not run. text is the scheduler's, valid until it
 * returns to the loop. */
struct progress {
	const char *stage; /* or NULL, like text */
	const char *text;
	int64_t done; /* -1: unknown, like total */
	int64_t total;
	int64_t log_size;
};
bool sched_progress(const struct sched *s, int64_t job_id, struct progress *ret_progress);

/*
 * Notices of change, after the change is on disk. fn must not call a verb; reading the store is
 * fine. A job's end comes after all its log notices.
 */
enum change_kind {
	CHANGE_SERIES, /* its row; also of a comparison */
	CHANGE_JOB, /* its row: queued, started, ended */
	CHANGE_PROGRESS, /* sched_progress() says something else */
	CHANGE_LOG, /* has grown to log_size */
	CHANGE_TREE, /* its row */
	CHANGE_HOST,
	CHANGE_MACHINE,
};
struct change {
	enum change_kind kind;
	int64_t id; /* of the row in its table */
	int64_t series_id; /* of a job; 0: none */
	bool of_comparison; /* CHANGE_PROGRESS: which that series is */
	int64_t log_size; /* CHANGE_LOG */
};
typedef void (*change_fn)(const struct change *change, void *data);
struct observer;
struct observer *sched_observe(struct sched *s, change_fn fn, void *data);
/* NULL is fine. */
void sched_unobserve(struct observer *o);

#endif

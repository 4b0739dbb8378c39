/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that is known about one run of one series, as read from the store in one
 * transaction. plan, verdict and report are functions of this and of nothing else: no clock, no
 * I/O. All memory belongs to the struct facts; strings may be NULL only where it says so.
 */
#ifndef STORE_FACTS_H
#define STORE_FACTS_H

#include "base/json.h"

enum status { /* of a job, a build, a boot */
	STATUS_QUEUED,
	STATUS_RUNNING,
	STATUS_PASS,
	STATUS_FAIL, /* the code under test */
	STATUS_ERROR, /* the lab */
	STATUS_SKIP,
	STATUS_CANCELLED,
};
const char *status_name(enum status s);
int status_parse(const char *name, enum status *ret_status);

enum side { SIDE_BASE, SIDE_PATCHED };
enum clock { CLOCK_WALL, CLOCK_COUNTED };

/* What a boot is for: the pairs decide, extra ones confirm a finding or redo a boot, and a canary is
 * the base's first counted boot once more: counted time has to repeat, here and now. */
enum boot_role { BOOT_PAIR, BOOT_EXTRA, BOOT_CANARY };

/* As the store, the report and the workers write them. Parsing: whatever else is there is the
 * first. */
const char *side_name(enum side s);
const char *clock_name(enum clock c);
const char *boot_role_name(enum boot_role r);
enum side side_parse(const char *name);
enum clock clock_parse(const char *name);
enum boot_role boot_role_parse(const char *name);

struct fact_need {
	int64_t id; /* series */
	char *because; /* why the lab added it; NULL: it was asked for */
	char **commits;
	size_t n_commits;
};

struct fact_conflict {
	char *file;
	int hunk; /* from 1 */
	int line; /* in the file as it is, from 1; 0: unknown */
	char *expected; /* the patch's pre-image lines */
	char *found; /* the file's lines there */
	char *why; /* one sentence */
};

struct fact_patch {
	int n; /* from 1 */
	char *subject;
	char *author_name;
	char *author_email;
	char *message_id; /* or NULL */
	char *commit; /* NULL until applied */
	char *how; /* exact offset merge already-in; NULL until applied */
	struct fact_conflict *conflict; /* or NULL */
};

struct fact_finding {
	char *kind; /* error warning (compiler), kernel */
	char *file; /* compiler: path in the tree; else NULL */
	int line; /* from 1; 0: none */
	int column;
	char *function; /* or NULL */
	char *message; /* compiler: without the option; kernel: the first line */
	char *option; /* "-Wunused-function" or NULL */
	char *signature; /* what makes two findings the same, see lib/scan/scan.h */
	char *excerpt; /* source context, or the kernel's report; or NULL */
	bool fatal; /* an error, a panic: not merely shown */
};

struct fact_build {
	int64_t job_id;
	int patch; /* 0: the base with its needs */
	char *commit;
	char *arch;
	enum status status;
	char *reason; /* or NULL */
	char *config_sha256; /* NULL until built, like the next five */
	char *compiler;
	char *image_sha256;
	char *code_sha256;
	char *artifact; /* path of the fetched image */
	double seconds;
	struct fact_finding *findings;
	size_t n_findings;
	int64_t findings_dropped; /* more than a scan keeps */
};

struct fact_sample {
	char *metric;
	double value;
	cJSON *params; /* object or NULL */
};

struct fact_boot {
	int64_t job_id;
	int patch; /* revision booted: 0 or the tip */
	char *commit;
	enum side side;
	enum boot_role role;
	enum clock clock;
	char *part; /* what this boot does of a benchmark that needs several; "" where one does all */
	int pair; /* from 1, in its stream */
	int seed;
	char *machine;
	enum status status;
	char *reason; /* or NULL */
	int64_t started_ms; /* Unix; 0 until it ran */
	char *boot_id; /* of the kernel; NULL where it never said */
	double seconds;
	char *image_sha256;
	char *accel; /* kvm or tcg; NULL until it ran */
	char *cmdline; /* as the guest got it */
	char *last_line; /* of the console, or NULL */
	struct fact_finding *findings;
	size_t n_findings;
	int64_t findings_dropped; /* more than a scan keeps */
	struct fact_sample *samples;
	size_t n_samples;
};

/* Boots that are compared with each other: they read the same clock and do the same. Each stream has
 * its own pairs, from 1. */
struct boot_stream {
	enum clock clock;
	const char *part; /* not owned */
};
/* s NULL: any stream. */
bool stream_has(const struct boot_stream *s, const struct fact_boot *b);
struct boot_stream stream_of(const struct fact_boot *b);

/* Any job of the run, for the timeline; builds and boots are in here too. */
struct fact_job {
	int64_t id;
	char *kind; /* parse apply resolve build boot */
	enum status status;
	char *reason;
	int64_t queued_ms; /* Unix */
	int64_t started_ms;
	int64_t ended_ms;
	int64_t tool_ms; /* in the compiler or the guest */
	int attempt;
};

struct facts {
	bool has_excerpts; /* of findings; see facts_load() */
	int64_t id; /* series */
	int run; /* from 1; a rerun adds one */
	char *title;
	int version;
	char *message_id; /* or NULL */
	char *state; /* received held applying building testing done cancelled */
	char *verdict; /* as stored at the end of the run; NULL before */
	cJSON *reasons; /* array of strings, likewise */
	char *held; /* the reason where state is held; else NULL */
	bool to_fetch; /* what was named has not been fetched yet */
	char *waits; /* why it must be approved before anything of it is used; or NULL */
	bool input_at_fault; /* held because of what was sent, not of what is missing */
	char *tree;
	char *base_text; /* what was asked for, or NULL */
	char *patched_text; /* a comparison: the revision that is its patch 1; NULL: a series */
	char *base_commit; /* NULL until apply */
	char *chosen_by; /* option base-commit blobs tip; NULL until apply */
	char *base_why; /* one sentence, or NULL */
	cJSON *candidates; /* bases passed over: [{tree,commit,why}]; NULL until apply */
	cJSON *prerequisites; /* named by the mails: [{kind,value,found,series,commit}] */
	cJSON *previous; /* the version before, and what became of its patches; or NULL */
	int64_t previous_id; /* 0: it was not sent here by itself */
	cJSON *trailers; /* [{name,value,patch,reply,message_id,refused}]; NULL until parsed */
	char *until; /* apply build test */
	bool no_inherit;
	cJSON *profile; /* resolved when it was submitted, see daemon/config/profile.h */
	int64_t created_ms; /* of the run */
	int64_t finished_ms; /* 0 while it goes on */
	int64_t busy_elsewhere_ms; /* of the time between jobs, how long its host worked for others */
	struct fact_need *needs;
	size_t n_needs;
	struct fact_patch *patches;
	size_t n_patches;
	struct fact_build *builds; /* by patch */
	size_t n_builds;
	struct fact_boot *boots; /* in the order they were planned */
	size_t n_boots;
	struct fact_job *jobs; /* by id */
	size_t n_jobs;
	cJSON *environment; /* {"tools":{},"machines":[]} */
};

/* A comparison of two commits: nothing was sent or applied. */
static inline bool facts_is_comparison(const struct facts *f)
{
	return f->patched_text != NULL;
}

struct facts *facts_new(void);
struct facts *facts_free(struct facts *f);

static inline void facts_freep(struct facts **f)
{
	*f = facts_free(*f);
}
#define AUTO_FACTS CLEANUP(facts_freep)

#endif

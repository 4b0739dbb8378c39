/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of the apply job share: the series and what it needs, the trees it may go onto,
 * and one attempt to put it there.
 */
#ifndef WORKER_APPLY_H
#define WORKER_APPLY_H

#include "daemon/worker/worker.h"
#include "patches/git/history.h"
#include "patches/git/states.h"
#include "patches/series/series.h"

#define BASE_MAX_TRIES 16 /* older states of one tree that are tried in full */

/* A series as its mailbox says it. */
struct stacked {
	int64_t id;
	struct series_set set;
	const struct series *series; /* of the set */
};

/* What the mails name and no series of the lab has: the tree must have it. */
struct named {
	int64_t n;
	const char *kind; /* the job's, like value */
	const char *value;
	int64_t held; /* a series that has it and is held; 0: none */
};

/* A tree that the series may go onto, in the order to ask them. */
struct place {
	const char *name; /* the job's, like repo_path */
	const char *repo_path;
	struct repo *repo;
	struct oid tip;
	struct sought *sought; /* one for each that is named; NULL until it was looked for */
};

struct applying {
	struct job *job;
	struct stacked own;
	struct stacked *needs; /* in the order they go on */
	size_t n_needs;
	struct place *places;
	size_t n_places;
	struct named *named;
	size_t n_named;
	struct wants wants; /* of the needs and the series together */
	cJSON *candidates; /* array: the bases that were passed over */
};

enum attempt_status {
	ATTEMPT_NONE,
	ATTEMPT_APPLIED,
	ATTEMPT_CONFLICT, /* a patch of the series does not fit */
	ATTEMPT_UNUSABLE, /* a need does not fit, or something is over a limit */
};

/* The whole stack onto one commit. */
struct attempt {
	enum attempt_status status;
	const struct place *place;
	struct oid base;
	struct oid start; /* the base with its needs */
	cJSON *needs; /* as in the job's result, like patches */
	cJSON *patches;
	char *why; /* NULL where it applied */
};
void attempt_done(struct attempt *t);
#define AUTO_ATTEMPT CLEANUP(attempt_done)

/* The first prerequisite that a base does not have; *ret_lacks: n_named where it has them all. */
int prerequisites_check(struct applying *a, struct place *place, const struct oid *base,
	size_t *ret_lacks, struct error *e);
/* Why the series is held: what no tree has and what to do about it; heap. */
char *prerequisites_why(const struct applying *a);
/* [{"n","commit"}] of those that are in the tree; heap. */
cJSON *prerequisites_json(const struct applying *a, const struct place *place);

/* Objects are staged (patches/git/staging.h), references are not written. Anything but 0 is the lab's trouble. */
int attempt_run(const struct applying *a, const struct place *place, const struct oid *base,
	struct attempt *ret, struct error *e);

/* Which base it goes onto, and the attempt there. */
struct choice {
	struct attempt attempt;
	const char *by; /* option base-commit blobs tip */
	char *why; /* one sentence */
};
void choice_done(struct choice *c);
#define AUTO_CHOICE CLEANUP(choice_done)

/* ERR_CONFLICT where there is no base to use: the series is held. */
int choose_base(struct applying *a, struct choice *ret_choice, struct error *e);

#endif

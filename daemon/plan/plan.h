/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to do next for a series, from what is known about it. Pure: no clock, no I/O; `draw` is the
 * only randomness and comes from the caller (the order within pair n is read from it).
 *
 * The plan of a run: parse, apply, then build the base and every patch in order, then boot base
 * and tip in pairs, stream by stream, then confirm what only one side showed, then finish. A
 * comparison of two commits resolves them in place of parse and apply, and goes on as a series of
 * one patch. docs/internals/plan.md has the rules.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "daemon/store/facts.h"

enum plan_kind {
	PLAN_WAIT, /* jobs are queued or running */
	PLAN_FETCH,
	PLAN_PARSE,
	PLAN_APPLY,
	PLAN_RESOLVE, /* a comparison: which commits its revisions are */
	PLAN_BUILD, /* patch */
	PLAN_BOOT, /* the fields below */
	PLAN_FINISH, /* nothing is left: judge */
	PLAN_HOLD, /* reason */
};

struct plan_boot {
	int patch;
	enum side side;
	enum boot_role role;
	struct boot_stream stream; /* its part belongs to the facts' profile */
	int pair;
	int seed;
};

struct plan {
	enum plan_kind kind;
	int patch; /* PLAN_BUILD */
	struct plan_boot boots[2]; /* PLAN_BOOT, in the order to run them */
	size_t n_boots;
	char reason[512]; /* PLAN_HOLD and PLAN_FINISH: one sentence, may be empty */
};

/* What a profile has measured in boots of their own: each clock with each part of its benchmarks, or
 * with "" where there are none. At most max of them into streams; how many there are. */
#define PLAN_MAX_STREAMS 64
size_t plan_streams(const cJSON *profile, struct boot_stream *streams, size_t max);
/* Boots of a run of this profile, where nothing has to be repeated. */
int plan_count_boots(const cJSON *profile);

/* draw: a random number that stays the same for a series and run. */
void plan_next(const struct facts *f, uint64_t draw, struct plan *ret_plan);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduler: starts workers and watches them, stores what they found, asks daemon/plan what is
 * next. docs/internals/scheduling.md. It lives in one loop and one thread.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include "base/loop.h"
#include "daemon/sched/verbs.h"

struct sched_config {
	const char *state; /* folder; absolute */
	const char *share; /* profiles/, kernel/ */
	const char *worker; /* path of patchbay-worker */
	const char *cache; /* folder for what can be fetched or built again */
};

/* Takes up what a crash left behind. config is copied; store and loop must outlive it. */
int sched_new(const struct sched_config *config, struct loop *loop, struct store *store,
	struct sched **ret_sched, struct error *e);
/* Kills the workers; their jobs run again at the next start. */
struct sched *sched_free(struct sched *s);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Archives that are followed, inside the scheduler: inbox.c and found.c. */
#ifndef SCHED_INBOX_H
#define SCHED_INBOX_H

#include "daemon/sched/internal.h"

#define INBOX_OPEN_MS (14 * 24 * 3600 * 1000LL) /* a mail that is missing is waited for so long */

/* STATE/archives.yaml as it is now; the caller's. */
int inbox_config(const struct sched *s, cJSON **ret_config, struct error *e);
int inbox_config_of(const struct sched *s, const char *name, cJSON **ret_archive, struct error *e);

/* Queues the visits that are due, and sets the timer for the next. */
void inbox_turn(struct sched *s);

/* Does the next visit to an archive assemble this part (0: any) again? */
bool inbox_recalls(const struct sched *s, int64_t archive_id, int64_t part_id);

/* The document of a visit's worker. */
int inbox_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e);

/*
 * found.c: takes the series of a visit into the lab. Not one transaction: each series is one, and
 * is known by its mails, so that a visit that was cut and runs again takes none twice. Before the
 * job's end and the archive's new position are stored.
 */
int inbox_take(struct sched *s, const struct job_row *job, struct outcome *o, struct error *e);
/* In the transaction of the job's end; a visit that asked for series is made again. */
int inbox_store(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e);

#endif

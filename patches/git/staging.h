/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * New objects kept in memory until they are wanted: a series is hundreds of them, and each one that
 * becomes a file costs a sync of its own. What is kept goes to disk as one pack.
 */
#ifndef GIT_STAGING_H
#define GIT_STAGING_H

#include "patches/git/repo.h"

/* Bytes of objects; more of them go to disk at the next staging_trim(). */
#define STAGING_MAX_BYTES ((size_t)48 << 20)

/* From now on what is written to the repository stays in memory. */
int staging_start(struct repo *r, struct error *e);
/* Everything to disk, synced, before references name it. Nothing where nothing was staged. */
int staging_keep(struct repo *r, struct error *e);
/* The same, only where it has become too much to hold. */
int staging_trim(struct repo *r, struct error *e);
/* Forgets what is not on disk. */
void staging_drop(struct repo *r);

#endif

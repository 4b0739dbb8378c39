/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of the patches of the version before, as JSON; docs/internals/worker-protocol.md. */
#ifndef WORKER_CHANGES_H
#define WORKER_CHANGES_H

#include "base/json.h"
#include "patches/series/series.h"

/* Bytes of differences shown for one series; beyond them the sentences say how much differs. */
#define CHANGES_MAX_SHOWN ((size_t)128 << 10)

/* Adds `changes` to the object, and `rough` where not all of it could be looked at. */
void changes_add(const struct series *old, const struct series *new, cJSON *o);

#endif

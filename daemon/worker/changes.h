/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of the patches of the version before, and what was said of a series, as JSON;
 * docs/internals/worker-protocol.md. */
#ifndef WORKER_CHANGES_H
#define WORKER_CHANGES_H

#include "base/json.h"
#include "patches/series/series.h"

/* Bytes of differences shown for one series; beyond them the sentences say how much differs. */
#define CHANGES_MAX_SHOWN ((size_t)128 << 10)

/*
 * Fills the object in: `version`, `title` and `message_id` of the old one, how it was `linked_by`,
 * whether the new one is `partial`, `changes`, and `rough` where not all could be looked at.
 */
void changes_add_previous(const struct series *old, const struct series *new, cJSON *previous);

/* Reviewed-by and its like: an array, the caller's. */
cJSON *trailers_json(const struct series *s);

#endif

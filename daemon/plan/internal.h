/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLAN_INTERNAL_H
#define PLAN_INTERNAL_H

#include "daemon/plan/plan.h"
#include "daemon/verdict/verdict.h"

/* The next pair of boots, or PLAN_HOLD for a base that fails; leaves *p alone where there is
 * nothing more to boot. Base and tip are built, and no job is pending. */
void plan_boots(const struct facts *f, uint64_t draw, struct plan *p);

/* Pairs that a profile asks for in one stream; canary: and whether the first is done once more. */
int plan_pairs(const cJSON *profile, const struct boot_stream *stream);
bool plan_has_canary(const cJSON *profile, const struct boot_stream *stream);

#endif

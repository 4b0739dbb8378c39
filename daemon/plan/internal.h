/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLAN_INTERNAL_H
#define PLAN_INTERNAL_H

#include "daemon/plan/plan.h"
#include "daemon/verdict/verdict.h"

/* The next pair of boots, or PLAN_HOLD for a base that fails; leaves *p alone where there is
 * nothing more to boot. Base and tip are built, and no job is pending. */
void plan_boots(const struct facts *f, uint64_t draw, struct plan *p);

#endif

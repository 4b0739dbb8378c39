/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's own checkers: whether one watches now, by what the kernel's files say. A checker
 * that is silent because it is off has found nothing out.
 */
#ifndef TARGET_CHECKER_H
#define TARGET_CHECKER_H

#include "agents/target/channel.h"

/* "lockdep", "kasan", "kcsan", "fault". ERR_MISSING where this kernel does not have it, or nobody
 * knows the name, ERR_STATE where it is off. root is "" outside of tests. */
int checker_prove(const char *root, const char *name, struct error *e);

/* Both leave a fact, checker_at_start or checker_at_end: "active", or why not. */
void checker_begin(struct channel *ch, const char *name);
void checker_end(struct channel *ch, const char *name);

#endif

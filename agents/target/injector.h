/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's fault injection, for this process alone: its nth allocation fails, or some of all do.
 * Pages for user space are left out: what faults in its own memory would not end.
 */
#ifndef TARGET_INJECTOR_H
#define TARGET_INJECTOR_H

#include "base/error.h"

struct injector {
	int nth; /* /proc/self/fail-nth */
	int some; /* /proc/self/make-it-fail */
};
#define INJECTOR_INIT  \
	{              \
		-1, -1 \
	}

/* Sets up failslab and fail_page_alloc. ERR_MISSING names the option that the kernel needs. */
int injector_open(struct injector *ret_injector, struct error *e);
void injector_close(struct injector *i);

/* The nth allocation from now on fails, in this process. 0 or -errno. */
int injector_arm(const struct injector *i, unsigned nth);
/* No more of it. *ret_hit: it did fail. 0 or -errno. */
int injector_disarm(const struct injector *i, bool *ret_hit);
/* From now on one in ten of this process's slab allocations fails, or none. 0 or -errno. */
int injector_some(const struct injector *i, bool on);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keep the kernel from doing things of its own while it is measured, and say how it was set: each
 * setting becomes a fact with the value read back afterwards, "absent" where this kernel has no
 * such thing, and a problem where it would not take it.
 */
#ifndef TARGET_NOISE_H
#define TARGET_NOISE_H

#include "agents/target/channel.h"

void noise_quiet(struct channel *ch);
/* Facts about the machine that nothing here changes. */
void noise_describe(struct channel *ch);
/* Give back caches and gather free memory, so that each measurement starts alike. */
void noise_settle(void);
/* Bytes that can be had without pushing anything out; 0 where the kernel does not say. */
uint64_t noise_memory_available(void);

#endif

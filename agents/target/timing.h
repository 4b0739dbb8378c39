/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two clocks. By the wall clock a time is nanoseconds, and its sample seconds in a metric that
 * ends in `_seconds`. By the counted clock the machine is one whose time is a count of executed
 * instructions (docs/internals/boots.md), and the sample is that count, in `_instructions`.
 */
#ifndef TARGET_TIMING_H
#define TARGET_TIMING_H

#include "agents/target/channel.h"
#include "agents/target/params.h"

/* wall counted */
const char *timing_clock_name(enum target_clock clock);
/* Now, in nanoseconds from some point in the past. */
uint64_t timing_now_ns(enum target_clock clock);
/* The median of n (at least 1, at most TIMING_MAX) times, as a sample's value. */
#define TIMING_MAX 1000
double timing_median(enum target_clock clock, const uint64_t *ns, size_t n);
/* `BENCHMARK.CASE.WHAT_seconds` or `…_instructions` with the median of the times; params: a JSON object's
 * text. */
void timing_report(struct channel *out, enum target_clock clock, const char *prefix,
	const uint64_t *ns, size_t n, const char *params);

#endif

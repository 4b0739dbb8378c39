/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What patchbay-target can run, and measures: so that a slip in a profile is found when the profile
 * is read, and not after an hour of boots.
 */
#ifndef CONFIG_BENCHMARKS_H
#define CONFIG_BENCHMARKS_H

#include "base/error.h"
#include "base/strbuf.h"

/* ERR_MISSING names those there are. */
int benchmark_check(const char *name, struct error *e);
/* metric: without the benchmark's name, as "hugetlbfs.unmap_seconds". ERR_MISSING likewise. */
int benchmark_check_metric(const char *name, const char *metric, struct error *e);

#endif

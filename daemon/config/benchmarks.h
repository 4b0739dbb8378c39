/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What patchbay-target can run, and measures: so that a slip in a profile is found when the profile
 * is read, and not after an hour of boots.
 */
#ifndef CONFIG_BENCHMARKS_H
#define CONFIG_BENCHMARKS_H

#include "base/error.h"
#include "base/json.h"
#include "base/strbuf.h"

#define BENCHMARK_WALL 1u
#define BENCHMARK_COUNTED 2u

#define BENCHMARK_OPTIONAL INT64_MIN
#define BENCHMARK_COUNTED_PREFIX "counted_"

/* A whole number that a profile may set, where it has no words; counted_X stands in for X under the
 * counted clock, and is never more where it is left out. */
struct benchmark_option {
	const char *name;
	int64_t min, max, def; /* def BENCHMARK_OPTIONAL: left out unless it is set */
	const char *const *words; /* one of them instead, NULL at the end */
};

/* What is measured in boots of its own, so that it is not disturbed by the rest. */
struct benchmark_part {
	const char *name; /* "" where one boot does it all */
	unsigned clocks; /* BENCHMARK_… that can tell anything about it */
	const char *const *metrics; /* without the benchmark's name; NULL at the end */
};

struct benchmark {
	const char *name;
	const struct benchmark_option *options; /* name NULL at the end, like parts */
	const struct benchmark_part *parts;
	const char *const *cases; /* that a profile may choose from; NULL: none */
	bool is_own; /* the lab's own: what it measures is not known here */
};

/* ERR_MISSING names those there are. */
int benchmark_find(const char *name, const struct benchmark **ret_benchmark, struct error *e);
/* The part that measures it. ERR_MISSING likewise. */
int benchmark_find_metric(const struct benchmark *b, const char *metric,
	const struct benchmark_part **ret_part, struct error *e);

/*
 * What one boot runs of a resolved profile's benchmarks: those that have this part under this clock
 * ("wall", "counted"), each with `part` where it is not "", and with what it sets for that clock.
 */
cJSON *benchmarks_of_boot(const cJSON *profile, const char *clock, const char *part);

#endif

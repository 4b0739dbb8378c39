/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/timing.h"
#include "agents/counted.h"

#include <time.h>

const char *timing_clock_name(enum target_clock clock)
{
	return clock == TARGET_COUNTED ? "counted" : "wall";
}

static uint64_t raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* The kernel finds out how fast the processor's counter runs, within a few parts in a million, and
 * its nanoseconds are rounded. QEMU's counter under -icount is the guest's nanoseconds themselves. */
static uint64_t counter_ns(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return raw_ns();
#endif
}

uint64_t timing_now_ns(enum target_clock clock)
{
	return clock == TARGET_COUNTED ? counter_ns() : raw_ns();
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

double timing_median(enum target_clock clock, const uint64_t *ns, size_t n)
{
	uint64_t sorted[TIMING_MAX];
	size_t low = (n - 1) / 2, high = n / 2;

	memcpy(sorted, ns, n * sizeof(*ns));
	qsort(sorted, n, sizeof(*sorted), by_size);
	if (clock == TARGET_COUNTED) {
		uint64_t instructions = (sorted[low] + sorted[high]) / 2 >> COUNTED_SHIFT;

		return (double)instructions;
	}
	return ((double)sorted[low] + (double)sorted[high]) / 2 / 1e9;
}

void timing_report(struct channel *out, enum target_clock clock, const char *prefix,
	const uint64_t *ns, size_t n, const char *params)
{
	char metric[160];

	(void)snprintf(metric, sizeof(metric), "%s_%s", prefix,
		clock == TARGET_COUNTED ? "instructions" : "seconds");
	channel_sample(out, metric, timing_median(clock, ns, n), params);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile has measured, in streams of boots. */
#include "daemon/plan/internal.h"

static bool has_benchmarks(const cJSON *profile)
{
	return cJSON_GetArraySize(json_get(profile, "benchmarks")) > 0;
}

static void add(
	struct boot_stream *streams, size_t max, size_t *n, enum clock clock, const char *part)
{
	for (size_t i = 0; i < *n; i++)
		if (streams[i].clock == clock && streq(streams[i].part, part))
			return;
	if (*n < max)
		streams[(*n)++] = (struct boot_stream){clock, part};
}

static bool is_read_by(const cJSON *part, enum clock clock)
{
	const cJSON *name;

	json_for_each (name, json_get(part, "clocks"))
		if (streq(cJSON_GetStringValue(name), clock_name(clock)))
			return true;
	return false;
}

static void add_clock(
	const cJSON *profile, enum clock clock, struct boot_stream *streams, size_t max, size_t *n)
{
	const cJSON *benchmark, *part;

	if (!has_benchmarks(profile))
		add(streams, max, n, clock, "");
	json_for_each (benchmark, json_get(profile, "benchmarks")) {
		const cJSON *parts = json_get(benchmark, "parts");

		if (!parts)
			add(streams, max, n, clock, "");
		json_for_each (part, parts)
			if (is_read_by(part, clock))
				add(streams, max, n, clock, json_str(part, "part", ""));
	}
}

size_t plan_streams(const cJSON *profile, struct boot_stream *streams, size_t max)
{
	const cJSON *clocks = json_get(profile, "clocks");
	bool counted = json_get(clocks, "counted");
	size_t n = 0;

	if (json_get(clocks, "wall") || !counted)
		add_clock(profile, CLOCK_WALL, streams, max, &n);
	/* Where nothing is measured, one clock shows as well as two whether the kernel boots. */
	if (counted && (has_benchmarks(profile) || !n))
		add_clock(profile, CLOCK_COUNTED, streams, max, &n);
	return n;
}

int plan_pairs(const cJSON *profile, const struct boot_stream *stream)
{
	const cJSON *clock = json_get(json_get(profile, "clocks"), clock_name(stream->clock));

	/* Without a benchmark one pair shows whether the kernel boots; what it complains of is
	 * confirmed by extra ones. */
	if (!has_benchmarks(profile))
		return 1;
	return (int)json_int(clock, stream->clock == CLOCK_COUNTED ? "seeds" : "pairs", 1);
}

bool plan_has_canary(const cJSON *profile, const struct boot_stream *stream)
{
	return stream->clock == CLOCK_COUNTED && has_benchmarks(profile);
}

int plan_count_boots(const cJSON *profile)
{
	struct boot_stream streams[PLAN_MAX_STREAMS];
	size_t n = plan_streams(profile, streams, ARRAY_SIZE(streams));
	int boots = 0;

	for (size_t i = 0; i < n; i++)
		boots += 2 * plan_pairs(profile, &streams[i]) +
			 (plan_has_canary(profile, &streams[i]) ? 1 : 0);
	return boots;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/benchmarks.h"
#include "base/util.h"

#define MAX_SIZE_MIB ((int64_t)1024 * 1024)
#define BOTH_CLOCKS (BENCHMARK_WALL | BENCHMARK_COUNTED)

#define DMA_MAP_CASE(name) name ".map_seconds", name ".unmap_seconds"

#define NO_OPTION                   \
	{                           \
		NULL, 0, 0, 0, NULL \
	}

static const char *const accesses[] = {"read", "read-write", NULL};
static const char *const truths[] = {"false", "true", NULL};

static const struct benchmark_option dma_map_options[] = {
	{"size_mib", 1, MAX_SIZE_MIB, 1024, NULL},
	{"counted_size_mib", 1, MAX_SIZE_MIB, 256, NULL},
	{"iterations", 1, 1000, 3, NULL},
	{"warmup", 0, 100, 1, NULL},
	{"call_kib", 4, MAX_SIZE_MIB * 1024, BENCHMARK_OPTIONAL, NULL},
	{"access", 0, 0, BENCHMARK_OPTIONAL, accesses},
	{"large_pages", 0, 0, BENCHMARK_OPTIONAL, truths},
	NO_OPTION,
};
static const char *const dma_map_metrics[] = {DMA_MAP_CASE("madv_hugepage"),
	DMA_MAP_CASE("map_populate"), DMA_MAP_CASE("hugetlbfs"), DMA_MAP_CASE("hugetlbfs_1g"),
	NULL};
static const char *const dma_map_cases[] = {
	"madv_hugepage", "map_populate", "hugetlbfs", "hugetlbfs_1g", NULL};
static const struct benchmark_part dma_map_parts[] = {
	{"", BOTH_CLOCKS, dma_map_metrics},
	{NULL, 0, NULL},
};

/* Of every number of mappings that is replayed. */
#define VIOMMU_REPLAYS(what) \
	"n64." what, "n1024." what, "n8192." what, "n32768." what, "large256m." what

static const struct benchmark_option viommu_replay_options[] = {NO_OPTION};
static const char *const viommu_attach[] = {VIOMMU_REPLAYS("attach_seconds"), NULL};
static const char *const viommu_irqsoff[] = {VIOMMU_REPLAYS("irqsoff_max_seconds"), NULL};
static const char *const viommu_calls[] = {VIOMMU_REPLAYS("sync_requests"), NULL};
static const char *const viommu_device[] = {
	VIOMMU_REPLAYS("device_maps"), VIOMMU_REPLAYS("lost_maps"), NULL};
static const char *const viommu_race[] = {"race.lost_maps", NULL};
/* Counts are the same by every clock, and a race needs two processors. */
static const struct benchmark_part viommu_replay_parts[] = {
	{"attach", BOTH_CLOCKS, viommu_attach},
	{"irqsoff", BENCHMARK_WALL, viommu_irqsoff},
	{"calls", BENCHMARK_WALL, viommu_calls},
	{"device", BENCHMARK_WALL, viommu_device},
	{"race", BENCHMARK_WALL, viommu_race},
	{NULL, 0, NULL},
};

/* Nothing of it is timed. */
static const struct benchmark_option fault_options[] = {
	{"size_mib", 2, 1024, 16, NULL},
	{"rounds", 0, 100000, 50, NULL},
	NO_OPTION,
};
static const char *const no_metrics[] = {NULL};
static const struct benchmark_part fault_parts[] = {
	{"", BENCHMARK_WALL, no_metrics},
	{NULL, 0, NULL},
};

static const struct benchmark_option own_options[] = {
	{"seconds", 1, 86400, 60, NULL},
	NO_OPTION,
};
static const struct benchmark_part own_parts[] = {
	{"", BENCHMARK_WALL, no_metrics},
	{NULL, 0, NULL},
};

static const struct benchmark benchmarks[] = {
	{"dma-map", dma_map_options, dma_map_parts, dma_map_cases, false},
	{"dma-map-compat", dma_map_options, dma_map_parts, dma_map_cases, false},
	{"dma-map-iommufd", dma_map_options, dma_map_parts, dma_map_cases, false},
	{"fault", fault_options, fault_parts, NULL, false},
	{"test", own_options, own_parts, NULL, true},
	{"viommu-replay", viommu_replay_options, viommu_replay_parts, NULL, false},
};

int benchmark_find(const char *name, const struct benchmark **ret_benchmark, struct error *e)
{
	AUTO_STRBUF struct strbuf known;

	strbuf_init(&known, 256);
	for (size_t i = 0; i < ARRAY_SIZE(benchmarks); i++) {
		if (streq(benchmarks[i].name, name)) {
			*ret_benchmark = &benchmarks[i];
			return 0;
		}
		strbuf_addf(&known, "%s%s", i ? ", " : "", benchmarks[i].name);
	}
	return error_set(
		e, ERR_MISSING, "benchmarks: there is no '%.80s'; there is: %s", name, known.buf);
}

static bool is_metric(const char *name)
{
	return *name &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "_.-") == strlen(name);
}

int benchmark_find_metric(const struct benchmark *b, const char *metric,
	const struct benchmark_part **ret_part, struct error *e)
{
	AUTO_STRBUF struct strbuf known;

	strbuf_init(&known, 1024);
	if (b->is_own && is_metric(metric)) {
		*ret_part = b->parts;
		return 0;
	}
	for (const struct benchmark_part *part = b->parts; part->name; part++) {
		for (const char *const *m = part->metrics; *m; m++) {
			if (streq(*m, metric)) {
				*ret_part = part;
				return 0;
			}
			strbuf_addf(&known, "%s%s", known.len ? ", " : "", *m);
		}
	}
	return error_set(e, ERR_MISSING, "benchmarks: %s does not measure '%.80s'; it measures: %s",
		b->name, metric, known.buf);
}

/* Profiles that were stored before there were parts have none: one boot does it all. */
static bool has_part(const cJSON *benchmark, const char *clock, const char *name)
{
	const cJSON *parts = json_get(benchmark, "parts");
	const cJSON *part, *by;

	if (!parts)
		return !*name;
	json_for_each (part, parts) {
		if (!streq(json_str(part, "part", NULL), name))
			continue;
		json_for_each (by, json_get(part, "clocks"))
			if (streq(cJSON_GetStringValue(by), clock))
				return true;
	}
	return false;
}

/* counted_X is X by the counted clock, and nothing by the other. */
static void settle_options(cJSON *benchmark, const char *clock)
{
	AUTO_JSON cJSON *given = cJSON_Duplicate(benchmark, true);
	const cJSON *item;

	json_for_each (item, given) {
		const char *name;

		if (!starts_with(item->string, BENCHMARK_COUNTED_PREFIX))
			continue;
		name = item->string + strlen(BENCHMARK_COUNTED_PREFIX);
		cJSON_DeleteItemFromObjectCaseSensitive(benchmark, item->string);
		if (!streq(clock, "counted"))
			continue;
		cJSON_DeleteItemFromObjectCaseSensitive(benchmark, name);
		json_set(benchmark, name, cJSON_Duplicate(item, true));
	}
}

cJSON *benchmarks_of_boot(const cJSON *profile, const char *clock, const char *part)
{
	cJSON *list = cJSON_CreateArray();
	const cJSON *benchmark;

	json_for_each (benchmark, json_get(profile, "benchmarks")) {
		cJSON *own;

		if (!has_part(benchmark, clock, part))
			continue;
		own = cJSON_Duplicate(benchmark, true);
		settle_options(own, clock);
		cJSON_DeleteItemFromObjectCaseSensitive(own, "parts");
		if (*part)
			json_set_str(own, "part", part);
		cJSON_AddItemToArray(list, own);
	}
	return list;
}

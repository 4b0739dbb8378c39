/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/benchmarks.h"
#include "base/util.h"

#define DMA_MAP_CASE(name) name ".map_seconds", name ".unmap_seconds"

static const char *const dma_map[] = {DMA_MAP_CASE("madv_hugepage"), DMA_MAP_CASE("map_populate"),
	DMA_MAP_CASE("hugetlbfs"), NULL};

static const struct {
	const char *name;
	const char *const *metrics;
} benchmarks[] = {{"dma-map", dma_map}};

static const char *const *metrics_of(const char *benchmark)
{
	for (size_t i = 0; i < ARRAY_SIZE(benchmarks); i++)
		if (streq(benchmarks[i].name, benchmark))
			return benchmarks[i].metrics;
	return NULL;
}

int benchmark_check(const char *name, struct error *e)
{
	AUTO_STRBUF struct strbuf known;

	strbuf_init(&known, 256);
	if (metrics_of(name))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(benchmarks); i++)
		strbuf_addf(&known, "%s%s", i ? ", " : "", benchmarks[i].name);
	return error_set(
		e, ERR_MISSING, "benchmarks: there is no '%.80s'; there is: %s", name, known.buf);
}

int benchmark_check_metric(const char *name, const char *metric, struct error *e)
{
	const char *const *metrics = metrics_of(name);
	AUTO_STRBUF struct strbuf known;

	strbuf_init(&known, 1024);
	for (; metrics && *metrics; metrics++) {
		if (streq(*metrics, metric))
			return 0;
		strbuf_addf(&known, "%s%s", known.len ? ", " : "", *metrics);
	}
	return error_set(e, ERR_MISSING, "benchmarks: %s does not measure '%.80s'; it measures: %s",
		name, metric, known.buf);
}

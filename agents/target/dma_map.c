/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dma-map: how long one VFIO mapping, and its unmapping, of a large piece of memory takes
 * (docs/internals/dma-map.md).
 */
#include "agents/target/backing.h"
#include "agents/target/bench.h"
#include "agents/target/hugepool.h"
#include "agents/target/mapper.h"
#include "agents/target/noise.h"
#include "agents/target/timing.h"
#include "base/jsonw.h"
#include <errno.h>

#define MAX_ITERATIONS TIMING_MAX
#define MAX_WARMUP 100
#define MAX_SIZE_MIB (1024 * 1024)
#define MIN_COVERAGE 0.99
/* What else the guest needs while a benchmark holds its memory: page tables of the process and
 * of the IOMMU, the kernel's own. */
#define SPARE_BYTES (UINT64_C(128) << 20)

static const struct backing_ops *const backings[] = {
	&backing_madv_hugepage,
	&backing_map_populate,
	&backing_hugetlbfs,
};

struct dma_map {
	const char *name;
	enum target_clock clock;
	struct channel *out;
	int64_t size_mib;
	int64_t iterations;
	int64_t warmup;
	uint64_t size;
	const struct mapper_ops *ops;
	struct mapper *mapper;
	struct mapper_info info;
};

struct timing {
	uint64_t ns[MAX_ITERATIONS];
};

/* Of one backing: what was measured, and what it was measured on. */
struct result {
	struct timing map, unmap;
	double coverage; /* the least of all iterations */
	uint64_t iova;
};

static void add_iterations(struct strbuf *sb, const uint64_t *ns, size_t n)
{
	jsonw_begin(sb, "iterations_ns", '[');
	for (size_t i = 0; i < n; i++)
		jsonw_int(sb, NULL, (int64_t)ns[i]);
	jsonw_end(sb, ']');
}

static void report_timing(const struct dma_map *d, const struct backing_ops *backing,
	const struct result *r, const char *what, const uint64_t *ns)
{
	AUTO_STRBUF struct strbuf params;
	char metric[128], hex[32];
	size_t n = (size_t)d->iterations;

	strbuf_init(&params, CHANNEL_MAX_RECORD);
	jsonw_begin(&params, NULL, '{');
	jsonw_int(&params, "size_mib", d->size_mib);
	jsonw_int(&params, "iterations", d->iterations);
	jsonw_int(&params, "warmup", d->warmup);
	jsonw_num(&params, "backing_coverage", r->coverage);
	jsonw_int(&params, "page_bytes", (int64_t)backing_page_bytes(backing));
	jsonw_str(&params, "flags", backing->flags);
	jsonw_str(&params, "mapper", d->ops->name);
	(void)snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)d->info.page_sizes);
	jsonw_str(&params, "iommu_pgsizes", hex);
	(void)snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)r->iova);
	jsonw_str(&params, "iova", hex);
	add_iterations(&params, ns, n);
	jsonw_end(&params, '}');
	(void)snprintf(metric, sizeof(metric), "%s.%s.%s", d->name, backing->name, what);
	timing_report(d->out, d->clock, metric, ns, n, params.buf);
}

/* A kernel that refuses is to blame, unless it had no memory left. */
static enum problem_kind kind_of(int err)
{
	return err == -ENOMEM && noise_memory_available() < SPARE_BYTES / 2 ? PROBLEM_LAB
									    : PROBLEM_KERNEL;
}

/* Map and unmap once. False after a problem that was reported. */
static bool map_once(struct dma_map *d, const struct backing_ops *backing,
	const struct backing *memory, uint64_t iova, uint64_t *ret_map_ns, uint64_t *ret_unmap_ns)
{
	uint64_t t0, t1, t2, unmapped = 0;
	int err;

	t0 = timing_now_ns(d->clock);
	err = d->ops->map(d->mapper, memory->memory, iova, d->size);
	t1 = timing_now_ns(d->clock);
	if (err) {
		channel_problem(d->out, d->name, backing->name, kind_of(err),
			"mapping %lld MiB at 0x%llx failed: %s", (long long)d->size_mib,
			(unsigned long long)iova, strerror(-err));
		return false;
	}
	*ret_map_ns = t1 - t0;
	t1 = timing_now_ns(d->clock);
	err = d->ops->unmap(d->mapper, iova, d->size, &unmapped);
	t2 = timing_now_ns(d->clock);
	if (err || unmapped != d->size) {
		channel_problem(d->out, d->name, backing->name, PROBLEM_KERNEL,
			"unmapping %llu bytes at 0x%llx: %s, %llu bytes unmapped",
			(unsigned long long)d->size, (unsigned long long)iova,
			err ? strerror(-err) : "no error", (unsigned long long)unmapped);
		return false;
	}
	*ret_unmap_ns = t2 - t1;
	return true;
}

/* Fresh memory, proved, then mapped and unmapped. False after a problem that was reported. */
static bool iterate(struct dma_map *d, const struct backing_ops *backing, struct result *r,
	uint64_t *ret_map_ns, uint64_t *ret_unmap_ns)
{
	AUTO_BACKING struct backing memory = BACKING_INIT;
	struct error e = ERROR_INIT;

	if (backing_make(backing, d->size, &memory, &e) ||
		iova_choose(d->info.ranges, d->info.n_ranges, (uintptr_t)memory.memory, d->size,
			memory.align, &r->iova, &e)) {
		channel_problem(d->out, d->name, backing->name, PROBLEM_LAB, "%s", e.msg);
		return false;
	}
	r->coverage = MIN_OF(r->coverage, memory.coverage);
	if (memory.coverage < MIN_COVERAGE) {
		channel_problem(d->out, d->name, backing->name, PROBLEM_LAB,
			"only %.1f %% of the memory is in pages of %llu bytes, so this would not "
			"measure what it says: the guest may have too little memory (%llu MiB are "
			"free), or its kernel no such pages",
			memory.coverage * 100, (unsigned long long)backing_page_bytes(backing),
			(unsigned long long)(noise_memory_available() >> 20));
		return false;
	}
	return map_once(d, backing, &memory, r->iova, ret_map_ns, ret_unmap_ns);
}

static void run_case(struct dma_map *d, const struct backing_ops *backing, struct result *r)
{
	uint64_t available = noise_memory_available();
	uint64_t map_ns, unmap_ns;

	r->coverage = 1;
	if (!backing->from_pool && available < d->size + SPARE_BYTES) {
		channel_problem(d->out, d->name, backing->name, PROBLEM_LAB,
			"%lld MiB are to be mapped, and the guest has %llu MiB left: give it more "
			"memory, or a smaller size_mib",
			(long long)d->size_mib, (unsigned long long)(available >> 20));
		return;
	}
	for (int64_t i = 0; i < d->warmup; i++)
		if (!iterate(d, backing, r, &map_ns, &unmap_ns))
			return;
	for (int64_t i = 0; i < d->iterations; i++)
		if (!iterate(d, backing, r, &r->map.ns[i], &r->unmap.ns[i]))
			return;
	report_timing(d, backing, r, "map", r->map.ns);
	report_timing(d, backing, r, "unmap", r->unmap.ns);
}

static int read_options(const struct run_spec *spec, struct dma_map *d, struct error *e)
{
	int err = run_option_int(spec, "size_mib", 2, MAX_SIZE_MIB, 1024, &d->size_mib, e);

	if (!err)
		err = run_option_int(spec, "iterations", 1, MAX_ITERATIONS, 3, &d->iterations, e);
	if (!err)
		err = run_option_int(spec, "warmup", 0, MAX_WARMUP, 1, &d->warmup, e);
	if (!err && d->size_mib % 2)
		err = error_set(e, ERR_SYNTAX,
			"benchmark %s: size_mib=%lld is no multiple of a huge page: give an even "
			"number",
			spec->name, (long long)d->size_mib);
	d->size = (uint64_t)d->size_mib << 20;
	return err;
}

static void report_iommu(const struct dma_map *d)
{
	AUTO_STRBUF struct strbuf ranges;

	strbuf_init(&ranges, 4096);
	for (size_t i = 0; i < d->info.n_ranges; i++)
		strbuf_addf(&ranges, "%s0x%llx-0x%llx", i ? " " : "",
			(unsigned long long)d->info.ranges[i].first,
			(unsigned long long)d->info.ranges[i].last);
	channel_fact(d->out, "iova_ranges", ranges.buf);
	channel_fact_int(d->out, "dma_mappings_left", d->info.mappings_left);
}

/* The device handed over and the container attached. */
static int attach(const struct run_spec *spec, struct dma_map *d, struct error *e)
{
	const char *which = run_option(spec, "device");
	struct pci_device device;
	int err = pci_find("/sys", which ? which : PCI_TEST_DEVICE, &device, e);

	if (!err)
		err = pci_bind_vfio("/sys", &device, e);
	if (!err)
		err = d->ops->open(&device, &d->mapper, e);
	if (!err)
		err = d->ops->info(d->mapper, &d->info, e);
	if (!err && d->info.mappings_left == 0)
		err = error_set(e, ERR_LIMIT, "the IOMMU driver has no mapping left to give");
	if (!err)
		channel_fact(d->out, "device", device.address);
	return err;
}

static bool is_labs(int err)
{
	return err <= ERR_SYNTAX || err == -EPERM || err == -EACCES;
}

static void dma_map_run(const struct run_spec *spec, struct channel *out)
{
	struct dma_map d = {
		.name = spec->name, .clock = spec->clock, .out = out, .ops = &mapper_type1};
	struct result *result = xcalloc(1, sizeof(*result));
	struct error e = ERROR_INIT;
	int err = read_options(spec, &d, &e);
	bool pool = false;

	/* Before anything else takes memory apart. */
	if (!err && hugepool_set(HUGE_PAGE, d.size / HUGE_PAGE, &e))
		channel_problem(out, d.name, backing_hugetlbfs.name, PROBLEM_LAB, "%s", e.msg);
	else
		pool = !err;
	if (!err)
		err = attach(spec, &d, &e);
	if (err) {
		channel_problem(out, d.name, NULL, is_labs(err) ? PROBLEM_LAB : PROBLEM_KERNEL,
			"%s", e.msg);
	} else {
		report_iommu(&d);
		for (size_t i = 0; i < ARRAY_SIZE(backings); i++)
			if (pool || !backings[i]->from_pool)
				run_case(&d, backings[i], result);
	}
	d.ops->close(d.mapper);
	if (pool)
		(void)hugepool_set(HUGE_PAGE, 0, NULL);
	free(result);
}

static const char *const options[] = {"size_mib", "iterations", "warmup", "device", NULL};

const struct bench_ops bench_dma_map = {
	.name = "dma-map",
	.options = options,
	.run = dma_map_run,
};

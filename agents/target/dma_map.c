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

#define MAX_WARMUP 100
#define MAX_SIZE_MIB (1024 * 1024)
#define MAX_CALL_KIB ((int64_t)MAX_SIZE_MIB * 1024)
#define DEFAULT_CASES "madv_hugepage+map_populate+hugetlbfs"
/* What else the guest needs while a benchmark holds its memory: page tables of the process and
 * of the IOMMU, the kernel's own. */
#define SPARE_BYTES (UINT64_C(128) << 20)

static const struct backing_ops *const backings[] = {
	&backing_madv_hugepage,
	&backing_map_populate,
	&backing_hugetlbfs,
	&backing_hugetlbfs_1g,
};

struct dma_map {
	const char *name;
	enum target_clock clock;
	struct channel *out;
	int64_t size_mib;
	int64_t iterations;
	int64_t warmup;
	int64_t call_kib; /* of each system call; 0: one for all */
	struct mapper_options options;
	bool wanted[ARRAY_SIZE(backings)];
	const struct mapper_ops *ops;
	struct mapper *mapper;
	struct mapper_info info;
};

/* Of one backing: what was measured, and what it was measured on. */
struct result {
	uint64_t map_ns[TIMING_MAX], unmap_ns[TIMING_MAX];
	uint64_t size; /* whole pages */
	uint64_t call; /* bytes of each system call */
	double coverage; /* the least of all iterations */
	uint64_t iova;
	uint64_t align;
};

static void add_iterations(struct strbuf *json, const uint64_t *ns, size_t n)
{
	jsonw_begin(json, "iterations_ns", '[');
	for (size_t i = 0; i < n; i++)
		jsonw_int(json, NULL, (int64_t)ns[i]);
	jsonw_end(json, ']');
}

static void report_timing(const struct dma_map *d, const struct backing_ops *backing,
	const struct result *r, const char *what, const uint64_t *ns)
{
	AUTO_STRBUF struct strbuf params;
	char metric[128], hex[32];
	size_t n = (size_t)d->iterations;

	strbuf_init(&params, CHANNEL_MAX_RECORD);
	jsonw_begin(&params, NULL, '{');
	jsonw_int(&params, "size_mib", (int64_t)(r->size >> 20));
	jsonw_int(&params, "iterations", d->iterations);
	jsonw_int(&params, "warmup", d->warmup);
	jsonw_num(&params, "backing_coverage", r->coverage);
	jsonw_int(&params, "page_bytes", (int64_t)backing_page_bytes(backing));
	jsonw_int(&params, "align_bytes", (int64_t)r->align);
	jsonw_str(&params, "flags", backing->flags);
	jsonw_str(&params, "mapper", d->ops->name);
	jsonw_str(&params, "access", d->options.read_only ? "read" : "read-write");
	jsonw_bool(&params, "large_pages", !d->options.small_pages);
	jsonw_int(&params, "calls", (int64_t)((r->size + r->call - 1) / r->call));
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

static int map_all(const struct dma_map *d, const struct result *r, char *memory)
{
	int err = 0;

	for (uint64_t at = 0; at < r->size && !err; at += r->call)
		err = d->ops->map(
			d->mapper, memory + at, r->iova + at, MIN_OF(r->call, r->size - at));
	return err;
}

static int unmap_all(const struct dma_map *d, const struct result *r, uint64_t *ret_unmapped)
{
	int err = 0;

	*ret_unmapped = 0;
	for (uint64_t at = 0; at < r->size && !err; at += r->call) {
		uint64_t unmapped = 0;

		err = d->ops->unmap(
			d->mapper, r->iova + at, MIN_OF(r->call, r->size - at), &unmapped);
		*ret_unmapped += unmapped;
	}
	return err;
}

/* Map and unmap once. False after a problem that was reported. */
static bool map_once(struct dma_map *d, const struct backing_ops *backing, const struct result *r,
	char *memory, uint64_t *ret_map_ns, uint64_t *ret_unmap_ns)
{
	uint64_t t0, t1, t2, unmapped = 0;
	int err;

	t0 = timing_now_ns(d->clock);
	err = map_all(d, r, memory);
	t1 = timing_now_ns(d->clock);
	if (err) {
		channel_problem(d->out, d->name, backing->name, kind_of(err),
			"mapping %llu MiB at 0x%llx failed: %s",
			(unsigned long long)(r->size >> 20), (unsigned long long)r->iova,
			strerror(-err));
		return false;
	}
	*ret_map_ns = t1 - t0;
	t1 = timing_now_ns(d->clock);
	err = unmap_all(d, r, &unmapped);
	t2 = timing_now_ns(d->clock);
	if (err || unmapped != r->size) {
		channel_problem(d->out, d->name, backing->name, PROBLEM_KERNEL,
			"unmapping %llu bytes at 0x%llx: %s, %llu bytes unmapped",
			(unsigned long long)r->size, (unsigned long long)r->iova,
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
	int err = backing_make(backing, r->size, &memory, &e);

	if (!err) {
		r->coverage = MIN_OF(r->coverage, memory.coverage);
		r->align = memory.align;
		err = backing_prove(backing, &memory, &e);
	}
	if (!err)
		err = iova_choose(d->info.ranges, d->info.n_ranges, (uintptr_t)memory.memory,
			r->size, memory.align, &r->iova, &e);
	if (err) {
		channel_problem(d->out, d->name, backing->name, PROBLEM_LAB,
			"%s (%llu MiB are free)", e.msg,
			(unsigned long long)(noise_memory_available() >> 20));
		return false;
	}
	return map_once(d, backing, r, memory.memory, ret_map_ns, ret_unmap_ns);
}

/* Whether this case can be measured at all. */
static int check_case(const struct dma_map *d, const struct backing_ops *backing, struct result *r,
	struct error *e)
{
	uint64_t page = backing_page_bytes(backing);
	uint64_t available = noise_memory_available();
	uint64_t calls;

	r->size = ((uint64_t)d->size_mib << 20) + page - 1;
	r->size -= r->size % page;
	r->call = d->call_kib ? (uint64_t)d->call_kib << 10 : r->size;
	calls = (r->size + r->call - 1) / r->call;
	if (r->call % page && calls > 1)
		return error_set(e, ERR_SYNTAX,
			"call_kib=%lld is no multiple of a page of %llu bytes",
			(long long)d->call_kib, (unsigned long long)page);
	if (d->info.mappings_left >= 0 && calls > (uint64_t)d->info.mappings_left)
		return error_set(e, ERR_LIMIT,
			"%llu calls of %lld KiB are more mappings than the %lld that the kernel "
			"has left: give a larger call_kib",
			(unsigned long long)calls, (long long)d->call_kib,
			(long long)d->info.mappings_left);
	if (!backing->pooled && available < r->size + SPARE_BYTES)
		return error_set(e, ERR_LIMIT,
			"%llu MiB are to be mapped, and the guest has %llu MiB left: give it more "
			"memory, or a smaller size_mib",
			(unsigned long long)(r->size >> 20), (unsigned long long)(available >> 20));
	return 0;
}

static void run_case(struct dma_map *d, const struct backing_ops *backing, struct result *r)
{
	uint64_t map_ns, unmap_ns;
	struct error e = ERROR_INIT;

	*r = (struct result){.coverage = 1};
	if (check_case(d, backing, r, &e)) {
		channel_problem(d->out, d->name, backing->name, PROBLEM_LAB, "%s", e.msg);
		return;
	}
	for (int64_t i = 0; i < d->warmup; i++)
		if (!iterate(d, backing, r, &map_ns, &unmap_ns))
			return;
	for (int64_t i = 0; i < d->iterations; i++)
		if (!iterate(d, backing, r, &r->map_ns[i], &r->unmap_ns[i]))
			return;
	report_timing(d, backing, r, "map", r->map_ns);
	report_timing(d, backing, r, "unmap", r->unmap_ns);
}

/* "madv_hugepage+hugetlbfs_1g" */
static int read_cases(const struct run_spec *spec, struct dma_map *d, struct error *e)
{
	const char *given = run_option(spec, "cases");
	AUTO_FREE char *copy = xstrdup(given ? given : DEFAULT_CASES);
	char *save = NULL;

	for (char *word = strtok_r(copy, "+", &save); word; word = strtok_r(NULL, "+", &save)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(backings) && !streq(backings[i]->name, word))
			i++;
		if (i == ARRAY_SIZE(backings))
			return error_set(
				e, ERR_SYNTAX, "benchmark %s has no case '%s'", spec->name, word);
		d->wanted[i] = true;
	}
	return 0;
}

static int read_access(const struct run_spec *spec, struct dma_map *d, struct error *e)
{
	const char *access = run_option(spec, "access");

	d->options.read_only = streq(access, "read");
	if (access && !streq(access, "read") && !streq(access, "read-write"))
		return error_set(e, ERR_SYNTAX,
			"benchmark %s: access=%s is neither read nor read-write", spec->name,
			access);
	return 0;
}

static int read_options(const struct run_spec *spec, struct dma_map *d, struct error *e)
{
	int64_t large = 1;
	int err = run_option_int(spec, "size_mib", 2, MAX_SIZE_MIB, 1024, &d->size_mib, e);

	if (!err)
		err = run_option_int(spec, "iterations", 1, TIMING_MAX, 3, &d->iterations, e);
	if (!err)
		err = run_option_int(spec, "warmup", 0, MAX_WARMUP, 1, &d->warmup, e);
	if (!err)
		err = run_option_int(spec, "call_kib", 0, MAX_CALL_KIB, 0, &d->call_kib, e);
	if (!err)
		err = run_option_int(spec, "large_pages", 0, 1, 1, &large, e);
	if (!err)
		err = read_access(spec, d, e);
	if (!err)
		err = read_cases(spec, d, e);
	if (!err && d->size_mib % 2)
		err = error_set(e, ERR_SYNTAX,
			"benchmark %s: size_mib=%lld is no multiple of a huge page: give an even "
			"number",
			spec->name, (long long)d->size_mib);
	d->options.small_pages = !large;
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
		err = d->ops->open(&device, &d->options, &d->mapper, e);
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

/* The pools that cases take their pages from; those without one are left out, and reported. */
static void fill_pools(struct dma_map *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(backings); i++) {
		uint64_t page = backings[i]->page_bytes;
		struct error e = ERROR_INIT;
		uint64_t n;

		if (!d->wanted[i] || !backings[i]->pooled)
			continue;
		n = (((uint64_t)d->size_mib << 20) + page - 1) / page;
		if (page == GIANT_PAGE ? hugepool_need(page, n, &e) : hugepool_set(page, n, &e)) {
			channel_problem(
				d->out, d->name, backings[i]->name, PROBLEM_LAB, "%s", e.msg);
			d->wanted[i] = false;
		}
	}
}

static void run(const struct run_spec *spec, struct channel *out, const struct mapper_ops *ops)
{
	struct dma_map d = {.name = spec->name, .clock = spec->clock, .out = out, .ops = ops};
	struct result *result = xcalloc(1, sizeof(*result));
	struct error e = ERROR_INIT;
	int err = read_options(spec, &d, &e);

	/* Before anything else takes memory apart. */
	if (!err)
		fill_pools(&d);
	if (!err)
		err = attach(spec, &d, &e);
	if (err) {
		channel_problem(out, d.name, NULL, is_labs(err) ? PROBLEM_LAB : PROBLEM_KERNEL,
			"%s", e.msg);
	} else {
		report_iommu(&d);
		for (size_t i = 0; i < ARRAY_SIZE(backings); i++)
			if (d.wanted[i])
				run_case(&d, backings[i], result);
	}
	d.ops->close(d.mapper);
	(void)hugepool_set(HUGE_PAGE, 0, NULL);
	free(result);
}

static void run_type1(const struct run_spec *spec, struct channel *out)
{
	run(spec, out, &mapper_type1);
}

static void run_compat(const struct run_spec *spec, struct channel *out)
{
	run(spec, out, &mapper_compat);
}

static void run_iommufd(const struct run_spec *spec, struct channel *out)
{
	run(spec, out, &mapper_iommufd);
}

static const char *const options[] = {"size_mib", "iterations", "warmup", "device", "access",
	"call_kib", "large_pages", "cases", NULL};

const struct bench_ops bench_dma_map = {
	.name = "dma-map",
	.options = options,
	.run = run_type1,
};

const struct bench_ops bench_dma_map_compat = {
	.name = "dma-map-compat",
	.options = options,
	.run = run_compat,
};

const struct bench_ops bench_dma_map_iommufd = {
	.name = "dma-map-iommufd",
	.options = options,
	.run = run_iommufd,
};

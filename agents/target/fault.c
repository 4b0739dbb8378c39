/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault: every allocation on the way of an attach, a map and an unmap fails once, then some of all
 * (docs/internals/fault.md). Nothing is timed: a call may fail or not, and must leave things so that
 * the next one works.
 */
#include "agents/target/backing.h"
#include "agents/target/bench.h"
#include "agents/target/injector.h"
#include "agents/target/mapper.h"
#include "agents/target/sysfs.h"
#include <errno.h>
#include <sys/mman.h>

#define MAX_NTH 20000
#define MAX_ROUNDS 100000
#define MAX_SIZE_MIB 1024

struct fault {
	const char *name;
	struct channel *out;
	const struct mapper_ops *ops;
	struct pci_device device;
	struct injector injector;
	struct mapper *mapper;
	char *memory;
	uint64_t size;
	uint64_t iova;
	int64_t rounds;
};

static const struct mapper_ops *const mappers[] = {
	&mapper_type1,
	&mapper_compat,
	&mapper_iommufd,
};

static const struct mapper_options plain = {false, false};

/* One call in which an allocation may fail; it reports what must not be. */
struct attempt {
	const char *what;
	int (*call)(struct fault *f, struct error *e); /* 0 or what the kernel said */
	/* Things as they were before the call, by calls without failures. False: reported. */
	bool (*restore)(struct fault *f, int err);
};

/* False, for a caller to return. */
static bool PRINTF_LIKE(4, 5)
	problem(struct fault *f, enum problem_kind kind, const char *what, const char *fmt, ...)
{
	AUTO_STRBUF struct strbuf text;
	va_list ap;

	strbuf_init(&text, 1024);
	va_start(ap, fmt);
	(void)strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	channel_problem(f->out, f->name, what, kind, "%s: %s", f->ops->name, text.buf);
	return false;
}

#define blame(f, what, ...) problem(f, PROBLEM_KERNEL, what, __VA_ARGS__)
#define lab(f, what, ...) problem(f, PROBLEM_LAB, what, __VA_ARGS__)

static int attach(struct fault *f, struct error *e)
{
	return f->ops->open(&f->device, &plain, &f->mapper, e);
}

static bool detach(struct fault *f, int err)
{
	if (!err)
		f->mapper = f->ops->close(f->mapper);
	return true;
}

static int map(struct fault *f, struct error *e)
{
	return f->ops->map(f->mapper, f->memory, f->iova, f->size);
}

static bool unmap_all(struct fault *f, const char *what)
{
	uint64_t unmapped = 0;
	int err = f->ops->unmap(f->mapper, f->iova, f->size, &unmapped);

	if (!err && unmapped == f->size)
		return true;
	return blame(f, what, "unmapping afterwards: %s, %llu of %llu bytes",
		err ? strerror(-err) : "no error", (unsigned long long)unmapped,
		(unsigned long long)f->size);
}

/* What a failed map left behind would be in the way of this one. */
static bool map_again(struct fault *f, int err)
{
	int again = err ? map(f, NULL) : 0;

	if (again)
		return blame(f, "map",
			"after a map that failed (%s) the same one fails without a fault: %s",
			strerror(-err), strerror(-again));
	return unmap_all(f, "map");
}

static int unmap(struct fault *f, struct error *e)
{
	uint64_t unmapped = 0;
	int err = f->ops->unmap(f->mapper, f->iova, f->size, &unmapped);

	return err || unmapped == f->size ? err : -EIO;
}

/* An unmap may fail, and must then do it all when it is asked again. It leaves memory mapped. */
static bool unmap_again(struct fault *f, int err)
{
	int again;

	if (err && !unmap_all(f, "unmap"))
		return false;
	again = map(f, NULL);
	return !again || blame(f, "unmap", "mapping again afterwards fails: %s", strerror(-again));
}

static const struct attempt attach_attempt = {"attach", attach, detach};
static const struct attempt map_attempt = {"map", map, map_again};
static const struct attempt unmap_attempt = {"unmap", unmap, unmap_again};

static void tell(struct fault *f, const char *what, const char *how, int64_t n)
{
	char fact[128];

	(void)snprintf(fact, sizeof(fact), "fault_%s_%s_%s", f->ops->name, what, how);
	channel_fact_int(f->out, fact, n);
}

/* The first allocation fails, then the second alone, until there is no such one any more: that call
 * ran without a failure, and must have worked. */
static bool fail_each(struct fault *f, const struct attempt *a)
{
	for (unsigned nth = 1; nth <= MAX_NTH; nth++) {
		struct error e = ERROR_INIT;
		bool hit = false;
		int err = injector_arm(&f->injector, nth), gone;

		if (err)
			return lab(f, a->what, "the fault cannot be armed: %s", strerror(-err));
		err = a->call(f, &e);
		gone = injector_disarm(&f->injector, &hit);
		if (gone)
			return lab(f, a->what, "whether a fault was injected cannot be read: %s",
				strerror(-gone));
		if (!hit && err)
			return blame(f, a->what, "it fails without a fault: %s",
				e.code ? e.msg : strerror(-err));
		if (!a->restore(f, err))
			return false;
		if (hit)
			continue;
		tell(f, a->what, "failures", nth - 1);
		return nth > 1 || lab(f, a->what,
					  "not one allocation could be made to fail: the kernel's "
					  "configuration needs FAILSLAB and FAIL_PAGE_ALLOC");
	}
	return lab(f, a->what, "it still allocates after %d failures: give a smaller size_mib",
		MAX_NTH);
}

/* Any of them, in rounds that differ: what one failure leaves behind, the next one may meet. */
static bool fail_some(struct fault *f, const struct attempt *a)
{
	int64_t failed = 0;

	for (int64_t i = 0; i < f->rounds; i++) {
		int err, set = injector_some(&f->injector, true);

		if (set)
			return lab(f, a->what, "faults cannot be turned on: %s", strerror(-set));
		err = a->call(f, NULL);
		set = injector_some(&f->injector, false);
		if (set)
			return lab(f, a->what, "faults cannot be turned off: %s", strerror(-set));
		failed += err != 0;
		if (!a->restore(f, err))
			return false;
	}
	tell(f, a->what, "failed_rounds", failed);
	return true;
}

/* Of this process, in KiB; -1 where the kernel does not say. */
static int64_t pinned_kib(void)
{
	char text[SYSFS_MAX];
	int64_t locked, pinned;

	if (sysfs_read("/proc/self/status", text, sizeof(text)) ||
		!sysfs_number(text, "VmLck", &locked) || !sysfs_number(text, "VmPin", &pinned))
		return -1;
	return locked + pinned;
}

/* Nothing stays behind of calls that failed. */
static bool check_leaks(struct fault *f, const struct mapper_info *before)
{
	struct error e = ERROR_INIT;
	struct mapper_info after;
	int64_t pinned = pinned_kib();

	if (f->ops->info(f->mapper, &after, &e))
		return blame(f, "map", "%s", e.msg);
	if (pinned < 0)
		return lab(f, "map", "/proc/self/status does not say what is pinned");
	if (after.mappings_left == before->mappings_left && pinned == 0)
		return true;
	return blame(f, "map",
		"%lld KiB are still accounted as pinned with nothing mapped, and of %lld mappings "
		"%lld are left",
		(long long)pinned, (long long)before->mappings_left,
		(long long)after.mappings_left);
}

static bool fail_maps(struct fault *f)
{
	struct error e = ERROR_INIT;
	struct mapper_info info;
	int err = attach(f, &e);

	if (err)
		return blame(f, "attach", "%s", e.msg);
	err = f->ops->info(f->mapper, &info, &e);
	if (!err)
		err = iova_choose(info.ranges, info.n_ranges, (uintptr_t)f->memory, f->size,
			HUGE_PAGE, &f->iova, &e);
	if (err)
		return lab(f, "map", "%s", e.msg);
	if (!fail_each(f, &map_attempt) || !fail_some(f, &map_attempt))
		return false;
	err = map(f, NULL);
	if (err)
		return blame(f, "map", "%s", strerror(-err));
	return fail_each(f, &unmap_attempt) && fail_some(f, &unmap_attempt) &&
	       unmap_all(f, "unmap") && check_leaks(f, &info);
}

static void run_mapper(struct fault *f)
{
	struct error e = ERROR_INIT;
	int err = attach(f, &e);

	/* What does not work without faults is not theirs. */
	if (err) {
		(void)lab(f, "attach", "%s", e.msg);
		return;
	}
	f->mapper = f->ops->close(f->mapper);
	if (fail_each(f, &attach_attempt) && fail_some(f, &attach_attempt))
		(void)fail_maps(f);
	if (f->mapper)
		f->mapper = f->ops->close(f->mapper);
}

static int prepare(const struct run_spec *spec, struct fault *f, struct error *e)
{
	int64_t size_mib;
	int err = run_option_int(spec, "size_mib", 2, MAX_SIZE_MIB, 16, &size_mib, e);

	if (!err)
		err = run_option_int(spec, "rounds", 0, MAX_ROUNDS, 50, &f->rounds, e);
	if (!err)
		err = pci_find("/sys", PCI_TEST_DEVICE, &f->device, e);
	if (!err)
		err = pci_bind_vfio("/sys", &f->device, e);
	if (!err)
		err = injector_open(&f->injector, e);
	if (err)
		return err;
	f->size = (uint64_t)size_mib << 20;
	f->memory = mmap(NULL, f->size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (f->memory == MAP_FAILED)
		return error_errno(e, "cannot map %lld MiB", (long long)size_mib);
	return 0;
}

static void fault_run(const struct run_spec *spec, struct channel *out)
{
	struct fault f = {.name = spec->name, .out = out, .injector = INJECTOR_INIT};
	struct error e = ERROR_INIT;

	if (prepare(spec, &f, &e)) {
		channel_problem(out, f.name, NULL, PROBLEM_LAB, "%s", e.msg);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(mappers); i++) {
			f.ops = mappers[i];
			run_mapper(&f);
		}
	}
	injector_close(&f.injector);
}

static const char *const options[] = {"size_mib", "rounds", NULL};

const struct bench_ops bench_fault = {
	.name = "fault",
	.options = options,
	.run = fault_run,
};

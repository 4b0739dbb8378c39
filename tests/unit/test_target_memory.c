/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout, device addresses and backings: the parts of dma-map that need no device. */
#include "agents/target/backing.h"
#include "agents/target/hugepool.h"
#include "agents/target/iova.h"
#include "agents/target/layout.h"
#include <sys/mman.h>
#include <sys/prctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static void test_layout_is_the_seeds(void **state)
{
	struct layout a, b;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		layout_plan(seed, &a);
		layout_plan(seed, &b);
		assert_memory_equal(&a, &b, sizeof(a));
		layout_plan(seed + 1, &b);
		assert_memory_not_equal(&a, &b, sizeof(a));
	}
}

/* What a seed means must never change: results of different targets are compared. */
static void test_layout_stays(void **state)
{
	struct layout a;

	layout_plan(1, &a);
	assert_int_equal(a.n, 133);
	assert_int_equal(a.blocks[0].pages, 40);
	assert_int_equal(a.blocks[1].pages, 58);
}

static void test_layout_bounds(void **state)
{
	struct layout a;

	for (uint64_t seed = 1; seed <= 2000; seed++) {
		uint64_t total = 0;
		size_t held = 0;

		layout_plan(seed, &a);
		assert_in_range(a.n, 1, LAYOUT_BLOCKS);
		for (size_t i = 0; i < a.n; i++) {
			assert_true(a.blocks[i].pages > 0);
			total += a.blocks[i].pages;
			held += a.blocks[i].hold;
		}
		assert_int_equal(total, LAYOUT_TOTAL_PAGES);
		assert_in_range(held, 1, a.n - 1);
	}
	layout_plan(0, &a);
	assert_int_equal(a.n, 0);
}

static void test_layout_is_held(void **state)
{
	struct error e = ERROR_INIT;
	uint64_t held = 0, planned = 0;
	struct layout a;

	layout_plan(3, &a);
	for (size_t i = 0; i < a.n; i++)
		planned += a.blocks[i].hold ? a.blocks[i].pages : 0;
	assert_int_equal(layout_apply(&a, &held, &e), 0);
	assert_int_equal(held, planned * (uint64_t)getpagesize());
}

static const struct iova_range vtd[] = {
	/* as an emulated VT-d gives them */
	{0, 0xfedfffff},
	{0xfef00000, (UINT64_C(1) << 39) - 1},
};

static uint64_t choose(
	const struct iova_range *ranges, size_t n, uint64_t vaddr, uint64_t size, uint64_t align)
{
	struct error e = ERROR_INIT;
	uint64_t iova = 0;

	if (iova_choose(ranges, n, vaddr, size, align, &iova, &e))
		fail_msg("%s", e.msg);
	return iova;
}

static void test_iova(void **state)
{
	const struct iova_range reversed[] = {vtd[1], vtd[0]};
	const struct iova_range low[] = {vtd[0]};

	assert_int_equal(choose(vtd, 2, 0x7f0000000000, GIB, 2 * MIB), 4 * GIB);
	assert_int_equal(choose(reversed, 2, 0x7f0000000000, GIB, 2 * MIB), 4 * GIB);
	/* Congruent to the memory's address. */
	assert_int_equal(choose(vtd, 2, 0x7f0000201000, GIB, 2 * MIB), 4 * GIB + 0x1000);
	assert_int_equal(choose(vtd, 2, 0x7f0000201000, GIB, GIB), 4 * GIB + 0x201000);
	/* No room above 4 GiB: the lowest, and not 0. */
	assert_int_equal(choose(low, 1, 0x7f0000000000, GIB, 2 * MIB), 2 * MIB);
}

static void test_iova_keeps_clear_of_holes(void **state)
{
	const struct iova_range hole[] = {
		{4 * GIB, 5 * GIB - 2}, /* one byte short */
		{6 * GIB + 1, 8 * GIB},
	};

	assert_int_equal(choose(hole, 2, 0, GIB, 2 * MIB), 6 * GIB + 2 * MIB);
}

static void test_iova_edges(void **state)
{
	const struct iova_range exact = {4 * GIB, 5 * GIB - 1};
	const struct iova_range top = {UINT64_MAX - 2 * MIB + 1, UINT64_MAX};
	const struct iova_range high = {UINT64_MAX - 10, UINT64_MAX};
	struct error e = ERROR_INIT;
	uint64_t iova = 7;

	assert_int_equal(choose(&exact, 1, 0, GIB, 2 * MIB), 4 * GIB);
	assert_int_equal(choose(&top, 1, 0, 2 * MIB, 2 * MIB), UINT64_MAX - 2 * MIB + 1);
	assert_int_equal(iova_choose(&exact, 1, 0, GIB + 1, 2 * MIB, &iova, &e), ERR_MISSING);
	assert_int_equal(iova_choose(&high, 1, 0, GIB, 2 * MIB, &iova, &e), ERR_MISSING);
	assert_int_equal(iova_choose(NULL, 0, 0, GIB, 2 * MIB, &iova, &e), ERR_MISSING);
	assert_int_equal(iova, 7);
	assert_non_null(strstr(e.msg, "size_mib"));
}

static const char smaps_text[] = "00400000-00401000 r--p 00000000 00:02 12   /init\n"
				 "KernelPageSize:        4 kB\n"
				 "Anonymous:             4 kB\n"
				 "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n"
				 "Size:               2048 kB\n"
				 "KernelPageSize:        4 kB\n"
				 "MMUPageSize:           4 kB\n"
				 "Rss:                2048 kB\n"
				 "Anonymous:          2048 kB\n"
				 "AnonHugePages:      2048 kB\n"
				 "VmFlags: rd wr mr mw me ac sd hg \n"
				 "7f0000200000-7f0000600000 rw-p 00000000 00:00 0 \n"
				 "KernelPageSize:     2048 kB\n"
				 "Anonymous:             8 kB\n"
				 "AnonHugePages:         0 kB\n"
				 "Private_Hugetlb:    4096 kB\n"
				 "7f0000600000-7f0000700000 ---p 00000000 00:00 0 \n"
				 "KernelPageSize:        4 kB\n";

static void test_smaps(void **state)
{
	struct error e = ERROR_INIT;
	struct smaps s;

	assert_int_equal(smaps_parse(smaps_text, 0x7f0000000000, 0x7f0000200000, &s, &e), 0);
	assert_int_equal(s.mapped, 2 * MIB);
	assert_int_equal(s.anonymous, 2 * MIB);
	assert_int_equal(s.anon_huge, 2 * MIB);
	assert_int_equal(s.hugetlb, 0);
	assert_int_equal(s.max_page_bytes, 4096);
	assert_int_equal(smaps_parse(smaps_text, 0x7f0000000000, 0x7f0000600000, &s, &e), 0);
	assert_int_equal(s.mapped, 6 * MIB);
	assert_int_equal(s.hugetlb, 4 * MIB);
	assert_int_equal(s.min_page_bytes, 4096);
	assert_int_equal(s.max_page_bytes, 2 * MIB);
}

static void test_smaps_counts_what_lies_within(void **state)
{
	struct error e = ERROR_INIT;
	struct smaps s;

	/* The area reaches past the range: whose huge pages they are is not known. */
	assert_int_equal(
		smaps_parse(smaps_text, 0x7f0000000000, 0x7f00001ff000, &s, &e), ERR_MISSING);
	assert_int_equal(smaps_parse(smaps_text, 0x10000, 0x20000, &s, &e), ERR_MISSING);
	assert_int_equal(smaps_parse("", 0, UINT64_MAX, &s, &e), ERR_MISSING);
	assert_int_equal(smaps_parse("rubbish\n\n-\nabc-\n", 0, UINT64_MAX, &s, &e), ERR_MISSING);
}

static uint64_t covered(const struct backing_ops *ops, const struct smaps *smaps)
{
	return ops->covered(ops, smaps);
}

static void test_coverage(void **state)
{
	const struct smaps mixed = {
		.anonymous = 10 * MIB,
		.anon_huge = 4 * MIB,
		.hugetlb = 2 * MIB,
		.min_page_bytes = 4096,
		.max_page_bytes = 2 * MIB,
	};
	const struct smaps small = {.anonymous = 3 * MIB,
		.min_page_bytes = (uint64_t)getpagesize(),
		.max_page_bytes = (uint64_t)getpagesize()};
	const struct smaps huge = {
		.hugetlb = 2 * MIB, .min_page_bytes = 2 * MIB, .max_page_bytes = 2 * MIB};

	assert_int_equal(covered(&backing_madv_hugepage, &mixed), 4 * MIB);
	assert_int_equal(covered(&backing_map_populate, &mixed), 0);
	assert_int_equal(covered(&backing_map_populate, &small), 3 * MIB);
	assert_int_equal(covered(&backing_hugetlbfs, &mixed), 0);
	assert_int_equal(covered(&backing_hugetlbfs, &huge), 2 * MIB);
	assert_int_equal(covered(&backing_hugetlbfs, &small), 0);
	assert_int_equal(covered(&backing_hugetlbfs_1g, &huge), 0);
}

/* Real memory of this machine, proved by its own smaps. */
static void test_backing_made_and_proved(void **state)
{
	AUTO_BACKING struct backing b = BACKING_INIT;
	struct error e = ERROR_INIT;
	char *memory;

	if (backing_make(&backing_map_populate, 4 * MIB, &b, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(b.size, 4 * MIB);
	assert_int_equal((uintptr_t)b.memory % HUGE_PAGE, 0);
	assert_true(b.memory[0] == 1 && b.memory[4 * MIB - (size_t)getpagesize()] == 1);
	memory = b.memory;
	backing_done(&b);
	assert_null(b.memory);
	backing_done(&b);
	/* And given back. */
	assert_int_equal(msync(memory, 4096, MS_ASYNC), -1);
}

/* Memory that is not what its case says is named, and not measured. */
static void test_memory_that_is_not_huge(void **state)
{
	AUTO_BACKING struct backing memory = BACKING_INIT;
	struct error e = ERROR_INIT;
	int err;

	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	err = backing_make(&backing_madv_hugepage, 4 * MIB, &memory, &e);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	/* A kernel without any says so before. */
	if (err) {
		assert_non_null(strstr(e.msg, "TRANSPARENT_HUGEPAGE"));
		return;
	}
	assert_true(memory.coverage == 0);
	assert_int_equal(backing_prove(&backing_madv_hugepage, &memory, &e), ERR_STATE);
	assert_non_null(strstr(e.msg, "only 0.0 % of the memory is in pages of 2097152 bytes"));
	memory.coverage = BACKING_MIN_COVERAGE;
	assert_int_equal(backing_prove(&backing_madv_hugepage, &memory, &e), 0);
}

static void test_pools_that_are_not_there(void **state)
{
	struct error e = ERROR_INIT;

	assert_int_equal(hugepool_need(12345 * 1024, 1, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "12345 KiB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_is_the_seeds),
		cmocka_unit_test(test_layout_stays),
		cmocka_unit_test(test_layout_bounds),
		cmocka_unit_test(test_layout_is_held),
		cmocka_unit_test(test_iova),
		cmocka_unit_test(test_iova_keeps_clear_of_holes),
		cmocka_unit_test(test_iova_edges),
		cmocka_unit_test(test_smaps),
		cmocka_unit_test(test_smaps_counts_what_lies_within),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_backing_made_and_proved),
		cmocka_unit_test(test_memory_that_is_not_huge),
		cmocka_unit_test(test_pools_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

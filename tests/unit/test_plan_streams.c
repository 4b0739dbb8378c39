/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boots in several streams: two clocks, and benchmarks that need boots of their own. */
#include "daemon/plan/plan.h"
#include "make_facts.h"

#include <setjmp.h>
#include <cmocka.h>

#define BOTH "{\"wall\":{\"pairs\":5,\"max_pairs\":20},\"counted\":{\"seeds\":5}}"
#define DMA_MAP                                                                               \
	"{\"run\":\"dma-map\",\"parts\":[{\"part\":\"\",\"clocks\":[\"wall\",\"counted\"]}]," \
	"\"primary\":[\"dma-map.hugetlbfs.unmap_seconds\"]}"
#define REPLAY                                                                               \
	"{\"run\":\"viommu-replay\",\"parts\":[{\"part\":\"attach\",\"clocks\":[\"wall\"]}," \
	"{\"part\":\"race\",\"clocks\":[\"wall\"]}],\"primary\":[]}"
#define PROFILE(clocks, benchmarks) \
	"{\"name\":\"p\",\"clocks\":" clocks ",\"benchmarks\":[" benchmarks "]}"

static struct facts *make(const char *profile)
{
	struct facts *f = make_built(1);

	set_profile(f, profile);
	return f;
}

static void add_pair(struct facts *f, enum clock clock, const char *part, enum boot_role role,
	int n, enum status patched)
{
	(void)add_stream_boot(f, clock, part, SIDE_BASE, role, n, STATUS_PASS);
	(void)add_stream_boot(f, clock, part, SIDE_PATCHED, role, n, patched);
}

static void the_streams_of_a_profile(void **state)
{
	static const struct {
		const char *profile;
		const char *streams; /* w or c and the part, a blank between */
		int boots;
	} cases[] = {
		{PROFILE(BOTH, DMA_MAP), "w c", 21},
		{PROFILE("{\"wall\":{\"pairs\":3,\"max_pairs\":20}}", REPLAY), "wattach wrace", 12},
		{PROFILE(BOTH, DMA_MAP "," REPLAY), "w wattach wrace c", 41},
		{PROFILE("{\"counted\":{\"seeds\":6}}", DMA_MAP), "c", 13},
		/* Nothing is measured: one pair shows whether it boots. */
		{PROFILE(BOTH, ""), "w", 2},
		{PROFILE("{\"counted\":{\"seeds\":5}}", ""), "c", 2},
		/* Stored before there were parts. */
		{PROFILE("{\"wall\":{\"pairs\":5,\"max_pairs\":20}}", "{\"run\":\"dma-map\"}"), "w",
			10},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_JSON cJSON *profile = cJSON_Parse(cases[i].profile);
		struct boot_stream streams[PLAN_MAX_STREAMS];
		size_t n = plan_streams(profile, streams, ARRAY_SIZE(streams));
		AUTO_STRBUF struct strbuf text;

		strbuf_init(&text, 512);
		for (size_t k = 0; k < n; k++)
			strbuf_addf(&text, "%s%c%s", k ? " " : "",
				streams[k].clock == CLOCK_WALL ? 'w' : 'c', streams[k].part);
		assert_string_equal(text.buf, cases[i].streams);
		assert_int_equal(plan_count_boots(profile), cases[i].boots);
		/* One more than there is room for is left out. */
		assert_int_equal(plan_streams(profile, streams, n - 1), n - 1);
	}
}

/* Every plan is carried out, with boots that pass, until there is none: each as "c.3" or "wrace.1",
 * a canary as "c!". */
static void carry_out(struct facts *f, struct strbuf *ret_text)
{
	struct plan p;

	for (plan_next(f, 7, &p); p.kind == PLAN_BOOT; plan_next(f, 7, &p)) {
		const struct plan_boot *first = &p.boots[0];

		strbuf_addf(ret_text, " %c%s", first->stream.clock == CLOCK_WALL ? 'w' : 'c',
			first->stream.part);
		if (first->role == BOOT_CANARY) {
			assert_int_equal(p.n_boots, 1);
			assert_int_equal(first->side, SIDE_BASE);
			assert_int_equal(first->seed, 1);
			assert_int_equal(first->patch, 0);
			strbuf_adds(ret_text, "!");
		} else {
			assert_int_equal(p.n_boots, 2);
			assert_int_equal(first->pair, first->seed);
			strbuf_addf(ret_text, ".%d", first->pair);
		}
		for (size_t i = 0; i < p.n_boots; i++)
			(void)add_stream_boot(f, p.boots[i].stream.clock, p.boots[i].stream.part,
				p.boots[i].side, p.boots[i].role, p.boots[i].pair, STATUS_PASS);
	}
	assert_int_equal(p.kind, PLAN_FINISH);
}

static void the_stream_that_is_furthest_behind_comes_next(void **state)
{
	static const struct {
		const char *profile, *order;
	} cases[] = {
		{PROFILE("{\"wall\":{\"pairs\":3,\"max_pairs\":20},\"counted\":{\"seeds\":5}}",
			 DMA_MAP),
			" w.1 c.1 c! w.2 c.2 w.3 c.3 c.4 c.5"},
		{PROFILE("{\"wall\":{\"pairs\":2,\"max_pairs\":20}}", REPLAY),
			" wattach.1 wrace.1 wattach.2 wrace.2"},
		{PROFILE("{\"counted\":{\"seeds\":2}}", DMA_MAP), " c.1 c! c.2"},
		{PROFILE(BOTH, ""), " w.1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FACTS struct facts *f = make(cases[i].profile);
		AUTO_STRBUF struct strbuf text;

		strbuf_init(&text, 1024);
		carry_out(f, &text);
		assert_string_equal(text.buf, cases[i].order);
	}
}

static void a_clock_that_does_not_repeat_ends_the_run(void **state)
{
	AUTO_FACTS struct facts *f = make(PROFILE(BOTH, DMA_MAP));
	struct plan p;

	add_pair(f, CLOCK_WALL, "", BOOT_PAIR, 1, STATUS_PASS);
	add_pair(f, CLOCK_COUNTED, "", BOOT_PAIR, 1, STATUS_PASS);
	add_sample(&f->boots[2], "dma-map.hugetlbfs.unmap_instructions", 1000);
	add_sample(add_stream_boot(f, CLOCK_COUNTED, "", SIDE_BASE, BOOT_CANARY, 1, STATUS_PASS),
		"dma-map.hugetlbfs.unmap_instructions", 1001);
	plan_next(f, 7, &p);
	assert_int_equal(p.kind, PLAN_FINISH);
}

/* What shows in one stream only is confirmed there, and not watered down by the others. */
static void a_finding_is_confirmed_in_its_stream(void **state)
{
	AUTO_FACTS struct facts *f =
		make(PROFILE("{\"wall\":{\"pairs\":2,\"max_pairs\":2}}", REPLAY));
	struct plan p;

	for (int i = 1; i <= 2; i++) {
		add_pair(f, CLOCK_WALL, "attach", BOOT_PAIR, i, STATUS_PASS);
		add_pair(f, CLOCK_WALL, "race", BOOT_PAIR, i, STATUS_PASS);
		find_in_boot(&f->boots[f->n_boots - 1], "WARNING: f");
	}
	for (int i = 1; i <= 3; i++) {
		plan_next(f, 7, &p);
		assert_int_equal(p.kind, PLAN_BOOT);
		assert_int_equal(p.boots[0].role, BOOT_EXTRA);
		assert_int_equal(p.boots[0].pair, i);
		assert_int_equal(p.boots[0].seed, 1);
		assert_string_equal(p.boots[0].stream.part, "race");
		add_pair(f, CLOCK_WALL, "race", BOOT_EXTRA, i, STATUS_PASS);
		find_in_boot(&f->boots[f->n_boots - 1], "WARNING: f");
	}
	plan_next(f, 7, &p);
	assert_int_equal(p.kind, PLAN_FINISH);
}

static void a_failure_is_confirmed_in_its_stream(void **state)
{
	AUTO_FACTS struct facts *f =
		make(PROFILE("{\"wall\":{\"pairs\":5,\"max_pairs\":5}}", REPLAY));
	struct plan p;

	for (int i = 1; i <= 4; i++)
		add_pair(f, CLOCK_WALL, "attach", BOOT_PAIR, i, STATUS_PASS);
	add_pair(f, CLOCK_WALL, "race", BOOT_PAIR, 1, STATUS_FAIL);
	for (int i = 1; i <= 3; i++) {
		plan_next(f, 7, &p);
		assert_int_equal(p.kind, PLAN_BOOT);
		assert_int_equal(p.boots[0].role, BOOT_EXTRA);
		assert_string_equal(p.boots[0].stream.part, "race");
		add_pair(f, CLOCK_WALL, "race", BOOT_EXTRA, i, STATUS_FAIL);
	}
	plan_next(f, 7, &p);
	assert_int_equal(p.kind, PLAN_FINISH);
}

/* The same layout would only do the same once more, and look like proof. */
static void a_counted_finding_is_confirmed_on_other_layouts(void **state)
{
	AUTO_FACTS struct facts *f = make(PROFILE("{\"counted\":{\"seeds\":5}}", DMA_MAP));
	struct plan p;

	for (int i = 1; i <= 5; i++)
		add_pair(f, CLOCK_COUNTED, "", BOOT_PAIR, i, STATUS_PASS);
	(void)add_stream_boot(f, CLOCK_COUNTED, "", SIDE_BASE, BOOT_CANARY, 1, STATUS_PASS);
	find_in_boot(&f->boots[3], "WARNING: f");
	for (int i = 1; i <= 2; i++) {
		plan_next(f, 7, &p);
		assert_int_equal(p.kind, PLAN_BOOT);
		assert_int_equal(p.boots[0].role, BOOT_EXTRA);
		assert_int_equal(p.boots[0].stream.clock, CLOCK_COUNTED);
		assert_int_equal(p.boots[0].seed, 5 + i);
		assert_int_equal(p.boots[1].seed, 5 + i);
		add_pair(f, CLOCK_COUNTED, "", BOOT_EXTRA, i, STATUS_PASS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_streams_of_a_profile),
		cmocka_unit_test(the_stream_that_is_furthest_behind_comes_next),
		cmocka_unit_test(a_clock_that_does_not_repeat_ends_the_run),
		cmocka_unit_test(a_finding_is_confirmed_in_its_stream),
		cmocka_unit_test(a_failure_is_confirmed_in_its_stream),
		cmocka_unit_test(a_counted_finding_is_confirmed_on_other_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

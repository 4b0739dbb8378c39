/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/benchmarks.h"
#include "daemon/config/profile.h"
#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/stat.h>

/* A shipped and an own folder of each kind, below one that goes away. */
struct lab {
	char root[64];
	char *shipped, *own, *kernel, *own_kernel;
};

static int setup(void **state)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));

	(void)snprintf(lab->root, sizeof(lab->root), "/tmp/test-profile.XXXXXX");
	assert_non_null(mkdtemp(lab->root));
	lab->shipped = path_join(lab->root, "shipped");
	lab->own = path_join(lab->root, "own");
	lab->kernel = path_join(lab->root, "kernel");
	lab->own_kernel = path_join(lab->root, "own-kernel");
	assert_int_equal(mkdir(lab->shipped, 0700), 0);
	assert_int_equal(mkdir(lab->kernel, 0700), 0);
	*state = lab;
	return 0;
}

static int teardown(void **state)
{
	struct lab *lab = *state;

	assert_int_equal(file_remove_tree(lab->root, NULL), 0);
	free(lab->shipped);
	free(lab->own);
	free(lab->kernel);
	free(lab->own_kernel);
	free(lab);
	return 0;
}

static void put(const char *folder, const char *name, const char *text)
{
	AUTO_FREE char *path = path_join(folder, name);

	assert_int_equal(file_mkdirs(folder, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), 0600, NULL), 0);
}

static int load(const struct lab *lab, const char *name, cJSON **ret_profile, struct error *e)
{
	const char *folders[] = {lab->shipped, lab->own};
	const char *kernel[] = {lab->kernel, lab->own_kernel};
	const struct profile_paths paths = {folders, 2, kernel, 2};

	return profile_load(&paths, name, ret_profile, e);
}

static void expect_text(const cJSON *profile, const char *text)
{
	AUTO_FREE char *got = json_text(profile);

	assert_string_equal(got, text);
}

/* The file is refused, with a sentence that holds every one of these. */
static void expect_refused(struct lab *lab, const char *yaml, int code, const char *const *words)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *profile = NULL;

	put(lab->shipped, "bad.yaml", yaml);
	assert_int_equal(load(lab, "a", &profile, &e), code);
	assert_null(profile);
	assert_non_null(strstr(e.msg, "bad.yaml"));
	for (; *words; words++)
		if (!strstr(e.msg, *words))
			fail_msg("'%s' does not say '%s'", e.msg, *words);
}

#define REFUSED(yaml, code, ...) \
	expect_refused(*state, yaml, code, (const char *const[]){__VA_ARGS__, NULL})

static void test_shipped_default(void **state)
{
	const char *folders[] = {TEST_SOURCE_DIR "/profiles"};
	const char *kernel[] = {TEST_SOURCE_DIR "/agents/kernel"};
	const struct profile_paths paths = {folders, 1, kernel, 1};
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *p = NULL;
	const cJSON *fragment, *bench;

	if (profile_load(&paths, "dma", &p, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(json_str(p, "arch", ""), "x86_64");
	assert_string_equal(json_str(json_get(p, "config"), "base", ""), "tinyconfig");
	fragment = cJSON_GetArrayItem(json_get(json_get(p, "config"), "fragments"), 0);
	assert_string_equal(json_str(fragment, "name", ""), "lab");
	assert_non_null(strstr(json_str(fragment, "text", ""), "CONFIG_VFIO=y\n"));
	bench = cJSON_GetArrayItem(json_get(p, "benchmarks"), 0);
	assert_string_equal(json_str(bench, "run", ""), "dma-map");
	assert_int_equal(json_int(bench, "size_mib", 0), 1024);
	assert_in_range(cJSON_GetArraySize(json_get(bench, "primary")), 1, PROFILE_MAX_PRIMARY);
	assert_float_equal(json_num(json_get(p, "thresholds"), "wall", 0), 0.02, 1e-9);
	assert_int_equal(json_int(json_get(p, "limits"), "boot_seconds", 0), 60);
}

static void test_shipped_checkers(void **state)
{
	static const char *const names[] = {"lockdep", "kasan", "kcsan", "fault"};
	const char *folders[] = {TEST_SOURCE_DIR "/profiles"};
	const char *kernel[] = {TEST_SOURCE_DIR "/agents/kernel"};
	const struct profile_paths paths = {folders, 1, kernel, 1};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct error e = ERROR_INIT;
		AUTO_JSON cJSON *p = NULL;
		const cJSON *fragments;

		if (profile_load(&paths, names[i], &p, &e))
			fail_msg("%s", e.msg);
		assert_string_equal(json_str(p, "checker", ""), names[i]);
		fragments = json_get(json_get(p, "config"), "fragments");
		assert_string_equal(
			json_str(cJSON_GetArrayItem(fragments, 1), "name", ""), names[i]);
		assert_true(cJSON_GetArraySize(json_get(p, "benchmarks")) > 0);
	}
}

static void test_checker(void **state)
{
	REFUSED("profiles:\n  - name: a\n    checker: valgrind\n", ERR_SYNTAX, "'valgrind'",
		"lockdep");
	REFUSED("profiles:\n  - name: a\n    checker: kasan\n    benchmarks:\n"
		"      - run: dma-map\n        primary: [hugetlbfs.unmap_seconds]\n",
		ERR_SYNTAX, "primary", "leave");
}

static void test_everything_left_out(void **state)
{
	AUTO_JSON cJSON *p = NULL;
	struct lab *lab = *state;

	put(lab->shipped, "a.yaml", "profiles:\n  - name: a\n");
	assert_int_equal(load(lab, "a", &p, NULL), 0);
	expect_text(p, "{\"name\":\"a\",\"arch\":\"x86_64\","
		       "\"config\":{\"base\":\"tinyconfig\",\"fragments\":[]},\"cmdline\":\"\","
		       "\"machines\":{\"tags\":[]},"
		       "\"clocks\":{\"wall\":{\"pairs\":5,\"max_pairs\":20}},\"benchmarks\":[],"
		       "\"thresholds\":{\"wall\":0.02,\"counted\":0.01},"
		       "\"limits\":{\"build_seconds\":3600,\"build_silence_seconds\":600,"
		       "\"boot_seconds\":60,\"silence_seconds\":60,\"total_seconds\":600}}");
}

static void test_everything_said(void **state)
{
	AUTO_JSON cJSON *p = NULL;
	struct lab *lab = *state;
	struct error e = ERROR_INIT;

	put(lab->kernel, "f.config", "CONFIG_A=y\n");
	put(lab->shipped, "a.yaml",
		"profiles:\n"
		"  - name: a\n"
		"    arch: x86_64\n"
		"    config: { base: defconfig, fragments: [f] }\n"
		"    cmdline: \"intel_iommu=on nokaslr\"\n"
		"    machines: { tags: [vtd, big] }\n"
		"    clocks: { wall: { pairs: 30 }, counted: { seeds: 7 } }\n"
		"    benchmarks:\n"
		"      - { run: dma-map, size_mib: 64, counted_size_mib: 32, iterations: 1, "
		"warmup: 0, primary: [hugetlbfs.map_seconds] }\n"
		"    thresholds: { wall: 0.5%, counted: 0.2% }\n"
		"    limits: { build: 2h, build_silence: 1min, boot: 1s, silence: 9s, total: 3min "
		"}\n");
	if (load(lab, "a", &p, &e))
		fail_msg("%s", e.msg);
	expect_text(p, "{\"name\":\"a\",\"arch\":\"x86_64\",\"config\":{\"base\":\"defconfig\","
		       "\"fragments\":[{\"name\":\"f\",\"text\":\"CONFIG_A=y\\n\"}]},"
		       "\"cmdline\":\"intel_iommu=on nokaslr\","
		       "\"machines\":{\"tags\":[\"vtd\",\"big\"]},"
		       "\"clocks\":{\"wall\":{\"pairs\":30,\"max_pairs\":30},\"counted\":{"
		       "\"seeds\":7}},"
		       "\"benchmarks\":[{\"run\":\"dma-map\",\"size_mib\":64,"
		       "\"counted_size_mib\":32,\"iterations\":1,\"warmup\":0,"
		       "\"parts\":[{\"part\":\"\",\"clocks\":[\"wall\",\"counted\"]}],"
		       "\"primary\":[\"dma-map.hugetlbfs.map_seconds\"]}],"
		       "\"thresholds\":{\"wall\":0.005,\"counted\":0.002},"
		       "\"limits\":{\"build_seconds\":7200,\"build_silence_seconds\":60,"
		       "\"boot_seconds\":1,\"silence_seconds\":9,\"total_seconds\":180}}");
}

static void expect_part(const char *text, const cJSON *profile)
{
	AUTO_FREE char *got = json_text(
		json_get(cJSON_GetArrayItem(json_get(profile, "benchmarks"), 0), "parts"));

	assert_string_equal(got, text);
}

/* A file that names clocks means those; a benchmark has the parts that they can measure. */
static void test_clocks_and_parts(void **state)
{
	static const struct {
		const char *clocks, *resolved, *run, *parts;
	} cases[] = {
		{"wall: {}", "{\"wall\":{\"pairs\":5,\"max_pairs\":20}}", "dma-map",
			"[{\"part\":\"\",\"clocks\":[\"wall\"]}]"},
		{"counted: {}", "{\"counted\":{\"seeds\":5}}", "dma-map",
			"[{\"part\":\"\",\"clocks\":[\"counted\"]}]"},
		{"counted: { seeds: 1 }", "{\"counted\":{\"seeds\":1}}", "viommu-replay",
			"[{\"part\":\"attach\",\"clocks\":[\"counted\"]}]"},
		{"wall: { pairs: 3 }, counted: { seeds: 200 }",
			"{\"wall\":{\"pairs\":3,\"max_pairs\":20},\"counted\":{\"seeds\":200}}",
			"viommu-replay",
			"[{\"part\":\"attach\",\"clocks\":[\"wall\",\"counted\"]},"
			"{\"part\":\"irqsoff\",\"clocks\":[\"wall\"]},"
			"{\"part\":\"calls\",\"clocks\":[\"wall\"]},"
			"{\"part\":\"device\",\"clocks\":[\"wall\"]},"
			"{\"part\":\"race\",\"clocks\":[\"wall\"]}]"},
	};
	struct lab *lab = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *yaml = xasprintf("profiles: [{ name: a, clocks: { %s }, "
						 "benchmarks: [{ run: %s }] }]",
			cases[i].clocks, cases[i].run);
		AUTO_JSON cJSON *p = NULL;
		struct error e = ERROR_INIT;

		put(lab->shipped, "a.yaml", yaml);
		if (load(lab, "a", &p, &e))
			fail_msg("%s", e.msg);
		expect_text(json_get(p, "clocks"), cases[i].resolved);
		expect_part(cases[i].parts, p);
	}
}

/* A small one is not measured larger because it is counted. */
static void test_counted_size(void **state)
{
	AUTO_JSON cJSON *p = NULL;
	struct lab *lab = *state;

	put(lab->shipped, "a.yaml",
		"profiles: [{ name: a, benchmarks: [{ run: dma-map, size_mib: 64 }] }]");
	assert_int_equal(load(lab, "a", &p, NULL), 0);
	assert_int_equal(
		json_int(cJSON_GetArrayItem(json_get(p, "benchmarks"), 0), "counted_size_mib", 0),
		64);
}

static void test_what_one_boot_runs(void **state)
{
	static const struct {
		const char *clock, *part, *text;
	} cases[] = {
		{"wall", "",
			"[{\"run\":\"dma-map\",\"iterations\":3,\"warmup\":1,\"size_mib\":64,"
			"\"primary\":[]}]"},
		{"counted", "",
			"[{\"run\":\"dma-map\",\"iterations\":3,\"warmup\":1,\"size_mib\":16,"
			"\"primary\":[]}]"},
		{"wall", "race", "[{\"run\":\"viommu-replay\",\"primary\":[],\"part\":\"race\"}]"},
		{"counted", "race", "[]"},
		{"wall", "nothing", "[]"},
	};
	struct lab *lab = *state;
	AUTO_JSON cJSON *p = NULL;
	AUTO_JSON cJSON *old = cJSON_Parse("{\"benchmarks\":[{\"run\":\"dma-map\"}]}");
	AUTO_JSON cJSON *whole = NULL;

	put(lab->shipped, "a.yaml",
		"profiles: [{ name: a, clocks: { wall: {}, counted: {} }, benchmarks: [{ run: "
		"dma-map, size_mib: 64, counted_size_mib: 16 }, { run: viommu-replay }] }]");
	assert_int_equal(load(lab, "a", &p, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_JSON cJSON *got = benchmarks_of_boot(p, cases[i].clock, cases[i].part);
		AUTO_JSON cJSON *want = cJSON_Parse(cases[i].text);

		if (!cJSON_Compare(got, want, true))
			expect_text(got, cases[i].text);
	}
	/* Stored before there were parts. */
	whole = benchmarks_of_boot(old, "wall", "");
	expect_text(whole, "[{\"run\":\"dma-map\"}]");
}

static void test_later_folders_win(void **state)
{
	AUTO_JSON cJSON *a = NULL;
	AUTO_JSON cJSON *b = NULL;
	struct lab *lab = *state;
	const cJSON *fragments;

	put(lab->kernel, "f.config", "CONFIG_SHIPPED=y\n");
	put(lab->own_kernel, "f.config", "CONFIG_OWN=y\n");
	put(lab->shipped, "a.yaml", "profiles: [{ name: a, cmdline: one }, { name: b }]");
	put(lab->own, "z.yaml", "profiles: [{ name: a, config: { fragments: [f] } }, { name: c }]");
	assert_int_equal(load(lab, "a", &a, NULL), 0);
	/* Whole: what the first one said of the command line is gone. */
	assert_string_equal(json_str(a, "cmdline", NULL), "");
	fragments = json_get(json_get(a, "config"), "fragments");
	assert_string_equal(
		json_str(cJSON_GetArrayItem(fragments, 0), "text", ""), "CONFIG_OWN=y\n");
	assert_int_equal(load(lab, "b", &b, NULL), 0);
}

static void test_all_by_name(void **state)
{
	AUTO_JSON cJSON *all = NULL;
	struct lab *lab = *state;
	const char *folders[] = {lab->shipped, lab->own};
	const struct profile_paths paths = {folders, 2, NULL, 0};

	put(lab->shipped, "1.yaml", "profiles: [{ name: c }, { name: a }]");
	put(lab->own, "2.yml", "profiles: [{ name: b }]");
	put(lab->own, "notes.txt", "no profiles here");
	assert_int_equal(profile_load_all(&paths, &all, NULL), 0);
	assert_int_equal(cJSON_GetArraySize(all), 3);
	assert_string_equal(json_str(cJSON_GetArrayItem(all, 0), "name", ""), "a");
	assert_string_equal(json_str(cJSON_GetArrayItem(all, 2), "name", ""), "c");
}

static void test_unknown_name(void **state)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *p = NULL;
	struct lab *lab = *state;

	assert_int_equal(load(lab, "dma", &p, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "none at all"));
	put(lab->shipped, "a.yaml", "profiles: [{ name: b }, { name: a }]");
	assert_int_equal(load(lab, "dma", &p, &e), ERR_MISSING);
	assert_non_null(strstr(e.msg, "'dma'"));
	assert_non_null(strstr(e.msg, "a, b"));
}

static void test_bad_files(void **state)
{
	REFUSED("", ERR_SYNTAX, "empty");
	REFUSED("- a\n", ERR_SYNTAX, "MAPPING");
	REFUSED("profiles: [{ name: a }\n", ERR_SYNTAX, "line");
	REFUSED("profiles:\n  - name: a\n    thresholds: { wal: 2% }\n", ERR_SYNTAX, "wal",
		"line: 3", "docs/");
	REFUSED("profiles: [{ name: a, name: b }]", ERR_SYNTAX, "already", "name");
	REFUSED("profiles: [{ name: &x a }, { name: *x }]", ERR_SYNTAX, "alias");
	REFUSED("profiles: [{ name: a }]\n---\nprofiles: []\n", ERR_SYNTAX, "documents");
	REFUSED("profiles: [{ name: a }, { name: a }]", ERR_CONFLICT, "'a'", "rename");
	REFUSED("profiles: [{ arch: x86_64 }]", ERR_SYNTAX, "name:");
	REFUSED("profiles: [{ name: ../a }]", ERR_SYNTAX, "../a");
}

static void test_bad_values(void **state)
{
	REFUSED("profiles: [{ name: a, arch: vax }]", ERR_SYNTAX, "profile 'a'", "vax", "x86_64");
	REFUSED("profiles: [{ name: a, config: { fragments: [../../etc/passwd] } }]", ERR_SYNTAX,
		"fragments", "passwd");
	REFUSED("profiles: [{ name: a, config: { fragments: [nope] } }]", ERR_MISSING,
		"nope.config", "kernel");
	REFUSED("profiles: [{ name: a, config: { base: \"x; rm\" } }]", ERR_SYNTAX, "config.base");
	REFUSED("profiles: [{ name: a, cmdline: root=x quiet }]", ERR_SYNTAX, "quiet");
	REFUSED("profiles: [{ name: a, cmdline: \"a -- b\" }]", ERR_SYNTAX, "'--'");
	REFUSED("profiles: [{ name: a, cmdline: \"a\\nb\" }]", ERR_SYNTAX, "control");
	REFUSED("profiles: [{ name: a, machines: { tags: [\"a b\"] } }]", ERR_SYNTAX, "'a b'");
	REFUSED("profiles: [{ name: a, thresholds: { wall: 2 } }]", ERR_SYNTAX, "thresholds.wall",
		"'2'", "2%");
	REFUSED("profiles: [{ name: a, limits: { boot: 60 } }]", ERR_SYNTAX, "limits.boot", "'60'",
		"90s");
	REFUSED("profiles: [{ name: a, clocks: { wall: { pairs: 0 } } }]", ERR_SYNTAX,
		"clocks.wall.pairs", "'0'");
	REFUSED("profiles: [{ name: a, clocks: { wall: { pairs: 9, max_pairs: 8 } } }]", ERR_SYNTAX,
		"max_pairs", "'8'");
	REFUSED("profiles: [{ name: a, clocks: {} }]", ERR_SYNTAX, "clocks", "wall, counted");
	REFUSED("profiles: [{ name: a, clocks: { counted: { seeds: 0 } } }]", ERR_SYNTAX,
		"clocks.counted.seeds", "'0'");
	REFUSED("profiles: [{ name: a, clocks: { counted: { seeds: 201 } } }]", ERR_SYNTAX,
		"clocks.counted.seeds", "200");
	REFUSED("profiles: [{ name: a, clocks: { counted: { pairs: 5 } } }]", ERR_SYNTAX, "pairs");
	REFUSED("profiles: [{ name: a, thresholds: { counted: 1 } }]", ERR_SYNTAX,
		"thresholds.counted", "'1'");
}

static void test_bad_benchmarks(void **state)
{
	REFUSED("profiles: [{ name: a, benchmarks: [{ size_mib: 1 }] }]", ERR_SYNTAX, "run:");
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: dam-map }] }]", ERR_MISSING, "'dam-map'",
		"there is: dma-map");
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: dma-map }, { run: dma-map }] }]",
		ERR_SYNTAX, "dma-map is there twice");
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: dma-map, size_mib: yes }] }]",
		ERR_SYNTAX, "size_mib", "'yes'");
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: dma-map, size_mib: 1048577 }] }]",
		ERR_SYNTAX, "size_mib", "1048576");
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: viommu-replay, size_mib: 64 }] }]",
		ERR_SYNTAX, "viommu-replay", "no size_mib");
	REFUSED("profiles: [{ name: a, clocks: { counted: {} }, benchmarks: [{ run: viommu-replay, "
		"primary: [n64.sync_requests] }] }]",
		ERR_SYNTAX, "n64.sync_requests", "clocks");
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: dma-map, primary: [A B] }] }]",
		ERR_MISSING, "'A B'", "hugetlbfs.unmap_seconds");
#define ONE "hugetlbfs.map_seconds"
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: dma-map, primary: [" ONE ", " ONE
		"] }] }]",
		ERR_SYNTAX, "twice");
#define SIX                                                                                       \
	ONE ", hugetlbfs.unmap_seconds, madv_hugepage.map_seconds, madv_hugepage.unmap_seconds, " \
	    "map_populate.map_seconds, map_populate.unmap_seconds"
	REFUSED("profiles: [{ name: a, benchmarks: [{ run: dma-map, primary: [" SIX ", " ONE
		"] }] }]",
		ERR_LIMIT, "6");
}

static void test_limits(void **state)
{
	struct lab *lab = *state;
	AUTO_JSON cJSON *p = NULL;
	AUTO_FREE char *long_cmdline = xmalloc(2000);
	struct error e = ERROR_INIT;
	char yaml[2100];

	/* At the limit, and one past it. */
	memset(long_cmdline, 'x', 1537);
	long_cmdline[1536] = '\0';
	(void)snprintf(yaml, sizeof(yaml), "profiles: [{ name: a, cmdline: %s }]", long_cmdline);
	put(lab->shipped, "a.yaml", yaml);
	assert_int_equal(load(lab, "a", &p, NULL), 0);
	long_cmdline[1536] = 'x';
	long_cmdline[1537] = '\0';
	(void)snprintf(yaml, sizeof(yaml), "profiles: [{ name: a, cmdline: %s }]", long_cmdline);
	put(lab->shipped, "a.yaml", yaml);
	cJSON_Delete(steal_ptr(p));
	assert_int_equal(load(lab, "a", &p, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "1536"));
}

static void test_benchmark_options(void **state)
{
	AUTO_FREE char *text = NULL;
	AUTO_JSON cJSON *p = NULL;
	struct lab *lab = *state;

	put(lab->shipped, "a.yaml",
		"profiles:\n  - name: a\n    cmdline: \"x=1\"\n    benchmarks:\n"
		"      - run: dma-map-iommufd\n        size_mib: 1026\n        call_kib: 64\n"
		"        access: read\n        large_pages: false\n"
		"        cases: [map_populate, hugetlbfs_1g]\n"
		"        primary: [hugetlbfs_1g.map_seconds]\n"
		"      - run: fault\n        rounds: 7\n"
		"      - run: test\n        test: iommu\n        seconds: 9\n"
		"        primary: [sub.unmap_seconds]\n"
		"      - run: test\n        test: other\n        path: /srv/other\n");
	assert_int_equal(load(lab, "a", &p, NULL), 0);
	text = json_text(json_get(p, "benchmarks"));
	assert_string_equal(text,
		"[{\"run\":\"dma-map-iommufd\",\"size_mib\":1026,\"counted_size_mib\":256,"
		"\"iterations\":3,\"warmup\":1,\"call_kib\":64,\"access\":\"read\","
		"\"large_pages\":false,\"cases\":\"map_populate+hugetlbfs_1g\","
		"\"parts\":[{\"part\":\"\",\"clocks\":[\"wall\"]}],"
		"\"primary\":[\"dma-map-iommufd.hugetlbfs_1g.map_seconds\"]},"
		"{\"run\":\"fault\",\"size_mib\":16,\"rounds\":7,"
		"\"parts\":[{\"part\":\"\",\"clocks\":[\"wall\"]}],\"primary\":[]},"
		"{\"run\":\"test\",\"test\":\"iommu\",\"seconds\":9,"
		"\"parts\":[{\"part\":\"\",\"clocks\":[\"wall\"]}],"
		"\"primary\":[\"test.iommu.sub.unmap_seconds\"]},"
		"{\"run\":\"test\",\"test\":\"other\",\"seconds\":60,"
		"\"parts\":[{\"part\":\"\",\"clocks\":[\"wall\"]}],\"primary\":[]}]");
	free(text);
	text = json_text(json_get(p, "tests"));
	assert_string_equal(text, "[{\"name\":\"iommu\",\"path\":null},"
				  "{\"name\":\"other\",\"path\":\"/srv/other\"}]");
	/* The pool of giant pages is made at boot. */
	assert_string_equal(json_str(p, "cmdline", ""), "x=1 hugepagesz=1G hugepages=2");
}

#define BENCH(text) "profiles:\n  - name: a\n    benchmarks:\n      - " text

static void test_bad_benchmark_options(void **state)
{
	REFUSED(BENCH("run: fault\n        access: read\n"), ERR_SYNTAX, "no access");
	REFUSED(BENCH("run: dma-map\n        access: write\n"), ERR_SYNTAX, "'write'",
		"read-write");
	REFUSED(BENCH("run: dma-map\n        large_pages: 1\n"), ERR_SYNTAX, "'1'", "true");
	REFUSED(BENCH("run: dma-map\n        call_kib: 3\n"), ERR_SYNTAX, "call_kib", "4");
	REFUSED(BENCH("run: dma-map\n        cases: [hugetlbfs_2g]\n"), ERR_SYNTAX, "hugetlbfs_2g",
		"hugetlbfs_1g");
	REFUSED(BENCH("run: fault\n        cases: [hugetlbfs]\n"), ERR_SYNTAX, "no cases");
	REFUSED(BENCH("run: dma-map\n        test: x\n"), ERR_SYNTAX, "run: test");
	REFUSED(BENCH("run: test\n"), ERR_SYNTAX, "'test:'");
	REFUSED(BENCH("run: test\n        test: ../x\n"), ERR_SYNTAX, "'test:'");
	REFUSED(BENCH("run: test\n        test: x\n        path: srv/x\n"), ERR_SYNTAX,
		"begin with '/'");
	REFUSED(BENCH("run: test\n        test: x\n        primary: [\"a b\"]\n"), ERR_MISSING,
		"a b");
	REFUSED(BENCH("run: test\n        test: x\n      - run: test\n        test: x\n"),
		ERR_SYNTAX, "twice");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_shipped_default),
		cmocka_unit_test(test_shipped_checkers),
		TEST(test_checker),
		TEST(test_benchmark_options),
		TEST(test_bad_benchmark_options),
		TEST(test_everything_left_out),
		TEST(test_everything_said),
		TEST(test_clocks_and_parts),
		TEST(test_counted_size),
		TEST(test_what_one_boot_runs),
		TEST(test_later_folders_win),
		TEST(test_all_by_name),
		TEST(test_unknown_name),
		TEST(test_bad_files),
		TEST(test_bad_values),
		TEST(test_bad_benchmarks),
		TEST(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

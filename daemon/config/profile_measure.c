/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/profile_measure.h"
#include "daemon/config/benchmarks.h"
#include "daemon/config/profile.h"
#include "daemon/config/profile_set.h"
#include "daemon/config/units.h"

#define MAX_PAIRS 200

static const struct {
	const char *name;
	unsigned bit;
} clock_bits[] = {
	{"wall", BENCHMARK_WALL},
	{"counted", BENCHMARK_COUNTED},
};

/* A whole number, or def where it was left out. */
static int number(const char *name, const char *text, int64_t min, int64_t max, int64_t def,
	int64_t *ret_n, struct error *e)
{
	*ret_n = def;
	if (text && parse_int64(text, min, max, ret_n))
		return error_set(e, ERR_SYNTAX, "%s: '%s' is not a whole number from %lld to %lld",
			name, text, (long long)min, (long long)max);
	return 0;
}

static int resolve_wall(const struct raw_clock *raw, cJSON *to, struct error *e)
{
	cJSON *clock = json_add_object(to, "wall");
	int64_t pairs;
	int err = number("clocks.wall.pairs", raw->pairs, 1, MAX_PAIRS, 5, &pairs, e);

	if (err)
		return err;
	json_set_int(clock, "pairs", pairs);
	err = number("clocks.wall.max_pairs", raw->max_pairs, pairs, MAX_PAIRS, MAX_OF(pairs, 20),
		&pairs, e);
	if (!err)
		json_set_int(clock, "max_pairs", pairs);
	return err;
}

static int resolve_counted(const struct raw_counted *raw, cJSON *to, struct error *e)
{
	int64_t seeds;
	int err = number("clocks.counted.seeds", raw->seeds, 1, MAX_PAIRS, 5, &seeds, e);

	if (!err)
		json_set_int(json_add_object(to, "counted"), "seeds", seeds);
	return err;
}

/* A file that names clocks means those and no others. */
static int resolve_clocks(
	const struct raw_clocks *raw, cJSON *to, unsigned *ret_clocks, struct error *e)
{
	const struct raw_clock none = {NULL, NULL};
	int err = 0;

	*ret_clocks = 0;
	if (raw && !raw->wall && !raw->counted)
		return error_set(
			e, ERR_SYNTAX, "clocks: none is named: write wall, counted or both");
	if (!raw || raw->wall) {
		err = resolve_wall(raw ? raw->wall : &none, to, e);
		*ret_clocks |= BENCHMARK_WALL;
	}
	if (!err && raw && raw->counted) {
		err = resolve_counted(raw->counted, to, e);
		*ret_clocks |= BENCHMARK_COUNTED;
	}
	return err;
}

/* Where a file's options are. */
static const struct {
	const char *name;
	size_t offset;
} option_fields[] = {
	{"size_mib", offsetof(struct raw_benchmark, size_mib)},
	{"counted_size_mib", offsetof(struct raw_benchmark, counted_size_mib)},
	{"iterations", offsetof(struct raw_benchmark, iterations)},
	{"warmup", offsetof(struct raw_benchmark, warmup)},
	{"call_kib", offsetof(struct raw_benchmark, call_kib)},
	{"access", offsetof(struct raw_benchmark, access)},
	{"large_pages", offsetof(struct raw_benchmark, large_pages)},
	{"rounds", offsetof(struct raw_benchmark, rounds)},
	{"seconds", offsetof(struct raw_benchmark, seconds)},
};

static const char *text_at(const struct raw_benchmark *raw, size_t offset)
{
	return *(char *const *)((const char *)raw + offset);
}

static const char *option_text(const struct raw_benchmark *raw, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_fields); i++)
		if (streq(option_fields[i].name, name))
			return text_at(raw, option_fields[i].offset);
	return NULL;
}

static bool has_option(const struct benchmark *b, const char *name)
{
	for (const struct benchmark_option *o = b->options; o->name; o++)
		if (streq(o->name, name))
			return true;
	return false;
}

static int check_options(
	const struct benchmark *b, const struct raw_benchmark *raw, struct error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_fields); i++) {
		const char *name = option_fields[i].name;

		if (text_at(raw, option_fields[i].offset) && !has_option(b, name))
			return error_set(e, ERR_SYNTAX, "it has no %s: leave it out", name);
	}
	if (!b->cases && raw->cases_count)
		return error_set(e, ERR_SYNTAX, "it has no cases: leave them out");
	if (!b->is_own && (raw->test || raw->path))
		return error_set(e, ERR_SYNTAX,
			"test and path are for the lab's own tests: write 'run: test'");
	return 0;
}

static int check_word(const char *name, const char *text, const char *const *words, struct error *e)
{
	AUTO_STRBUF struct strbuf known;

	strbuf_init(&known, 256);
	for (const char *const *w = words; *w; w++) {
		if (streq(*w, text))
			return 0;
		strbuf_addf(&known, "%s%s", w == words ? "" : ", ", *w);
	}
	return error_set(e, ERR_SYNTAX, "%s: '%.80s' is none of %s", name, text, known.buf);
}

static int resolve_word(
	const struct benchmark_option *o, const char *text, cJSON *to, struct error *e)
{
	int err = text ? check_word(o->name, text, o->words, e) : 0;

	if (err || !text)
		return err;
	if (streq(text, "true") || streq(text, "false"))
		json_set_bool(to, o->name, streq(text, "true"));
	else
		json_set_str(to, o->name, text);
	return 0;
}

static int resolve_number(
	const struct benchmark_option *o, const char *text, cJSON *to, struct error *e)
{
	int64_t n, def = o->def;
	int err;

	if (def == BENCHMARK_OPTIONAL && !text)
		return 0;
	if (starts_with(o->name, BENCHMARK_COUNTED_PREFIX))
		def = MIN_OF(def, json_int(to, o->name + strlen(BENCHMARK_COUNTED_PREFIX), def));
	err = number(o->name, text, o->min, o->max, def, &n, e);
	if (!err)
		json_set_int(to, o->name, n);
	return err;
}

/* As the target takes them: "hugetlbfs+hugetlbfs_1g". */
static int resolve_cases(
	const struct benchmark *b, const struct raw_benchmark *raw, cJSON *to, struct error *e)
{
	AUTO_STRBUF struct strbuf joined;

	strbuf_init(&joined, 1024);
	for (unsigned i = 0; i < raw->cases_count; i++) {
		int err = check_word("cases", raw->cases[i], b->cases, e);

		if (err)
			return err;
		strbuf_addf(&joined, "%s%s", i ? "+" : "", raw->cases[i]);
	}
	if (joined.overflow)
		return error_set(e, ERR_LIMIT, "cases: there are too many");
	if (joined.len)
		json_set_str(to, "cases", joined.buf);
	return 0;
}

static int resolve_options(
	const struct benchmark *b, const struct raw_benchmark *raw, cJSON *to, struct error *e)
{
	int err = check_options(b, raw, e);

	for (const struct benchmark_option *o = b->options; o->name && !err; o++)
		err = o->words ? resolve_word(o, option_text(raw, o->name), to, e)
			       : resolve_number(o, option_text(raw, o->name), to, e);
	return err ? err : resolve_cases(b, raw, to, e);
}

/* Which boots it needs, by which clocks: [{"part":"","clocks":["wall"]}]. */
static int resolve_parts(const struct benchmark *b, unsigned clocks, cJSON *to, struct error *e)
{
	cJSON *parts = json_add_array(to, "parts");

	for (const struct benchmark_part *p = b->parts; p->name; p++) {
		cJSON *part, *names;

		if (!(p->clocks & clocks))
			continue;
		part = cJSON_CreateObject();
		cJSON_AddItemToArray(parts, part);
		json_set_str(part, "part", p->name);
		names = json_add_array(part, "clocks");
		for (size_t i = 0; i < ARRAY_SIZE(clock_bits); i++)
			if (p->clocks & clocks & clock_bits[i].bit)
				json_push_str(names, clock_bits[i].name);
	}
	if (!cJSON_GetArraySize(parts))
		return error_set(e, ERR_SYNTAX, "none of the profile's clocks can measure it");
	return 0;
}

static int resolve_primary(const struct benchmark *b, const struct raw_benchmark *raw,
	unsigned clocks, cJSON *to, unsigned *total, struct error *e)
{
	cJSON *primary = json_add_array(to, "primary");

	for (unsigned i = 0; i < raw->primary_count; i++) {
		const char *name = raw->primary[i];
		AUTO_FREE char *whole = xasprintf("%s%s%s.%s", b->name, b->is_own ? "." : "",
			b->is_own ? raw->test : "", name);
		const struct benchmark_part *part = NULL;
		const cJSON *other;
		int err = benchmark_find_metric(b, name, &part, e);

		if (err)
			return err;
		if (!(part->clocks & clocks))
			return error_set(e, ERR_SYNTAX,
				"benchmarks: none of the profile's clocks measures primary '%s'",
				name);
		if (++*total > PROFILE_MAX_PRIMARY)
			return error_set(e, ERR_LIMIT,
				"benchmarks: more than %d primary metrics: each one more makes all "
				"of them less certain, so choose",
				PROFILE_MAX_PRIMARY);
		json_for_each (other, primary)
			if (streq(other->valuestring, whole))
				return error_set(e, ERR_SYNTAX,
					"benchmarks: primary '%s' is there twice", name);
		json_push_str(primary, whole);
	}
	return 0;
}

static int resolve_benchmark(const struct raw_benchmark *raw, unsigned clocks, cJSON *to,
	unsigned *total_primary, struct error *e)
{
	const struct benchmark *b = NULL;
	cJSON *benchmark;
	const cJSON *other;
	int err;

	if (!raw->run || !profile_name_ok(raw->run))
		return error_set(
			e, ERR_SYNTAX, "benchmarks: 'run:' must name a benchmark, such as dma-map");
	err = benchmark_find(raw->run, &b, e);
	if (err)
		return err;
	if (b->is_own && (!raw->test || !profile_name_ok(raw->test)))
		return error_set(e, ERR_SYNTAX,
			"benchmarks: 'test:' must name one of the lab's own tests, a file or "
			"folder "
			"in its tests folder");
	json_for_each (other, to)
		if (streq(json_str(other, "run", NULL), raw->run) &&
			(!b->is_own || streq(json_str(other, "test", NULL), raw->test)))
			return error_set(e, ERR_SYNTAX,
				"benchmarks: %s is there twice, and its metrics would have the "
				"same names: make two profiles",
				raw->run);
	benchmark = cJSON_CreateObject();
	cJSON_AddItemToArray(to, benchmark);
	json_set_str(benchmark, "run", raw->run);
	if (b->is_own)
		json_set_str(benchmark, "test", raw->test);
	err = resolve_options(b, raw, benchmark, e);
	if (!err)
		err = resolve_parts(b, clocks, benchmark, e);
	if (err)
		return error_prefix(e, "benchmarks, %s", raw->run);
	return resolve_primary(b, raw, clocks, benchmark, total_primary, e);
}

static int resolve_thresholds(const struct raw_thresholds *raw, cJSON *to, struct error *e)
{
	const struct {
		const char *name;
		const char *text;
		double fraction; /* where nothing is said */
	} thresholds[] = {
		{"wall", raw ? raw->wall : NULL, 0.02},
		{"counted", raw ? raw->counted : NULL, 0.01},
	};

	for (size_t i = 0; i < ARRAY_SIZE(thresholds); i++) {
		double fraction = thresholds[i].fraction;

		if (thresholds[i].text && units_percent(thresholds[i].text, &fraction, e))
			return error_prefix(e, "thresholds.%s", thresholds[i].name);
		json_set_num(to, thresholds[i].name, fraction);
	}
	return 0;
}

/* What the guest is to be given of the lab's own tests. */
static int resolve_tests(const struct raw_profile *raw, cJSON *to, struct error *e)
{
	cJSON *tests = NULL;

	for (unsigned i = 0; i < raw->benchmarks_count; i++) {
		const struct raw_benchmark *b = &raw->benchmarks[i];
		cJSON *test;

		if (!b->test)
			continue;
		if (b->path && *b->path != '/')
			return error_set(e, ERR_SYNTAX,
				"benchmarks, test %s: path: '%.80s' does not begin with '/'",
				b->test, b->path);
		if (!tests)
			tests = json_add_array(to, "tests");
		if (cJSON_GetArraySize(tests) == PROFILE_MAX_TESTS)
			return error_set(
				e, ERR_LIMIT, "benchmarks: more than %d tests", PROFILE_MAX_TESTS);
		test = cJSON_CreateObject();
		cJSON_AddItemToArray(tests, test);
		json_set_str(test, "name", b->test);
		json_set_str(test, "path", b->path);
	}
	return 0;
}

/* Pages of 1 GiB are found at boot or not at all. */
static void reserve_giant_pages(cJSON *to)
{
	const cJSON *benchmark;
	int64_t pages = 0;

	json_for_each (benchmark, json_get(to, "benchmarks"))
		if (strstr(json_str(benchmark, "cases", ""), "hugetlbfs_1g"))
			pages = MAX_OF(pages, (json_int(benchmark, "size_mib", 0) + 1023) / 1024);
	if (pages) {
		const char *cmdline = json_str(to, "cmdline", "");
		AUTO_FREE char *longer = xasprintf("%s%shugepagesz=1G hugepages=%lld", cmdline,
			*cmdline ? " " : "", (long long)pages);

		json_set_str(to, "cmdline", longer);
	}
}

int profile_measure(const struct raw_profile *raw, cJSON *to, struct error *e)
{
	unsigned clocks = 0, primary = 0;
	int err = resolve_clocks(raw->clocks, json_add_object(to, "clocks"), &clocks, e);
	cJSON *benchmarks = json_add_array(to, "benchmarks");

	for (unsigned i = 0; i < raw->benchmarks_count && !err; i++)
		err = resolve_benchmark(&raw->benchmarks[i], clocks, benchmarks, &primary, e);
	if (!err)
		err = resolve_tests(raw, to, e);
	if (err)
		return err;
	reserve_giant_pages(to);
	return resolve_thresholds(raw->thresholds, json_add_object(to, "thresholds"), e);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/profile_measure.h"
#include "daemon/config/benchmarks.h"
#include "daemon/config/profile.h"
#include "daemon/config/profile_set.h"
#include "daemon/config/units.h"

#define MAX_PAIRS 200
#define COUNTED_PREFIX "counted_"

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

static const char *option_text(const struct raw_benchmark *raw, const char *name)
{
	const struct {
		const char *name;
		const char *text;
	} options[] = {
		{"size_mib", raw->size_mib},
		{"counted_size_mib", raw->counted_size_mib},
		{"iterations", raw->iterations},
		{"warmup", raw->warmup},
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (streq(options[i].name, name))
			return options[i].text;
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
	static const char *const names[] = {"size_mib", "counted_size_mib", "iterations", "warmup"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (option_text(raw, names[i]) && !has_option(b, names[i]))
			return error_set(e, ERR_SYNTAX, "it has no %s: leave it out", names[i]);
	return 0;
}

static int resolve_options(
	const struct benchmark *b, const struct raw_benchmark *raw, cJSON *to, struct error *e)
{
	int err = check_options(b, raw, e);

	for (const struct benchmark_option *o = b->options; o->name && !err; o++) {
		int64_t n, def = o->def;

		if (starts_with(o->name, COUNTED_PREFIX))
			def = MIN_OF(def, json_int(to, o->name + strlen(COUNTED_PREFIX), def));
		err = number(o->name, option_text(raw, o->name), o->min, o->max, def, &n, e);
		if (!err)
			json_set_int(to, o->name, n);
	}
	return err;
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
		AUTO_FREE char *whole = xasprintf("%s.%s", b->name, name);
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
	json_for_each (other, to)
		if (streq(json_str(other, "run", NULL), raw->run))
			return error_set(e, ERR_SYNTAX,
				"benchmarks: %s is there twice, and its metrics would have the "
				"same names: make two profiles",
				raw->run);
	benchmark = cJSON_CreateObject();
	cJSON_AddItemToArray(to, benchmark);
	json_set_str(benchmark, "run", raw->run);
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

int profile_measure(const struct raw_profile *raw, cJSON *to, struct error *e)
{
	unsigned clocks = 0, primary = 0;
	int err = resolve_clocks(raw->clocks, json_add_object(to, "clocks"), &clocks, e);
	cJSON *benchmarks = json_add_array(to, "benchmarks");

	for (unsigned i = 0; i < raw->benchmarks_count && !err; i++)
		err = resolve_benchmark(&raw->benchmarks[i], clocks, benchmarks, &primary, e);
	if (err)
		return err;
	return resolve_thresholds(raw->thresholds, json_add_object(to, "thresholds"), e);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of pairs of boots into comparisons. */
#include "daemon/verdict/internal.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

#define DEFAULT_WALL_THRESHOLD 0.02
#define DEFAULT_COUNTED_THRESHOLD 0.01

const char *verdict_better(const char *metric)
{
	static const struct {
		const char *ending;
		const char *better;
	} endings[] = {
		{"_seconds", "lower"},
		{"_instructions", "lower"},
		{".sync_requests", "lower"},
		{"_per_second", "higher"},
		{".lost_maps", "zero"},
		{"_errors", "zero"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (ends_with(metric, endings[i].ending))
			return endings[i].better;
	return "none";
}

#define WALL_ENDING "_seconds"
#define COUNTED_ENDING "_instructions"

char *verdict_counted_name(const char *metric)
{
	if (!ends_with(metric, WALL_ENDING))
		return NULL;
	return xasprintf(
		"%.*s%s", (int)(strlen(metric) - strlen(WALL_ENDING)), metric, COUNTED_ENDING);
}

/* name: as the profile has it. */
static bool is_named(const char *name, enum clock clock, const char *metric)
{
	AUTO_FREE char *counted = NULL;

	if (clock == CLOCK_WALL)
		return streq(name, metric);
	counted = verdict_counted_name(name);
	return counted && streq(counted, metric);
}

bool verdict_is_primary(const struct facts *f, enum clock clock, const char *metric)
{
	const cJSON *benchmark, *name;

	json_for_each (benchmark, json_get(f->profile, "benchmarks")) {
		json_for_each (name, json_get(benchmark, "primary")) {
			if (cJSON_IsString(name) && is_named(name->valuestring, clock, metric))
				return true;
		}
	}
	return false;
}

static double threshold_of(const struct facts *f, enum clock clock)
{
	const cJSON *thresholds = json_get(f->profile, "thresholds");

	return clock == CLOCK_WALL ? json_num(thresholds, "wall", DEFAULT_WALL_THRESHOLD)
				   : json_num(thresholds, "counted", DEFAULT_COUNTED_THRESHOLD);
}

/* A boot under KVM and one under TCG compare hosts, not kernels. */
static bool same_accel(const struct fact_boot *a, const struct fact_boot *b)
{
	return streq(a->accel ? a->accel : "", b->accel ? b->accel : "");
}

/* The other side of a pair, if both gave results. */
static const struct fact_boot *partner_of(const struct facts *f, const struct fact_boot *base)
{
	struct boot_stream stream = stream_of(base);

	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (b->side == SIDE_PATCHED && b->role == BOOT_PAIR && b->pair == base->pair &&
			stream_has(&stream, b) && b->status == STATUS_PASS &&
			streq(b->machine, base->machine) && same_accel(b, base))
			return b;
	}
	return NULL;
}

static struct comparison *comparison_for(
	const struct facts *f, struct verdict *v, const struct fact_boot *boot, const char *metric)
{
	struct comparison *c;

	for (size_t i = 0; i < v->n_comparisons; i++) {
		c = &v->comparisons[i];
		if (c->clock == boot->clock && streq(c->part, stream_of(boot).part) &&
			strcmp(c->metric, metric) == 0 && streq(c->machine, boot->machine) &&
			streq(c->accel ? c->accel : "", boot->accel ? boot->accel : ""))
			return c;
	}
	v->comparisons = xreallocarray(v->comparisons, v->n_comparisons + 1, sizeof(*c));
	c = &v->comparisons[v->n_comparisons++];
	*c = (struct comparison){.machine = boot->machine,
		.accel = boot->accel,
		.clock = boot->clock,
		.part = stream_of(boot).part,
		.primary = verdict_is_primary(f, boot->clock, metric),
		.better = verdict_better(metric),
		.metric = xstrdup(metric)};
	return c;
}

static void add_sample(struct summary *s, double value)
{
	s->samples = xreallocarray(s->samples, s->n + 1, sizeof(*s->samples));
	s->samples[s->n++] = value;
}

/* The parameters of the first sample; of what proves the measurement, the worst of all. */
static void merge_params(struct comparison *c, const cJSON *params)
{
	cJSON *mine;

	if (!params)
		return;
	if (!c->params) {
		c->params = cJSON_Duplicate(params, true);
		cJSON_DeleteItemFromObjectCaseSensitive(c->params, "iterations_ns");
	}
	mine = cJSON_GetObjectItemCaseSensitive(c->params, "backing_coverage");
	if (mine && json_num(params, "backing_coverage", 0) < mine->valuedouble)
		cJSON_SetNumberHelper(mine, json_num(params, "backing_coverage", 0));
}

/* Under a checker time means nothing; what must be zero still must. */
static bool is_compared(const struct facts *f, const char *metric)
{
	return !json_get(f->profile, "checker") || streq(verdict_better(metric), "zero");
}

static void collect_pair(const struct facts *f, struct verdict *v, const struct fact_boot *base,
	const struct fact_boot *patched)
{
	for (size_t i = 0; i < base->n_samples; i++) {
		const struct fact_sample *b = &base->samples[i];
		const struct fact_sample *p = verdict_sample(patched, b->metric);
		struct comparison *c;

		if (!p || verdict_sample(base, b->metric) != b || !is_compared(f, b->metric))
			continue;
		c = comparison_for(f, v, base, b->metric);
		add_sample(&c->base, b->value);
		add_sample(&c->patched, p->value);
		merge_params(c, b->params);
		merge_params(c, p->params);
	}
}

static void summarize(struct summary *s)
{
	s->median = stats_median(s->samples, s->n);
	s->mean = stats_mean(s->samples, s->n);
	s->stddev = stats_stddev(s->samples, s->n);
}

static bool all_equal(const double *x, size_t n, double value)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] != value)
			return false;
	return true;
}

/* Counts that may be zero, which have no ratio, and those that are to stay as they are. */
static void compare_counts(struct comparison *c)
{
	double first = c->base.samples[0];

	c->interval[0] = c->interval[1] = c->p = NAN;
	c->change = c->base.mean != 0 ? (c->patched.mean - c->base.mean) / c->base.mean : NAN;
	c->verdict = "inconclusive";
	if (all_equal(c->base.samples, c->base.n, first) &&
		all_equal(c->patched.samples, c->patched.n, first)) {
		c->change = 0;
		c->verdict = "no-change";
	} else if (streq(c->better, "zero") && all_equal(c->base.samples, c->base.n, 0)) {
		c->verdict = "regression";
	}
}

/* The error budget is shared by what is decided by statistics. */
static size_t wall_comparisons(const struct verdict *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_comparisons; i++)
		n += v->comparisons[i].clock == CLOCK_WALL ? 1 : 0;
	return n;
}

/* By the clock's rule. -EDOM: samples that are no positive numbers. */
static int compare_samples(const struct facts *f, const struct verdict *v,
	const struct comparison *c, struct stats_comparison *ret)
{
	double threshold = threshold_of(f, c->clock);
	struct stats_rule rule = {threshold, wall_comparisons(v)};

	if (c->clock == CLOCK_COUNTED)
		return stats_compare_counted(
			c->base.samples, c->patched.samples, c->base.n, threshold, ret);
	return stats_compare(c->base.samples, c->patched.samples, c->base.n, &rule, ret);
}

static void judge_comparison(const struct facts *f, const struct verdict *v, struct comparison *c)
{
	struct stats_comparison s;
	bool lower_is_better = streq(c->better, "lower") || streq(c->better, "zero");

	summarize(&c->base);
	summarize(&c->patched);
	if (streq(c->better, "none") || compare_samples(f, v, c, &s) < 0) {
		compare_counts(c);
		return;
	}
	c->change = s.change.change;
	c->interval[0] = s.change.low;
	c->interval[1] = s.change.high;
	c->p = s.change.p;
	c->wants_pairs = s.wants_pairs && c->primary && c->clock == CLOCK_WALL;
	c->verdict = "inconclusive";
	/* A clock that does not repeat counts nothing. */
	if (c->clock == CLOCK_COUNTED && v->unrepeated)
		return;
	if (s.decision == STATS_SAME)
		c->verdict = "no-change";
	else if (s.decision != STATS_UNCLEAR)
		c->verdict = (s.decision == STATS_LOWER) == lower_is_better ? "improvement"
									    : "regression";
}

bool verdict_wants_pairs(const struct verdict *v, const struct boot_stream *stream)
{
	for (size_t i = 0; i < v->n_comparisons; i++) {
		const struct comparison *c = &v->comparisons[i];

		if (c->wants_pairs && c->clock == stream->clock && streq(c->part, stream->part))
			return true;
	}
	return false;
}

/* Pairs in their order, so that samples stand in it. */
void verdict_compare(const struct facts *f, struct verdict *v)
{
	int last = 0, next;

	do {
		next = 0;
		for (size_t i = 0; i < f->n_boots; i++) {
			const struct fact_boot *b = &f->boots[i];

			if (b->pair > last && (!next || b->pair < next))
				next = b->pair;
		}
		for (size_t i = 0; next && i < f->n_boots; i++) {
			const struct fact_boot *b = &f->boots[i];
			const struct fact_boot *partner;

			if (b->side != SIDE_BASE || b->role != BOOT_PAIR || b->pair != next ||
				b->status != STATUS_PASS)
				continue;
			partner = partner_of(f, b);
			if (partner)
				collect_pair(f, v, b, partner);
		}
		last = next;
	} while (next);
	for (size_t i = 0; i < v->n_comparisons; i++)
		judge_comparison(f, v, &v->comparisons[i]);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of pairs of boots into comparisons, and those into `performance`. */
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
	};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (ends_with(metric, endings[i].ending))
			return endings[i].better;
	return "none";
}

bool verdict_is_primary(const struct facts *f, const char *metric)
{
	const cJSON *benchmark, *name;

	json_for_each (benchmark, json_get(f->profile, "benchmarks")) {
		json_for_each (name, json_get(benchmark, "primary")) {
			if (cJSON_IsString(name) && strcmp(name->valuestring, metric) == 0)
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

static const struct fact_sample *sample_of(const struct fact_boot *b, const char *metric)
{
	for (size_t i = 0; i < b->n_samples; i++)
		if (strcmp(b->samples[i].metric, metric) == 0)
			return &b->samples[i];
	return NULL;
}

/* A boot under KVM and one under TCG compare hosts, not kernels. */
static bool same_accel(const struct fact_boot *a, const struct fact_boot *b)
{
	return streq(a->accel ? a->accel : "", b->accel ? b->accel : "");
}

/* The other side of a pair, if both gave results. */
static const struct fact_boot *partner_of(const struct facts *f, const struct fact_boot *base)
{
	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (b->side == SIDE_PATCHED && b->role == BOOT_PAIR && b->pair == base->pair &&
			b->clock == base->clock && b->status == STATUS_PASS &&
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
		if (c->clock == boot->clock && strcmp(c->metric, metric) == 0 &&
			streq(c->machine, boot->machine) &&
			streq(c->accel ? c->accel : "", boot->accel ? boot->accel : ""))
			return c;
	}
	v->comparisons = xreallocarray(v->comparisons, v->n_comparisons + 1, sizeof(*c));
	c = &v->comparisons[v->n_comparisons++];
	*c = (struct comparison){.machine = boot->machine,
		.accel = boot->accel,
		.clock = boot->clock,
		.primary = verdict_is_primary(f, metric),
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

static void collect_pair(const struct facts *f, struct verdict *v, const struct fact_boot *base,
	const struct fact_boot *patched)
{
	for (size_t i = 0; i < base->n_samples; i++) {
		const struct fact_sample *b = &base->samples[i];
		const struct fact_sample *p = sample_of(patched, b->metric);
		struct comparison *c;

		if (!p || sample_of(base, b->metric) != b)
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

static void judge_comparison(const struct facts *f, struct verdict *v, struct comparison *c)
{
	struct stats_rule rule = {threshold_of(f, c->clock), v->n_comparisons};
	struct stats_comparison s;
	bool lower_is_better = streq(c->better, "lower") || streq(c->better, "zero");

	summarize(&c->base);
	summarize(&c->patched);
	if (streq(c->better, "none") ||
		stats_compare(c->base.samples, c->patched.samples, c->base.n, &rule, &s) < 0) {
		compare_counts(c);
		return;
	}
	c->change = s.change.change;
	c->interval[0] = s.change.low;
	c->interval[1] = s.change.high;
	c->p = s.change.p;
	c->verdict = "inconclusive";
	if (s.decision == STATS_SAME)
		c->verdict = "no-change";
	else if (s.decision != STATS_UNCLEAR)
		c->verdict = (s.decision == STATS_LOWER) == lower_is_better ? "improvement"
									    : "regression";
	if (s.wants_pairs && c->primary && c->clock == CLOCK_WALL)
		v->wants_pairs = true;
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

void verdict_performance(const struct facts *f, struct verdict *v)
{
	bool better = false, worse = false, unclear = false, any = false;

	for (size_t i = 0; i < v->n_comparisons; i++) {
		const struct comparison *c = &v->comparisons[i];

		if (!c->primary)
			continue;
		any = true;
		better = better || streq(c->verdict, "improvement");
		worse = worse || streq(c->verdict, "regression");
		unclear = unclear || streq(c->verdict, "inconclusive");
	}
	v->performance = "none";
	if (v->same_code_as)
		v->performance = "no-change";
	else if (better && worse)
		v->performance = "mixed";
	else if (worse)
		v->performance = "regression";
	else if (better)
		v->performance = "improvement";
	else if (unclear)
		v->performance = "inconclusive";
	else if (any)
		v->performance = "no-change";
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict and its reasons. Reasons are gathered in the order a reader wants them: what fails,
 * what got slower or faster, what the lab could not do, what is merely worth knowing. Only `fail`
 * and `regression` blame, and each needs evidence of its own.
 */
#include "daemon/verdict/internal.h"

#include <math.h>

#define MAX_SAID 5 /* findings named in reasons, of each sort */

enum weight { WEIGHT_NOTE, WEIGHT_HELD, WEIGHT_ERROR, WEIGHT_REGRESSION, WEIGHT_FAIL };

static const char *const weight_names[] = {"pass", "held", "error", "regression", "fail"};

struct conclusion {
	struct verdict *v;
	enum weight weight;
};

static void say(struct conclusion *c, enum weight weight, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void say(struct conclusion *c, enum weight weight, const char *fmt, ...)
{
	struct strbuf sb;
	va_list ap;

	strbuf_init(&sb, 2000);
	va_start(ap, fmt);
	(void)strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	c->v->reasons = xreallocarray(c->v->reasons, c->v->n_reasons + 1, sizeof(*c->v->reasons));
	c->v->reasons[c->v->n_reasons++] = strbuf_detach(&sb, NULL);
	c->weight = MAX_OF(c->weight, weight);
}

struct name {
	char text[64];
};

static struct name name_of(const struct facts *f, int patch)
{
	struct name name;

	if (facts_is_comparison(f))
		(void)snprintf(name.text, sizeof(name.text), "commit %.12s",
			patch > 0 ? f->patches[0].commit : f->base_commit);
	else
		(void)snprintf(name.text, sizeof(name.text), "patch %d", patch);
	return name;
}

/* Who is meant by what only boots of the tip show. */
static struct name blamed(const struct facts *f)
{
	return f->n_patches == 1 ? name_of(f, 1) : (struct name){"the series"};
}

static void conclude_apply(const struct facts *f, struct conclusion *c)
{
	for (size_t i = 0; i < f->n_patches; i++) {
		const struct fact_conflict *k = f->patches[i].conflict;

		if (!k)
			continue;
		if (k->why)
			say(c, WEIGHT_FAIL, "patch %d does not apply: %s", f->patches[i].n, k->why);
		else
			say(c, WEIGHT_FAIL,
				"patch %d does not apply: %s, hunk %d, line %d: the lines there "
				"are not "
				"those that the patch expects",
				f->patches[i].n, k->file, k->hunk, k->line);
	}
}

static void say_failed_build(struct conclusion *c, const struct facts *f,
	const struct fact_build *b, const struct judged_findings *findings)
{
	struct name name = name_of(f, b->patch);

	for (size_t i = 0; i < findings->n; i++) {
		const struct fact_finding *k = findings->items[i].finding;

		if (strcmp(k->kind, "error") != 0)
			continue;
		if (k->file)
			say(c, WEIGHT_FAIL, "%s does not build: %s:%d: %s", name.text, k->file,
				k->line, k->message);
		else
			say(c, WEIGHT_FAIL, "%s does not build: %s", name.text, k->message);
		return;
	}
	say(c, WEIGHT_FAIL, "%s does not build: %s", name.text,
		b->reason ? b->reason : "its log says why");
}

/* Warnings that a patch brings and that are still there at its own build. */
static void say_new_warnings(struct conclusion *c, const struct facts *f)
{
	size_t said = 0, more = 0;

	for (size_t i = 0; i < f->n_builds; i++) {
		for (size_t k = 0; k < c->v->builds[i].n; k++) {
			const struct judged_finding *j = &c->v->builds[i].items[k];

			if (!j->is_new || j->since_patch != f->builds[i].patch ||
				strcmp(j->finding->kind, "warning") != 0)
				continue;
			if (said++ >= MAX_SAID) {
				more++;
				continue;
			}
			say(c, WEIGHT_NOTE, "%s brings a new warning: %s:%d: %s",
				name_of(f, j->since_patch).text,
				j->finding->file ? j->finding->file : "build", j->finding->line,
				j->finding->message);
		}
	}
	if (more)
		say(c, WEIGHT_NOTE, "%zu more new warnings", more);
}

static void conclude_builds(const struct facts *f, struct conclusion *c)
{
	const struct fact_build *tip = verdict_build(f, (int)f->n_patches);

	for (size_t i = 0; i < f->n_builds; i++) {
		const struct fact_build *b = &f->builds[i];

		if (b->status == STATUS_FAIL && b->patch > 0)
			say_failed_build(c, f, b, &c->v->builds[i]);
		else if (b->status == STATUS_FAIL && !f->held)
			say(c, WEIGHT_HELD, "the base does not build: %s",
				b->reason ? b->reason : "its log says why");
	}
	if (tip && tip->patch > 0 && tip->status == STATUS_FAIL && streq(f->until, "test"))
		say(c, WEIGHT_NOTE, "%s, so nothing was booted",
			facts_is_comparison(f) ? "it does not build"
					       : "the whole series does not build");
}

static void conclude_failed_boots(const struct facts *f, struct conclusion *c)
{
	struct boot_counts base = verdict_boot_counts(f, NULL, SIDE_BASE);
	struct boot_counts patched = verdict_boot_counts(f, NULL, SIDE_PATCHED);
	const char *why = NULL;

	for (size_t i = 0; i < f->n_boots && !why; i++)
		if (f->boots[i].side == SIDE_PATCHED && f->boots[i].status == STATUS_FAIL)
			why = f->boots[i].reason ? f->boots[i].reason : "its console says why";
	if (base.failed)
		say(c, WEIGHT_HELD, "the base fails in %zu of %zu boots, so %s cannot be judged",
			base.failed, base.ended, blamed(f).text);
	else if (verdict_failure_is_confirmed(f))
		say(c, WEIGHT_FAIL,
			"%s makes the kernel fail in %zu of %zu boots: %s; the base passes in all "
			"%zu",
			blamed(f).text, patched.failed, patched.ended, why, base.ended);
	else if (patched.failed)
		say(c, WEIGHT_ERROR,
			"the patched kernel failed in %zu of %zu boots, which more boots did not "
			"confirm: %s",
			patched.failed, patched.ended, why);
}

/* Whose words a boot's finding is. */
static const char *reporter(const struct fact_finding *finding)
{
	return starts_with(finding->signature, "test ") ? "the lab's own test report"
							: "the kernel report";
}

static void conclude_kernel(const struct facts *f, struct conclusion *c)
{
	size_t base = verdict_boot_counts(f, NULL, SIDE_BASE).ended;
	size_t patched = verdict_boot_counts(f, NULL, SIDE_PATCHED).ended;
	size_t said = 0;

	for (size_t i = 0; i < f->n_boots; i++) {
		for (size_t k = 0; k < c->v->boots[i].n; k++) {
			const struct judged_finding *j = &c->v->boots[i].items[k];

			if (!j->is_first || j->since_patch == 0 || f->boots[i].side == SIDE_BASE ||
				++said > MAX_SAID)
				continue;
			if (j->is_new)
				say(c, WEIGHT_FAIL,
					"%s makes %s \"%s\" in %zu of %zu boots; the base in none "
					"of %zu",
					blamed(f).text, reporter(j->finding), j->finding->signature,
					j->patched_boots, patched, base);
			else if (!j->patched_boots)
				say(c, WEIGHT_NOTE,
					"unconfirmed: the patched kernel reported \"%s\" in a boot "
					"that the lab did not finish",
					j->finding->signature);
			else
				say(c, WEIGHT_NOTE,
					"unconfirmed: the patched kernel reported \"%s\" in %zu of "
					"%zu "
					"boots; the base in none of %zu",
					j->finding->signature, j->patched_boots, patched, base);
		}
	}
	if (said > MAX_SAID)
		say(c, WEIGHT_NOTE, "%zu more kernel reports that the base does not show",
			said - MAX_SAID);
}

/* lockdep stops with its first report: what a patch does behind one that is the base's was not seen. */
static void conclude_checker(const struct facts *f, struct conclusion *c)
{
	if (!streq(json_str(f->profile, "checker", NULL), "lockdep"))
		return;
	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		for (size_t k = 0; k < b->n_findings && b->side == SIDE_BASE; k++) {
			const char *signature = b->findings[k].signature;

			if (!starts_with(signature, "lockdep: ") ||
				strstr(signature, "suspicious RCU usage"))
				continue;
			say(c, WEIGHT_ERROR,
				"the base itself makes lockdep report \"%s\", after which it "
				"watches "
				"no more: what the patches do behind that was not checked",
				signature);
			return;
		}
	}
}

static void conclude_comparison(struct conclusion *c, const struct comparison *k)
{
	bool worse = streq(k->verdict, "regression");
	bool fails = worse && streq(k->better, "zero");
	enum weight weight = fails ? WEIGHT_FAIL : WEIGHT_NOTE;

	if (!worse && !streq(k->verdict, "improvement"))
		return;
	if (worse && k->decides && !fails)
		weight = WEIGHT_REGRESSION;
	if (isnan(k->interval[0]))
		say(c, weight, "%s on %s: %g, where the base has %g", k->metric, k->machine,
			k->patched.mean, k->base.mean);
	else
		say(c, weight, "%s%s on %s: %+.1f %% (%+.1f to %+.1f %%), median %.4g to %.4g",
			k->decides ? "" : "not deciding: ", k->metric, k->machine, 100 * k->change,
			100 * k->interval[0], 100 * k->interval[1], k->base.median,
			k->patched.median);
}

/* What the wall clock says of a metric, and the counted one says otherwise. */
static void conclude_clocks(struct conclusion *c, const struct comparison *wall)
{
	const struct comparison *counted = wall->twin;

	if (wall->clock != CLOCK_WALL || !counted || streq(wall->verdict, counted->verdict) ||
		streq(wall->verdict, "inconclusive") || streq(counted->verdict, "inconclusive"))
		return;
	say(c, WEIGHT_NOTE,
		"the two clocks %s: %s on %s is %s by the wall clock (%+.1f %%) and %s by counted "
		"instructions (%+.1f %%)%s",
		counted->decides ? "contradict each other" : "see different things", wall->metric,
		wall->machine, wall->verdict, 100 * wall->change, counted->verdict,
		100 * counted->change, counted->decides ? "" : "; the wall clock decides");
}

static void conclude_performance(const struct facts *f, struct conclusion *c)
{
	if (c->v->unrepeated)
		say(c, WEIGHT_ERROR, "%s", c->v->unrepeated);
	if (c->v->same_code_as)
		say(c, WEIGHT_NOTE, "%s, so nothing was booted and nothing can differ%s",
			!facts_is_comparison(f)
				? "the whole series compiles to the same code as the base"
			: f->n_builds ? "both commits compile to the same code"
				      : "both revisions are the same commit",
			facts_is_comparison(f) ? "; --no-inherit boots both all the same" : "");
	for (size_t i = 0; i < c->v->n_comparisons; i++)
		conclude_comparison(c, &c->v->comparisons[i]);
	for (size_t i = 0; i < c->v->n_comparisons; i++)
		conclude_clocks(c, &c->v->comparisons[i]);
	if (streq(c->v->performance, "no-change") && !c->v->same_code_as)
		say(c, WEIGHT_NOTE, "no primary metric changed by more than the threshold");
	if (streq(c->v->performance, "inconclusive"))
		say(c, WEIGHT_NOTE,
			"no primary metric changed, but the samples vary too much to rule a change "
			"out");
}

static bool is_pending(const struct facts *f)
{
	for (size_t i = 0; i < f->n_jobs; i++)
		if (f->jobs[i].status == STATUS_QUEUED || f->jobs[i].status == STATUS_RUNNING)
			return true;
	return false;
}

/* Metrics that boots of one side measured, sorted; a metric as often as it was. */
struct measured {
	const char **metrics;
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct measured measured_by(const struct facts *f, enum clock clock, enum side side)
{
	struct measured m = {NULL, 0};
	size_t all = 0;

	for (size_t i = 0; i < f->n_boots; i++)
		all += f->boots[i].n_samples;
	m.metrics = xcalloc(all + 1, sizeof(*m.metrics));
	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (b->side != side || b->clock != clock || b->status != STATUS_PASS)
			continue;
		for (size_t k = 0; k < b->n_samples; k++)
			m.metrics[m.n++] = b->samples[k].metric;
	}
	if (m.n)
		qsort(m.metrics, m.n, sizeof(*m.metrics), compare_names);
	return m;
}

static bool has_measured(const struct measured *m, const char *metric)
{
	return m->n && bsearch(&metric, m->metrics, m->n, sizeof(metric), compare_names);
}

static void say_one_sided(const struct facts *f, enum clock clock, struct conclusion *c,
	const struct measured *own, const struct measured *other, const char *side)
{
	size_t said = 0;

	for (size_t i = 0; i < own->n; i++) {
		const char *metric = own->metrics[i];

		if ((i && strcmp(own->metrics[i - 1], metric) == 0) ||
			has_measured(other, metric) || verdict_is_primary(f, clock, metric))
			continue;
		if (++said <= MAX_SAID)
			say(c, WEIGHT_NOTE, "not compared: only the %s measured %s", side, metric);
	}
	if (said > MAX_SAID)
		say(c, WEIGHT_NOTE, "%zu more metrics that only the %s measured", said - MAX_SAID,
			side);
}

/* Both sides of a clock. */
struct measured_sides {
	struct measured base, patched;
};

/* needed: it may not be missing on both sides either. */
static void say_unmeasured(
	struct conclusion *c, const struct measured_sides *m, const char *metric, bool needed)
{
	bool on_base = has_measured(&m->base, metric);
	bool on_patched = has_measured(&m->patched, metric);

	if (on_base == on_patched && (on_base || !needed))
		return;
	say(c, WEIGHT_ERROR, "no boot of %s measured the primary metric %s, although they passed",
		on_base	     ? "the patched side"
		: on_patched ? "the base"
			     : "either side",
		metric);
}

/* Not everything can be counted, so that what no counted boot measures is the wall clock's alone,
 * where the profile reads that. */
static void say_all_unmeasured(const struct facts *f, enum clock clock, struct conclusion *c,
	const struct measured_sides *m)
{
	bool has_wall = json_get(json_get(f->profile, "clocks"), "wall");
	const cJSON *benchmark, *name;

	json_for_each (benchmark, json_get(f->profile, "benchmarks")) {
		json_for_each (name, json_get(benchmark, "primary")) {
			const char *metric = cJSON_GetStringValue(name);
			AUTO_FREE char *counted = metric ? verdict_counted_name(metric) : NULL;

			if (metric && clock == CLOCK_WALL)
				say_unmeasured(c, m, metric, true);
			else if (counted)
				say_unmeasured(c, m, counted, !has_wall);
		}
	}
}

/* Law 1 again: what was to decide and was not measured has not passed. */
static void conclude_measured(const struct facts *f, struct conclusion *c)
{
	struct boot_counts b = verdict_boot_counts(f, NULL, SIDE_BASE);
	struct boot_counts p = verdict_boot_counts(f, NULL, SIDE_PATCHED);

	/* A run that goes on may measure it yet. */
	if (!b.ended || !p.ended || b.failed || p.failed || c->v->unrepeated || is_pending(f))
		return;
	for (enum clock clock = CLOCK_WALL; clock <= CLOCK_COUNTED; clock++) {
		struct measured_sides m;

		if (!json_get(json_get(f->profile, "clocks"), clock_name(clock)))
			continue;
		m = (struct measured_sides){
			measured_by(f, clock, SIDE_BASE), measured_by(f, clock, SIDE_PATCHED)};
		say_all_unmeasured(f, clock, c, &m);
		say_one_sided(f, clock, c, &m.base, &m.patched, "base");
		say_one_sided(f, clock, c, &m.patched, &m.base, "patched side");
		free(m.base.metrics);
		free(m.patched.metrics);
	}
}

static void conclude_lab(const struct facts *f, struct conclusion *c)
{
	for (size_t i = 0; i < f->n_jobs; i++) {
		const struct fact_job *j = &f->jobs[i];

		if (j->status == STATUS_ERROR)
			say(c, WEIGHT_ERROR, "the lab failed, not the code: job %lld (%s): %s",
				(long long)j->id, j->kind,
				j->reason ? j->reason : "no reason given");
	}
}

/* Law 1: a series that was to be tested and gave no boots has not passed. */
static void conclude_evidence(const struct facts *f, struct conclusion *c)
{
	bool built = f->n_builds > f->n_patches;

	if (is_pending(f))
		return;
	if (built && c->weight == WEIGHT_NOTE && streq(f->until, "test") && !c->v->same_code_as &&
		(!verdict_boot_counts(f, NULL, SIDE_BASE).ended ||
			!verdict_boot_counts(f, NULL, SIDE_PATCHED).ended))
		say(c, WEIGHT_ERROR, "base and tip were to be booted, and were not");
}

/* A list that was cut cannot say what is new. */
static void say_dropped(const struct facts *f, struct conclusion *c)
{
	for (size_t i = 0; i < f->n_builds; i++)
		if (f->builds[i].findings_dropped)
			say(c, WEIGHT_NOTE,
				"the build of %s found %lld more than the lab keeps, so "
				"which of "
				"its "
				"warnings are new is not judged",
				name_of(f, f->builds[i].patch).text,
				(long long)f->builds[i].findings_dropped);
	for (size_t i = 0; i < f->n_boots; i++)
		if (f->boots[i].findings_dropped)
			say(c, WEIGHT_NOTE,
				"a boot of %s reported %lld more than the lab keeps (pair %d)",
				f->boots[i].side == SIDE_BASE ? "the base" : "the patched kernel",
				(long long)f->boots[i].findings_dropped, f->boots[i].pair);
}

void verdict_conclude(const struct facts *f, struct verdict *v)
{
	struct conclusion c = {v, WEIGHT_NOTE};

	if (f->held)
		say(&c, WEIGHT_HELD, "%s", f->held);
	conclude_apply(f, &c);
	conclude_builds(f, &c);
	conclude_failed_boots(f, &c);
	conclude_kernel(f, &c);
	conclude_checker(f, &c);
	conclude_performance(f, &c);
	conclude_measured(f, &c);
	conclude_lab(f, &c);
	conclude_evidence(f, &c);
	say_new_warnings(&c, f);
	say_dropped(f, &c);
	v->verdict = weight_names[c.weight];
	if (f->held)
		v->verdict = "held";
	else if (streq(f->state, "cancelled"))
		v->verdict = "cancelled";
	/* What nobody judges shows no change either. */
	if (f->held || streq(f->state, "cancelled"))
		v->performance = "none";
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/internal.h"

static cJSON *strings(char **items, size_t n)
{
	cJSON *a = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++)
		json_push_str(a, items[i]);
	return a;
}

static cJSON *add_item(cJSON *array)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddItemToArray(array, o);
	return o;
}

static bool is_over(const struct facts *f)
{
	return streq(f->state, "done") || streq(f->state, "held") || streq(f->state, "cancelled");
}

static void add_series(cJSON *o, const struct facts *f)
{
	cJSON *series = json_add_object(o, "series");

	json_set_int(series, "id", f->id);
	json_set_str(series, "title", f->title);
	json_set_int(series, "version", f->version);
	json_set_int(series, "patches", (int64_t)f->n_patches);
	json_set_str(series, "message_id", f->message_id);
}

static void add_author(cJSON *o, const struct fact_patch *p)
{
	cJSON *author = json_add_object(o, "author");

	json_set_str(author, "name", p->author_name);
	json_set_str(author, "email", p->author_email);
}

/* Which commit goes against the base; null until it was resolved. */
static void add_comparison(cJSON *o, const struct facts *f)
{
	cJSON *comparison = json_add_object(o, "comparison");
	cJSON *patched = json_add_object(comparison, "patched");
	const struct fact_patch none = {0};
	const struct fact_patch *p = f->n_patches ? &f->patches[0] : &none;

	json_set_int(comparison, "id", f->id);
	json_set_str(comparison, "title", f->title);
	json_set_str(patched, "asked", f->patched_text);
	json_set_str(patched, "commit", p->commit);
	json_set_str(patched, "subject", p->subject);
	add_author(patched, p);
}

static void add_head(cJSON *o, const struct facts *f, const struct verdict *v)
{
	if (facts_is_comparison(f))
		add_comparison(o, f);
	else
		add_series(o, f);
	json_set_int(o, "run", f->run);
	json_set_str(o, "profile", json_str(f->profile, "name", NULL));
	json_set_str(o, "until", f->until);
	json_set_time(o, "created", f->created_ms);
	json_set_time(o, "finished", f->finished_ms);
	json_set_str(o, "state", f->state);
	json_set_str(o, "verdict", is_over(f) ? f->verdict ? f->verdict : v->verdict : NULL);
	json_set_str(o, "performance", v->performance);
	/* What was decided stands, also where a later version would word it otherwise. */
	json_set(o, "reasons",
		f->reasons ? cJSON_Duplicate(f->reasons, true) : strings(v->reasons, v->n_reasons));
}

static cJSON *copy_or_empty(const cJSON *array)
{
	return array ? cJSON_Duplicate(array, true) : cJSON_CreateArray();
}

/* The version before with what became of its patches, and what was said of the patches. */
static void add_versions(cJSON *o, const struct facts *f)
{
	json_set_copy(o, "previous", f->previous);
	json_set(o, "trailers", copy_or_empty(f->trailers));
}

static void add_base(cJSON *o, const struct facts *f)
{
	cJSON *base = json_add_object(o, "base");
	cJSON *needs;

	json_set_str(base, "tree", f->tree);
	json_set_str(base, "commit", f->base_commit);
	json_set_str(base, "asked", f->base_text);
	json_set_str(base, "chosen_by", f->chosen_by);
	json_set_str(base, "why", f->base_why);
	json_set(base, "candidates", copy_or_empty(f->candidates));
	json_set(base, "prerequisites", copy_or_empty(f->prerequisites));
	needs = json_add_array(base, "needs");
	for (size_t i = 0; i < f->n_needs; i++) {
		cJSON *need = add_item(needs);

		json_set_int(need, "id", f->needs[i].id);
		json_set_str(need, "because", f->needs[i].because);
		json_set(need, "commits", strings(f->needs[i].commits, f->needs[i].n_commits));
	}
}

static cJSON *conflict_json(const struct fact_conflict *c)
{
	cJSON *o;

	if (!c)
		return NULL;
	o = cJSON_CreateObject();
	json_set_str(o, "file", c->file);
	json_set_int(o, "hunk", c->hunk);
	json_set_int(o, "line", c->line);
	json_set_str(o, "expected", c->expected);
	json_set_str(o, "found", c->found);
	json_set_str(o, "why", c->why);
	return o;
}

static void add_apply(cJSON *o, const struct facts *f)
{
	cJSON *apply = json_add_object(o, "apply");
	cJSON *patches = cJSON_CreateArray();
	bool applied = f->n_patches > 0, conflict = false;

	for (size_t i = 0; i < f->n_patches; i++) {
		const struct fact_patch *p = &f->patches[i];
		cJSON *patch = add_item(patches);

		json_set_int(patch, "n", p->n);
		json_set_str(patch, "subject", p->subject);
		add_author(patch, p);
		json_set_str(patch, "message_id", p->message_id);
		json_set_str(patch, "commit", p->commit);
		json_set_str(patch, "how", p->how);
		json_set(patch, "conflict", conflict_json(p->conflict));
		applied = applied && p->commit;
		conflict = conflict || p->conflict;
	}
	json_set_str(apply, "status", conflict ? "conflict" : applied ? "applied" : NULL);
	json_set(apply, "patches", patches);
}

static cJSON *findings_json(const struct judged_findings *judged)
{
	cJSON *a = cJSON_CreateArray();

	for (size_t i = 0; i < judged->n; i++) {
		const struct judged_finding *j = &judged->items[i];
		cJSON *o = add_item(a);

		json_set_str(o, "kind", j->finding->kind);
		json_set_str(o, "file", j->finding->file);
		json_set_int(o, "line", j->finding->line);
		json_set_int(o, "column", j->finding->column);
		json_set_str(o, "function", j->finding->function);
		json_set_str(o, "message", j->finding->message);
		json_set_str(o, "option", j->finding->option);
		json_set_str(o, "signature", j->finding->signature);
		json_set_str(o, "excerpt", j->finding->excerpt);
		json_set_bool(o, "new", j->is_new);
		json_set_bool(o, "confirmed", j->confirmed);
		json_set(o, "since_patch",
			j->since_patch < 0 ? NULL : cJSON_CreateNumber(j->since_patch));
	}
	return a;
}

/* The first build before this one that is the same code. */
static const char *same_code_as(const struct facts *f, const struct fact_build *b)
{
	for (size_t i = 0; &f->builds[i] != b; i++)
		if (streq(f->builds[i].code_sha256, b->code_sha256) &&
			streq(f->builds[i].config_sha256, b->config_sha256))
			return f->builds[i].commit;
	return NULL;
}

static void add_builds(cJSON *o, const struct facts *f, const struct verdict *v)
{
	cJSON *builds = json_add_array(o, "builds");

	for (size_t i = 0; i < f->n_builds; i++) {
		const struct fact_build *b = &f->builds[i];
		cJSON *build = add_item(builds);

		json_set_int(build, "job", b->job_id);
		json_set_int(build, "patch", b->patch);
		json_set_str(build, "commit", b->commit);
		json_set_str(build, "arch", b->arch);
		json_set_str(build, "config_sha256", b->config_sha256);
		json_set_str(build, "compiler", b->compiler);
		json_set_str(build, "status", status_name(b->status));
		json_set_str(build, "reason", b->reason);
		json_set_num(build, "seconds", b->seconds);
		json_set_str(build, "image_sha256", b->image_sha256);
		json_set_str(build, "code_sha256", b->code_sha256);
		json_set_str(build, "same_code_as", same_code_as(f, b));
		json_set(build, "findings", findings_json(&v->builds[i]));
	}
}

static void fill_boot(cJSON *o, const struct fact_boot *b, const struct judged_findings *findings)
{
	json_set_int(o, "job", b->job_id);
	json_set_str(o, "commit", b->commit);
	json_set_int(o, "patch", b->patch);
	json_set_str(o, "side", side_name(b->side));
	json_set_str(o, "machine", b->machine);
	json_set_str(o, "clock", clock_name(b->clock));
	json_set_str(o, "part", b->part && *b->part ? b->part : NULL);
	json_set_str(o, "role", boot_role_name(b->role));
	json_set_int(o, "pair", b->pair);
	json_set_int(o, "seed", b->seed);
	json_set_time(o, "started", b->started_ms);
	json_set_str(o, "boot_id", b->boot_id);
	json_set_str(o, "status", status_name(b->status));
	json_set_str(o, "reason", b->reason);
	json_set_num(o, "seconds", b->seconds);
	json_set_str(o, "image_sha256", b->image_sha256);
	json_set_str(o, "accel", b->accel);
	json_set_str(o, "cmdline", b->cmdline);
	json_set_str(o, "last_line", b->last_line);
	json_set(o, "findings", findings_json(findings));
}

static void add_boots(cJSON *o, const struct facts *f, const struct verdict *v)
{
	cJSON *boots = json_add_array(o, "boots");
	cJSON *extra = json_add_array(o, "extra_boots");

	for (size_t i = 0; i < f->n_boots; i++)
		fill_boot(add_item(f->boots[i].role == BOOT_PAIR ? boots : extra), &f->boots[i],
			&v->boots[i]);
}

static cJSON *summary_json(const struct summary *s)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *samples;

	json_set_int(o, "n", (int64_t)s->n);
	json_set_num(o, "median", s->median);
	json_set_num(o, "mean", s->mean);
	json_set_num(o, "stddev", s->stddev);
	samples = json_add_array(o, "samples");
	for (size_t i = 0; i < s->n; i++)
		cJSON_AddItemToArray(samples, cJSON_CreateNumber(s->samples[i]));
	return o;
}

static cJSON *interval_json(const double *interval)
{
	cJSON *a;

	if (!(interval[0] - interval[0] == 0) || !(interval[1] - interval[1] == 0))
		return NULL;
	a = cJSON_CreateArray();
	cJSON_AddItemToArray(a, cJSON_CreateNumber(interval[0]));
	cJSON_AddItemToArray(a, cJSON_CreateNumber(interval[1]));
	return a;
}

static void add_comparisons(cJSON *o, const struct verdict *v)
{
	cJSON *comparisons = json_add_array(o, "comparisons");

	for (size_t i = 0; i < v->n_comparisons; i++) {
		const struct comparison *c = &v->comparisons[i];
		cJSON *item = add_item(comparisons);

		json_set_str(item, "machine", c->machine);
		json_set_str(item, "clock", clock_name(c->clock));
		json_set_str(item, "part", c->part && *c->part ? c->part : NULL);
		json_set_bool(item, "primary", c->primary);
		json_set_str(item, "better", c->better);
		json_set_str(item, "metric", c->metric);
		json_set(item, "params",
			c->params ? cJSON_Duplicate(c->params, true) : cJSON_CreateObject());
		json_set(item, "base", summary_json(&c->base));
		json_set(item, "patched", summary_json(&c->patched));
		json_set_num(item, "change", c->change);
		json_set(item, "interval", interval_json(c->interval));
		json_set_num(item, "p", c->p);
		json_set_str(item, "verdict", c->verdict);
	}
}

static void add_stage(cJSON *timeline, const char *stage, int64_t ms, int64_t lab_ms)
{
	cJSON *o = add_item(timeline);

	json_set_str(o, "stage", stage);
	json_set_num(o, "seconds", (double)ms / 1000);
	json_set_num(o, "lab_seconds", (double)lab_ms / 1000);
}

/* All of the run's wall time, by what it went into; what no job accounts for is waiting. */
static void add_timeline(cJSON *o, const struct facts *f)
{
	static const char *const stages[] = {"parse", "apply", "resolve", "build", "boot"};
	cJSON *timeline = json_add_array(o, "timeline");
	int64_t end = f->finished_ms, accounted = 0, waiting;

	for (size_t s = 0; s < ARRAY_SIZE(stages); s++) {
		int64_t ms = 0, tool_ms = 0;

		for (size_t i = 0; i < f->n_jobs; i++) {
			const struct fact_job *j = &f->jobs[i];

			if (strcmp(j->kind, stages[s]) != 0 || !j->started_ms || !j->ended_ms)
				continue;
			ms += MAX_OF(j->ended_ms - j->started_ms, 0);
			tool_ms += j->tool_ms;
			if (!f->finished_ms)
				end = MAX_OF(end, j->ended_ms);
		}
		if (ms)
			add_stage(timeline, stages[s], ms, MAX_OF(ms - tool_ms, 0));
		accounted += ms;
	}
	waiting = MAX_OF(end - f->created_ms - accounted, 0);
	add_stage(timeline, "waiting", waiting, MAX_OF(waiting - f->busy_elsewhere_ms, 0));
}

cJSON *report_json(const struct facts *f, const struct verdict *v)
{
	cJSON *o = cJSON_CreateObject();

	add_head(o, f, v);
	if (!facts_is_comparison(f))
		add_versions(o, f);
	add_base(o, f);
	if (!facts_is_comparison(f))
		add_apply(o, f);
	add_builds(o, f, v);
	add_boots(o, f, v);
	add_comparisons(o, v);
	if (f->environment) {
		json_set(o, "environment", cJSON_Duplicate(f->environment, true));
	} else {
		cJSON *environment = json_add_object(o, "environment");

		json_add_object(environment, "tools");
		json_add_array(environment, "machines");
	}
	add_timeline(o, f);
	return o;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/verdict/internal.h"

const struct fact_build *verdict_build(const struct facts *f, int patch)
{
	for (size_t i = 0; i < f->n_builds; i++)
		if (f->builds[i].patch == patch)
			return &f->builds[i];
	return NULL;
}

const struct fact_sample *verdict_sample(const struct fact_boot *b, const char *metric)
{
	for (size_t i = 0; i < b->n_samples; i++)
		if (strcmp(b->samples[i].metric, metric) == 0)
			return &b->samples[i];
	return NULL;
}

/* Both revisions that a comparison names are one. */
static bool is_same_commit(const struct facts *f)
{
	return facts_is_comparison(f) && f->n_patches &&
	       streq(f->base_commit, f->patches[0].commit);
}

bool verdict_is_same_code(const struct facts *f)
{
	const struct fact_build *base = verdict_build(f, 0);
	const struct fact_build *tip = verdict_build(f, (int)f->n_patches);

	if (f->no_inherit)
		return false;
	if (is_same_commit(f))
		return true;
	return base && tip && base != tip && base->status == STATUS_PASS &&
	       tip->status == STATUS_PASS && streq(base->code_sha256, tip->code_sha256) &&
	       streq(base->config_sha256, tip->config_sha256);
}

struct verdict *verdict_new(const struct facts *f)
{
	struct verdict *v = xcalloc(1, sizeof(*v));

	if (verdict_is_same_code(f))
		v->same_code_as = is_same_commit(f) ? f->base_commit : verdict_build(f, 0)->commit;
	v->n_builds = f->n_builds;
	v->n_boots = f->n_boots;
	verdict_judge_builds(f, v);
	verdict_judge_boots(f, v);
	verdict_canary(f, v);
	verdict_compare(f, v);
	verdict_performance(f, v);
	verdict_conclude(f, v);
	return v;
}

static void free_judged(struct judged_findings *j, size_t n)
{
	for (size_t i = 0; j && i < n; i++)
		free(j[i].items);
	free(j);
}

struct verdict *verdict_free(struct verdict *v)
{
	if (!v)
		return NULL;
	free_judged(v->builds, v->n_builds);
	free_judged(v->boots, v->n_boots);
	for (size_t i = 0; i < v->n_comparisons; i++) {
		free(v->comparisons[i].metric);
		cJSON_Delete(v->comparisons[i].params);
		free(v->comparisons[i].base.samples);
		free(v->comparisons[i].patched.samples);
	}
	free(v->comparisons);
	free(v->unrepeated);
	for (size_t i = 0; i < v->n_reasons; i++)
		free(v->reasons[i]);
	free(v->reasons);
	free(v);
	return NULL;
}

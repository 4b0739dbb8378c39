/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/plan/internal.h"

static void set(struct plan *p, enum plan_kind kind, const char *reason)
{
	*p = (struct plan){.kind = kind};
	(void)snprintf(p->reason, sizeof(p->reason), "%s", reason ? reason : "");
}

static const struct fact_job *job_of(const struct facts *f, const char *kind)
{
	const struct fact_job *found = NULL;

	for (size_t i = 0; i < f->n_jobs; i++)
		if (strcmp(f->jobs[i].kind, kind) == 0)
			found = &f->jobs[i];
	return found;
}

static bool any_job(const struct facts *f, enum status a, enum status b)
{
	for (size_t i = 0; i < f->n_jobs; i++)
		if (f->jobs[i].status == a || f->jobs[i].status == b)
			return true;
	return false;
}

/* Each step fills *p and returns true, or leaves it to the next. */

static bool plan_fetch(const struct facts *f, struct plan *p)
{
	const struct fact_job *fetch = job_of(f, "fetch");

	if (!f->to_fetch)
		return false;
	if (!fetch)
		set(p, PLAN_FETCH, NULL);
	else
		set(p, PLAN_HOLD, fetch->reason ? fetch->reason : "it cannot be fetched");
	return true;
}

static bool plan_parse(const struct facts *f, struct plan *p)
{
	const struct fact_job *parse = job_of(f, "parse");

	if (!parse) {
		set(p, PLAN_PARSE, NULL);
	} else if (parse->status != STATUS_PASS) {
		set(p, PLAN_HOLD, parse->reason ? parse->reason : "the mail cannot be read");
	} else if (!f->n_patches) {
		set(p, PLAN_HOLD, "there is no patch in it");
	} else {
		return false;
	}
	return true;
}

static bool plan_apply(const struct facts *f, struct plan *p)
{
	const struct fact_job *apply = job_of(f, "apply");

	if (!apply) {
		set(p, f->waits ? PLAN_HOLD : PLAN_APPLY, f->waits);
		return true;
	}
	for (size_t i = 0; i < f->n_patches; i++) {
		if (f->patches[i].conflict) {
			set(p, PLAN_FINISH, "the series does not apply");
			return true;
		}
	}
	if (apply->status != STATUS_PASS || !f->base_commit)
		set(p, PLAN_HOLD, apply->reason ? apply->reason : "the base cannot be used");
	else if (streq(f->until, "apply"))
		set(p, PLAN_FINISH, NULL);
	else
		return false;
	return true;
}

static bool plan_resolve(const struct facts *f, struct plan *p)
{
	const struct fact_job *resolve = job_of(f, "resolve");

	if (!resolve)
		set(p, PLAN_RESOLVE, NULL);
	else if (resolve->status != STATUS_PASS || !f->base_commit || !f->n_patches)
		set(p, PLAN_HOLD, resolve->reason ? resolve->reason : "there is no such commit");
	else if (verdict_is_same_code(f))
		set(p, PLAN_FINISH, "both revisions are the same commit");
	else
		return false;
	return true;
}

static bool plan_build(const struct facts *f, struct plan *p)
{
	for (int patch = 0; patch <= (int)f->n_patches; patch++) {
		const struct fact_build *b = verdict_build(f, patch);

		if (!b) {
			set(p, PLAN_BUILD, NULL);
			p->patch = patch;
			return true;
		}
		if (patch == 0 && b->status != STATUS_PASS) {
			set(p, PLAN_HOLD, NULL);
			(void)snprintf(p->reason, sizeof(p->reason), "the base does not build: %s",
				b->reason ? b->reason : "its log says why");
			return true;
		}
	}
	if (streq(f->until, "build"))
		set(p, PLAN_FINISH, NULL);
	else if (verdict_build(f, (int)f->n_patches)->status != STATUS_PASS)
		set(p, PLAN_FINISH, "the tip does not build");
	else if (verdict_is_same_code(f))
		set(p, PLAN_FINISH, "the tip compiles to the same code as the base");
	else
		return false;
	return true;
}

void plan_next(const struct facts *f, uint64_t draw, struct plan *ret_plan)
{
	static bool (*const series[])(const struct facts *, struct plan *) = {
		plan_fetch, plan_parse, plan_apply, plan_build, NULL};
	static bool (*const comparison[])(const struct facts *, struct plan *) = {
		plan_resolve, plan_build, NULL};
	bool (*const *step)(const struct facts *, struct plan *) =
		facts_is_comparison(f) ? comparison : series;

	if (f->held || streq(f->state, "cancelled") || streq(f->state, "done")) {
		set(ret_plan, PLAN_WAIT, NULL);
		return;
	}
	if (any_job(f, STATUS_ERROR, STATUS_ERROR)) {
		set(ret_plan, PLAN_FINISH, "the lab failed");
		return;
	}
	if (any_job(f, STATUS_QUEUED, STATUS_RUNNING)) {
		set(ret_plan, PLAN_WAIT, NULL);
		return;
	}
	for (; *step; step++)
		if ((*step)(f, ret_plan))
			return;
	set(ret_plan, PLAN_FINISH, NULL);
	plan_boots(f, draw, ret_plan);
}

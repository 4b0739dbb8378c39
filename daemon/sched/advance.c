/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what is known about a run to its next jobs, or to its end. */
#include "daemon/plan/plan.h"
#include "daemon/sched/internal.h"
#include "daemon/verdict/verdict.h"

struct step {
	struct sched *sched;
	const struct facts *facts;
	struct series_row *series;
	struct change queued[2]; /* to tell of, once they are on disk */
	size_t n_queued;
	bool ended; /* this step ended the run */
};

static int set_state(struct step *st, const char *state, struct error *e)
{
	if (streq(st->series->state, state))
		return 0;
	return series_set_state(st->sched->store, st->facts->id, st->facts->run, state, e);
}

/* Nothing of it is left in the queue: the mate of a boot that ended in error, say. */
static int end_run(struct step *st, struct error *e)
{
	st->ended = true;
	return job_cancel_queued(st->sched->store, st->facts->id, st->facts->run, e);
}

static int hold(struct step *st, const char *why, struct error *e)
{
	int err = end_run(st, e);

	if (err < 0)
		return err;
	return series_set_held(st->sched->store, st->facts->id, st->facts->run, why, false, e);
}

static int queue(struct step *st, struct job_row *row, struct error *e)
{
	int err;

	row->series_id = st->facts->id;
	row->run = st->facts->run;
	err = job_insert(st->sched->store, row, &row->id, e);
	if (err < 0)
		return err;
	st->queued[st->n_queued++] = (struct change){
		.kind = CHANGE_JOB,
		.id = row->id,
		.series_id = row->series_id,
	};
	return 0;
}

static int do_fetch(struct step *st, struct error *e)
{
	struct job_row row = {.kind = (char *)"fetch"};

	return queue(st, &row, e);
}

static int do_parse(struct step *st, struct error *e)
{
	struct job_row row = {.kind = (char *)"parse"};

	return queue(st, &row, e);
}

static int do_apply(struct step *st, struct error *e)
{
	struct job_row row = {.kind = (char *)"apply"};
	AUTO_FREE char *why = NULL;
	int err = needs_settle(st->sched, st->facts, &why, e);

	if (err >= 0 && why) {
		err = hold(st, why, e);
		return err < 0 ? err : 0;
	}
	if (err <= 0 || (err = set_state(st, "applying", e)) < 0)
		return err;
	return queue(st, &row, e);
}

static int do_resolve(struct step *st, struct error *e)
{
	struct job_row row = {.kind = (char *)"resolve"};

	return queue(st, &row, e);
}

static const char *commit_of(const struct facts *f, int patch)
{
	if (patch > 0)
		return (size_t)patch <= f->n_patches ? f->patches[patch - 1].commit : NULL;
	for (size_t i = f->n_needs; i > 0; i--)
		if (f->needs[i - 1].n_commits)
			return f->needs[i - 1].commits[f->needs[i - 1].n_commits - 1];
	return f->base_commit;
}

/* All of a run's builds and boots are in one place. 1: chosen; 0: held for want of one. */
static int choose_place(struct step *st, struct error *e)
{
	AUTO_MACHINE struct machine_row machine = {0};
	struct error why = ERROR_INIT;
	const struct facts *f = st->facts;
	int err;

	if (st->series->host)
		return 1;
	err = machine_choose(st->sched->store, json_str(f->profile, "arch", "x86_64"),
		json_get(json_get(f->profile, "machines"), "tags"), &machine, &why);
	if (err == ERR_MISSING) {
		err = hold(st, why.msg, e);
		return err < 0 ? err : 0;
	}
	if (err < 0)
		return error_set(e, err, "%s", why.msg);
	err = series_set_place(st->sched->store, f->id, f->run, machine.host, machine.name, e);
	if (err < 0)
		return err;
	st->series->host = xstrdup(machine.host);
	st->series->machine = xstrdup(machine.name);
	return 1;
}

static int do_build(struct step *st, int patch, struct error *e)
{
	const char *commit = commit_of(st->facts, patch);
	struct job_row row = {
		.kind = (char *)"build",
		.patch = patch,
		.commit = (char *)commit,
		.arch = (char *)json_str(st->facts->profile, "arch", "x86_64"),
	};
	int err;

	if (!commit)
		return error_set(e, -EINVAL, "patch %d has no commit to build", patch);
	err = choose_place(st, e);
	if (err <= 0 || (err = set_state(st, "building", e)) < 0)
		return err;
	row.host = st->series->host;
	return queue(st, &row, e);
}

static int do_boot(struct step *st, const struct plan *plan, struct error *e)
{
	int64_t batch = 0;
	int err = choose_place(st, e);

	if (err <= 0 || (err = set_state(st, "testing", e)) < 0)
		return err;
	for (size_t i = 0; i < plan->n_boots; i++) {
		const struct plan_boot *b = &plan->boots[i];
		struct job_row row = {
			.kind = (char *)"boot",
			.host = st->series->host,
			.machine = st->series->machine,
			.batch = batch,
			.patch = b->patch,
			.commit = (char *)commit_of(st->facts, b->patch),
			.side = (char *)side_name(b->side),
			.role = (char *)boot_role_name(b->role),
			.clock = (char *)clock_name(b->stream.clock),
			.part = (char *)b->stream.part,
			.pair = b->pair,
			.seed = b->seed,
		};

		err = queue(st, &row, e);
		if (err < 0)
			return err;
		batch = batch ? batch : row.id;
	}
	return 0;
}

static int do_finish(struct step *st, const struct plan *plan, struct error *e)
{
	AUTO_VERDICT struct verdict *v = verdict_new(st->facts);
	AUTO_JSON cJSON *reasons = cJSON_CreateArray();
	int err;

	for (size_t i = 0; i < v->n_reasons; i++)
		json_push_str(reasons, v->reasons[i]);
	if (v->n_reasons == 0 && plan->reason[0])
		json_push_str(reasons, plan->reason);
	err = end_run(st, e);
	if (err < 0)
		return err;
	sched_log("%s %lld: %s", series_noun(st->series), (long long)st->facts->id, v->verdict);
	return series_set_verdict(st->sched->store, st->facts->id, st->facts->run, v->verdict,
		v->performance, reasons, e);
}

static int take_step(struct step *st, const struct plan *plan, struct error *e)
{
	switch (plan->kind) {
	case PLAN_WAIT:
		return 0;
	case PLAN_FETCH:
		return do_fetch(st, e);
	case PLAN_PARSE:
		return do_parse(st, e);
	case PLAN_APPLY:
		return do_apply(st, e);
	case PLAN_RESOLVE:
		return do_resolve(st, e);
	case PLAN_BUILD:
		return do_build(st, plan->patch, e);
	case PLAN_BOOT:
		return do_boot(st, plan, e);
	case PLAN_HOLD:
		return hold(st, plan->reason, e);
	case PLAN_FINISH:
		return do_finish(st, plan, e);
	}
	return 0;
}

static int advance(struct step *st, int64_t series_id, struct error *e)
{
	struct store *store = st->sched->store;
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_FACTS struct facts *f = NULL;
	struct plan plan = {0};
	int err = store_begin(store, &tx, e);

	if (err < 0 || (err = series_get(store, series_id, st->series, e)) < 0)
		return err;
	if (st->series->finished_ms) {
		st->ended = true;
		return 0;
	}
	err = facts_load(store, series_id, st->series->run, FACTS_JUDGED, &f, e);
	if (err < 0)
		return err;
	st->facts = f;
	plan_next(f, (uint64_t)st->series->draw, &plan);
	err = take_step(st, &plan, e);
	return err < 0 ? err : store_commit(&tx, e);
}

static bool is_trouble_of_disk(int err)
{
	return err == -EIO || err == -ENOSPC || err == -EBUSY;
}

/* What is known of the run makes no sense: that is the lab's error, and said so. */
static int give_up(struct step *st, int64_t series_id, const char *why, struct error *e)
{
	struct store *store = st->sched->store;
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_JSON cJSON *reasons = cJSON_CreateArray();
	AUTO_FREE char *reason = xasprintf("The lab cannot go on with it: %s.", why);
	int err = store_begin(store, &tx, e);

	json_push_str(reasons, reason);
	st->ended = true;
	if (err < 0 || (err = job_cancel_queued(store, series_id, st->series->run, e)) < 0 ||
		(err = series_set_verdict(
			 store, series_id, st->series->run, "error", "none", reasons, e)) < 0)
		return err;
	return store_commit(&tx, e);
}

void sched_advance(struct sched *s, int64_t series_id)
{
	AUTO_SERIES struct series_row series = {0};
	struct step st = {.sched = s, .series = &series};
	struct error e = ERROR_INIT;
	int err = advance(&st, series_id, &e);

	if (err < 0) {
		sched_log("series %lld cannot go on: %s", (long long)series_id, e.msg);
		st.n_queued = 0;
		if (is_trouble_of_disk(err) || give_up(&st, series_id, e.msg, NULL) < 0) {
			sched_try_again(s);
			return;
		}
	}
	for (size_t i = 0; i < st.n_queued; i++)
		sched_notify(s, &st.queued[i]);
	sched_notify_row(s, CHANGE_SERIES, series_id);
	sched_kick(s);
	if (st.ended)
		sched_advance_dependents(s, series_id);
}

/* Needs form no circle: needs_settle() holds a series that would close one. */
void sched_advance_dependents(struct sched *s, int64_t series_id)
{
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;

	if (series_needed_by(s->store, series_id, &ids, &n, NULL) < 0) {
		sched_try_again(s);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sched_advance(s, ids[i]);
}

void sched_advance_all(struct sched *s)
{
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;

	if (series_unfinished(s->store, &ids, &n, NULL) < 0) {
		sched_try_again(s);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sched_advance(s, ids[i]);
}

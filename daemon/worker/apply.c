/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply: needs and then the series onto a base, in the bare repository itself;
 * docs/internals/worker-protocol.md.
 */
#include "daemon/worker/apply.h"

#include "base/file.h"
#include "daemon/worker/changes.h"
#include "patches/git/staging.h"
#include "patches/mail/mbox.h"

/* The base, a need or the mailbox itself is not usable: the series is held with `why`. */
static int hold(cJSON *result, const char *why)
{
	json_set_str(result, "status", "base");
	json_set_str(result, "why", why);
	return 0;
}

/* The series of a mailbox that was found whole when it was parsed, and what its patches want. */
static int read_series(struct applying *a, const char *path, struct stacked *s, struct error *e)
{
	AUTO_FREE char *data = NULL;
	size_t len;
	int r;

	series_set_init(&s->set);
	r = file_read(path, MBOX_MAX_BYTES, &data, &len, e);
	if (!r)
		r = series_set_read(&s->set, data, len, e);
	if (!r)
		r = series_set_only(&s->set, &s->series, e);
	for (size_t i = 0; !r && i < s->series->n_patches; i++) {
		const struct message *m = s->series->patches[i].message;
		AUTO_DIFF struct diff *diff = NULL;

		/* One that cannot be taken apart is told of when it is applied. */
		if (diff_parse(m->diff, m->diff_len, &diff, NULL) == 0)
			wants_add(&a->wants, diff);
	}
	return r;
}

static int read_needs(struct applying *a, struct error *e)
{
	const cJSON *needs = json_get(a->job->doc, "needs");
	const cJSON *need;
	const char *mbox;
	int r;

	a->needs = xcalloc((size_t)cJSON_GetArraySize(needs) + 1, sizeof(*a->needs));
	json_for_each (need, needs) {
		struct stacked *s = &a->needs[a->n_needs++];

		r = json_need_str(need, "mbox", &mbox, e);
		if (!r)
			r = json_need_int(need, "id", 1, INT64_MAX, &s->id, e);
		if (r)
			return ERR_STATE;
		r = read_series(a, mbox, s, e);
		if (r)
			return is_input_fault(r) ? error_prefix(e, "series %lld, which it needs",
							   (long long)s->id)
						 : r;
	}
	return 0;
}

static int open_places(struct applying *a, struct error *e)
{
	const cJSON *trees = json_get(a->job->doc, "trees");
	const cJSON *tree;
	const char *tip;
	int r;

	a->places = xcalloc((size_t)cJSON_GetArraySize(trees) + 1, sizeof(*a->places));
	json_for_each (tree, trees) {
		struct place *p = &a->places[a->n_places++];

		r = json_need_str(tree, "name", &p->name, e);
		if (!r)
			r = json_need_str(tree, "repo", &p->repo_path, e);
		if (!r)
			r = json_need_str(tree, "tip", &tip, e);
		if (r)
			return ERR_STATE;
		r = repo_open(p->repo_path, &p->repo, e);
		if (!r)
			r = staging_start(p->repo, e);
		if (!r)
			r = repo_commit(p->repo, tip, &p->tip, e);
		if (r)
			return r;
	}
	return a->n_places ? 0 : error_set(e, ERR_STATE, "the job names no tree");
}

static int read_prerequisites(struct applying *a, struct error *e)
{
	const cJSON *list = json_get(a->job->doc, "prerequisites");
	const cJSON *item;

	a->named = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*a->named));
	json_for_each (item, list) {
		struct named *p = &a->named[a->n_named++];
		int r = json_need_int(item, "n", 1, INT64_MAX, &p->n, e);

		if (!r)
			r = json_need_str(item, "kind", &p->kind, e);
		if (!r)
			r = json_need_str(item, "value", &p->value, e);
		if (r)
			return ERR_STATE;
		p->held = json_int(item, "held", 0);
	}
	return 0;
}

/* What a series needs to live on: the last of its commits, and with it those below. */
static int keep(const struct applying *a, const struct attempt *t, struct error *e)
{
	const cJSON *patch;
	struct oid commit = t->start;
	char name[64];

	json_for_each (patch, t->patches) {
		const char *hex = json_str(patch, "commit", NULL);

		if (hex && oid_parse(hex, &commit))
			return error_set(e, ERR_STATE, "\"%s\" is no commit id", hex);
	}
	(void)snprintf(name, sizeof(name), "refs/patchbay/series/%lld/tip", (long long)a->own.id);
	return repo_set_ref(t->place->repo, name, &commit, e);
}

static int tell(struct applying *a, struct choice *c, cJSON *result, struct error *e)
{
	struct attempt *t = &c->attempt;
	char hex[OID_HEX];
	int r;

	json_set_str(result, "tree", t->place->name);
	json_set_str(result, "tip", oid_hex(&t->place->tip, hex));
	json_set_str(result, "base", oid_hex(&t->base, hex));
	json_set_str(result, "chosen_by", c->by);
	json_set_str(result, "base_why", c->why);
	json_set(result, "needs", steal_ptr(t->needs));
	json_set(result, "prerequisites", prerequisites_json(a, t->place));
	if (t->status == ATTEMPT_UNUSABLE)
		return hold(result, t->why);
	r = staging_keep(t->place->repo, e);
	if (!r)
		r = keep(a, t, e);
	json_set(result, "patches", steal_ptr(t->patches));
	json_set_str(result, "status", t->status == ATTEMPT_CONFLICT ? "conflict" : "applied");
	if (t->status == ATTEMPT_CONFLICT)
		worker_fail(a->job, "%s", t->why);
	return r;
}

static void applying_done(struct applying *a)
{
	for (size_t i = 0; i < a->n_needs; i++)
		series_set_done(&a->needs[i].set);
	free(a->needs);
	series_set_done(&a->own.set);
	for (size_t i = 0; i < a->n_places; i++) {
		free(a->places[i].sought);
		(void)repo_free(a->places[i].repo);
	}
	free(a->places);
	free(a->named);
	wants_done(&a->wants);
}
#define AUTO_APPLYING CLEANUP(applying_done)

/* What became of the version before, where that one is whole: it changes nothing else. */
static void tell_previous(const struct applying *a, cJSON *result)
{
	const cJSON *wanted = json_get(a->job->doc, "previous");
	const char *mbox = json_str(wanted, "mbox", NULL);
	AUTO_SERIES_SET struct series_set set;
	AUTO_FREE char *data = NULL;
	const struct series *old;
	struct error e = ERROR_INIT;
	cJSON *previous;
	size_t len;

	series_set_init(&set);
	if (!mbox || file_read(mbox, MBOX_MAX_BYTES, &data, &len, &e) ||
		series_set_read(&set, data, len, &e) || series_set_only(&set, &old, &e))
		return;
	previous = json_add_object(result, "previous");
	json_set_int(previous, "id", json_int(wanted, "id", 0));
	changes_add_previous(old, a->own.series, previous);
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	AUTO_APPLYING struct applying a = {.job = job};
	AUTO_CHOICE struct choice choice = {0};
	const char *mbox;
	int r;

	wants_init(&a.wants);
	series_set_init(&a.own.set);
	a.candidates = json_add_array(result, "candidates");
	r = json_need_str(job->doc, "mbox", &mbox, e);
	if (!r)
		r = json_need_int(job->doc, "series", 1, INT64_MAX, &a.own.id, e);
	if (!r)
		r = read_prerequisites(&a, e);
	if (!r)
		r = open_places(&a, e);
	if (r)
		return r;
	r = read_needs(&a, e);
	if (!r)
		r = read_series(&a, mbox, &a.own, e);
	if (!r)
		r = choose_base(&a, &choice, e);
	if (r)
		return is_input_fault(r) ? hold(result, e->msg) : r;
	tell_previous(&a, result);
	return tell(&a, &choice, result, e);
}

const struct worker_ops worker_apply = {"apply", run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a series needs: what was asked for, and what its mails name. docs/internals/apply.md. */
#include "daemon/sched/internal.h"

#define NEEDS_MAX 64 /* series that go on before one, with what those need themselves */

struct settling {
	struct sched *sched;
	const struct facts *facts;
	struct prerequisite_row *named;
	size_t n_named;
	struct need_row *asked; /* rows of the table: also what an earlier run added */
	size_t n_asked;
	struct need_row list[NEEDS_MAX]; /* in the order to apply them */
	size_t n;
	char *hold;
};

static void settling_done(struct settling *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].because);
	need_free_all(t->asked, t->n_asked);
	prerequisite_free_all(t->named, t->n_named);
}
#define AUTO_SETTLING CLEANUP(settling_done)

static bool has(const struct settling *t, int64_t id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].id == id)
			return true;
	return false;
}

/* Behind those that are there. Takes `because` over. */
static void add(struct settling *t, int64_t id, char *because)
{
	AUTO_FREE char *mine = because;

	if (has(t, id) || t->hold)
		return;
	if (id == t->facts->id) {
		t->hold = xasprintf("the series that it needs, %s, needs it in turn: name the "
				    "right ones with --needs",
			mine ? mine : "directly");
		return;
	}
	if (t->n == NEEDS_MAX) {
		t->hold = xasprintf("it needs more than %d other series, with what those need "
				    "themselves",
			NEEDS_MAX);
		return;
	}
	t->list[t->n++] = (struct need_row){id, steal_ptr(mine)};
}

/* It has to wait until that one is there, and would then find it again. */
static int lose(struct settling *t, int64_t need_id, struct error *e)
{
	for (size_t i = 0; i < t->n_named; i++) {
		int err;

		if (t->named[i].need_id != need_id)
			continue;
		err = prerequisite_set(
			t->sched->store, t->facts->id, t->facts->run, t->named[i].n, NULL, 0, e);
		if (err < 0)
			return err;
	}
	return 0;
}

/* One need with all that goes before it. 1: it is ready; 0: not yet, or t->hold. */
static int take(struct settling *t, int64_t id, const char *because, struct error *e)
{
	AUTO_SERIES struct series_row need = {0};
	struct need_row *below = NULL;
	size_t n_below = 0;
	int err = series_get(t->sched->store, id, &need, e);

	if (err < 0)
		return err;
	if (need.finished_ms && (!need.patches || streq(need.state, "held"))) {
		t->hold =
			because ? xasprintf("series %lld, which it needs (%s), is held: %s",
					  (long long)id, because,
					  need.held ? need.held : "no reason was given")
				: xasprintf("series %lld, which it needs, %s: send that one again "
					    "and name the new one as the need",
					  (long long)id,
					  need.patches ? "is held" : "has no patches");
		return lose(t, id, e);
	}
	/* Until it was applied, nobody knows what it needs itself, nor whether it can be. */
	if (streq(need.state, "received") || streq(need.state, "applying"))
		return 0;
	err = need_list(t->sched->store, id, &below, &n_below, e);
	for (size_t i = 0; i < n_below && err >= 0; i++)
		add(t, below[i].id, xasprintf("series %lld needs it", (long long)id));
	need_free_all(below, n_below);
	if (err < 0)
		return err;
	add(t, id, xstrdup_null(because));
	return t->hold ? 0 : 1;
}

static bool is_asked(const struct settling *t)
{
	for (size_t i = 0; i < t->n_asked; i++)
		if (!t->asked[i].because)
			return true;
	return false;
}

/* Of everything named, which series has it. What none has may be in the tree: apply looks. */
static int find_named(struct settling *t, struct error *e)
{
	struct store *store = t->sched->store;

	for (size_t i = 0; i < t->n_named; i++) {
		struct prerequisite_row *p = &t->named[i];
		int64_t held = 0;
		const char *found;
		int err = prerequisite_find(store, t->facts->id, p, &p->need_id, &held, e);

		if (err < 0)
			return err;
		found = p->need_id ? "series" : is_asked(t) ? "needs" : NULL;
		err = prerequisite_set(
			store, t->facts->id, t->facts->run, p->n, found, p->need_id, e);
		if (err < 0)
			return err;
	}
	return 0;
}

/* 1: all are ready; 0: not yet, or t->hold. */
static int take_all(struct settling *t, struct error *e)
{
	for (size_t i = 0; i < t->n_asked; i++) {
		int r = t->asked[i].because ? 1 : take(t, t->asked[i].id, NULL, e);

		if (r <= 0)
			return r;
	}
	for (size_t i = 0; i < t->n_named; i++) {
		AUTO_FREE char *because = NULL;
		int r;

		if (!t->named[i].need_id || has(t, t->named[i].need_id))
			continue;
		because = xasprintf("its mails name %s%s%s",
			streq(t->named[i].kind, "text") ? "" : t->named[i].kind,
			streq(t->named[i].kind, "text") ? "" : " ", t->named[i].value);
		r = take(t, t->named[i].need_id, because, e);
		if (r <= 0)
			return r;
	}
	return 1;
}

int needs_wake(
	struct sched *s, int64_t series_id, int64_t **ret_ids, size_t *ret_n, struct error *e)
{
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;
	int err = prerequisite_waiting(s->store, series_id, &ids, &n, e);

	for (size_t i = 0; i < n && err >= 0; i++) {
		int64_t draw;
		int run;

		err = sched_draw(&draw, e);
		if (err >= 0)
			err = series_add_run(s->store, ids[i], draw, &run, e);
	}
	if (err < 0)
		return err;
	*ret_ids = steal_ptr(ids);
	*ret_n = n;
	return 0;
}

int needs_settle(struct sched *s, const struct facts *f, char **ret_hold, struct error *e)
{
	AUTO_SETTLING struct settling t = {.sched = s, .facts = f};
	int r = prerequisite_list(s->store, f->id, f->run, &t.named, &t.n_named, e);

	if (r < 0 || (r = need_list(s->store, f->id, &t.asked, &t.n_asked, e)) < 0 ||
		(r = find_named(&t, e)) < 0)
		return r;
	r = take_all(&t, e);
	*ret_hold = t.hold;
	if (r <= 0 || t.hold)
		return r < 0 ? r : 0;
	r = need_replace(s->store, f->id, t.list, t.n, e);
	return r < 0 ? r : 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The base: what was asked for, else the base-commit that the mails name, else the tree whose
 * files are, or once were, the versions that the index lines name, else the first tree onto which
 * the series goes. docs/internals/apply.md.
 */
#include "daemon/worker/apply.h"

void choice_done(struct choice *c)
{
	attempt_done(&c->attempt);
	free(c->why);
	c->why = NULL;
}

/* A line of the job's log. A disk that is full ends the job later, where it matters. */
static void note(struct applying *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void note(struct applying *a, const char *fmt, ...)
{
	char line[2048];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	n = MIN_OF(n, (int)sizeof(line) - 2);
	line[n++] = '\n';
	(void)worker_log(a->job, line, (size_t)n, NULL);
}

/* A base that is not the one, and why. commit: NULL where it is no commit of the tree. */
static void pass_over(struct applying *a, const struct place *place, const struct oid *commit,
	const char *fmt, ...) PRINTF_LIKE(4, 5);
static void pass_over(struct applying *a, const struct place *place, const struct oid *commit,
	const char *fmt, ...)
{
	cJSON *item = cJSON_CreateObject();
	char hex[OID_HEX] = "";
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (commit)
		(void)oid_hex(commit, hex);
	json_set_str(item, "tree", place->name);
	json_set_str(item, "commit", commit ? hex : NULL);
	json_set_str(item, "why", why);
	cJSON_AddItemToArray(a->candidates, item);
	note(a, "%s %.12s passed over: %s", place->name, hex, why);
}

/* The attempt is taken over. */
static int settle(struct applying *a, struct choice *c, struct attempt *t, const char *by,
	const char *fmt, ...) PRINTF_LIKE(5, 6);
static int settle(struct applying *a, struct choice *c, struct attempt *t, const char *by,
	const char *fmt, ...)
{
	char hex[OID_HEX];
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	c->attempt = *t;
	*t = (struct attempt){0};
	c->by = by;
	c->why = xstrdup(why);
	note(a, "%s %.12s chosen by %s: %s", c->attempt.place->name, oid_hex(&c->attempt.base, hex),
		by, why);
	return 1;
}

/* Whether a base has what the mails name: 1; else 0, and it is passed over. */
static int is_complete(
	struct applying *a, struct place *place, const struct oid *base, struct error *e)
{
	size_t lacks;
	int r = prerequisites_check(a, place, base, &lacks, e);

	if (r)
		return r;
	if (lacks == a->n_named)
		return 1;
	pass_over(a, place, base, "its history does not have the prerequisite %s %s",
		a->named[lacks].kind, a->named[lacks].value);
	return 0;
}

static int hold_for_prerequisites(struct applying *a, struct error *e)
{
	AUTO_FREE char *why = prerequisites_why(a);

	return error_set(e, ERR_CONFLICT, "%s", why);
}

/* The steps return 1 where they chose, 0 where they leave it to the next. */

static int by_option(struct applying *a, struct choice *c, struct error *e)
{
	const char *asked = json_str(a->job->doc, "base", NULL);
	AUTO_ATTEMPT struct attempt t = {0};

	if (!asked)
		return 0;
	for (size_t i = 0; i < a->n_places; i++) {
		struct error missing = ERROR_INIT;
		struct oid base;
		int r = repo_commit(a->places[i].repo, asked, &base, &missing);

		if (r) {
			pass_over(a, &a->places[i], NULL, "%s", missing.msg);
			if (i + 1 < a->n_places)
				continue;
			return error_set(e, ERR_CONFLICT, "%s", missing.msg);
		}
		r = is_complete(a, &a->places[i], &base, e);
		if (r <= 0)
			return r < 0 ? r : hold_for_prerequisites(a, e);
		r = attempt_run(a, &a->places[i], &base, &t, e);
		return r ? r : settle(a, c, &t, "option", "\"%s\" was asked for", asked);
	}
	return 0;
}

static int by_base_commit(struct applying *a, struct choice *c, struct error *e)
{
	const char *named = a->own.series->base_commit;
	AUTO_ATTEMPT struct attempt t = {0};

	for (size_t i = 0; named && i < a->n_places; i++) {
		struct error missing = ERROR_INIT;
		struct oid base;
		int r = repo_commit(a->places[i].repo, named, &base, &missing);

		if (r) {
			pass_over(a, &a->places[i], NULL,
				"it does not have the base-commit %.12s that the series names",
				named);
			continue;
		}
		r = is_complete(a, &a->places[i], &base, e);
		if (!r)
			continue;
		if (r > 0)
			r = attempt_run(a, &a->places[i], &base, &t, e);
		return r ? r
			 : settle(a, c, &t, "base-commit",
				   "the series names it as its base-commit");
	}
	return 0;
}

/* The states of one tree, newest first, down to the one that has all the files. */
struct search {
	struct state list[BASE_MAX_TRIES];
	size_t n;
	struct state tip;
	struct state found; /* where is_found */
	bool is_found;
	size_t walked;
};

static int search(
	struct applying *a, const struct place *place, struct search *ret, struct error *e)
{
	AUTO_STATES struct states *states = NULL;
	struct state st = {0};
	int r = states_new(place->repo, &place->tip, &a->wants, &states, e);

	*ret = (struct search){0};
	if (r)
		return r;
	while ((r = states_next(states, &st, e)) > 0) {
		if (states_walked(states) == 1)
			ret->tip = st;
		ret->is_found = a->wants.named && st.matched == a->wants.n;
		if (ret->is_found) {
			ret->found = st;
			break;
		}
		if (ret->n < BASE_MAX_TRIES)
			ret->list[ret->n++] = st;
	}
	ret->walked = states_walked(states);
	return r < 0 ? r : 0;
}

/* The first of these states onto which the series goes: 1, else 0. */
static int first_fit(struct applying *a, struct place *place, const struct state *list, size_t n,
	struct attempt *ret, struct error *e)
{
	for (size_t i = 0; i < n; i++) {
		AUTO_ATTEMPT struct attempt t = {0};
		int r = is_complete(a, place, &list[i].commit, e);

		if (r > 0)
			r = attempt_run(a, place, &list[i].commit, &t, e);
		else if (!r)
			return 0; /* nor do the older ones */
		if (r)
			return r;
		if (t.status == ATTEMPT_APPLIED) {
			*ret = t;
			t = (struct attempt){0};
			return 1;
		}
		pass_over(a, place, &list[i].commit, "%s", t.why);
	}
	return 0;
}

static void pass_over_tree(struct applying *a, const struct place *place, const struct search *s)
{
	if (a->wants.named)
		pass_over(a, place, &place->tip,
			"%zu of the %zu files are not at the versions that the patches were made "
			"for (\"%s\"), and none of the %zu commits looked at has them all",
			a->wants.n - s->tip.matched, a->wants.n, s->tip.missed, s->walked);
}

/* The tree that has the files; of its states, the newest that the series goes onto. */
static int by_blobs(struct applying *a, struct search *searches, struct choice *c, struct error *e)
{
	for (size_t i = 0; i < a->n_places; i++) {
		struct place *place = &a->places[i];
		struct search *s = &searches[i];
		AUTO_ATTEMPT struct attempt t = {0};
		bool at_tip;
		int r = search(a, place, s, e);

		if (r)
			return r;
		if (!s->is_found) {
			pass_over_tree(a, place, s);
			continue;
		}
		r = first_fit(a, place, s->list, s->n, &t, e);
		if (r < 0)
			return r;
		at_tip = oid_equal(r ? &t.base : &s->found.commit, &place->tip);
		if (r)
			return settle(a, c, &t, "blobs",
				"it is the newest state of %s that the series goes onto; the "
				"versions that it was made for are in the tree's history",
				place->name);
		r = is_complete(a, place, &s->found.commit, e);
		if (!r)
			continue;
		if (r > 0)
			r = attempt_run(a, place, &s->found.commit, &t, e);
		return r ? r
			 : settle(a, c, &t, "blobs",
				   "%s of %s has all %zu files as they were when the patches were "
				   "made",
				   at_tip ? "the tip" : "this state", place->name, a->wants.n);
	}
	return 0;
}

/* It is chosen after all, for want of a better one. */
static void take_back(struct applying *a, const struct attempt *t)
{
	char hex[OID_HEX];
	cJSON *item;

	(void)oid_hex(&t->base, hex);
	json_for_each (item, a->candidates) {
		if (!streq(json_str(item, "commit", NULL), hex) ||
			!streq(json_str(item, "tree", NULL), t->place->name))
			continue;
		cJSON_Delete(cJSON_DetachItemViaPointer(a->candidates, item));
		return;
	}
}

/* The index lines name no state: the first tree that the series goes onto. */
static int by_fit(
	struct applying *a, const struct search *searches, struct choice *c, struct error *e)
{
	const char *told = a->wants.named
				   ? "no commit has the versions that its patches were made for"
				   : "its patches do not say which versions they were made for";
	AUTO_ATTEMPT struct attempt t = {0};
	size_t lacks;
	size_t best = a->n_places;
	int r;

	for (size_t i = 0; i < a->n_places; i++) {
		const struct search *s = &searches[i];

		r = first_fit(a, &a->places[i], s->list, s->n, &t, e);
		if (r < 0)
			return r;
		if (r)
			return settle(a, c, &t, "tip",
				"it is the newest state of %s that the series goes onto; %s",
				a->places[i].name, told);
		r = prerequisites_check(a, &a->places[i], &a->places[i].tip, &lacks, e);
		if (r)
			return r;
		if (lacks == a->n_named &&
			(best == a->n_places || s->tip.matched > searches[best].tip.matched))
			best = i;
	}
	if (best == a->n_places)
		return hold_for_prerequisites(a, e);
	r = attempt_run(a, &a->places[best], &a->places[best].tip, &t, e);
	if (r)
		return r;
	take_back(a, &t);
	return settle(a, c, &t, "tip", "the series goes onto no state of a tree; %s", told);
}

int choose_base(struct applying *a, struct choice *ret_choice, struct error *e)
{
	AUTO_FREE struct search *searches = xcalloc(a->n_places, sizeof(*searches));
	int r;

	*ret_choice = (struct choice){0};
	r = by_option(a, ret_choice, e);
	if (!r)
		r = by_base_commit(a, ret_choice, e);
	if (!r)
		r = by_blobs(a, searches, ret_choice, e);
	if (!r)
		r = by_fit(a, searches, ret_choice, e);
	return r < 0 ? r : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons into `performance`: two clocks are two witnesses (docs/internals/verdict.md). */
#include "daemon/verdict/internal.h"

static bool is_change(const struct comparison *c)
{
	return streq(c->verdict, "improvement") || streq(c->verdict, "regression");
}

/* The counted comparison of what this one measures by the wall clock, or NULL. */
static struct comparison *counted_twin(struct verdict *v, const struct comparison *wall)
{
	AUTO_FREE char *name = verdict_counted_name(wall->metric);

	for (size_t i = 0; name && i < v->n_comparisons; i++) {
		struct comparison *c = &v->comparisons[i];

		if (c->clock == CLOCK_COUNTED && c->primary && streq(c->metric, name) &&
			streq(c->machine, wall->machine))
			return c;
	}
	return NULL;
}

/* The wall clock decides; the counted one where it cannot, and beside it where both see a change. */
static void choose(struct comparison *wall, struct comparison *counted)
{
	bool unclear = streq(wall->verdict, "inconclusive");

	wall->twin = counted;
	counted->twin = wall;
	counted->decides = unclear || (is_change(wall) && is_change(counted));
	wall->decides = !unclear || streq(counted->verdict, "inconclusive");
}

static void choose_all(struct verdict *v)
{
	for (size_t i = 0; i < v->n_comparisons; i++)
		v->comparisons[i].decides = v->comparisons[i].primary;
	for (size_t i = 0; i < v->n_comparisons; i++) {
		struct comparison *c = &v->comparisons[i];
		struct comparison *counted =
			c->primary && c->clock == CLOCK_WALL ? counted_twin(v, c) : NULL;

		if (counted)
			choose(c, counted);
	}
}

void verdict_performance(const struct facts *f, struct verdict *v)
{
	bool better = false, worse = false, unclear = false, any = false;

	choose_all(v);
	for (size_t i = 0; i < v->n_comparisons; i++) {
		const struct comparison *c = &v->comparisons[i];

		if (!c->decides)
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

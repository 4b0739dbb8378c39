/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pair of boots comes next: docs/internals/plan.md. */
#include "daemon/plan/internal.h"
#include "stats/stats.h"

#define MAX_EXTRA_PAIRS 8

struct pairs_done {
	int pairs; /* ordinary ones; their highest number */
	int extra;
};

static struct pairs_done count_pairs(const struct facts *f)
{
	struct pairs_done d = {0, 0};

	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (b->role == BOOT_PAIR)
			d.pairs = MAX_OF(d.pairs, b->pair);
		else
			d.extra = MAX_OF(d.extra, b->pair);
	}
	return d;
}

/* How many ordinary pairs the profile wants now. Without a benchmark one pair shows whether the
 * kernel boots; what it complains of is confirmed by extra ones. */
static int pairs_wanted(const struct facts *f, const struct verdict *v)
{
	const cJSON *wall = json_get(json_get(f->profile, "clocks"), "wall");
	int pairs = (int)json_int(wall, "pairs", 1);
	int most = (int)json_int(wall, "max_pairs", pairs);

	if (cJSON_GetArraySize(json_get(f->profile, "benchmarks")) == 0)
		return 1;
	if (v->wants_pairs && pairs < STATS_SETTLED_PAIRS)
		pairs = STATS_SETTLED_PAIRS;
	return MIN_OF(pairs, MAX_OF(most, 1));
}

/* The seed of the first patched boot that shows something unconfirmed, so that what depends on the
 * layout can be seen again. 0: there is none that so many more pairs could confirm. */
static int unconfirmed_seed(const struct facts *f, const struct verdict *v, size_t more_pairs)
{
	for (size_t i = 0; i < f->n_boots; i++) {
		for (size_t k = 0; k < v->boots[i].n; k++) {
			const struct judged_finding *j = &v->boots[i].items[k];

			if (!j->confirmed && verdict_is_confirmed(f, j->patched_boots, more_pairs,
						     VERDICT_FINDING_LEVEL))
				return f->boots[i].seed;
		}
	}
	return 0;
}

static int failed_seed(const struct facts *f)
{
	for (size_t i = 0; i < f->n_boots; i++)
		if (f->boots[i].side == SIDE_PATCHED && f->boots[i].status == STATUS_FAIL)
			return f->boots[i].seed;
	return 0;
}

/*
 * The order within a pair. Pairs 2k-1 and 2k have opposite orders and a coin is tossed for each
 * two: it is as random as a coin for each pair, and whatever makes the second boot of a pair
 * slower falls on both sides alike.
 */
static bool patched_first(uint64_t draw, int pair)
{
	unsigned block = (unsigned)(pair - 1) / 2;
	uint64_t coin = draw;

	/* splitmix64 (Steele, Lea, Flood 2014), so that every block has a coin of its own. */
	coin += (block + 1) * UINT64_C(0x9e3779b97f4a7c15);
	coin = (coin ^ (coin >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	coin = (coin ^ (coin >> 27)) * UINT64_C(0x94d049bb133111eb);
	coin ^= coin >> 31;
	return (coin & 1) ^ ((unsigned)(pair - 1) & 1);
}

static void set_boots(const struct facts *f, uint64_t draw, enum boot_role role, int pair, int seed,
	struct plan *p)
{
	unsigned patched = patched_first(draw, pair) ? 0 : 1;

	p->kind = PLAN_BOOT;
	p->reason[0] = '\0';
	p->n_boots = 2;
	p->boots[patched] =
		(struct plan_boot){(int)f->n_patches, SIDE_PATCHED, role, CLOCK_WALL, pair, seed};
	p->boots[!patched] = (struct plan_boot){0, SIDE_BASE, role, CLOCK_WALL, pair, seed};
}

/* More pairs can still tell whose fault the failed boots are. */
static bool is_open_failure(const struct facts *f, size_t failed, size_t more_pairs)
{
	return !verdict_is_confirmed(f, failed, 0, VERDICT_FAILURE_LEVEL) &&
	       verdict_is_confirmed(f, failed, more_pairs, VERDICT_FAILURE_LEVEL);
}

static bool has_broken_patch(const struct facts *f)
{
	for (size_t i = 0; i < f->n_builds; i++)
		if (f->builds[i].patch > 0 && f->builds[i].status == STATUS_FAIL)
			return true;
	return false;
}

/* A base that does not boot proves nothing about the patches, and takes back nothing that is proved. */
static void hold_base(const struct facts *f, struct plan *p)
{
	if (has_broken_patch(f))
		return;
	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (b->side != SIDE_BASE || b->status != STATUS_FAIL)
			continue;
		p->kind = PLAN_HOLD;
		(void)snprintf(p->reason, sizeof(p->reason), "the base does not boot: %s",
			b->reason ? b->reason : "its console says why");
		return;
	}
}

void plan_boots(const struct facts *f, uint64_t draw, struct plan *p)
{
	struct boot_counts base = verdict_boot_counts(f, SIDE_BASE);
	struct boot_counts patched = verdict_boot_counts(f, SIDE_PATCHED);
	struct pairs_done done = count_pairs(f);
	struct verdict *v = verdict_new(f);
	size_t more = (size_t)MAX_OF(MAX_EXTRA_PAIRS - done.extra, 0);
	int unconfirmed = unconfirmed_seed(f, v, more);

	if (base.failed) {
		hold_base(f, p);
	} else if (patched.failed) {
		/* No more can be measured: only make sure whose fault it is. */
		if (is_open_failure(f, patched.failed, more))
			set_boots(f, draw, BOOT_EXTRA, done.extra + 1, failed_seed(f), p);
	} else if (done.pairs < pairs_wanted(f, v)) {
		set_boots(f, draw, BOOT_PAIR, done.pairs + 1, done.pairs + 1, p);
	} else if (unconfirmed) {
		set_boots(f, draw, BOOT_EXTRA, done.extra + 1, unconfirmed, p);
	}
	verdict_free(v);
}

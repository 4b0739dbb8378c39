/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pair of boots comes next: docs/internals/plan.md. */
#include "daemon/plan/internal.h"
#include "stats/stats.h"

#define MAX_EXTRA_PAIRS 8

/* Where one stream stands. */
struct progress {
	struct boot_stream stream;
	int pairs; /* ordinary ones done; their highest number */
	int wanted; /* of them, as far as is known now */
	int extra; /* likewise */
	bool wants_canary;
};

struct boots {
	const struct facts *f;
	const struct verdict *v;
	uint64_t draw;
	struct progress streams[PLAN_MAX_STREAMS];
	size_t n;
};

static int pairs_wanted(
	const struct facts *f, const struct verdict *v, const struct boot_stream *stream)
{
	int pairs = plan_pairs(f->profile, stream);
	const cJSON *clock = json_get(json_get(f->profile, "clocks"), clock_name(stream->clock));
	int most = (int)json_int(clock, "max_pairs", pairs);

	if (verdict_wants_pairs(v, stream) && pairs < STATS_SETTLED_PAIRS)
		pairs = STATS_SETTLED_PAIRS;
	return MIN_OF(pairs, MAX_OF(most, 1));
}

static void measure_progress(const struct facts *f, const struct verdict *v, struct progress *p)
{
	bool canary = false;

	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (!stream_has(&p->stream, b))
			continue;
		if (b->role == BOOT_PAIR)
			p->pairs = MAX_OF(p->pairs, b->pair);
		else if (b->role == BOOT_EXTRA)
			p->extra = MAX_OF(p->extra, b->pair);
		else
			canary = true;
	}
	p->wanted = pairs_wanted(f, v, &p->stream);
	p->wants_canary = plan_has_canary(f->profile, &p->stream) && p->pairs && !canary;
}

static size_t more_extra(const struct progress *p)
{
	return (size_t)MAX_OF(MAX_EXTRA_PAIRS - p->extra, 0);
}

/* The seed of the first patched boot of the stream that shows something unconfirmed, so that what
 * depends on the layout can be seen again. 0: there is none that so many more pairs could confirm. */
static int unconfirmed_seed(const struct boots *b, const struct progress *p)
{
	const struct facts *f = b->f;

	for (size_t i = 0; i < f->n_boots; i++) {
		if (!stream_has(&p->stream, &f->boots[i]))
			continue;
		for (size_t k = 0; k < b->v->boots[i].n; k++) {
			const struct judged_finding *j = &b->v->boots[i].items[k];

			if (!j->confirmed && verdict_is_confirmed(f, &p->stream, j->stream_boots,
						     more_extra(p), VERDICT_FINDING_LEVEL))
				return f->boots[i].seed;
		}
	}
	return 0;
}

/* 0: none of the stream failed, or more pairs cannot tell any more whose fault it is. */
static int failed_seed(const struct facts *f, const struct progress *p)
{
	size_t failed = verdict_boot_counts(f, &p->stream, SIDE_PATCHED).failed;

	if (!failed ||
		!verdict_is_confirmed(f, &p->stream, failed, more_extra(p), VERDICT_FAILURE_LEVEL))
		return 0;
	for (size_t i = 0; i < f->n_boots; i++)
		if (f->boots[i].side == SIDE_PATCHED && f->boots[i].status == STATUS_FAIL &&
			stream_has(&p->stream, &f->boots[i]))
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

static void set_pair(const struct boots *b, const struct boot_stream *stream, enum boot_role role,
	int pair, int seed, struct plan *p)
{
	unsigned patched = patched_first(b->draw, pair) ? 0 : 1;

	p->kind = PLAN_BOOT;
	p->reason[0] = '\0';
	p->n_boots = 2;
	p->boots[patched] =
		(struct plan_boot){(int)b->f->n_patches, SIDE_PATCHED, role, *stream, pair, seed};
	p->boots[!patched] = (struct plan_boot){0, SIDE_BASE, role, *stream, pair, seed};
}

/* A counted boot does again what its seed did before, so that only another layout tells more. */
static void set_extra(const struct boots *b, const struct progress *s, int seed, struct plan *p)
{
	int pair = s->extra + 1;

	if (s->stream.clock == CLOCK_COUNTED)
		seed = plan_pairs(b->f->profile, &s->stream) + pair;
	set_pair(b, &s->stream, BOOT_EXTRA, pair, seed, p);
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

static void set_canary(const struct progress *s, struct plan *p)
{
	p->kind = PLAN_BOOT;
	p->reason[0] = '\0';
	p->n_boots = 1;
	p->boots[0] = (struct plan_boot){0, SIDE_BASE, BOOT_CANARY, s->stream, 1, 1};
}

/* No more can be measured: only make sure whose fault it is. */
static void confirm_failure(const struct boots *b, struct plan *p)
{
	if (verdict_failure_is_confirmed(b->f))
		return;
	for (size_t i = 0; i < b->n; i++) {
		int seed = failed_seed(b->f, &b->streams[i]);

		if (!seed)
			continue;
		set_extra(b, &b->streams[i], seed, p);
		return;
	}
}

/* The stream that is furthest behind, so that what does not work at all is seen early. False: all
 * have what they want. */
static bool measure(const struct boots *b, struct plan *p)
{
	const struct progress *next = NULL;

	for (size_t i = 0; i < b->n; i++) {
		const struct progress *s = &b->streams[i];

		if (s->wants_canary) {
			set_canary(s, p);
			return true;
		}
		if (s->pairs < s->wanted && (!next || s->pairs < next->pairs))
			next = s;
	}
	if (next)
		set_pair(b, &next->stream, BOOT_PAIR, next->pairs + 1, next->pairs + 1, p);
	return next;
}

static void confirm_findings(const struct boots *b, struct plan *p)
{
	for (size_t i = 0; i < b->n; i++) {
		int seed = unconfirmed_seed(b, &b->streams[i]);

		if (!seed)
			continue;
		set_extra(b, &b->streams[i], seed, p);
		return;
	}
}

void plan_boots(const struct facts *f, uint64_t draw, struct plan *p)
{
	AUTO_VERDICT struct verdict *v = verdict_new(f);
	struct boots b = {.f = f, .v = v, .draw = draw};
	struct boot_stream streams[PLAN_MAX_STREAMS];

	b.n = plan_streams(f->profile, streams, ARRAY_SIZE(streams));
	for (size_t i = 0; i < b.n; i++) {
		b.streams[i].stream = streams[i];
		measure_progress(f, v, &b.streams[i]);
	}
	if (verdict_boot_counts(f, NULL, SIDE_BASE).failed)
		hold_base(f, p);
	else if (verdict_boot_counts(f, NULL, SIDE_PATCHED).failed)
		confirm_failure(&b, p);
	else if (!v->unrepeated && !measure(&b, p))
		confirm_findings(&b, p);
}

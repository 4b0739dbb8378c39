/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which findings are new. Compiler findings are compared as multisets of signatures: a line that
 * moved is not new, a second one like the first is. Kernel findings are new when enough boots of
 * the patched side show them and enough of the base do not.
 */
#include "daemon/verdict/internal.h"
#include "stats/stats.h"

struct slot {
	const struct fact_finding *finding;
	size_t position; /* in its build or boot */
};

struct by_signature {
	struct slot *slots; /* by signature, then position */
	size_t n;
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	int order = strcmp(x->finding->signature, y->finding->signature);

	if (order)
		return order;
	return x->position < y->position ? -1 : x->position > y->position;
}

static struct by_signature sort_findings(const struct fact_finding *findings, size_t n)
{
	struct by_signature s = {xcalloc(n + 1, sizeof(*s.slots)), n};

	for (size_t i = 0; i < n; i++)
		s.slots[i] = (struct slot){&findings[i], i};
	if (n)
		qsort(s.slots, n, sizeof(*s.slots), compare_slots);
	return s;
}

/* The first slot whose signature is not before (or, with past, is behind) this one. */
static size_t bound(const struct by_signature *s, const char *signature, bool past)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(s->slots[middle].finding->signature, signature);

		if (order < 0 || (past && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t count(const struct by_signature *s, const char *signature)
{
	return bound(s, signature, true) - bound(s, signature, false);
}

/*
 * The first patch of the unbroken row of builds, back from this one, that hold the nth finding
 * (from 0) of a signature. A build that failed, or found more than is kept, says nothing about what it
 * left out. The builds
 * before are judged already.
 */
static int row_begin(const struct facts *f, const struct by_signature *sorted,
	const struct judged_findings *judged, size_t at, const char *signature, size_t nth)
{
	for (size_t i = at; i-- > 0;) {
		size_t first = bound(&sorted[i], signature, false);

		if (count(&sorted[i], signature) > nth)
			return judged[i].items[sorted[i].slots[first + nth].position].since_patch;
		if (f->builds[i].status == STATUS_PASS && !f->builds[i].findings_dropped)
			break;
	}
	return f->builds[at].patch;
}

static void judge_build(const struct facts *f, const struct by_signature *sorted,
	struct judged_findings *judged, size_t at)
{
	const struct by_signature *own = &sorted[at];
	struct judged_findings *ret = &judged[at];
	bool is_cut = f->builds[0].findings_dropped || f->builds[at].findings_dropped;
	bool base_known = f->builds[0].patch == 0 && f->builds[0].status == STATUS_PASS;

	ret->n = own->n;
	ret->items = xcalloc(own->n + 1, sizeof(*ret->items));
	for (size_t i = 0; i < own->n; i++) {
		const char *signature = own->slots[i].finding->signature;
		size_t nth = i - bound(own, signature, false);
		struct judged_finding *j = &ret->items[own->slots[i].position];

		j->finding = own->slots[i].finding;
		j->confirmed = true;
		if (f->builds[at].patch == 0) {
			j->since_patch = 0;
		} else if (!base_known || (is_cut && !j->finding->fatal)) {
			j->since_patch = -1;
		} else if (nth >= count(&sorted[0], signature)) {
			j->is_new = true;
			j->since_patch = row_begin(f, sorted, judged, at, signature, nth);
		}
	}
}

void verdict_judge_builds(const struct facts *f, struct verdict *v)
{
	struct by_signature *sorted = xcalloc(f->n_builds + 1, sizeof(*sorted));

	v->builds = xcalloc(f->n_builds + 1, sizeof(*v->builds));
	for (size_t i = 0; i < f->n_builds; i++)
		sorted[i] = sort_findings(f->builds[i].findings, f->builds[i].n_findings);
	for (size_t i = 0; i < f->n_builds; i++)
		judge_build(f, sorted, v->builds, i);
	for (size_t i = 0; i < f->n_builds; i++)
		free(sorted[i].slots);
	free(sorted);
}

static bool has_ended(const struct fact_boot *b)
{
	return b->status == STATUS_PASS || b->status == STATUS_FAIL;
}

struct boot_counts verdict_boot_counts(
	const struct facts *f, const struct boot_stream *stream, enum side side)
{
	struct boot_counts c = {0, 0};

	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (b->side != side || !has_ended(b) || !stream_has(stream, b))
			continue;
		c.ended += b->role != BOOT_CANARY ? 1 : 0;
		c.failed += b->status == STATUS_FAIL ? 1 : 0;
	}
	return c;
}

bool verdict_is_confirmed(const struct facts *f, const struct boot_stream *stream, size_t patched,
	size_t more_pairs, double level)
{
	size_t base_ended = verdict_boot_counts(f, stream, SIDE_BASE).ended;
	size_t patched_ended = verdict_boot_counts(f, stream, SIDE_PATCHED).ended;

	return stats_fisher(patched + more_pairs, patched_ended + more_pairs, 0,
		       base_ended + more_pairs) <= level;
}

bool verdict_failure_is_confirmed(const struct facts *f)
{
	size_t failed = verdict_boot_counts(f, NULL, SIDE_PATCHED).failed;

	if (failed && verdict_is_confirmed(f, NULL, failed, 0, VERDICT_FAILURE_LEVEL))
		return true;
	for (size_t i = 0; i < f->n_boots; i++) {
		struct boot_stream stream = stream_of(&f->boots[i]);

		failed = verdict_boot_counts(f, &stream, SIDE_PATCHED).failed;
		if (failed && verdict_is_confirmed(f, &stream, failed, 0, VERDICT_FAILURE_LEVEL))
			return true;
	}
	return false;
}

/* One finding of one boot. */
struct shown {
	size_t boot, position;
	const char *signature;
};

static int compare_shown(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;
	int order = strcmp(x->signature, y->signature);

	if (order)
		return order;
	if (x->boot != y->boot)
		return x->boot < y->boot ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static bool base_is_cut(const struct facts *f)
{
	for (size_t i = 0; i < f->n_boots; i++)
		if (f->boots[i].side == SIDE_BASE && f->boots[i].findings_dropped)
			return true;
	return false;
}

static bool is_again(const struct shown *shown, size_t i)
{
	return i && shown[i - 1].boot == shown[i].boot;
}

/* How many patched boots of a stream show it. */
static size_t shown_in(const struct facts *f, const struct boot_stream *stream,
	const struct shown *shown, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct fact_boot *b = &f->boots[shown[i].boot];

		if (b->side == SIDE_PATCHED && has_ended(b) && !is_again(shown, i) &&
			stream_has(stream, b))
			count++;
	}
	return count;
}

/* What only one stream can show is not watered down by the boots of the others. */
static bool is_enough(
	const struct facts *f, const struct shown *shown, size_t n, size_t patched, double level)
{
	if (verdict_is_confirmed(f, NULL, patched, 0, level))
		return true;
	for (size_t i = 0; i < n; i++) {
		struct boot_stream stream = stream_of(&f->boots[shown[i].boot]);

		if (verdict_is_confirmed(f, &stream, shown_in(f, &stream, shown, n), 0, level))
			return true;
	}
	return false;
}

/* All that boots show of one signature, in the order of boots. */
static void judge_signature(
	const struct facts *f, struct verdict *v, const struct shown *shown, size_t n)
{
	size_t base = 0, patched = 0, failed = 0;
	bool base_shows = false; /* or may, where its list is cut */
	bool cut = base_is_cut(f);
	double level;
	bool enough;

	for (size_t i = 0; i < n; i++) {
		const struct fact_boot *b = &f->boots[shown[i].boot];

		/* Also one that the lab broke off: it clears the patch, where it could not blame. */
		base_shows = base_shows || b->side == SIDE_BASE ||
			     (cut && !b->findings[shown[i].position].fatal);
		if (!has_ended(b) || is_again(shown, i))
			continue;
		base += b->side == SIDE_BASE ? 1 : 0;
		patched += b->side == SIDE_BASE ? 0 : 1;
		failed += b->side == SIDE_PATCHED && b->status == STATUS_FAIL ? 1 : 0;
	}
	/* What only failed boots show is part of the failure. */
	level = failed == patched ? VERDICT_FAILURE_LEVEL : VERDICT_FINDING_LEVEL;
	enough = is_enough(f, shown, n, patched, level);
	for (size_t i = 0; i < n; i++) {
		const struct fact_boot *b = &f->boots[shown[i].boot];
		struct judged_finding *j = &v->boots[shown[i].boot].items[shown[i].position];
		struct boot_stream stream = stream_of(b);
		bool only_patched = b->side == SIDE_PATCHED && !base_shows;

		*j = (struct judged_finding){.finding = &b->findings[shown[i].position],
			.is_new = only_patched && enough,
			.confirmed = !only_patched || enough,
			.base_boots = base,
			.patched_boots = patched,
			.stream_boots = shown_in(f, &stream, shown, n),
			.is_first = i == 0};
		/* Only the tip was booted. */
		if (only_patched)
			j->since_patch = f->n_patches == 1 ? 1 : -1;
	}
}

void verdict_judge_boots(const struct facts *f, struct verdict *v)
{
	AUTO_FREE struct shown *shown = NULL;
	size_t all = 0, n = 0;

	v->boots = xcalloc(f->n_boots + 1, sizeof(*v->boots));
	for (size_t i = 0; i < f->n_boots; i++) {
		v->boots[i].n = f->boots[i].n_findings;
		v->boots[i].items = xcalloc(v->boots[i].n + 1, sizeof(*v->boots[i].items));
		all += v->boots[i].n;
	}
	shown = xcalloc(all + 1, sizeof(*shown));
	for (size_t i = 0; i < f->n_boots; i++)
		for (size_t k = 0; k < f->boots[i].n_findings; k++)
			shown[n++] = (struct shown){i, k, f->boots[i].findings[k].signature};
	if (n)
		qsort(shown, n, sizeof(*shown), compare_shown);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n; to++)
			if (strcmp(shown[to].signature, shown[from].signature) != 0)
				break;
		judge_signature(f, v, &shown[from], to - from);
	}
}

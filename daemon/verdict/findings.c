/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which findings are new. Compiler findings are compared as multisets of signatures: a line that
 * moved is not new, a second one like the first is. Kernel findings are new when enough boots of
 * the patched side show them and enough of the base do not.
 */
#include "daemon/verdict/internal.h"

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
 * The first patch from which on the nth finding (from 0) of this signature is there, going back
 * from builds[at]; 0: the base has it. A build that failed says nothing about what it left out.
 */
static int first_patch_with(const struct facts *f, const struct by_signature *sorted, size_t at,
	const char *signature, size_t nth)
{
	int since = f->builds[at].patch;

	for (size_t i = at; i-- > 0;) {
		if (count(&sorted[i], signature) > nth)
			since = f->builds[i].patch;
		else if (f->builds[i].status == STATUS_PASS)
			break;
	}
	return since;
}

static void judge_build(const struct facts *f, const struct by_signature *sorted, size_t at,
	struct judged_findings *ret)
{
	const struct by_signature *own = &sorted[at];
	bool base_known = f->builds[0].patch == 0 && f->builds[0].status == STATUS_PASS;

	ret->n = own->n;
	ret->items = xcalloc(own->n + 1, sizeof(*ret->items));
	for (size_t i = 0; i < own->n; i++) {
		const char *signature = own->slots[i].finding->signature;
		size_t nth = i - bound(own, signature, false);
		struct judged_finding *j = &ret->items[own->slots[i].position];

		*j = (struct judged_finding){own->slots[i].finding, false, true, -1};
		if (f->builds[at].patch == 0) {
			j->since_patch = 0;
			continue;
		}
		if (!base_known)
			continue;
		j->is_new = nth >= count(&sorted[0], signature);
		j->since_patch = j->is_new ? first_patch_with(f, sorted, at, signature, nth) : 0;
	}
}

void verdict_judge_builds(const struct facts *f, struct verdict *v)
{
	struct by_signature *sorted = xcalloc(f->n_builds + 1, sizeof(*sorted));

	v->builds = xcalloc(f->n_builds + 1, sizeof(*v->builds));
	for (size_t i = 0; i < f->n_builds; i++)
		sorted[i] = sort_findings(f->builds[i].findings, f->builds[i].n_findings);
	for (size_t i = 0; i < f->n_builds; i++)
		judge_build(f, sorted, i, &v->builds[i]);
	for (size_t i = 0; i < f->n_builds; i++)
		free(sorted[i].slots);
	free(sorted);
}

bool verdict_boot_ended(const struct fact_boot *b)
{
	return b->status == STATUS_PASS || b->status == STATUS_FAIL;
}

size_t verdict_boots_with(const struct facts *f, enum side side, const char *signature)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];
		bool shown = false;

		if (b->side != side || !verdict_boot_ended(b))
			continue;
		for (size_t k = 0; k < b->n_findings && !shown; k++)
			shown = strcmp(b->findings[k].signature, signature) == 0;
		n += shown ? 1 : 0;
	}
	return n;
}

struct boot_counts verdict_boot_counts(const struct facts *f, enum side side)
{
	struct boot_counts c = {0, 0};

	for (size_t i = 0; i < f->n_boots; i++) {
		if (f->boots[i].side != side || !verdict_boot_ended(&f->boots[i]))
			continue;
		c.ended++;
		c.failed += f->boots[i].status == STATUS_FAIL ? 1 : 0;
	}
	return c;
}

static struct judged_finding judge_kernel(
	const struct facts *f, enum side side, const struct fact_finding *finding)
{
	struct judged_finding j = {finding, false, true, 0};
	size_t base_ended = verdict_boot_counts(f, SIDE_BASE).ended;

	if (side == SIDE_BASE || verdict_boots_with(f, SIDE_BASE, finding->signature) > 0)
		return j;
	j.confirmed =
		base_ended >= VERDICT_CONFIRM_BASE &&
		verdict_boots_with(f, SIDE_PATCHED, finding->signature) >= VERDICT_CONFIRM_PATCHED;
	j.is_new = j.confirmed;
	/* Only the tip was booted. */
	j.since_patch = f->n_patches == 1 ? 1 : -1;
	return j;
}

void verdict_judge_boots(const struct facts *f, struct verdict *v)
{
	v->boots = xcalloc(f->n_boots + 1, sizeof(*v->boots));
	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];
		struct judged_findings *j = &v->boots[i];

		j->n = b->n_findings;
		j->items = xcalloc(b->n_findings + 1, sizeof(*j->items));
		for (size_t k = 0; k < b->n_findings; k++)
			j->items[k] = judge_kernel(f, b->side, &b->findings[k]);
	}
}

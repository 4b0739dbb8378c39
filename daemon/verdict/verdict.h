/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The judgement of a run, from its facts. Pure. The rule, its source and its assumptions are in
 * docs/internals/verdict.md.
 */
#ifndef VERDICT_VERDICT_H
#define VERDICT_VERDICT_H

#include "daemon/store/facts.h"

/* One finding with what the other side says about it. */
struct judged_finding {
	const struct fact_finding *finding; /* the facts' */
	bool is_new; /* not on the base, and confirmed where it needs that */
	bool confirmed; /* kernel findings: shown by enough boots */
	int since_patch; /* the first patch that shows it; 0: the base does; -1: unknown */
	/* kernel findings: */
	size_t base_boots, patched_boots; /* that ended and show it */
	size_t stream_boots; /* patched ones of this boot's stream */
	bool is_first; /* no boot before shows it */
};

struct judged_findings {
	struct judged_finding *items;
	size_t n;
};

struct summary {
	size_t n;
	double median, mean, stddev;
	double *samples; /* in the order of pairs or seeds */
};

struct comparison {
	const char *machine;
	const char *accel; /* or NULL; boots under KVM and under TCG are never in one */
	enum clock clock;
	const char *part; /* of the boots that measured it */
	bool primary;
	bool decides; /* primary, and it is this clock's to say */
	const struct comparison *twin; /* the same by the other clock, where both are primary */
	const char *better; /* lower higher none zero */
	char *metric;
	cJSON *params; /* or NULL */
	struct summary base, patched;
	double change; /* (patched - base) / base */
	double interval[2]; /* of change; NAN where it cannot be computed */
	double p; /* NAN likewise */
	bool wants_pairs; /* a few more pairs would settle it, see stats/stats.h */
	const char *verdict; /* improvement no-change regression inconclusive */
};

struct verdict {
	const char *verdict; /* fail regression error held cancelled pass */
	const char *performance; /* improvement no-change regression mixed inconclusive none */
	char **reasons; /* one sentence each */
	size_t n_reasons;
	struct judged_findings *builds; /* parallel to facts->builds */
	struct judged_findings *boots; /* parallel to facts->boots */
	size_t n_builds, n_boots; /* as in the facts */
	struct comparison *comparisons;
	size_t n_comparisons;
	const char *same_code_as; /* commit the tip inherits from, or NULL */
	char *unrepeated; /* how counted time did not repeat, one sentence; or NULL */
};

/* The facts must outlive the verdict. Works on unfinished runs too: what is known so far. */
struct verdict *verdict_new(const struct facts *f);
struct verdict *verdict_free(struct verdict *v);

static inline void verdict_freep(struct verdict **v)
{
	*v = verdict_free(*v);
}
#define AUTO_VERDICT CLEANUP(verdict_freep)

/* What no base boot shows is held against the patch when the one-sided p value of Fisher's exact
 * test, over all boots of both sides, is at most this. */
#define VERDICT_FINDING_LEVEL 0.01 /* five of five against none of five */
#define VERDICT_FAILURE_LEVEL 0.03 /* a boot that fails: four of four against none of four */

/* Boots of one side that ended as pass or fail, and those that failed; of a stream, or (NULL) of
 * all. A canary is not one more: it does what was done before; but it may fail. */
struct boot_counts {
	size_t ended, failed;
};
struct boot_counts verdict_boot_counts(
	const struct facts *f, const struct boot_stream *stream, enum side side);
/* What so many patched boots of the stream (NULL: of all) show and no base boot does is confirmed at
 * this level, now or were there so many more pairs that bear it out. */
bool verdict_is_confirmed(const struct facts *f, const struct boot_stream *stream, size_t patched,
	size_t more_pairs, double level);
/* That patched boots fail is confirmed, by the boots of a stream or by all of them. */
bool verdict_failure_is_confirmed(const struct facts *f);
/* A primary metric of the stream would be settled by a few more pairs. */
bool verdict_wants_pairs(const struct verdict *v, const struct boot_stream *stream);
/* The run may inherit: base and tip, both built, are the same code; or a comparison's revisions are
 * one commit. */
bool verdict_is_same_code(const struct facts *f);
/* The build of a patch (0: the base), or NULL. */
const struct fact_build *verdict_build(const struct facts *f, int patch);

#endif

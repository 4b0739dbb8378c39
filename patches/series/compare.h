/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What became of each patch from one version of a series to the next, as `git range-diff` shows it.
 *
 * Patches are matched by equal diffs, then by equal subjects, then by how much of what they add
 * and remove is the same. Diffs count without line numbers, blob ids and what stands around them.
 * The difference between two patches is that of their texts (Myers, "An O(ND) Difference
 * Algorithm and Its Variations", 1986), not that of the trees they lead to, since the two may
 * stand on different bases.
 */
#ifndef SERIES_COMPARE_H
#define SERIES_COMPARE_H

#include "patches/series/series.h"

#define COMPARE_MAX_EDITS 500 /* lines that differ in one patch; more are counted, not shown */
#define COMPARE_MAX_INTERDIFF ((size_t)64 << 10) /* bytes shown for one patch */
#define COMPARE_MAX_WORK ((size_t)50000000) /* lines looked at for patches that are alike */

enum change_kind {
	CHANGE_NONE, /* diff, subject and log message are the same */
	CHANGE_REWORDED, /* only subject or log message differ */
	CHANGE_DIFF,
	CHANGE_NEW,
	CHANGE_DROPPED,
};
const char *change_name(enum change_kind kind);

struct series_change {
	enum change_kind kind;
	int n; /* place in the new version; 0: dropped */
	int was; /* place in the old one; 0: new */
	char *text; /* one sentence */
	char *interdiff; /* what differs, as a diff of the two patches; or NULL */
};

struct series_changes {
	struct series_change *items; /* by n; the dropped ones behind them */
	size_t n;
	bool rough; /* too many patches to look for those that are alike under other subjects */
};

void series_compare(
	const struct series *old, const struct series *new, struct series_changes *ret_changes);
void series_changes_done(struct series_changes *c);
#define AUTO_SERIES_CHANGES CLEANUP(series_changes_done)

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a test program prints: KTAP (Linux, Documentation/dev-tools/ktap.rst; TAP is read as well) and
 * measurements, a line "NAME VALUE UNIT" each, bare or behind "# ". All other lines are none of ours.
 * Hostile input: every size has a limit.
 *
 * A subtest is named by its parents, "suite/case". Units become those that the lab stores: "rate 2 GiB/s"
 * is rate_bytes_per_second; a name that is measured more than once is one metric of several values.
 */
#ifndef SCAN_KTAP_H
#define SCAN_KTAP_H

#include "base/error.h"

#define KTAP_MAX_CASES 2000
#define KTAP_MAX_METRICS 100
#define KTAP_MAX_VALUES 1000 /* of one metric */
#define KTAP_MAX_NAME 200 /* bytes; longer ones are cut */
#define KTAP_MAX_DEPTH 16

enum ktap_result {
	KTAP_OK,
	KTAP_NOT_OK,
	KTAP_SKIP, /* not asked, or known to fail (TODO, XFAIL) */
};

struct ktap_case {
	char *name;
	enum ktap_result result;
	unsigned depth; /* 0: the outermost */
};

struct ktap_metric {
	char *name; /* with the ending that its unit gives it: "_seconds" */
	double *values; /* in seconds, bytes a second, …, in the order they came; at least one */
	size_t n;
};

struct ktap_results {
	struct ktap_case *cases; /* in the order of their result lines */
	size_t n_cases;
	struct ktap_metric *metrics; /* in the order they were first seen */
	size_t n_metrics;
	size_t dropped; /* cases and values over the limits */
	int64_t planned; /* outermost tests; -1: it said no number */
	size_t outermost; /* of the cases */
	char *bail_out; /* "Bail out!": its words; or NULL */
	char *skip_all; /* "1..0 # SKIP": why, may be ""; or NULL */
};

struct ktap_scan;
struct ktap_scan *ktap_new(void);
struct ktap_scan *ktap_free(struct ktap_scan *k);
void ktap_feed(struct ktap_scan *k, const char *data, size_t len);
/* No more will come. The results are the scanner's. */
const struct ktap_results *ktap_end(struct ktap_scan *k);

static inline void ktap_freep(struct ktap_scan **k)
{
	*k = ktap_free(*k);
}
#define AUTO_KTAP CLEANUP(ktap_freep)

#endif

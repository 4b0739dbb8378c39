/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the reports for people and for machines. All of them read the JSON report. */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "daemon/report/report.h"

#define MAIL_COLUMNS 76

/* --- what it is about (lookup.c) */

/* The series, or the comparison of two commits: `id` and `title`. */
const cJSON *subject_of(const cJSON *report);
/* By the number of the patch, 0 is the base; or NULL. */
const cJSON *build_of(const cJSON *report, int64_t patch);
const cJSON *patch_of(const cJSON *report, int64_t n);
/* Of a patch, or of the patched side of a comparison; or NULL. */
const char *revision_subject(const cJSON *report, int64_t patch);
/* "the base", "patch 2", "the patched side". Heap. */
char *revision_name(const cJSON *report, int64_t patch);
/* "drivers/vfio/a.c, hunk 1, line 805"; without the line where none is known. Heap. */
char *conflict_place(const cJSON *conflict);

/* --- lines (lines.c) */

/* A sentence as lines of at most 98 columns, or so many: behind first, then behind rest. */
void text_wrapped(struct strbuf *out, const char *first, const char *rest, const char *text);
void text_wrapped_to(
	struct strbuf *out, size_t columns, const char *first, const char *rest, const char *text);
/* The first so many lines of text, each behind a prefix; returns how many were left out. */
int text_lines(struct strbuf *out, const char *prefix, const char *text, int max_lines);
/* All of them. */
void text_indented(struct strbuf *out, const char *prefix, const char *text);
/* The first so many; then how many were left out. */
void text_excerpt(struct strbuf *out, const char *prefix, const char *text, int max_lines);
/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
size_t text_columns(const char *s, size_t len);
/* Bytes of the longest beginning that takes at most so many columns. */
size_t text_fit(const char *s, size_t columns);
/* For printf, which pads by bytes: the width that makes s so many columns wide. */
int text_pad(const char *s, int columns);

/* --- boots (boots.c) */

struct boot_list {
	const cJSON **items; /* heap; the pairs, then the extra boots */
	size_t n;
};
struct boot_list boots_all(const cJSON *report);
static inline void boots_done(struct boot_list *list)
{
	free(list->items);
}
#define AUTO_BOOTS CLEANUP(boots_done)

struct boot_tally {
	int all, ended, passed, shown; /* shown: ended, and with the finding asked for */
};
/* Boots of a side, canaries aside: of the stream of `like`, or of all where that is NULL. */
struct boot_tally boots_tally(
	const struct boot_list *boots, const char *side, const cJSON *like, const char *signature);
/* Of boots and comparisons: one machine, one clock, one part of the benchmark. */
bool same_stream(const cJSON *a, const cJSON *b);
bool is_first_of_stream(const struct boot_list *boots, size_t i);
/* "wall clock", "counted time"; with the part, where there is one. Heap. */
char *stream_words(const cJSON *boot_or_comparison);
/* "patched boot (wall clock, pair 2, seed 2)". Heap. */
char *boot_name(const struct boot_list *boots, size_t i);
/* "vm1 (tcg)"; without what accelerates it where that is NULL. Heap. */
char *machine_words(const char *machine, const char *accel);
/* How the machine of this boot or comparison ran, "tcg" or "kvm"; or NULL. */
const char *stream_accel(const cJSON *report, const cJSON *like);
bool boot_failed(const cJSON *boot);
/* Why this boot failed has been said of one before it. */
bool is_repeated_failure(const struct boot_list *boots, size_t i, int *ret_more);

/* --- comparisons (measured.c) */

#define MAX_METRICS 400 /* shown; the JSON has all */

/* One comparison, its members looked up once: a report may hold thousands. */
struct measured {
	const cJSON *json;
	const char *metric, *machine, *clock, *part, *verdict;
	size_t benchmark; /* bytes: "dma-map" of "dma-map.hugetlbfs.unmap_seconds"; 0: none */
	size_t stem; /* bytes without the unit, which is the clock's */
	bool primary;
	bool done; /* for whoever walks through them */
};

struct measured_list {
	struct measured *items; /* heap; in the report's order */
	size_t n;
};

struct measured_list measured_all(const cJSON *report);
static inline void measured_done(struct measured_list *list)
{
	free(list->items);
}
#define AUTO_MEASURED CLEANUP(measured_done)

/* One part of one benchmark on one machine, by whatever clock. */
bool same_benchmark(const struct measured *a, const struct measured *b);
/* One metric of it, by whatever clock. */
bool same_thing(const struct measured *a, const struct measured *b);
/* The same thing by the other clock, or NULL. */
const struct measured *measured_twin(const struct measured_list *list, const struct measured *m);
/* Where two clocks do not say the same, a sentence; else NULL. */
const char *clocks_disagree(const struct measured *a, const struct measured *b);
bool is_changed(const struct measured *m);

/* --- figures (figures.c) */

/* In the unit that suits `largest`: "54.12 ms", "123,456,789". */
void format_value(const char *metric, double value, double largest, char *buf, size_t size);
/* Transfers: 2^30 bytes a second, which the field calls GB/s; "" where it is none. */
void format_rate(const cJSON *comparison, double seconds, char *buf, size_t size);
/* "+12.3%"; "-" where there is none. */
void format_percent(double fraction, char *buf, size_t size);
/* "+12.3% [+10.1, +14.2]" */
void format_change(const cJSON *comparison, char *buf, size_t size);

/* --- findings (text_findings.c) */

#define MAX_SHOWN 20 /* findings of a build, or of a boot */
#define MAX_EXCERPT_LINES 40 /* of a kernel's report */

/* The diagnostic as printed, its head behind ">> " where it is new. */
void text_diagnostic(const cJSON *finding, struct strbuf *out);
/* Findings worth showing at the build of this patch: its own, not those of patches before it. */
bool is_shown(const cJSON *build, const cJSON *finding);
/* All of them; returns how many. */
int text_build_findings(const cJSON *build, struct strbuf *out);
/* It fails, and what it shows came with a patch before it: that one's number; else 0. */
int64_t fails_because_of(const cJSON *build);

/* --- parts of the text report */

/* "All errors and warnings …" of each build that has any to show. */
void text_diagnostics(const cJSON *report, struct strbuf *out);
/* Boots, what they complained of, what failed. */
void text_boots(const cJSON *report, struct strbuf *out);
/* What changed since the version before, and what replies gave. */
void text_versions(const cJSON *report, struct strbuf *out);
void text_comparisons(const cJSON *report, struct strbuf *out);

/* --- parts of the mail */

/* "Name: text", folded, as encoded words where it is not plain; no byte of text ends the header. */
void mail_header(struct strbuf *out, const char *name, const char *text);
/* "Name: <id>" where id is a message's; else nothing. */
void mail_header_id(struct strbuf *out, const char *name, const char *id);
/* From "2026-12-01T00:35:41.123Z"; nothing where it is none. */
void mail_header_date(struct strbuf *out, const char *iso);
/* Text as lines that mail may carry: no control characters, none longer than 998 bytes. */
void mail_add_body(struct strbuf *out, const char *text);
void mail_builds(const cJSON *report, struct strbuf *out);
void mail_kernel(const cJSON *report, struct strbuf *out);
void mail_performance(const cJSON *report, struct strbuf *out);
/* What of the comparisons is worth a headline; NULL where nothing changed. */
const cJSON *mail_headline(const cJSON *report);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the table files ask of each other, and facts_load() of them all. */
#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#include "daemon/store/series.h"

/* ERR_MISSING becomes a sentence about that series. */
int series_no_such(int err, int64_t id, struct error *e);

/* run.c */
int run_insert(struct store *s, int64_t series_id, int n, int64_t draw, struct error *e);

/* need.c */
int need_insert(struct store *s, int64_t series_id, int place, int64_t need_id, struct error *e);
int need_set_commits(
	struct store *s, int64_t series_id, int run, const cJSON *needs, struct error *e);
int need_load(struct store *s, struct facts *f, struct error *e);

/* base.c: what apply says of the base it chose. */
int base_set(struct store *s, int64_t id, int run, const cJSON *applied, struct error *e);
int base_load(struct store *s, struct facts *f, struct error *e);

/* prerequisite.c: from `patchbay parse`, then those that apply found in the tree. */
int known_insert(struct store *s, int64_t id, const cJSON *parsed, struct error *e);
int prerequisite_insert_all(
	struct store *s, int64_t series_id, int run, const cJSON *list, struct error *e);
int prerequisite_set_found(
	struct store *s, int64_t series_id, int run, const cJSON *list, struct error *e);

/* version.c: from `patchbay parse`, then what apply says of the version before. */
int version_insert(struct store *s, int64_t id, int run, const cJSON *parsed, struct error *e);
int version_set_changes(
	struct store *s, int64_t id, int run, const cJSON *applied, struct error *e);
int version_load(struct store *s, struct facts *f, struct error *e);

/* comparison.c: what makes a submission one. */
int comparison_insert(struct store *s, int64_t id, const char *patched, struct error *e);

/* patch.c: rows of `patchbay parse`, then what apply says of them. */
int patch_insert_all(
	struct store *s, int64_t series_id, int run, const cJSON *patches, struct error *e);
int patch_set_applied(
	struct store *s, int64_t series_id, int run, const cJSON *patches, struct error *e);
/* A commit of the tree, {"commit","subject","author"}, as patch 1. */
int patch_insert_commit(
	struct store *s, int64_t series_id, int run, const cJSON *commit, struct error *e);
int patch_load(struct store *s, struct facts *f, struct error *e);

/* build.c, boot.c, finding.c, sample.c: of one job, or of a run. */
struct job_row;
int build_insert(struct store *s, const struct job_row *job, struct error *e);
int boot_insert(struct store *s, const struct job_row *job, struct error *e);
int build_load(struct store *s, struct facts *f, struct error *e);
int boot_load(struct store *s, struct facts *f, struct error *e);
int finding_load(struct store *s, int64_t job_id, bool excerpts, struct fact_finding **ret_findings,
	size_t *ret_n, struct error *e);
int sample_load(struct store *s, int64_t job_id, struct fact_sample **ret_samples, size_t *ret_n,
	struct error *e);
int job_load(struct store *s, struct facts *f, struct error *e);

#endif

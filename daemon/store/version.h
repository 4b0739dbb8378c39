/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which series are versions of one; docs/internals/series.md, "Versions". */
#ifndef STORE_VERSION_H
#define STORE_VERSION_H

#include "daemon/store/store.h"

/* Older versions of this one go on when it comes. */
int version_keep_older(struct store *s, int64_t series_id, struct error *e);

int version_keeps_older(struct store *s, int64_t series_id, bool *ret_keeps, struct error *e);

/* Whether an earlier run of the series came further than being held. */
int version_ran_before(struct store *s, int64_t series_id, int run, bool *ret_ran, struct error *e);

struct version_row {
	int64_t series_id;
	int version;
	bool goes_on; /* with the same tree and profile: this one takes its place */
};

/*
 * Those of earlier versions that were sent here, the nearest first: by change-id, by answering it,
 * by sender and title. answers: ids of the messages that its first mail answers, an array.
 */
int version_older(struct store *s, int64_t series_id, int run, const cJSON *answers,
	struct version_row **ret_rows, size_t *ret_n, struct error *e);
/* A later version that was sent after it, for the same tree and profile, and lets nothing older go
 * on; by change-id, or by sender and title. *ret_id 0: none. */
int version_newer(struct store *s, int64_t series_id, int run, int64_t *ret_id, int *ret_version,
	struct error *e);
int version_set_previous(
	struct store *s, int64_t series_id, int run, int64_t previous_id, struct error *e);
/* What replies have said since it was parsed. Nothing where it was not parsed yet. */
int version_set_trailers(
	struct store *s, int64_t series_id, int run, const cJSON *trailers, struct error *e);
/* 0: none. */
int version_previous(struct store *s, int64_t series_id, int run, int64_t *ret_id, struct error *e);

#endif

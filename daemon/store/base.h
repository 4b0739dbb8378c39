/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which base a run was given, and what its mails say that it stands on. */
#ifndef STORE_BASE_H
#define STORE_BASE_H

#include "daemon/store/store.h"

/* The lab chooses the tree of this series; series.tree stands in until apply has. */
int series_set_any_tree(struct store *s, int64_t id, struct error *e);
int series_any_tree(struct store *s, int64_t id, bool *ret_any, struct error *e);

/* What a series needs, in the order to apply it; because: why the lab added it, or NULL. */
struct need_row {
	int64_t id;
	char *because;
};
struct need_row *need_free_all(struct need_row *rows, size_t n);
int need_list(struct store *s, int64_t series_id, struct need_row **ret_rows, size_t *ret_n,
	struct error *e);
/* In place of those that are there. */
int need_replace(
	struct store *s, int64_t series_id, const struct need_row *rows, size_t n, struct error *e);

/* A prerequisite that the mails name. */
struct prerequisite_row {
	int n; /* from 1 */
	char *kind; /* patch-id message-id change-id text */
	char *value;
	char *found; /* series tree needs; NULL: not yet */
	int64_t need_id; /* 0: none */
};
struct prerequisite_row *prerequisite_free_all(struct prerequisite_row *rows, size_t n);
int prerequisite_list(struct store *s, int64_t series_id, int run,
	struct prerequisite_row **ret_rows, size_t *ret_n, struct error *e);
/*
 * The newest series that is known by that name: not series_id itself, nor one that was cancelled
 * or is held. *ret_held: where there is none, one that is held; 0: none either.
 */
int prerequisite_find(struct store *s, int64_t series_id, const struct prerequisite_row *p,
	int64_t *ret_id, int64_t *ret_held, struct error *e);
/* found: series (need_id), needs, or NULL. */
int prerequisite_set(struct store *s, int64_t series_id, int run, int n, const char *found,
	int64_t need_id, struct error *e);
/* Those that are held until this series is there. */
int prerequisite_waiting(
	struct store *s, int64_t id, int64_t **ret_ids, size_t *ret_n, struct error *e);

#endif

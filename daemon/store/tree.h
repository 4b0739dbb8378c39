/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Git repositories that the lab follows. */
#ifndef STORE_TREE_H
#define STORE_TREE_H

#include "daemon/store/store.h"

struct tree_row {
	int64_t id;
	char *name;
	cJSON *source; /* {"deb":PACKAGE} or {"git":URL} */
	char *path; /* bare git directory, STATE/trees/NAME.git */
	char *state; /* importing ready error: error is an import that failed; a later fetch that
			* failed leaves it ready, with a reason */
	char *tip; /* commit; NULL until imported */
	char *version; /* of the package; or NULL */
	char *reason; /* of the last failure; or NULL */
	int64_t job_id; /* the newest import or fetch */
	int64_t created_ms;
	int64_t fetched_ms; /* last success; 0: never */
};
void tree_done(struct tree_row *r);
#define AUTO_TREE CLEANUP(tree_done)
struct tree_row *tree_free_all(struct tree_row *rows, size_t n);

/* name, source and path; fills id and created_ms. ERR_CONFLICT: the name is taken. */
int tree_insert(struct store *s, const struct tree_row *row, int64_t *ret_id, struct error *e);
int tree_get(struct store *s, const char *name, struct tree_row *ret_row, struct error *e);
int tree_set_job(struct store *s, int64_t id, const char *state, int64_t job_id, struct error *e);
int tree_set_tip(struct store *s, int64_t id, const char *tip, const char *version,
	int64_t fetched_ms, struct error *e);
/* The job failed: error where there is no tip, else ready. */
int tree_set_failed(struct store *s, int64_t id, const char *reason, struct error *e);
/* By name of creation (id). */
int tree_list(struct store *s, const struct page *page, struct tree_row **ret_rows, size_t *ret_n,
	int64_t *ret_next, struct error *e);

#endif

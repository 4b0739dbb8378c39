/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which state of a tree patches were made for. Index lines name the version of each file before
 * the patch; a commit that has all of them is one that git would apply the patches to exactly.
 */
#ifndef GIT_STATES_H
#define GIT_STATES_H

#include "patches/git/diff.h"
#include "patches/git/repo.h"

#define STATES_MAX_COMMITS 10000 /* how far back along first parents */
#define WANTS_MAX 20000 /* files that are looked at */

/* What the files have to be before the first patch that touches them. */
struct want {
	char *path;
	char id[65]; /* perhaps abbreviated; "": the file must not be there */
};

struct wants {
	struct want *list;
	size_t n;
	size_t named; /* with an id: without any, nothing can be told */
	struct wants_seen *seen;
};

void wants_init(struct wants *w);
void wants_done(struct wants *w);
#define AUTO_WANTS CLEANUP(wants_done)
/* Patches in the order they are applied in. */
void wants_add(struct wants *w, const struct diff *d);

struct state {
	struct oid commit;
	size_t matched; /* wants that hold there */
	const char *missed; /* the first path that does not, or NULL; the wants' */
};

/* Walks back from a tip, along first parents. The repository and the wants must outlive it. */
struct states;
int states_new(struct repo *r, const struct oid *tip, const struct wants *w,
	struct states **ret_states, struct error *e);
struct states *states_free(struct states *s);
/*
 * The tip, then each time the newest commit at which the files wanted are in another state: 1. 0
 * where the history ends, is cut off (a shallow clone), or was followed for STATES_MAX_COMMITS.
 */
int states_next(struct states *s, struct state *ret_state, struct error *e);
size_t states_walked(const struct states *s);

static inline void states_freep(struct states **s)
{
	*s = states_free(*s);
}
#define AUTO_STATES CLEANUP(states_freep)

#endif

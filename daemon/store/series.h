/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Submissions, and their runs: a series row is what was sent and with which options, a run is one
 * time of answering it. series_row shows the newest run.
 *
 * A comparison of two commits is a submission too: it names two revisions and brings no mail. The
 * base is revision 0 of its runs, what goes against it is their patch 1. Ids are shared.
 */
#ifndef STORE_SERIES_H
#define STORE_SERIES_H

#include "daemon/store/facts.h"
#include "daemon/store/store.h"

struct series_row {
	int64_t id;
	/* what was sent */
	char *mail_sha256; /* STATE/artifacts/mail/SHA256 */
	int64_t mail_size;
	char *dedup; /* hash over content, options and base */
	char *tree;
	char *tip; /* of the tree when it was sent */
	char *base_text; /* or NULL */
	char *patched_text; /* a comparison: the revision that goes against the base; or NULL */
	char *profile_name;
	cJSON *profile; /* resolved; NULL in lists */
	char *until; /* apply build test */
	bool no_inherit;
	cJSON *source; /* what the lab fetches: {"message_id"}, {"url"}, {"git"}; or NULL */
	char *archive; /* that it was found in; or NULL */
	char *waits; /* why it must be approved; or NULL */
	int64_t created_ms;
	/* the newest run */
	int run; /* from 1 */
	char *title; /* NULL until parsed, like the next two */
	int version;
	char *message_id;
	int patches; /* 0 until parsed */
	char *state; /* received held applying building testing done cancelled */
	char *verdict; /* NULL until finished, like the next */
	char *performance;
	cJSON *reasons; /* array of strings; NULL until finished */
	char *held; /* why; or NULL */
	bool input_at_fault;
	char *base_commit; /* NULL until applied, like the next */
	char *chosen_by;
	char *patched_commit; /* a comparison: NULL until resolved */
	int64_t draw; /* the run's random number */
	char *host; /* where it is built and booted; NULL until its first build */
	char *machine; /* or NULL: it is not booted */
	int64_t run_created_ms;
	int64_t finished_ms; /* 0: goes on */
};
void series_done(struct series_row *r);
#define AUTO_SERIES CLEANUP(series_done)
struct series_row *series_free_all(struct series_row *rows, size_t n);

static inline const char *series_noun(const struct series_row *r)
{
	return r->patched_text ? "comparison" : "series";
}

/* "What was sent" with its needs, as run 1 in state received; fills *ret_id. */
int series_insert(struct store *s, const struct series_row *row, const int64_t *needs,
	size_t n_needs, int64_t *ret_id, struct error *e);
/* The newest series with that hash that has an answer or will have one: none that was cancelled, ended
 * in error, or is held because no base was found for it. */
int series_find(struct store *s, const char *dedup, int64_t *ret_id, struct error *e);
int series_get(struct store *s, int64_t id, struct series_row *ret_row, struct error *e);
/* One more run, in state received; everything of the earlier ones is kept beside it. */
int series_add_run(struct store *s, int64_t id, int64_t draw, int *ret_run, struct error *e);
int series_set_state(struct store *s, int64_t id, int run, const char *state, struct error *e);
/* State held, finished, verdict held. */
int series_set_held(struct store *s, int64_t id, int run, const char *why, bool input_at_fault,
	struct error *e);
/* Other mail of the same submission has come. */
int series_set_mail(struct store *s, int64_t id, const char *sha256, int64_t size, struct error *e);
/* why: a whole sentence. */
int series_set_cancelled(struct store *s, int64_t id, int run, const char *why, struct error *e);
/* State done. reasons: array of strings. */
int series_set_verdict(struct store *s, int64_t id, int run, const char *verdict,
	const char *performance, const cJSON *reasons, struct error *e);
/* Results of parse: patches is the array of `patchbay parse --json`. */
int series_set_parsed(struct store *s, int64_t id, int run, const cJSON *parsed, struct error *e);
/* Results of apply, as in docs/internals/worker-protocol.md. */
int series_set_applied(struct store *s, int64_t id, int run, const cJSON *applied, struct error *e);
/* Results of resolve, likewise. */
int series_set_resolved(
	struct store *s, int64_t id, int run, const cJSON *resolved, struct error *e);
/* The host and machine of all its jobs from now on. machine: or NULL. */
int series_set_place(struct store *s, int64_t id, int run, const char *host, const char *machine,
	struct error *e);
/* Series ids, in the order to apply them. *ret_ids: heap. */
int series_needs(struct store *s, int64_t id, int64_t **ret_ids, size_t *ret_n, struct error *e);
/* Those that wait for this one to be parsed. */
int series_needed_by(
	struct store *s, int64_t id, int64_t **ret_ids, size_t *ret_n, struct error *e);
/* Those whose newest run has not finished, oldest run first. */
int series_unfinished(struct store *s, int64_t **ret_ids, size_t *ret_n, struct error *e);

/* Newest first. NULL: any. */
struct series_filter {
	bool comparisons; /* in place of series */
	const char *state;
	const char *tree;
	const char *verdict;
};
int series_list(struct store *s, const struct series_filter *filter, const struct page *page,
	struct series_row **ret_rows, size_t *ret_n, int64_t *ret_next, struct error *e);

/* Everything about one run, in one transaction. run 0: the newest. What was said around findings
 * (their excerpts) is needed where they are shown, and is most of the bytes: without them, NULL. */
enum facts_depth { FACTS_JUDGED, FACTS_SHOWN };
int facts_load(struct store *s, int64_t series_id, int run, enum facts_depth depth,
	struct facts **ret_facts, struct error *e);

#endif

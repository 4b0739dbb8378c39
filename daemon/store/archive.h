/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mailing-list archives that the lab follows: where the last visit to each ended, and the series
 * found in them as far as their mails have come. docs/internals/inbox.md.
 */
#ifndef STORE_ARCHIVE_H
#define STORE_ARCHIVE_H

#include "daemon/store/store.h"

struct archive_row {
	int64_t id;
	char *name;
	char *address;
	int64_t since_s;
	int64_t mails; /* looked at so far */
	char *reason; /* why the last visit failed; or NULL */
	int64_t job_id; /* the newest visit; 0: none */
	int64_t created_ms;
	int64_t visited_ms; /* last success; 0: never */
};
void archive_done(struct archive_row *r);
#define AUTO_ARCHIVE CLEANUP(archive_done)

/* The row of that name, made where there is none; another address begins it anew, at since_s. */
int archive_put(
	struct store *s, const char *name, const char *address, int64_t since_s, struct error *e);
int archive_get(struct store *s, const char *name, struct archive_row *ret_row, struct error *e);
int archive_set_job(struct store *s, int64_t id, int64_t job_id, struct error *e);
int archive_set_failed(struct store *s, int64_t id, const char *reason, struct error *e);
/* positions: array of {"epoch","commit" or null}, of every epoch that was visited. */
int archive_set_visited(struct store *s, int64_t id, const cJSON *positions, int64_t mails,
	int64_t visited_ms, struct error *e);
int archive_positions(struct store *s, int64_t id, cJSON **ret_positions, struct error *e);

/* A series of archives, as far as it has come. */
struct part_row {
	int64_t id; /* 0: a new one */
	int64_t archive_id;
	int64_t series_id; /* 0: not known yet to be wanted */
	char *mail_sha256;
	bool open; /* more mails may come */
	int64_t changed_ms; /* set by part_put() */
};
void part_done(struct part_row *r);
#define AUTO_PART CLEANUP(part_done)
struct part_row *part_free_all(struct part_row *rows, size_t n);

/* Inserts or updates, and adds message ids (array of strings). */
int part_put(struct store *s, const struct part_row *row, const cJSON *message_ids, int64_t *ret_id,
	struct error *e);
int part_get(struct store *s, int64_t id, struct part_row *ret_row, struct error *e);
int part_delete(struct store *s, int64_t id, struct error *e);
/* The series that has one of these mails already; 0: none. */
int part_find_series(
	struct store *s, const cJSON *message_ids, int64_t *ret_series, struct error *e);
/* Those that still wait for mails: this archive's, and every archive's that have a series. */
int part_open(struct store *s, int64_t archive_id, struct part_row **ret_rows, size_t *ret_n,
	struct error *e);
/* Nothing waits longer than until then: closes what has a series, forgets the rest. */
int part_expire(struct store *s, int64_t before_ms, struct error *e);
/* The newest one with a series that has this cover letter or patch and waits for nothing; 0: none. */
int part_closed_with_mail(
	struct store *s, const char *message_id, int64_t *ret_part, struct error *e);
/* Open ones that have a mail. *ret_ids: heap. */
int part_with_mail(
	struct store *s, const char *message_id, int64_t **ret_ids, size_t *ret_n, struct error *e);

/* Where a series is from that was not sent as a file. */
struct origin_row {
	cJSON *source; /* {"message_id"}, {"url"} or {"git":RANGE}; NULL: an archive */
	bool fetched;
	char *waits; /* why it must be approved; NULL: it need not, or was */
};
void origin_done(struct origin_row *r);
#define AUTO_ORIGIN CLEANUP(origin_done)
int origin_put(struct store *s, int64_t series_id, const struct origin_row *row, struct error *e);
/* *ret_there false: it was sent as a file. */
int origin_get(struct store *s, int64_t series_id, struct origin_row *ret_row, bool *ret_there,
	struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computers reached by SSH that build, or run virtual machines. */
#ifndef STORE_HOST_H
#define STORE_HOST_H

#include "daemon/store/store.h"

struct host_row {
	int64_t id;
	char *name;
	char *address;
	int port;
	char *user;
	char *key; /* path of the private key on the lab's side */
	char *host_key; /* "ssh-ed25519 AAAA…", pinned */
	char *root; /* folder on the host; or NULL: the agent's default */
	cJSON *facts; /* what the last good probe said; or NULL */
	char *reason; /* why the last probe failed; or NULL */
	bool drained; /* takes no new jobs */
	int64_t job_id; /* the newest probe; 0: none */
	int64_t probed_ms; /* last good probe; 0: never */
	int64_t created_ms;
};
void host_done(struct host_row *r);
#define AUTO_HOST CLEANUP(host_done)
struct host_row *host_free_all(struct host_row *rows, size_t n);

/* Adds it, or updates how the host of that name is reached. */
int host_put(struct store *s, const struct host_row *row, int64_t *ret_id, struct error *e);
int host_get(struct store *s, const char *name, struct host_row *ret_row, struct error *e);
int host_set_job(struct store *s, const char *name, int64_t job_id, struct error *e);
int host_set_facts(
	struct store *s, const char *name, const cJSON *facts, int64_t probed_ms, struct error *e);
int host_set_failed(struct store *s, const char *name, const char *reason, struct error *e);
int host_set_drained(struct store *s, const char *name, bool drained, struct error *e);
int host_list(struct store *s, const struct page *page, struct host_row **ret_rows, size_t *ret_n,
	int64_t *ret_next, struct error *e);

#endif

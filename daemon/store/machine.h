/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What boots a kernel. */
#ifndef STORE_MACHINE_H
#define STORE_MACHINE_H

#include "daemon/store/store.h"

struct machine_row {
	int64_t id;
	char *name;
	char *host; /* name */
	char *kind; /* qemu */
	char *model; /* q35-vtd */
	char *arch; /* x86_64 */
	cJSON *tags; /* array of strings */
	int memory_mib;
	int cpus;
	bool drained;
	int64_t created_ms;
};
void machine_done(struct machine_row *r);
#define AUTO_MACHINE CLEANUP(machine_done)
struct machine_row *machine_free_all(struct machine_row *rows, size_t n);

/* Adds it, or updates the machine of that name. ERR_MISSING: no such host. */
int machine_put(struct store *s, const struct machine_row *row, int64_t *ret_id, struct error *e);
int machine_get(struct store *s, const char *name, struct machine_row *ret_row, struct error *e);
/* The one of that arch with all those tags (array of strings), it and its host not drained, that
 * the fewest unfinished runs are on. ERR_MISSING says what was looked for. */
int machine_choose(struct store *s, const char *arch, const cJSON *tags,
	struct machine_row *ret_row, struct error *e);
int machine_set_drained(struct store *s, const char *name, bool drained, struct error *e);
int machine_list(struct store *s, const struct page *page, struct machine_row **ret_rows,
	size_t *ret_n, int64_t *ret_next, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lab's database, STATE/patchbay.db: WAL, synchronous=FULL, so what a function here has
 * committed is on disk when it returns. One writer: patchbayd's loop owns the store, and nothing
 * else opens it. Schema: schemas/sql/NNNN_*.sql, see docs/internals/store.md.
 *
 * Every function of daemon/store returns 0 or a negative code with a sentence: ERR_MISSING where
 * a row is not there, ERR_CONFLICT where it does not fit what is there, -EIO and -ENOSPC for
 * trouble with the disk. Rows are filled on success only and released with their _done function;
 * strings may be NULL only where it says so.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/json.h"

struct store;

/* Opens or creates STATE/patchbay.db and brings its schema up to date. ERR_CONFLICT: written by a
 * newer Patchbay. */
int store_open(const char *state, struct store **ret_store, struct error *e);
struct store *store_close(struct store *s);
static inline void store_closep(struct store **s)
{
	*s = store_close(*s);
}
#define AUTO_STORE CLEANUP(store_closep)

/*
 * A transaction over several calls (BEGIN IMMEDIATE; the functions of daemon/store join it, and
 * they are transactions of their own without one). Rolled back when the variable goes out of
 * scope without store_commit():
 *
 *	AUTO_TX struct tx tx = TX_INIT;
 *	if (store_begin(s, &tx, e) < 0) ...
 *	...
 *	return store_commit(&tx, e);
 */
struct tx {
	struct store *store;
};
#define TX_INIT      \
	{            \
		NULL \
	}
int store_begin(struct store *s, struct tx *tx, struct error *e);
int store_commit(struct tx *tx, struct error *e);
void store_rollback(struct tx *tx);
#define AUTO_TX CLEANUP(store_rollback)

/* The lab's random name, 32 hex digits, made with the database; the store's. */
const char *store_lab(const struct store *s);
/* The next lease epoch: higher than any before, for ever. */
int store_next_epoch(struct store *s, int64_t *ret_epoch, struct error *e);

/*
 * One page of a list. after: 0, or the *ret_next of the page before; limit: 1..PAGE_MAX rows.
 * *ret_next is 0 on the last page.
 */
#define PAGE_MAX 500
struct page {
	int64_t after;
	int limit;
};
#define PAGE_ALL            \
	{                   \
		0, PAGE_MAX \
	}

#endif

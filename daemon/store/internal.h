/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SQL for the table files. Statements are literals, prepared once and kept. types has one letter
 * a parameter: i int64_t, s const char * (NULL: null), z int64_t (0: null), d double, j cJSON *
 * (NULL: null).
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "base/clock.h"
#include "daemon/store/store.h"
#include <errno.h>
#include <sqlite3.h>

/* A statement that gives no rows. */
int store_exec(struct store *s, struct error *e, const char *sql, const char *types, ...);
/* The same, about one row: ERR_MISSING with "no WHAT" where it changed none. */
int store_exec_one(struct store *s, struct error *e, const char *what, const char *sql,
	const char *types, ...);
int64_t store_last_id(const struct store *s);

/* A statement that gives rows; store_next(): 1 for a row, 0 at the end. Released at scope's end;
 * the same text cannot be open twice at a time. */
int store_query(struct store *s, sqlite3_stmt **ret_st, struct error *e, const char *sql,
	const char *types, ...);
int store_next(sqlite3_stmt *st, struct error *e);
void store_releasep(sqlite3_stmt **st);
#define AUTO_STMT CLEANUP(store_releasep)

/* One column of ids. *ret_ids: heap. */
int store_query_ids(struct store *s, int64_t **ret_ids, size_t *ret_n, struct error *e,
	const char *sql, const char *types, ...);

/* Columns. Text and JSON are the caller's; null gives NULL. */
char *col_text(sqlite3_stmt *st, int i);
int64_t col_int(sqlite3_stmt *st, int i);
double col_num(sqlite3_stmt *st, int i);
cJSON *col_json(sqlite3_stmt *st, int i);

/* ERR_LIMIT for a limit outside 1..PAGE_MAX. */
int page_check(const struct page *page, struct error *e);

/* A growing array: one more element, zeroed; its address. */
void *rows_grow(void *rows, size_t n, size_t size);
#define rows_add(rows, n) ((rows) = rows_grow((rows), (n), sizeof(*(rows))), &(rows)[(n)++])

/*
 * For a table that is listed in pages, behind its read_row(): NOUN_free_all(), and take_page(),
 * which reads the rows of a statement that was limited to one more than the page.
 */
#define PAGED_ROWS(noun)                                                                         \
	struct noun##_row *noun##_free_all(struct noun##_row *rows, size_t n)                    \
	{                                                                                        \
		for (size_t i = 0; i < n; i++)                                                   \
			noun##_done(&rows[i]);                                                   \
		free(rows);                                                                      \
		return NULL;                                                                     \
	}                                                                                        \
                                                                                                 \
	static int take_page(sqlite3_stmt *st, const struct page *page,                          \
		struct noun##_row **ret_rows, size_t *ret_n, int64_t *ret_next, struct error *e) \
	{                                                                                        \
		struct noun##_row *rows = NULL;                                                  \
		size_t n = 0;                                                                    \
		int err;                                                                         \
                                                                                                 \
		while ((err = store_next(st, e)) > 0)                                            \
			read_row(st, rows_add(rows, n));                                         \
		if (err < 0) {                                                                   \
			noun##_free_all(rows, n);                                                \
			return err;                                                              \
		}                                                                                \
		*ret_next = 0;                                                                   \
		if (rows && n > (size_t)page->limit) {                                           \
			noun##_done(&rows[--n]);                                                 \
			*ret_next = rows[n - 1].id;                                              \
		}                                                                                \
		*ret_rows = rows;                                                                \
		*ret_n = n;                                                                      \
		return 0;                                                                        \
	}

/* All of it, by id: NOUN_list(), behind its COLUMNS. */
#define LISTED_ROWS(noun)                                                                       \
	PAGED_ROWS(noun)                                                                        \
                                                                                                \
	int noun##_list(struct store *s, const struct page *page, struct noun##_row **ret_rows, \
		size_t *ret_n, int64_t *ret_next, struct error *e)                              \
	{                                                                                       \
		AUTO_STMT sqlite3_stmt *st = NULL;                                              \
		int err = page_check(page, e);                                                  \
                                                                                                \
		if (err < 0)                                                                    \
			return err;                                                             \
		err = store_query(s, &st, e, COLUMNS "WHERE id > ? ORDER BY id LIMIT ?", "ii",  \
			page->after, (int64_t)page->limit + 1);                                 \
		return err < 0 ? err : take_page(st, page, ret_rows, ret_n, ret_next, e);       \
	}

/* For a table whose rows have names, behind its COLUMNS and read_row(): NOUN_get(), and no_such(), which
 * is ERR_MISSING with the advice. */
#define NAMED_ROWS(noun, advice)                                                                \
	static int no_such(const char *name, struct error *e)                                   \
	{                                                                                       \
		return error_set(e, ERR_MISSING, "there is no " #noun " %s: " advice, name);    \
	}                                                                                       \
                                                                                                \
	int noun##_get(                                                                         \
		struct store *s, const char *name, struct noun##_row *ret_row, struct error *e) \
	{                                                                                       \
		AUTO_STMT sqlite3_stmt *st = NULL;                                              \
		int err = store_query(s, &st, e, COLUMNS "WHERE name = ?", "s", name);          \
                                                                                                \
		if (err < 0)                                                                    \
			return err;                                                             \
		err = store_next(st, e);                                                        \
		if (err <= 0)                                                                   \
			return err < 0 ? err : no_such(name, e);                                \
		*ret_row = (struct noun##_row){0};                                              \
		read_row(st, ret_row);                                                          \
		return 0;                                                                       \
	}

#endif

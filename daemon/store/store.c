/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/schema.h"
#include "base/file.h"

#define STATEMENTS_MAX 128
#define BUSY_TIMEOUT_MS 5000

struct store {
	sqlite3 *db;
	char *lab;
	int depth; /* of open transactions; only the outermost is SQLite's */
	bool failed; /* an inner one was rolled back, so the outermost cannot commit */
	size_t n_statements;
	struct {
		const char *sql;
		sqlite3_stmt *st;
	} statements[STATEMENTS_MAX];
};

/* What whoever runs the lab can do about it; "" where the code alone does not tell. */
static const char *advice(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return ": stop the lab and put a backup in its place (docs/OPERATIONS.md, Backup)";
	case SQLITE_FULL:
		return ": free some space";
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
		return ": make the state folder and patchbay.db writable for the lab's user";
	default:
		return "";
	}
}

static int db_error(sqlite3 *db, int rc, struct error *e)
{
	int code = -EIO;

	if (rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY)
		code = ERR_CONFLICT;
	else if (rc == SQLITE_CONSTRAINT_FOREIGNKEY)
		code = ERR_MISSING;
	else if ((rc & 0xff) == SQLITE_CONSTRAINT)
		code = -EINVAL;
	else if ((rc & 0xff) == SQLITE_FULL)
		code = -ENOSPC;
	else if ((rc & 0xff) == SQLITE_BUSY)
		code = -EBUSY;
	return error_set(e, code, "the lab's database: %s%s", db ? sqlite3_errmsg(db) : "no memory",
		advice(rc));
}

/* Migrations and pragmas: text of ours with several statements. */
static int run_script(sqlite3 *db, const char *sql, struct error *e)
{
	while (*sql) {
		sqlite3_stmt *st = NULL;
		int rc = sqlite3_prepare_v2(db, sql, -1, &st, &sql);

		if (rc != SQLITE_OK)
			return db_error(db, rc, e);
		if (!st) /* only a comment was left */
			continue;
		do
			rc = sqlite3_step(st);
		while (rc == SQLITE_ROW);
		if (rc != SQLITE_DONE) {
			int err = db_error(db, sqlite3_extended_errcode(db), e);

			sqlite3_finalize(st);
			return err;
		}
		sqlite3_finalize(st);
	}
	return 0;
}

static int read_int(sqlite3 *db, const char *sql, int64_t *ret_n, struct error *e)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc != SQLITE_ROW) {
		int err = db_error(db, sqlite3_extended_errcode(db), e);

		sqlite3_finalize(st);
		return err;
	}
	*ret_n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return 0;
}

/* Foreign keys are off: a table that others refer to can only then be made anew. */
static int migrate_one(sqlite3 *db, const struct schema *schema, struct error *e)
{
	char version[64];
	int64_t lost = 0;
	int err = run_script(db, "BEGIN IMMEDIATE", e);

	if (err < 0)
		return err;
	(void)snprintf(version, sizeof(version), "PRAGMA user_version = %d", schema->version);
	err = run_script(db, schema->sql, e);
	if (err >= 0)
		err = read_int(db, "SELECT count(*) FROM pragma_foreign_key_check", &lost, e);
	if (err >= 0 && lost)
		err = error_set(
			e, -EIO, "%lld rows would name others that are not there", (long long)lost);
	if (err < 0 || run_script(db, version, e) < 0 || run_script(db, "COMMIT", e) < 0) {
		(void)run_script(db, "ROLLBACK", NULL);
		return error_prefix(e, "bringing its schema to version %d", schema->version);
	}
	return 0;
}

static int migrate(sqlite3 *db, struct error *e)
{
	int64_t version = 0;
	int newest = schemas[schemas_n - 1].version;
	int err = read_int(db, "PRAGMA user_version", &version, e);

	if (err < 0)
		return err;
	if (version > newest)
		return error_set(e, ERR_CONFLICT,
			"the lab's database has schema version %lld and this patchbayd knows %d: "
			"run the Patchbay that wrote it, or a newer one",
			(long long)version, newest);
	for (size_t i = 0; i < schemas_n; i++) {
		if (schemas[i].version <= version)
			continue;
		err = migrate_one(db, &schemas[i], e);
		if (err < 0)
			return err;
	}
	return 0;
}

static int configure(sqlite3 *db, struct error *e)
{
	int64_t on = 0;
	int err;

	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	err = run_script(db,
		"PRAGMA journal_mode = WAL;"
		"PRAGMA synchronous = FULL;"
		"PRAGMA foreign_keys = OFF;",
		e);
	if (err < 0 || (err = migrate(db, e)) < 0)
		return err;
	err = run_script(db, "PRAGMA foreign_keys = ON", e);
	if (err < 0)
		return err;
	err = read_int(db, "PRAGMA foreign_keys", &on, e);
	if (err < 0)
		return err;
	if (!on)
		return error_set(e, -ENOTSUP,
			"this SQLite was built without foreign keys: use Debian's libsqlite3");
	return 0;
}

int store_open(const char *state, struct store **ret_store, struct error *e)
{
	AUTO_FREE char *path = path_join(state, "patchbay.db");
	AUTO_STORE struct store *s = xcalloc(1, sizeof(*s));
	AUTO_STMT sqlite3_stmt *st = NULL;
	int rc = sqlite3_open_v2(path, &s->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	int err;

	if (rc != SQLITE_OK) {
		(void)db_error(s->db, rc, e);
		return error_prefix(e, "opening %s", path);
	}
	if (configure(s->db, e) < 0)
		return error_prefix(e, "%s", path);
	err = store_query(s, &st, e, "SELECT value FROM meta WHERE key = 'lab'", "");
	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err <= 0)
		return err < 0 ? err : error_set(e, -EIO, "%s has lost the lab's name", path);
	s->lab = col_text(st, 0);
	*ret_store = steal_ptr(s);
	return 0;
}

struct store *store_close(struct store *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < s->n_statements; i++)
		sqlite3_finalize(s->statements[i].st);
	sqlite3_close(s->db);
	free(s->lab);
	free(s);
	return NULL;
}

const char *store_lab(const struct store *s)
{
	return s->lab;
}

int store_next_epoch(struct store *s, int64_t *ret_epoch, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"UPDATE meta SET value = value + 1 WHERE key = 'epoch' RETURNING value", "");

	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err <= 0)
		return err < 0 ? err : error_set(e, -EIO, "the lab's database has no epoch");
	*ret_epoch = col_int(st, 0);
	/* RETURNING commits when the statement has run to its end. */
	err = store_next(st, e);
	return err < 0 ? err : 0;
}

int store_begin(struct store *s, struct tx *tx, struct error *e)
{
	if (s->depth == 0) {
		int err = store_exec(s, e, "BEGIN IMMEDIATE", "");

		if (err < 0)
			return err;
		s->failed = false;
	}
	s->depth++;
	tx->store = s;
	return 0;
}

int store_commit(struct tx *tx, struct error *e)
{
	struct store *s = tx->store;
	int err;

	if (s->depth > 1) {
		tx->store = NULL;
		s->depth--;
		return 0;
	}
	if (s->failed)
		return error_set(e, -EIO, "a part of this change was rolled back");
	err = store_exec(s, e, "COMMIT", "");
	if (err < 0)
		return err; /* store_rollback() follows */
	tx->store = NULL;
	s->depth = 0;
	return 0;
}

void store_rollback(struct tx *tx)
{
	struct store *s = tx->store;

	if (!s)
		return;
	tx->store = NULL;
	if (--s->depth > 0) {
		s->failed = true;
		return;
	}
	/* SQLite may have rolled back by itself, after a full disk say. */
	if (!sqlite3_get_autocommit(s->db))
		(void)store_exec(s, NULL, "ROLLBACK", "");
}

static int statement(struct store *s, const char *sql, sqlite3_stmt **ret_st, struct error *e)
{
	int rc;

	for (size_t i = 0; i < s->n_statements; i++) {
		if (s->statements[i].sql == sql) {
			*ret_st = s->statements[i].st;
			return 0;
		}
	}
	if (s->n_statements == STATEMENTS_MAX)
		return error_set(e, -ENOBUFS, "raise STATEMENTS_MAX in daemon/store/store.c");
	rc = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_st, NULL);
	if (rc != SQLITE_OK)
		return db_error(s->db, rc, e);
	s->statements[s->n_statements].sql = sql;
	s->statements[s->n_statements].st = *ret_st;
	s->n_statements++;
	return 0;
}

static int bind_json(sqlite3_stmt *st, int i, const cJSON *json)
{
	char *text;

	if (!json)
		return sqlite3_bind_null(st, i);
	text = json_text(json);
	return sqlite3_bind_text(st, i, text, -1, free);
}

static int bind_text(sqlite3_stmt *st, int i, const char *text)
{
	return text ? sqlite3_bind_text(st, i, text, -1, SQLITE_TRANSIENT)
		    : sqlite3_bind_null(st, i);
}

static int bind_all(sqlite3_stmt *st, const char *types, va_list ap)
{
	for (int i = 1; types[i - 1]; i++) {
		int64_t n;
		int rc = SQLITE_MISUSE;

		switch (types[i - 1]) {
		case 'i':
			rc = sqlite3_bind_int64(st, i, va_arg(ap, int64_t));
			break;
		case 'z':
			n = va_arg(ap, int64_t);
			rc = n ? sqlite3_bind_int64(st, i, n) : sqlite3_bind_null(st, i);
			break;
		case 's':
			rc = bind_text(st, i, va_arg(ap, const char *));
			break;
		case 'd':
			rc = sqlite3_bind_double(st, i, va_arg(ap, double));
			break;
		case 'j':
			rc = bind_json(st, i, va_arg(ap, const cJSON *));
			break;
		default:
			break;
		}
		if (rc != SQLITE_OK)
			return rc;
	}
	return SQLITE_OK;
}

static int vquery(struct store *s, sqlite3_stmt **ret_st, struct error *e, const char *sql,
	const char *types, va_list ap)
{
	sqlite3_stmt *st;
	int rc;
	int err = statement(s, sql, &st, e);

	if (err < 0)
		return err;
	rc = bind_all(st, types, ap);
	if (rc != SQLITE_OK) {
		err = db_error(s->db, rc, e);
		sqlite3_clear_bindings(st);
		return err;
	}
	*ret_st = st;
	return 0;
}

int store_query(struct store *s, sqlite3_stmt **ret_st, struct error *e, const char *sql,
	const char *types, ...)
{
	va_list ap;
	int err;

	va_start(ap, types);
	err = vquery(s, ret_st, e, sql, types, ap);
	va_end(ap);
	return err;
}

int store_next(sqlite3_stmt *st, struct error *e)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return db_error(sqlite3_db_handle(st), rc, e);
}

void store_releasep(sqlite3_stmt **st)
{
	if (!*st)
		return;
	sqlite3_reset(*st);
	sqlite3_clear_bindings(*st);
	*st = NULL;
}

static int vexec(struct store *s, struct error *e, const char *sql, const char *types, va_list ap)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = vquery(s, &st, e, sql, types, ap);

	if (err < 0)
		return err;
	return store_next(st, e);
}

int store_exec(struct store *s, struct error *e, const char *sql, const char *types, ...)
{
	va_list ap;
	int err;

	va_start(ap, types);
	err = vexec(s, e, sql, types, ap);
	va_end(ap);
	return err;
}

int store_exec_one(
	struct store *s, struct error *e, const char *what, const char *sql, const char *types, ...)
{
	va_list ap;
	int err;

	va_start(ap, types);
	err = vexec(s, e, sql, types, ap);
	va_end(ap);
	if (err < 0)
		return err;
	if (sqlite3_changes64(s->db) == 0)
		return error_set(e, ERR_MISSING, "there is no such %s", what);
	return 0;
}

int64_t store_last_id(const struct store *s)
{
	return sqlite3_last_insert_rowid(s->db);
}

int store_query_ids(struct store *s, int64_t **ret_ids, size_t *ret_n, struct error *e,
	const char *sql, const char *types, ...)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;
	va_list ap;
	int err;

	va_start(ap, types);
	err = vquery(s, &st, e, sql, types, ap);
	va_end(ap);
	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0)
		*rows_add(ids, n) = col_int(st, 0);
	if (err < 0)
		return err;
	*ret_ids = steal_ptr(ids);
	*ret_n = n;
	return 0;
}

char *col_text(sqlite3_stmt *st, int i)
{
	return xstrdup_null((const char *)sqlite3_column_text(st, i));
}

int64_t col_int(sqlite3_stmt *st, int i)
{
	return sqlite3_column_int64(st, i);
}

double col_num(sqlite3_stmt *st, int i)
{
	return sqlite3_column_double(st, i);
}

cJSON *col_json(sqlite3_stmt *st, int i)
{
	const char *text = (const char *)sqlite3_column_text(st, i);
	cJSON *json = NULL;

	if (!text || json_parse(text, (size_t)sqlite3_column_bytes(st, i), &json, NULL) < 0)
		return NULL;
	return json;
}

int page_check(const struct page *page, struct error *e)
{
	if (page->limit < 1 || page->limit > PAGE_MAX)
		return error_set(
			e, ERR_LIMIT, "a page has 1 to %d items, not %d", PAGE_MAX, page->limit);
	return 0;
}

void *rows_grow(void *rows, size_t n, size_t size)
{
	/* Doubling at the powers of two; the array's size is its count rounded up. */
	if ((n & (n - 1)) == 0)
		rows = xreallocarray(rows, n ? n * 2 : 1, size);
	memset((char *)rows + n * size, 0, size);
	return rows;
}

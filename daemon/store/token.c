/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/token.h"
#include "daemon/store/internal.h"
#include "base/sha256.h"
#include <sys/random.h>

#define TOKEN_BYTES 32
#define COLUMNS                                                                                    \
	"SELECT id, scope, created_ms, iif(revoked_ms, revoked_ms, coalesce((SELECT p.revoked_ms " \
	"FROM token p WHERE p.id = token.parent_id), 0)), parent_id, expires_ms FROM token "

static const char *const scopes[] = {"read", "submit", "admin"};

const char *scope_name(enum scope s)
{
	return scopes[s];
}

int scope_parse(const char *name, enum scope *ret_scope)
{
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		if (streq(name, scopes[i])) {
			*ret_scope = (enum scope)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int insert(struct store *s, struct token_row *row, char *token, struct error *e)
{
	unsigned char bytes[TOKEN_BYTES];
	char text[TOKEN_SIZE] = "pb_";
	char hash[SHA256_HEX];
	int err;

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_errno(e, "reading random bytes for a token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		(void)snprintf(text + 3 + 2 * i, 3, "%02x", bytes[i]);
	sha256_of(text, strlen(text), hash);
	err = store_exec(s, e,
		"INSERT INTO token (hash, scope, created_ms, parent_id, expires_ms) "
		"VALUES (?, ?, ?, nullif(?, 0), ?)",
		"ssiii", hash, scope_name(row->scope), row->created_ms, row->parent_id,
		row->expires_ms);
	if (err < 0)
		return err;
	row->id = store_last_id(s);
	memcpy(token, text, sizeof(text));
	return 0;
}

int token_create(
	struct store *s, enum scope scope, char *token, struct token_row *ret_row, struct error *e)
{
	struct token_row row = {.scope = scope, .created_ms = clock_unix_ms()};
	int err = insert(s, &row, token, e);

	if (!err)
		*ret_row = row;
	return err;
}

int token_create_session(struct store *s, int64_t parent, enum scope scope, int64_t expires_ms,
	char *token, struct token_row *ret_row, struct error *e)
{
	struct token_row row = {
		.scope = scope,
		.created_ms = clock_unix_ms(),
		.parent_id = parent,
		.expires_ms = expires_ms,
	};
	int err = insert(s, &row, token, e);

	if (!err)
		*ret_row = row;
	return err;
}

int token_revoke(struct store *s, int64_t id, struct error *e)
{
	int err = store_exec_one(s, e, "token",
		"UPDATE token SET revoked_ms = iif(revoked_ms, revoked_ms, ?2) WHERE id = ?1", "ii",
		id, clock_unix_ms());

	return err == ERR_MISSING
		       ? error_set(e, err, "there is no token %lld: see `patchbay token ls`",
				 (long long)id)
		       : err;
}

static void read_row(sqlite3_stmt *st, struct token_row *row)
{
	AUTO_FREE char *scope = col_text(st, 1);

	row->id = col_int(st, 0);
	(void)scope_parse(scope, &row->scope); /* the schema lets no other in */
	row->created_ms = col_int(st, 2);
	row->revoked_ms = col_int(st, 3);
	row->parent_id = col_int(st, 4);
	row->expires_ms = col_int(st, 5);
}

int token_check(struct store *s, const char *token, enum scope need, struct token_row *ret_row,
	struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	struct token_row row = {0};
	char hash[SHA256_HEX];
	int err;

	/* Looked up by hash, so the time it takes tells nothing about the tokens there are. */
	sha256_of(token, strlen(token), hash);
	err = store_query(s, &st, e, COLUMNS "WHERE hash = ?", "s", hash);
	if (err < 0)
		return err;
	err = store_next(st, e);
	if (err < 0)
		return err;
	if (err == 0)
		return error_set(e, ERR_AUTH,
			"this token is not known here: ask the lab's administrator for one "
			"(`patchbay token create`)");
	read_row(st, &row);
	if (row.revoked_ms)
		return error_set(e, ERR_AUTH,
			"token %lld was revoked: ask the lab's administrator for a new one "
			"(`patchbay token create`)",
			(long long)row.id);
	if (row.expires_ms && row.expires_ms <= clock_unix_ms())
		return error_set(e, ERR_AUTH,
			"this session is over: sign in again (`patchbay dashboard` gives an "
			"address)");
	if (row.scope < need)
		return error_set(e, -EACCES,
			"this needs a token with scope %s, and token %lld has scope %s",
			scope_name(need), (long long)row.id, scope_name(row.scope));
	*ret_row = row;
	return 0;
}

bool token_is_good(struct store *s, int64_t id)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	struct token_row row = {0};

	if (store_query(s, &st, NULL, COLUMNS "WHERE id = ?", "i", id) < 0 ||
		store_next(st, NULL) <= 0)
		return false;
	read_row(st, &row);
	return !row.revoked_ms && (!row.expires_ms || row.expires_ms > clock_unix_ms());
}

int token_list(struct store *s, const struct page *page, struct token_row **ret_rows, size_t *ret_n,
	int64_t *ret_next, struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	AUTO_FREE struct token_row *rows = NULL;
	size_t n = 0;
	int err = page_check(page, e);

	if (err < 0)
		return err;
	err = store_query(s, &st, e, COLUMNS "WHERE id > ? ORDER BY id LIMIT ?", "ii", page->after,
		(int64_t)page->limit + 1);
	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0)
		read_row(st, rows_add(rows, n));
	if (err < 0)
		return err;
	*ret_next = 0;
	if (rows && n > (size_t)page->limit)
		*ret_next = rows[--n - 1].id;
	*ret_rows = steal_ptr(rows);
	*ret_n = n;
	return 0;
}

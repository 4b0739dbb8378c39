/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bearer tokens: 256 random bits as "pb_" and 64 hex digits; only their SHA-256 is stored. */
#ifndef STORE_TOKEN_H
#define STORE_TOKEN_H

#include "daemon/store/store.h"

enum scope { SCOPE_READ, SCOPE_SUBMIT, SCOPE_ADMIN }; /* each includes the ones before it */
const char *scope_name(enum scope s);
int scope_parse(const char *name, enum scope *ret_scope); /* 0 or -EINVAL */

#define TOKEN_SIZE 68 /* with the NUL */

struct token_row {
	int64_t id;
	enum scope scope;
	int64_t created_ms;
	int64_t revoked_ms; /* 0: valid; a session's is also its parent's */
	int64_t parent_id; /* the token that a session was opened with; 0: it is none */
	int64_t expires_ms; /* 0: never */
};

/* token[TOKEN_SIZE] is the only time it is ever seen. */
int token_create(
	struct store *s, enum scope scope, char *token, struct token_row *ret_row, struct error *e);
/* A session: good until expires_ms, and no longer than the token parent is. */
int token_create_session(struct store *s, int64_t parent, enum scope scope, int64_t expires_ms,
	char *token, struct token_row *ret_row, struct error *e);
/* ERR_MISSING; revoking twice is fine. */
int token_revoke(struct store *s, int64_t id, struct error *e);
/* ERR_AUTH: no such token, revoked or expired (401). -EACCES: its scope does not reach (403). */
int token_check(struct store *s, const char *token, enum scope need, struct token_row *ret_row,
	struct error *e);
/* Whether a token that was good once still is. */
bool token_is_good(struct store *s, int64_t id);
/* By id. *ret_rows: heap array, free() it. */
int token_list(struct store *s, const struct page *page, struct token_row **ret_rows, size_t *ret_n,
	int64_t *ret_next, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens and the sessions that stand on them. */
#include "store_lab.h"
#include "base/clock.h"
#include "daemon/store/token.h"
#include <errno.h>

static void sessions_end(void **state)
{
	struct lab *lab = *state;
	char token[TOKEN_SIZE], session[TOKEN_SIZE], over[TOKEN_SIZE];
	struct token_row row, seen;
	int64_t now = clock_unix_ms();

	assert_int_equal(token_create(lab->store, SCOPE_ADMIN, token, &row, NULL), 0);
	assert_int_equal(token_create_session(lab->store, row.id, SCOPE_SUBMIT, now + 60000,
				 session, &seen, NULL),
		0);
	assert_int_equal(
		token_create_session(lab->store, row.id, SCOPE_SUBMIT, now, over, &seen, NULL), 0);
	assert_int_equal(token_check(lab->store, session, SCOPE_SUBMIT, &seen, NULL), 0);
	assert_int_equal(seen.parent_id, row.id);
	assert_int_equal(token_check(lab->store, over, SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_revoke(lab->store, row.id, NULL), 0);
	assert_int_equal(token_check(lab->store, session, SCOPE_READ, &seen, NULL), ERR_AUTH);
}

static void tokens_are_checked_by_scope_and_revoked(void **state)
{
	struct lab *lab = *state;
	char token[TOKEN_SIZE], other[TOKEN_SIZE];
	struct token_row row, seen;
	struct page page = {0, 1};
	struct token_row *rows = NULL;
	size_t n = 0;

	assert_int_equal(token_create(lab->store, SCOPE_SUBMIT, token, &row, NULL), 0);
	assert_int_equal(token_create(lab->store, SCOPE_READ, other, &seen, NULL), 0);
	assert_int_equal(strlen(token), TOKEN_SIZE - 1);
	assert_string_not_equal(token, other);
	assert_int_equal(token_check(lab->store, token, SCOPE_READ, &seen, NULL), 0);
	assert_int_equal(seen.id, row.id);
	assert_int_equal(token_check(lab->store, token, SCOPE_SUBMIT, &seen, NULL), 0);
	assert_int_equal(token_check(lab->store, token, SCOPE_ADMIN, &seen, NULL), -EACCES);
	assert_int_equal(token_check(lab->store, "wrong", SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_check(lab->store, "", SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_revoke(lab->store, row.id, NULL), 0);
	assert_int_equal(token_revoke(lab->store, row.id, NULL), 0);
	assert_int_equal(token_check(lab->store, token, SCOPE_READ, &seen, NULL), ERR_AUTH);
	assert_int_equal(token_revoke(lab->store, 99, NULL), ERR_MISSING);

	assert_int_equal(token_list(lab->store, &page, &rows, &n, &page.after, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(page.after, row.id);
	free(rows);
	assert_int_equal(token_list(lab->store, &page, &rows, &n, &page.after, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(page.after, 0);
	free(rows);
}

static void no_token_is_in_the_file(void **state)
{
	struct lab *lab = *state;
	char token[TOKEN_SIZE];
	struct token_row row;
	AUTO_FREE char *path = path_join(lab->dir, "patchbay.db-wal");
	AUTO_FREE char *data = NULL;
	size_t len = 0;

	assert_int_equal(token_create(lab->store, SCOPE_ADMIN, token, &row, NULL), 0);
	assert_int_equal(file_read(path, 1 << 24, &data, &len, NULL), 0);
	assert_true(len > 0);
	assert_null(memmem(data, len, token + 3, strlen(token) - 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(sessions_end),
		STORE_TEST(tokens_are_checked_by_scope_and_revoked),
		STORE_TEST(no_token_is_in_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

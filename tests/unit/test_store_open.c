/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening the database: a new one, an old one, one that is not ours to open; what survives. */
#include "base/file.h"
#include "daemon/store/schema.h"
#include "daemon/store/token.h"
#include "daemon/store/tree.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>

struct folder {
	char dir[64];
	char *db;
};

static int setup(void **state)
{
	struct folder *f = xcalloc(1, sizeof(*f));

	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/patchbay-open-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->db = path_join(f->dir, "patchbay.db");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct folder *f = *state;

	file_remove_tree(f->dir, NULL);
	free(f->db);
	free(f);
	return 0;
}

static int64_t ask(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	if (sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void a_new_one_has_every_migration(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;
	AUTO_FREE char *lab = NULL;

	assert_int_equal(store_open(f->dir, &s, NULL), 0);
	assert_int_equal(strlen(store_lab(s)), 32);
	lab = xstrdup(store_lab(s));
	s = store_close(s);
	assert_int_equal(ask(f->db, "PRAGMA user_version"), schemas[schemas_n - 1].version);
	/* Every table is STRICT, and the journal is a WAL from now on. */
	assert_int_equal(
		ask(f->db, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' "
			   "AND type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT strict"),
		0);
	assert_int_equal(ask(f->db, "SELECT count(*) FROM pragma_journal_mode "
				    "WHERE journal_mode = 'wal'"),
		1);
	/* Opened again it is the same lab. */
	assert_int_equal(store_open(f->dir, &s, NULL), 0);
	assert_string_equal(store_lab(s), lab);
}

static void migrations_are_numbered_without_gaps(void **state)
{
	for (size_t i = 0; i < schemas_n; i++)
		assert_int_equal(schemas[i].version, (int)i + 1);
}

/* A database as version n left it. */
static void make_old(const struct folder *f, int version)
{
	sqlite3 *db = NULL;
	char text[64];

	assert_int_equal(sqlite3_open(f->db, &db), SQLITE_OK);
	for (int i = 0; i < version; i++)
		assert_int_equal(sqlite3_exec(db, schemas[i].sql, NULL, NULL, NULL), SQLITE_OK);
	(void)snprintf(text, sizeof(text), "PRAGMA user_version = %d", version);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void boots_of_before_there_were_parts_are_kept(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;

	make_old(f, 5);
	ask(f->db, "INSERT INTO host (name, address, port, user, key, host_key, created_ms) "
		   "VALUES ('h', 'a', 22, 'u', 'k', 'hk', 1)");
	ask(f->db, "INSERT INTO job (id, kind, host, queued_ms) VALUES (8, 'boot', 'h', 1)");
	ask(f->db, "INSERT INTO boot (job_id, patch, commit_id, side, role, clock, pair, seed, "
		   "started_ms, boot_id, seconds, image_sha256, accel, cmdline, last_line) VALUES "
		   "(8, 2, 'c', 'patched', 'extra', 'counted', 3, 4, 5, 'b', 6.5, 'i', 'tcg', "
		   "'x', 'l')");
	assert_int_equal(store_open(f->dir, &s, NULL), 0);
	s = store_close(s);
	assert_int_equal(ask(f->db, "SELECT count(*) FROM boot WHERE job_id = 8 AND patch = 2 "
				    "AND commit_id = 'c' AND side = 'patched' AND role = 'extra' "
				    "AND clock = 'counted' AND part = '' AND pair = 3 AND seed = 4 "
				    "AND started_ms = 5 AND boot_id = 'b' AND seconds = 6.5 "
				    "AND image_sha256 = 'i' AND accel = 'tcg' AND cmdline = 'x' "
				    "AND last_line = 'l'"),
		1);
	assert_int_equal(ask(f->db, "SELECT count(*) FROM boot"), 1);
}

static void a_newer_one_is_refused_untouched(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;
	struct error e = ERROR_INIT;

	ask(f->db, "PRAGMA user_version = 9999");
	assert_int_equal(store_open(f->dir, &s, &e), ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "9999"));
	assert_null(s);
	assert_int_equal(ask(f->db, "SELECT count(*) FROM sqlite_schema"), 0);
}

static void a_migration_is_whole_or_nothing(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;

	/* Something of that name is in the way of the last table. */
	ask(f->db, "CREATE TABLE sample (x)");
	assert_int_not_equal(store_open(f->dir, &s, NULL), 0);
	assert_int_equal(ask(f->db, "PRAGMA user_version"), 0);
	assert_int_equal(ask(f->db, "SELECT count(*) FROM sqlite_schema"), 1);
}

static void run_sql(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
}

/* Tables that a migration makes anew keep what was in them. */
static void what_an_older_lab_had_is_still_there(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(f->db, &db), SQLITE_OK);
	for (size_t i = 0; schemas[i].version <= 5; i++)
		run_sql(db, schemas[i].sql);
	run_sql(db, "INSERT INTO tree (name, source, path, state, created_ms) "
		    "VALUES ('t', '{}', '/t', 'importing', 1);"
		    "INSERT INTO host (name, address, port, user, key, host_key, created_ms) "
		    "VALUES ('h', 'a', 22, 'u', '/k', 'k', 1);"
		    "INSERT INTO series (mail_sha256, mail_size, dedup, tree, tip, profile_name, "
		    "profile, until, no_inherit, created_ms) VALUES (printf('%064d', 0), 1, 'd', "
		    "'t', '1', 'dma', '{}', 'test', 0, 1);"
		    "INSERT INTO run (series_id, n, state, draw, created_ms) "
		    "VALUES (1, 1, 'building', 7, 1);"
		    "INSERT INTO job (id, kind, series_id, run, host, queued_ms, log_size, result) "
		    "VALUES (41, 'build', 1, 1, 'h', 5, 6, '{\"a\":1}');"
		    "INSERT INTO build (job_id, patch, commit_id, arch) VALUES (41, 0, '1', 'x');"
		    "PRAGMA user_version = 5");
	sqlite3_close(db);
	assert_int_equal(store_open(f->dir, &s, NULL), 0);
	s = store_close(s);
	assert_int_equal(
		ask(f->db, "SELECT count(*) FROM job JOIN build ON build.job_id = job.id "
			   "WHERE job.id = 41 AND kind = 'build' AND host = 'h' AND queued_ms = 5 "
			   "AND log_size = 6 AND result ->> '$.a' = 1 AND status = 'queued'"),
		1);
	/* Ids go on where they were. */
	ask(f->db, "INSERT INTO job (kind, series_id, run, queued_ms) VALUES ('parse', 1, 1, 9)");
	assert_int_equal(ask(f->db, "SELECT max(id) FROM job"), 42);
}

static void what_is_no_database_is_refused(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;
	AUTO_FREE char *rubbish = xmalloc(8192);
	struct error e = ERROR_INIT;

	memset(rubbish, 'x', 8192);
	assert_int_equal(file_write_atomic(f->db, rubbish, 8192, 0600, NULL), 0);
	assert_int_equal(store_open(f->dir, &s, &e), -EIO);
	assert_non_null(strstr(e.msg, f->db));
	assert_non_null(strstr(e.msg, "backup"));
	assert_int_not_equal(store_open("/nowhere", &s, &e), 0);
}

static void what_was_committed_survives_a_kill(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;
	struct tree_row tree = {.name = (char *)"t", .path = (char *)"/t"};
	int pipe_fds[2], status;
	char done = 0;
	pid_t pid;

	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		AUTO_TX struct tx tx = TX_INIT;
		int64_t id;

		tree.source = cJSON_Parse("{}");
		if (store_open(f->dir, &s, NULL) < 0 || tree_insert(s, &tree, &id, NULL) < 0)
			_exit(1);
		tree.name = (char *)"half";
		if (store_begin(s, &tx, NULL) < 0 || tree_insert(s, &tree, &id, NULL) < 0 ||
			write(pipe_fds[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipe_fds[0], &done, 1), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	assert_int_equal(store_open(f->dir, &s, NULL), 0);
	AUTO_TREE struct tree_row got = {0};

	assert_int_equal(tree_get(s, "t", &got, NULL), 0);
	assert_int_equal(tree_get(s, "half", &got, NULL), ERR_MISSING);
}

/* A file that may not grow stands for a full disk: the write fails, and works again afterwards. */
static void a_full_disk_is_an_error_and_no_damage(void **state)
{
	struct folder *f = *state;
	AUTO_STORE struct store *s = NULL;
	char token[TOKEN_SIZE];
	struct token_row row;
	struct rlimit was, none = {4096, 4096};
	int err = 0;

	assert_int_equal(store_open(f->dir, &s, NULL), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	for (int i = 0; i < 10 && err >= 0; i++)
		err = token_create(s, SCOPE_READ, token, &row, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	(void)signal(SIGXFSZ, SIG_DFL);
	assert_true(err == -EIO || err == -ENOSPC);
	assert_int_equal(token_create(s, SCOPE_READ, token, &row, NULL), 0);
	assert_int_equal(token_check(s, token, SCOPE_READ, &row, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(a_new_one_has_every_migration),
		T(migrations_are_numbered_without_gaps),
		T(boots_of_before_there_were_parts_are_kept),
		T(a_newer_one_is_refused_untouched),
		T(a_migration_is_whole_or_nothing),
		T(what_an_older_lab_had_is_still_there),
		T(what_is_no_database_is_refused),
		T(what_was_committed_survives_a_kill),
		T(a_full_disk_is_an_error_and_no_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A database in a temporary folder, and rows to begin with. */
#ifndef TESTS_STORE_LAB_H
#define TESTS_STORE_LAB_H

#include "base/file.h"
#include "daemon/store/host.h"
#include "daemon/store/series.h"
#include "daemon/store/tree.h"
#include <setjmp.h>
#include <cmocka.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TIP "1111111111111111111111111111111111111111"

struct lab {
	char dir[64];
	struct store *store;
};

static inline int setup(void **state)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));

	(void)snprintf(lab->dir, sizeof(lab->dir), "/tmp/patchbay-store-XXXXXX");
	assert_non_null(mkdtemp(lab->dir));
	struct error e = ERROR_INIT;

	if (store_open(lab->dir, &lab->store, &e) < 0)
		fail_msg("%s", e.msg);
	*state = lab;
	return 0;
}

static inline int teardown(void **state)
{
	struct lab *lab = *state;

	store_close(lab->store);
	file_remove_tree(lab->dir, NULL);
	free(lab);
	return 0;
}

static inline cJSON *parse(const char *text)
{
	cJSON *json = NULL;

	assert_int_equal(json_parse(text, strlen(text), &json, NULL), 0);
	return json;
}

static inline void add_tree(struct store *s)
{
	struct tree_row tree = {.name = (char *)"t", .path = (char *)"/trees/t.git"};
	int64_t id;

	tree.source = parse("{\"deb\":\"linux-source-6.12\"}");
	assert_int_equal(tree_insert(s, &tree, &id, NULL), 0);
	assert_int_equal(tree_insert(s, &tree, &id, NULL), ERR_CONFLICT);
	assert_int_equal(tree_set_tip(s, id, TIP, "6.12", 5, NULL), 0);
	cJSON_Delete(tree.source);
}

/* patched: of a comparison; or NULL */
static inline int64_t add_submission(struct store *s, const char *dedup, const char *patched,
	const int64_t *needs, size_t n_needs)
{
	struct series_row row = {
		.base_text = (char *)(patched ? "main" : NULL),
		.patched_text = (char *)patched,
		.mail_sha256 = (char *)SHA,
		.mail_size = 10,
		.dedup = (char *)dedup,
		.tree = (char *)"t",
		.tip = (char *)TIP,
		.profile_name = (char *)"dma",
		.until = (char *)"test",
		.draw = 42,
	};
	int64_t id = 0;

	row.profile = parse("{\"name\":\"dma\"}");
	assert_int_equal(series_insert(s, &row, needs, n_needs, &id, NULL), 0);
	cJSON_Delete(row.profile);
	return id;
}

static inline int64_t add_series(
	struct store *s, const char *dedup, const int64_t *needs, size_t n_needs)
{
	return add_submission(s, dedup, NULL, needs, n_needs);
}

static inline void add_host(struct store *s, const char *name)
{
	struct host_row host = {
		.name = (char *)name,
		.address = (char *)"127.0.0.1",
		.port = 22,
		.user = (char *)"u",
		.key = (char *)"/k",
		.host_key = (char *)"ssh-ed25519 A",
	};
	int64_t id;

	assert_int_equal(host_put(s, &host, &id, NULL), 0);
}

/* Each test has a database of its own. */
#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif

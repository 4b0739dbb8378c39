/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of a test's own: TEST_IN_FOLDER(f) makes and removes it. */
#ifndef TESTS_TEMP_FOLDER_H
#define TESTS_TEMP_FOLDER_H

#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char root[] = "/tmp/patchbay-test.XXXXXX";

static int make_root(void **state)
{
	(void)snprintf(root, sizeof(root), "/tmp/patchbay-test.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	return file_remove_tree(root, NULL);
}

#define TEST_IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

/* A file in it, and the folders on the way. */
static inline void put(const char *path, const char *text, mode_t mode)
{
	AUTO_FREE char *whole = path_join(root, path);
	AUTO_FREE char *folder = xstrndup(whole, (size_t)(strrchr(whole, '/') - whole));

	assert_int_equal(file_mkdirs(folder, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(whole, text, strlen(text), mode, NULL), 0);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cpio.h"
#include "base/file.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/stat.h>

#define MAX (1024 * 1024)

static char root[64];

static int setup(void **state)
{
	(void)snprintf(root, sizeof(root), "/tmp/test-cpio.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	return file_remove_tree(root, NULL);
}

static void put(const char *path, const char *text, mode_t mode)
{
	AUTO_FREE char *whole = path_join(root, path);

	assert_int_equal(file_write_atomic(whole, text, strlen(text), mode, NULL), 0);
}

static void make_folder(const char *path)
{
	AUTO_FREE char *whole = path_join(root, path);

	assert_int_equal(mkdir(whole, 0700), 0);
}

/* "mode name data" of each entry, one a line, read as a kernel does. */
static char *contents(const struct cpio *c)
{
	struct strbuf out;
	size_t at = 0;

	strbuf_init(&out, MAX);
	while (at + 110 <= c->data.len && memcmp(c->data.buf + at, "070701", 6) == 0) {
		char field[9] = "";
		const char *name = c->data.buf + at + 110;
		unsigned long mode, size, name_size;

		mode = strtoul(memcpy(field, c->data.buf + at + 14, 8), NULL, 16);
		size = strtoul(memcpy(field, c->data.buf + at + 54, 8), NULL, 16);
		name_size = strtoul(memcpy(field, c->data.buf + at + 94, 8), NULL, 16);
		at = (at + 110 + name_size + 3) & ~(size_t)3;
		strbuf_addf(&out, "%lo %s %.*s\n", mode, name, (int)size, c->data.buf + at);
		at = (at + size + 3) & ~(size_t)3;
	}
	return strbuf_detach(&out, NULL);
}

static void test_tree(void **state)
{
	AUTO_FREE char *link = path_join(root, "t/link");
	AUTO_FREE char *tree = path_join(root, "t");
	AUTO_FREE char *text = NULL;
	AUTO_CPIO struct cpio c;

	make_folder("t");
	make_folder("t/sub");
	put("t/z", "last", 0755);
	put("t/sub/a", "abc", 0600);
	assert_int_equal(symlink("sub/a", link), 0);
	cpio_init(&c, MAX);
	assert_int_equal(cpio_add_tree(&c, tree, "tests/t", NULL), 0);
	cpio_end(&c);
	text = contents(&c);
	assert_string_equal(text, "40755 tests/t \n120777 tests/t/link sub/a\n40755 tests/t/sub \n"
				  "100600 tests/t/sub/a abc\n100755 tests/t/z last\n"
				  "0 TRAILER!!! \n");
	assert_int_equal(c.data.len % 512, 0);
}

static void test_one_file(void **state)
{
	AUTO_FREE char *file = path_join(root, "f");
	AUTO_FREE char *text = NULL;
	AUTO_CPIO struct cpio c;

	put("f", "x", 0711);
	cpio_init(&c, MAX);
	assert_int_equal(cpio_add_tree(&c, file, "tests/f", NULL), 0);
	text = contents(&c);
	assert_string_equal(text, "100711 tests/f x\n");
}

static void test_refused(void **state)
{
	AUTO_FREE char *fifo = path_join(root, "fifo");
	AUTO_FREE char *file = path_join(root, "big");
	AUTO_FREE char *many = path_join(root, "many");
	struct error e = ERROR_INIT;
	AUTO_CPIO struct cpio c;

	cpio_init(&c, 1000);
	assert_int_equal(cpio_add_tree(&c, fifo, "x", &e), -ENOENT);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(cpio_add_tree(&c, fifo, "x", &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "no file, folder"));
	{
		char text[1000];

		memset(text, 'x', sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		put("big", text, 0600);
	}
	/* The file fits, and its header with it does not. */
	assert_int_equal(cpio_add_tree(&c, file, "x", &e), ERR_LIMIT);
	cpio_done(&c);
	cpio_init(&c, MAX * 16);
	make_folder("many");
	for (int i = 0; i < CPIO_MAX_FILES; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "many/%d", i);
		{
			AUTO_FREE char *path = path_join(root, name);

			assert_int_equal(symlink("x", path), 0);
		}
	}
	/* With the folder itself, one too many. */
	assert_int_equal(cpio_add_tree(&c, many, "x", &e), ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tree, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

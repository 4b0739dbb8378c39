/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cpio.h"
#include "temp_folder.h"
#include <errno.h>
#include <sys/stat.h>

#define MAX (1024 * 1024)

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

static void test_one_behind_the_other(void **state)
{
	AUTO_CPIO struct cpio c;

	cpio_init(&c, MAX);
	cpio_add_folder(&c, "dev");
	cpio_end(&c);
	cpio_append(&c, "five.", 5);
	cpio_append(&c, "x", 1);
	assert_int_equal(c.data.len, 512 + 8 + 4);
	assert_memory_equal(c.data.buf + 512, "five.\0\0\0x\0\0\0", 12);
}

static int add(const char *path, size_t max, struct error *e)
{
	AUTO_FREE char *whole = path_join(root, path);
	AUTO_CPIO struct cpio c;

	cpio_init(&c, max);
	return cpio_add_tree(&c, whole, "x", e);
}

static void test_refused(void **state)
{
	AUTO_FREE char *fifo = path_join(root, "fifo");
	struct error e = ERROR_INIT;

	assert_int_equal(add("fifo", MAX, &e), -ENOENT);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(add("fifo", MAX, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "no file, folder"));
}

static void test_size(void **state)
{
	struct error e = ERROR_INIT;

	/* A header of 110 bytes, "x" and its NUL, eight bytes of data. */
	put("f", "12345678", 0600);
	assert_int_equal(add("f", 110 + 2 + 8, &e), 0);
	assert_int_equal(add("f", 110 + 2 + 7, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "larger than 119 bytes"));
	/* The file alone does not fit. */
	assert_int_equal(add("f", 7, &e), ERR_LIMIT);
}

static void test_number_of_files(void **state)
{
	struct error e = ERROR_INIT;

	make_folder("many");
	for (int i = 0; i < CPIO_MAX_FILES; i++) {
		AUTO_FREE char *path = xasprintf("%s/many/%d", root, i);

		/* The folder itself is one of them. */
		if (i == CPIO_MAX_FILES - 1)
			assert_int_equal(add("many", MAX * 16, &e), 0);
		assert_int_equal(symlink("x", path), 0);
	}
	assert_int_equal(add("many", MAX * 16, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "more than 4096 files"));
}

static void test_depth(void **state)
{
	AUTO_STRBUF struct strbuf path;
	struct error e = ERROR_INIT;

	strbuf_init(&path, 1024);
	strbuf_adds(&path, "d");
	for (int i = 0; i < CPIO_MAX_DEPTH; i++)
		strbuf_adds(&path, "/d");
	{
		AUTO_FREE char *whole = path_join(root, path.buf);

		assert_int_equal(file_mkdirs(whole, 0700, NULL), 0);
	}
	assert_int_equal(add("d", MAX, &e), 0);
	strbuf_adds(&path, "/f");
	put(path.buf, "", 0600);
	assert_int_equal(add("d", MAX, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "folders deep"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_IN_FOLDER(test_tree),
		TEST_IN_FOLDER(test_one_file),
		TEST_IN_FOLDER(test_one_behind_the_other),
		TEST_IN_FOLDER(test_refused),
		TEST_IN_FOLDER(test_size),
		TEST_IN_FOLDER(test_number_of_files),
		TEST_IN_FOLDER(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

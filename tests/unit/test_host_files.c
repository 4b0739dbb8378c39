/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agent reads and writes of files: ELF, initramfs, folders that a sandbox wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agents/host/elf.h"
#include "agents/host/folder.h"
#include "agents/host/initrd.h"
#include "agents/host/wrapper.h"
#include "base/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Two sections (.text, __bug_table) and their names. */
struct tiny {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[4];
	char names[32];
	char text[8];
	char bugs[12];
};

static struct tiny make_tiny(void)
{
	struct tiny t = {
		.names = "\0.text\0__bug_table\0.names",
		.text = "code",
		.bugs = "address fi",
	};

	memcpy(t.eh.e_ident, ELFMAG, SELFMAG);
	t.eh.e_ident[EI_CLASS] = ELFCLASS64;
	t.eh.e_ident[EI_DATA] = ELFDATA2LSB;
	t.eh.e_type = ET_EXEC;
	t.eh.e_shoff = offsetof(struct tiny, sh);
	t.eh.e_shentsize = sizeof(Elf64_Shdr);
	t.eh.e_shnum = 4;
	t.eh.e_shstrndx = 3;
	t.sh[1] = (Elf64_Shdr){.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_offset = offsetof(struct tiny, text),
		.sh_size = 8};
	t.sh[2] = (Elf64_Shdr){.sh_name = 7,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_offset = offsetof(struct tiny, bugs),
		.sh_size = 12};
	t.sh[3] = (Elf64_Shdr){.sh_name = 19,
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct tiny, names),
		.sh_size = 32};
	return t;
}

static int hash(const void *data, size_t len, char *hex)
{
	AUTO_CLOSE int fd = memfd_create("elf", MFD_CLOEXEC);
	struct sha256 h;
	int r;

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, data, len), 0);
	sha256_init(&h);
	r = elf_hash(fd, "elf", true, &h, NULL);
	sha256_hex(&h, hex);
	return r;
}

static void code_counts_and_lines_do_not(void **state)
{
	char base[SHA256_HEX], lines[SHA256_HEX], flags[SHA256_HEX], code[SHA256_HEX];
	struct tiny t = make_tiny();

	assert_int_equal(hash(&t, sizeof(t), base), 0);
	t.bugs[8] = 'L'; /* the line, two bytes */
	t.bugs[9] = 'L';
	assert_int_equal(hash(&t, sizeof(t), lines), 0);
	t.bugs[10] = 'F'; /* the flags: WARN_ON_ONCE, say */
	assert_int_equal(hash(&t, sizeof(t), flags), 0);
	assert_string_not_equal(base, flags);
	t.text[0] = 'C';
	assert_int_equal(hash(&t, sizeof(t), code), 0);
	assert_string_equal(base, lines);
	assert_string_not_equal(base, code);
}

/* What the compiler makes of a source, and its hash. */
static void compile(const char *source, const char *flags, char **ret_object, size_t *ret_len)
{
	char dir[] = "/tmp/patchbay-elf-XXXXXX";
	AUTO_FREE char *c = NULL, *o = NULL, *command = NULL;

	assert_non_null(mkdtemp(dir));
	c = path_join(dir, "x.c");
	o = path_join(dir, "x.o");
	command = xasprintf("gcc -O2 -g %s -c -o %s %s", flags, o, c);
	assert_int_equal(file_write_atomic(c, source, strlen(source), 0600, NULL), 0);
	assert_int_equal(system(command), 0);
	assert_int_equal(file_read(o, 1 << 20, ret_object, ret_len, NULL), 0);
	assert_int_equal(file_remove_tree(dir, NULL), 0);
}

static void hash_source(const char *source, const char *flags, char *hex)
{
	AUTO_FREE char *object = NULL;
	size_t len;

	compile(source, flags, &object, &len);
	assert_int_equal(hash(object, len, hex), 0);
}

#define CALLS(what) "void a(void); void b(void); void f(void); void f(void) { " what "; }\n"
#define READS(what)                        \
	"static int x, y; int f(int i);\n" \
	"int f(int i) { x += i; y -= i; return " what "; }\n"

static void relocations_of_modules_count(void **state)
{
	/* -m32: the boot loader's objects. */
	static const char *const flags[] = {"", "-ffunction-sections", "-m32 -fno-pic"};
	char base[SHA256_HEX], other[SHA256_HEX];

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		hash_source(CALLS("a()"), flags[i], base);
		hash_source("/* One\n * comment more. */\n" CALLS("a()"), flags[i], other);
		assert_string_equal(base, other);
		hash_source(CALLS("b()"), flags[i], other);
		assert_string_not_equal(base, other);

		hash_source(READS("x"), flags[i], base);
		hash_source("\n/* comment */\n" READS("x"), flags[i], other);
		assert_string_equal(base, other);
		hash_source(READS("y"), flags[i], other);
		assert_string_not_equal(base, other);
	}
}

/* Every byte of an object set to every extreme: no read outside. */
static void survives_any_object(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	AUTO_FREE char *object = NULL;
	char hex[SHA256_HEX];
	size_t len;

	compile(CALLS("a()"), "-g0", &object, &len);
	for (size_t i = EI_NIDENT; i < len; i++) {
		char was = object[i];

		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			object[i] = (char)values[v];
			(void)hash(object, len, hex);
		}
		object[i] = was;
	}
}

/* Every byte of the headers set to every extreme, and every length: no read outside. */
static void survives_any_header(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	const struct tiny good = make_tiny();
	char hex[SHA256_HEX];

	for (size_t len = 0; len < sizeof(good); len += 7)
		(void)hash(&good, len, hex);
	for (size_t i = 0; i < offsetof(struct tiny, text); i++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			struct tiny t = good;

			((uint8_t *)&t)[i] = values[v];
			(void)hash(&t, sizeof(t), hex);
		}
	assert_int_equal(hash("", 0, hex), ERR_SYNTAX);
}

static void initrd_is_a_cpio_archive(void **state)
{
	char dir[] = "/tmp/patchbay-initrd-XXXXXX";
	const char *const none[] = {NULL};
	AUTO_FREE char *a = NULL, *init = NULL, *one = NULL, *two = NULL;
	size_t len, len2;

	assert_non_null(mkdtemp(dir));
	init = path_join(dir, "prog");
	one = path_join(dir, "one");
	two = path_join(dir, "two");
	assert_int_equal(file_write_atomic(init, "#!init", 6, 0600, NULL), 0);
	assert_int_equal(initrd_write(init, none, one, NULL), 0);
	assert_int_equal(initrd_write(init, none, one, NULL), -EEXIST);
	assert_int_equal(initrd_write(init, none, two, NULL), 0);
	assert_int_equal(file_read(one, 65536, &a, &len, NULL), 0);
	{
		AUTO_FREE char *b = NULL;

		assert_int_equal(file_read(two, 65536, &b, &len2, NULL), 0);
		assert_int_equal(len, len2);
		assert_memory_equal(a, b, len);
	}
	assert_int_equal(len % 512, 0);
	assert_memory_equal(a, "070701", 6);
	/* A directory; 110 bytes of header, the name, padded to four. */
	assert_memory_equal(a + 14, "000041ED", 8);
	assert_string_equal(a + 110, "dev");
	assert_memory_equal(a + 116, "070701", 6);
	assert_memory_equal(a + 116 + 14, "00002180", 8);
	assert_memory_equal(a + 116 + 78, "0000000500000001", 16);
	assert_string_equal(a + 116 + 110, "dev/console");
	assert_non_null(memmem(a, len, "TRAILER!!!", 11));
	{
		const char *const extra[] = {init, NULL};
		AUTO_FREE char *three = path_join(dir, "three");
		AUTO_FREE char *b = NULL;

		assert_int_equal(initrd_write(init, extra, three, NULL), 0);
		assert_int_equal(file_read(three, 65536, &b, &len2, NULL), 0);
		assert_int_equal(len2, len + 8);
		assert_memory_equal(b, a, len);
		assert_memory_equal(b + len, "#!init\0\0", 8);
	}
	assert_int_equal(file_remove_tree(dir, NULL), 0);
}

static void folder_follows_nothing(void **state)
{
	char dir[] = "/tmp/patchbay-folder-XXXXXX";
	AUTO_FREE char *link = NULL, *sub = NULL, *fifo = NULL;
	AUTO_FREE char *text = NULL;

	assert_non_null(mkdtemp(dir));
	link = path_join(dir, "link");
	sub = path_join(dir, "sub");
	fifo = path_join(dir, "fifo");
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(symlink("/etc", sub), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(folder_open(dir, "link", O_RDONLY, NULL) < 0);
	assert_true(folder_open(dir, "sub/passwd", O_RDONLY, NULL) < 0);
	assert_true(folder_open(dir, "../../etc/passwd", O_RDONLY, NULL) < 0);
	assert_true(folder_open(dir, "fifo", O_RDONLY, NULL) < 0);
	assert_int_equal(folder_open(dir, "none", O_RDONLY, NULL), ERR_MISSING);
	assert_int_equal(folder_write(dir, "file", "text", 4, NULL), 0);
	assert_int_equal(folder_read(dir, "file", 4, &text, NULL, NULL), 0);
	assert_string_equal(text, "text");
	assert_int_equal(folder_read(dir, "file", 3, &text, NULL, NULL), ERR_LIMIT);
	assert_int_equal(file_remove_tree(dir, NULL), 0);
}

static void diag_lies_beside_its_object(void **state)
{
	AUTO_FREE char *deep = wrapper_diag_path("drivers/vfio/vfio_main.o");
	AUTO_FREE char *top = wrapper_diag_path("main.o");

	assert_string_equal(deep, "drivers/vfio/.vfio_main.o.diag");
	assert_string_equal(top, ".main.o.diag");
	assert_true(wrapper_is_meant("/patchbay/gcc"));
	assert_false(wrapper_is_meant("/usr/bin/patchbay-agent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_counts_and_lines_do_not),
		cmocka_unit_test(relocations_of_modules_count),
		cmocka_unit_test(survives_any_object),
		cmocka_unit_test(survives_any_header),
		cmocka_unit_test(initrd_is_a_cpio_archive),
		cmocka_unit_test(folder_follows_nothing),
		cmocka_unit_test(diag_lies_beside_its_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

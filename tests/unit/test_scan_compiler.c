/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scan/scan.h"

#include <setjmp.h>
#include <cmocka.h>

static void scan(const char *text, struct scan_findings *f)
{
	scan_compiler(text, strlen(text), f);
}

static const char gcc_object[] =
	"In file included from ../include/linux/vfio.h:12,\n"
	"                 from ../drivers/vfio/vfio_iommu_type1.c:24:\n"
	"../include/linux/slab.h: In function \u2018helper\u2019:\n"
	"../include/linux/slab.h:33:9: warning: unused variable \u2018x\u2019 [-Wunused-variable]\n"
	"   33 |         int x;\n"
	"      |             ^\n"
	"/src/drivers/vfio/vfio_iommu_type1.c: In function \u2018vfio_unpin_pages_remote\u2019:\n"
	"/src/drivers/vfio/vfio_iommu_type1.c:719:17: error: implicit declaration of function "
	"\u2018vpfn_pages\u2019 [-Werror=implicit-function-declaration]\n"
	"  719 |                 n = vpfn_pages(dma);\n"
	"      |                     ^~~~~~~~~~\n"
	"../drivers/vfio/vfio_iommu_type1.c:700:9: note: because of this\n"
	"  700 |         loop\n"
	"../drivers/vfio/vfio_iommu_type1.c: At top level:\n"
	"../drivers/vfio/vfio_iommu_type1.c:12:12: warning: \u2018f\u2019 defined but not used "
	"[-Wunused-function]\n"
	"cc1: some warnings being treated as errors\n"
	"make[4]: *** [../scripts/Makefile.build:229: drivers/vfio/vfio_iommu_type1.o] Error 1\n";

static void gcc_diagnostics(void **state)
{
	AUTO_FINDINGS struct scan_findings f = {0};

	scan(gcc_object, &f);
	assert_int_equal(f.n, 3);

	assert_string_equal(f.items[0].kind, "warning");
	assert_string_equal(f.items[0].file, "include/linux/slab.h");
	assert_int_equal(f.items[0].line, 33);
	assert_int_equal(f.items[0].column, 9);
	assert_string_equal(f.items[0].function, "helper");
	assert_string_equal(f.items[0].option, "-Wunused-variable");
	assert_non_null(strstr(f.items[0].excerpt, "from drivers/vfio/vfio_iommu_type1.c:24:\n"));
	assert_non_null(strstr(f.items[0].excerpt, "   33 |         int x;\n"));
	assert_false(f.items[0].fatal);

	assert_string_equal(f.items[1].kind, "error");
	assert_string_equal(f.items[1].file, "drivers/vfio/vfio_iommu_type1.c");
	assert_string_equal(f.items[1].function, "vfio_unpin_pages_remote");
	assert_string_equal(
		f.items[1].message, "implicit declaration of function \u2018vpfn_pages\u2019");
	assert_string_equal(f.items[1].option, "-Wimplicit-function-declaration");
	assert_non_null(
		strstr(f.items[1].excerpt, "note: because of this\n  700 |         loop\n"));
	assert_true(f.items[1].fatal);

	assert_null(f.items[2].function);
	assert_null(strstr(f.items[2].excerpt, "being treated"));
}

static void clang_diagnostics(void **state)
{
	AUTO_FINDINGS struct scan_findings f = {0};

	scan("../drivers/x/a.c:9:2: error: call to undeclared function 'g'; ISO C99 and later do "
	     "not "
	     "support implicit function declarations [-Werror,-Wimplicit-function-declaration]\n"
	     "static int f(void)\n"
	     "           ^\n"
	     "../drivers/x/a.c:5:1: note: did you mean 'h'?\n"
	     "int h(void)\n"
	     "    ^\n"
	     "2 errors generated.\n",
		&f);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.items[0].option, "-Wimplicit-function-declaration");
	assert_string_equal(f.items[0].signature,
		"error drivers/x/a.c: call to undeclared function 'g'; ISO C99 and later do not "
		"support "
		"implicit function declarations [-Wimplicit-function-declaration]");
	assert_non_null(strstr(f.items[0].excerpt, "static int f(void)\n"));
	assert_non_null(strstr(f.items[0].excerpt, "int h(void)\n    ^\n"));
	assert_null(strstr(f.items[0].excerpt, "generated"));
}

/* Each pair is printed by the same trouble in code that moved, or by another compiler's habits. */
static void a_signature_does_not_drift(void **state)
{
	static const char *const same[][2] = {
		{"../a.c:10:3: warning: unused variable \u2018x\u2019 [-Wunused-variable]",
			"/src/a.c:99:7: warning: unused variable 'x' [-Wunused-variable]"},
		{"a.c:1:1: warning: the frame size of 1032 bytes is larger than 1024 bytes "
		 "[-Wframe-larger-than=]",
			"a.c:2:1: warning: the frame size of 1136 bytes is larger than 1024 bytes "
			"[-Wframe-larger-than=]"},
		{"a.c:1:1: error: \u2018f.isra.0\u2019 is odd",
			"a.c:4:2: error: \u2018f\u2019 is odd"},
		{"ld: a.o: in function `f.constprop.0':\na.c:(.text+0x5): undefined reference to "
		 "`g'",
			"ld: a.o: in function `f':\na.c:(.text+0x15): undefined reference to `g'"},
	};
	static const char *const different[][2] = {
		{"a.c:1:1: warning: unused variable 'x'", "a.c:1:1: warning: unused variable 'y'"},
		{"a.c:1:1: warning: unused variable 'x'", "b.c:1:1: warning: unused variable 'x'"},
		{"a.c:1:1: warning: odd", "a.c:1:1: error: odd"},
		{"a.c: In function 'f':\na.c:1:1: warning: odd",
			"a.c: In function 'g':\na.c:1:1: warning: odd"},
		{"a.c:1:1: warning: u32 is odd", "a.c:1:1: warning: u64 is odd"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(same) + ARRAY_SIZE(different); i++) {
		AUTO_FINDINGS struct scan_findings a = {0}, b = {0};
		bool alike = i < ARRAY_SIZE(same);
		const char *const *pair = alike ? same[i] : different[i - ARRAY_SIZE(same)];

		scan(pair[0], &a);
		scan(pair[1], &b);
		assert_int_equal(a.n, 1);
		assert_int_equal(b.n, 1);
		if (alike)
			assert_string_equal(a.items[0].signature, b.items[0].signature);
		else
			assert_string_not_equal(a.items[0].signature, b.items[0].signature);
	}
}

static void objects_make_a_union(void **state)
{
	AUTO_FINDINGS struct scan_findings f = {0};
	static const char header[] = "../include/h.h:3:1: warning: odd [-Wodd]\n";

	scan(header, &f);
	scan(header, &f);
	assert_int_equal(f.n, 1);
	scan("../include/h.h:4:1: warning: odd [-Wodd]\n", &f);
	assert_int_equal(f.n, 2);
}

static void tools_beside_the_compiler(void **state)
{
	static const struct {
		const char *line, *kind, *file, *message;
	} cases[] = {
		{"ERROR: modpost: \"g\" [drivers/a.ko] undefined!", "error", NULL,
			"modpost: \"g\" [drivers/a.ko] undefined!"},
		{"WARNING: modpost: missing MODULE_LICENSE() in a.o", "warning", NULL,
			"modpost: missing MODULE_LICENSE() in a.o"},
		{"vmlinux.o: warning: objtool: f+0x2f: odd", "warning", "vmlinux.o",
			"objtool: f+0x2f: odd"},
		{"a.c:(.text+0x15f): undefined reference to `g'", "error", "a.c",
			"undefined reference to `g'"},
		{"ld: b.o: multiple definition of `g'; a.o: first defined here", "error", "b.o",
			"multiple definition of `g'; a.o: first defined here"},
		{"ld.lld: error: undefined symbol: g", "error", NULL, "undefined symbol: g"},
		{"{standard input}:12: Error: no such instruction: `x'", "error",
			"{standard input}", "no such instruction: `x'"},
		{"drivers/x/Kconfig:5:warning: odd", "warning", "drivers/x/Kconfig", "odd"},
		{"Makefile:12: *** missing separator.  Stop.", "error", "Makefile",
			"missing separator.  Stop."},
		{"make[3]: *** No rule to make target 'a.o', needed by 'b'.  Stop.", "error", NULL,
			"No rule to make target 'a.o', needed by 'b'.  Stop."},
		{"../a.c:1:10: fatal error: x.h: No such file or directory", "error", "a.c",
			"x.h: No such file or directory"},
		{"gcc: fatal error: Killed signal terminated program cc1", "error", NULL,
			"Killed signal terminated program cc1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FINDINGS struct scan_findings f = {0};

		scan(cases[i].line, &f);
		assert_int_equal(f.n, 1);
		assert_string_equal(f.items[0].kind, cases[i].kind);
		assert_string_equal(f.items[0].message, cases[i].message);
		if (cases[i].file)
			assert_string_equal(f.items[0].file, cases[i].file);
		else
			assert_null(f.items[0].file);
	}
}

static void what_is_no_finding(void **state)
{
	AUTO_FINDINGS struct scan_findings f = {0};

	scan("  CC      drivers/vfio/vfio_main.o\n"
	     "  LD [M]  drivers/vfio/vfio.ko\n"
	     "make[1]: Entering directory '/src/out'\n"
	     "make[1]: *** Waiting for unfinished jobs....\n"
	     "Kernel: arch/x86/boot/bzImage is ready  (#1)\n"
	     "3 warnings generated.\n"
	     "a.c:10:20: note: alone\n"
	     "12:30:01 warning\n\n",
		&f);
	assert_int_equal(f.n, 0);
}

static void make_only_counts_alone(void **state)
{
	static const char make[] =
		"make[2]: *** [../scripts/Makefile.build:478: drivers/vfio] Error 2\n"
		"make: *** [Makefile:224: __sub-make] Error 2\n";
	AUTO_FINDINGS struct scan_findings alone = {0}, after = {0};

	scan(make, &alone);
	assert_int_equal(alone.n, 1);
	assert_string_equal(alone.items[0].message,
		"make[2]: *** [../scripts/Makefile.build:478: drivers/vfio] Error 2");
	scan("a.c:1:1: error: odd\n", &after);
	scan(make, &after);
	assert_int_equal(after.n, 1);
}

static void limits(void **state)
{
	AUTO_FINDINGS struct scan_findings f = {0};
	char line[128];
	struct strbuf sb;

	/* Warnings leave room for errors. */
	for (int i = 0; i < SCAN_MAX_FINDINGS / 10 * 9 + 1; i++) {
		(void)snprintf(line, sizeof(line), "a.c:%d:1: warning: odd\n", i + 1);
		scan(line, &f);
		assert_int_equal(f.dropped, i < SCAN_MAX_FINDINGS / 10 * 9 ? 0 : 1);
	}
	for (int i = 0; i < SCAN_MAX_FINDINGS / 10 + 1; i++) {
		(void)snprintf(line, sizeof(line), "a.c:%d:1: error: odd\n", i + 1);
		scan(line, &f);
		assert_int_equal(f.dropped, i < SCAN_MAX_FINDINGS / 10 ? 1 : 2);
	}
	assert_int_equal(f.n, SCAN_MAX_FINDINGS);
	assert_string_equal(f.items[f.n - 1].kind, "error");

	strbuf_init(&sb, 1 << 20);
	(void)strbuf_adds(&sb, "b.c:1:1: warning: ");
	for (int i = 0; i < 3 * SCAN_MAX_LINE; i++)
		(void)strbuf_addc(&sb, 'x');
	for (int i = 0; i < 10 * SCAN_MAX_CONTEXT_LINES; i++)
		(void)strbuf_adds(&sb, "\n   1 | y");
	scan_findings_done(&f);
	scan(sb.buf, &f);
	assert_int_equal(f.n, 1);
	assert_true(strlen(f.items[0].message) < SCAN_MAX_LINE);
	assert_true(strlen(f.items[0].excerpt) <= SCAN_MAX_CONTEXT);
	assert_true(ends_with(f.items[0].excerpt, "\n...\n"));
	strbuf_done(&sb);
}

static void tree_paths(void **state)
{
	static const char *const cases[][2] = {
		{"../drivers/a.c", "drivers/a.c"},
		{"/src/drivers/a.c", "drivers/a.c"},
		{"./a.c", "a.c"},
		{"../drivers/x/../h.h", "drivers/h.h"},
		{"../../../../etc/passwd", "etc/passwd"},
		{"/usr/include/stdio.h", "/usr/include/stdio.h"},
		{"arch/x86//a.S", "arch/x86/a.S"},
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *path = scan_tree_path(cases[i][0], strlen(cases[i][0]));

		assert_string_equal(path, cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gcc_diagnostics),
		cmocka_unit_test(clang_diagnostics),
		cmocka_unit_test(a_signature_does_not_drift),
		cmocka_unit_test(objects_make_a_union),
		cmocka_unit_test(tools_beside_the_compiler),
		cmocka_unit_test(what_is_no_finding),
		cmocka_unit_test(make_only_counts_alone),
		cmocka_unit_test(limits),
		cmocka_unit_test(tree_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

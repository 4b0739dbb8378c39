/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which objects of an output folder belong to the build, by kbuild's own command files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agents/host/build.h"
#include "agents/host/folder.h"
#include "base/file.h"

struct output {
	char dir[40];
	struct build b;
};

static void output_make(struct output *o)
{
	static const char *const folders[] = {"drivers/vfio/pci", "arch/x86/entry/vdso", "scripts"};
	static const struct {
		const char *cmd;
		const char *text;
	} cmds[] = {
		{".built-in.a.cmd",
			"savedcmd_built-in.a := rm -f built-in.a;  printf \"./%s \" "
			"drivers/built-in.a arch/x86/built-in.a | xargs ar cDPrST built-in.a\n"},
		{".vmlinux.a.cmd", "savedcmd_vmlinux.a := ar cDPrST vmlinux.a ./built-in.a\n"},
		{"drivers/.built-in.a.cmd",
			"savedcmd_drivers/built-in.a := printf \"drivers/%s \" vfio/built-in.a | "
			"xargs ar cDPrST drivers/built-in.a\n"},
		{"drivers/vfio/.built-in.a.cmd",
			"savedcmd_drivers/vfio/built-in.a := printf \"drivers/vfio/%s \" "
			"vfio_main.o group.o | xargs ar cDPrST drivers/vfio/built-in.a\n\n"
			"deps := only_a_dependency.o\n"},
		/* No longer descended into: drivers/vfio does not name it. */
		{"drivers/vfio/pci/.built-in.a.cmd",
			"savedcmd_drivers/vfio/pci/built-in.a := printf \"drivers/vfio/pci/%s \" "
			"vfio_pci.o | xargs ar cDPrST drivers/vfio/pci/built-in.a\n"},
		{"arch/x86/.built-in.a.cmd", "savedcmd_arch/x86/built-in.a := printf \"arch/x86/%s "
					     "\" entry/vdso/built-in.a | "
					     "xargs ar cDPrST arch/x86/built-in.a\n"},
		{"arch/x86/entry/vdso/.built-in.a.cmd",
			"savedcmd_arch/x86/entry/vdso/built-in.a := printf "
			"\"arch/x86/entry/vdso/%s \" "
			"vma.o | xargs ar cDPrST arch/x86/entry/vdso/built-in.a\n"},
		{"arch/x86/entry/vdso/.vdso64.so.dbg.cmd",
			"savedcmd_arch/x86/entry/vdso/vdso64.so.dbg := ld -o "
			"arch/x86/entry/vdso/vdso64.so.dbg arch/x86/entry/vdso/vgetcpu.o\n"},
	};

	*o = (struct output){.dir = "/tmp/patchbay-live-XXXXXX"};
	assert_non_null(mkdtemp(o->dir));
	o->b.obj = o->dir;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		AUTO_FREE char *path = path_join(o->dir, folders[i]);

		assert_int_equal(file_mkdirs(path, 0700, NULL), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cmds); i++)
		assert_int_equal(
			folder_write(o->dir, cmds[i].cmd, cmds[i].text, strlen(cmds[i].text), NULL),
			0);
}

static void output_remove(struct output *o)
{
	(void)file_remove_tree(o->dir, NULL);
}

static void objects_are_told_apart(void **state)
{
	static const struct {
		const char *object;
		bool live;
	} cases[] = {
		{"drivers/vfio/vfio_main.o", true},
		{"drivers/vfio/group.o", true},
		{"drivers/vfio/main.o", false},
		{"drivers/vfio/gone.o", false},
		{"drivers/vfio/only_a_dependency.o", false},
		{"drivers/vfio/pci/vfio_pci.o", false},
		{"arch/x86/entry/vdso/vma.o", true},
		{"arch/x86/entry/vdso/vgetcpu.o", true},
		{"arch/x86/entry/vdso/gone.o", false},
		{"scripts/kallsyms.o", true},
		{"arch/x86/kernel/asm-offsets.s", true},
		{"vmlinux.o", true},
	};
	struct output o;

	output_make(&o);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (object_is_live(&o.b, cases[i].object) != cases[i].live)
			fail_msg("%s: %d", cases[i].object, !cases[i].live);
	output_remove(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

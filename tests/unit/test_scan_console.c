/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scan/scan.h"

#include <setjmp.h>
#include <cmocka.h>

static struct scan_console *scan(const char *text)
{
	struct scan_console *c = scan_console_new();

	scan_console_feed(c, text, strlen(text));
	scan_console_end(c);
	return c;
}

/* One report, and the signature it must have. The texts are shortened to what matters. */
static const struct {
	const char *text, *signature;
	bool fatal;
} reports[] = {
	{"[    2.4] x\n"
	 "[    2.414003] ------------[ cut here ]------------\n"
	 "[    2.414710] WARNING: CPU: 1 PID: 1 at drivers/vfio/vfio_iommu_type1.c:731 "
	 "vfio_unpin_pages_remote.isra.0+0x1a3/0x1d0\n"
	 "[    2.415999] RIP: 0010:vfio_unmap_unpin+0x1a3/0x1d0\n"
	 "[    2.421600] ---[ end trace 0000000000000000 ]---\n",
		"WARNING: vfio_unpin_pages_remote", false},
	{"WARNING: drivers/vfio/a.c:731 at vfio_unpin_pages_remote+0x1a3/0x1d0, CPU#1: init/1\n"
	 "---[ end trace 0000000000000000 ]---\n",
		"WARNING: vfio_unpin_pages_remote", false},
	{"------------[ cut here ]------------\nrefcount_t: underflow; use-after-free.\n"
	 "WARNING: CPU: 0 PID: 9 at lib/refcount.c:28 refcount_warn_saturate+0xbe/0x110\n"
	 "---[ end trace 0000000000000000 ]---\n",
		"WARNING: refcount_warn_saturate", false},
	{"BUG: kernel NULL pointer dereference, address: 0000000000000008\n"
	 "#PF: supervisor write access in kernel mode\n"
	 "Oops: Oops: 0002 [#1] PREEMPT SMP NOPTI\n"
	 "RIP: 0010:__mutex_init+0x9/0x20\n"
	 "---[ end trace 0000000000000000 ]---\n",
		"BUG: NULL pointer dereference in __mutex_init", true},
	/* A call through NULL: RIP names nobody, the caller does. */
	{"BUG: kernel NULL pointer dereference, address: 0000000000000000\n"
	 "Oops: Oops: 0010 [#1] SMP\nRIP: 0010:0x0\nCall Trace:\n <TASK>\n"
	 " ? __die+0x1a/0x60\n vfio_ioctl+0x1/0x2\n </TASK>\n---[ end trace 0 ]---\n",
		"BUG: NULL pointer dereference in vfio_ioctl", true},
	{"BUG: unable to handle page fault for address: ffffc90000a3e000\n"
	 "Oops: Oops: 0000 [#1] SMP\nRIP: 0010:f+0x9/0x20\n---[ end trace 0 ]---\n",
		"BUG: unable to handle page fault in f", true},
	{"Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] "
	 "SMP\n"
	 "KASAN: maybe wild-memory-access in range [0xdead-0xdeae]\n"
	 "RIP: 0010:f+0x9/0x20\n---[ end trace 0 ]---\n",
		"general protection fault in f", true},
	{"kernel BUG at mm/page_alloc.c:1234!\nOops: invalid opcode: 0000 [#1] SMP\n"
	 "RIP: 0010:free_pages+0x9/0x20\n---[ end trace 0 ]---\n",
		"kernel BUG in free_pages", true},
	{"Unable to handle kernel NULL pointer dereference at virtual address 0000000000000010\n"
	 "Internal error: Oops: 0000000096000004 [#1] PREEMPT SMP\npc : f+0x10/0x20\nlr : "
	 "g+0x1/0x2\n"
	 "---[ end trace 0000000000000000 ]---\n",
		"BUG: NULL pointer dereference in f", true},
	{"Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009\n"
	 "---[ end Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009 ]---\n",
		"panic: Attempted to kill init", true},
	{"Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)\n",
		"panic: VFS: Unable to mount root fs on unknown-block(#,#)", true},
	{"=============================================\nWARNING: possible recursive locking "
	 "detected\n"
	 "6.12.117 #1 Not tainted\ninit/1 is trying to acquire lock:\n"
	 "ffff888003a4b0a8 (&iommu->lock){+.+.}-{4:4}, at: f+0x10a/0xd70\n\n"
	 "but task is already holding lock:\nffff888003a4b0a8 (&iommu->lock){+.+.}-{4:4}, at: "
	 "g+0x1/0x2\n"
	 "stack backtrace:\nCall Trace:\n <TASK>\n </TASK>\n",
		"lockdep: possible recursive locking detected: f, g", false},
	{"================================\nWARNING: inconsistent lock state\n"
	 "inconsistent {IN-HARDIRQ-W} -> {HARDIRQ-ON-W} usage.\ninit/1 [HC0[0]:SC0[0]] takes:\n"
	 "ffff88 (lock){?.-.}-{2:2}, at: f+0x10/0x20\nother info that might help us debug this:\n"
	 "1 lock held by init/1:\n #0: ffff (l){+.+.}, at: g+0x1/0x2\n"
	 "Call Trace:\n <TASK>\n </TASK>\n",
		"lockdep: inconsistent lock state: f", false},
	{"=============================\n[ BUG: Invalid wait context ]\n"
	 "init/1 is trying to lock:\nffff (l){+.+.}-{3:3}, at: f+0x1/0x2\n"
	 "Call Trace:\n <TASK>\n </TASK>\n",
		"lockdep: Invalid wait context: f", false},
	{"=============================\nWARNING: suspicious RCU usage\n"
	 "drivers/a.c:12 suspicious rcu_dereference_check() usage!\n"
	 "other info that might help us debug this:\nCall Trace:\n <TASK>\n"
	 " dump_stack_lvl+0x1/0x2\n lockdep_rcu_suspicious+0x1/0x2\n f+0x1/0x2\n </TASK>\n",
		"lockdep: suspicious RCU usage: f", false},
	{"INFO: task vfio:72 blocked for more than 120 seconds.\n      Not tainted 6.12.117 #1\n"
	 "task:vfio            state:D stack:0     pid:72\nCall Trace:\n <TASK>\n"
	 " __schedule+0x3ed/0x8e0\n schedule+0x27/0xd0\n schedule_preempt_disabled+0x15/0x30\n"
	 " __mutex_lock.constprop.0+0x3d8/0x630\n vfio_dma_do_map+0x5f/0x400\n </TASK>\n",
		"hung task in vfio_dma_do_map", false},
	{"rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\nrcu: \t0-...!: (1 GPs behind)\n"
	 "Call Trace:\n <TASK>\n f+0x1/0x2\n </TASK>\n",
		"RCU stall", false},
	{"rcu: INFO: rcu_sched self-detected stall on CPU\nCall Trace:\n <TASK>\n </TASK>\n",
		"RCU stall", false},
	{"watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [swapper/0:1]\nRIP: 0010:f+0x1/0x2\n"
	 "Call Trace:\n <TASK>\n g+0x1/0x2\n </TASK>\n",
		"soft lockup", true},
	{"watchdog: Watchdog detected hard LOCKUP on cpu 0\nRIP: 0010:f+0x1/0x2\n", "hard lockup",
		true},
	{"==================================================================\n"
	 "BUG: KASAN: slab-use-after-free in vfio_f.cold+0x1a/0x30\nWrite of size 8 at addr "
	 "ffff8880\n"
	 "Call Trace:\n <TASK>\n dump_stack_lvl+0x1/0x2\n </TASK>\n\nFreed by task 1:\n"
	 "==================================================================\n",
		"KASAN: slab-use-after-free in vfio_f", false},
	{"==================================================================\n"
	 "BUG: KCSAN: data-race in vfio_a / vfio_b\n\nwrite to 0xffff8880 of 8 bytes by task 1 on "
	 "cpu 0:\n"
	 " vfio_a+0x1/0x2\n"
	 "==================================================================\n",
		"KCSAN: data-race in vfio_a / vfio_b", false},
	{"------------[ cut here ]------------\n"
	 "UBSAN: array-index-out-of-bounds in drivers/a.c:12:5\nindex 5 is out of range for type "
	 "'int [4]'\n"
	 "Call Trace:\n <TASK>\n dump_stack_lvl+0x1/0x2\n ubsan_epilogue+0x1/0x2\n"
	 " __ubsan_handle_out_of_bounds+0x1/0x2\n f+0x1/0x2\n </TASK>\n---[ end trace ]---\n",
		"UBSAN: array-index-out-of-bounds in f", false},
	{"BUG: sleeping function called from invalid context at kernel/locking/mutex.c:585\n"
	 "in_atomic(): 1, irqs_disabled(): 0, non_block: 0, pid: 1, name: init\nCall Trace:\n "
	 "<TASK>\n"
	 " dump_stack_lvl+0x1/0x2\n __might_resched+0x1/0x2\n __mutex_lock+0x1/0x2\n f+0x1/0x2\n "
	 "</TASK>\n",
		"BUG: sleeping function called from invalid context at kernel/locking/mutex.c:# in "
		"f",
		false},
	{"BUG: something nobody has heard of, cpu 0\n", "BUG: something nobody has heard of",
		false},
	{"Out of memory: Killed process 72 (init) total-vm:1234kB\n", "out of memory", false},
};

static void signatures(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
		struct scan_console *c = scan(reports[i].text);
		const struct scan_findings *f = scan_console_findings(c);

		if (f->n != 1) {
			print_error("%zu findings in:\n%s", f->n, reports[i].text);
			fail();
		}
		assert_string_equal(f->items[0].kind, "kernel");
		assert_string_equal(f->items[0].signature, reports[i].signature);
		assert_int_equal(f->items[0].fatal, reports[i].fatal);
		assert_non_null(f->items[0].excerpt);
		scan_console_free(c);
	}
}

/* Serial lines, PRINTK_CALLER, syslog levels, colours: the same report. */
static void prefixes_are_taken_off(void **state)
{
	static const char *const before[] = {"", "[    1.234567] ", "[   61.000001][    T1] ",
		"<4>[    1.234567] ", "\033[0;33m[    1.234567] ",
		"patchbay-target: mapping... [    1.234567] "};
	static const char *const after[] = {"\n", "\r\n", " \n", "\033[0m\r\n"};

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(after); k++) {
			AUTO_FREE char *text = xasprintf("%sKernel panic - not syncing: Attempted "
							 "to kill init! exitcode=0x9%s",
				before[i], after[k]);
			struct scan_console *c = scan(text);
			const struct scan_findings *f = scan_console_findings(c);

			assert_int_equal(f->n, 1);
			assert_string_equal(f->items[0].message,
				"Kernel panic - not syncing: Attempted to kill init! exitcode=0x9");
			scan_console_free(c);
		}
	}
}

static void a_healthy_boot_has_no_findings(void **state)
{
	static const char text[] =
		"\033[2J\033[1;1HSeaBIOS (version 1.16.2-debian-1.16.2-1)\r\n"
		"[    0.000000] Linux version 6.12.117 (patchbay@lab) (gcc 12.2.0) #1 SMP\r\n"
		"[    0.000000] Command line: console=ttyS0 intel_iommu=on loglevel=7\r\n"
		"[    0.010000] Spectre V2 : WARNING: Unprivileged eBPF is enabled\r\n"
		"[    0.020000] rcu: Hierarchical RCU implementation.\r\n"
		"[    0.030000] NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.\r\n"
		"[    0.040000] kmemleak: Kernel memory leak detector initialized\r\n"
		"[    0.050000] ** WARNING: trace_printk() being used **\r\n"
		"[    0.060000] BIOS-e820: [mem 0x0-0x9fbff] usable\r\n"
		"[    1.201311] Run /init as init process\r\n"
		"[    3.000000] reboot: Power down\r\n";
	struct scan_console *c = scan(text);

	assert_int_equal(scan_console_findings(c)->n, 0);
	assert_int_equal(scan_console_life(c), SCAN_ALIVE);
	assert_int_equal(scan_console_stage(c), SCAN_STAGE_INIT);
	assert_string_equal(scan_console_last_line(c), "reboot: Power down");
	scan_console_free(c);
}

static void feed(struct scan_console *c, const char *text)
{
	scan_console_feed(c, text, strlen(text));
}

static void an_oops_and_then_a_panic_are_two(void **state)
{
	struct scan_console *c = scan_console_new();

	assert_int_equal(scan_console_stage(c), SCAN_STAGE_NOTHING);
	feed(c, "[    0.000000] Linux version 6.12.117 #1 SMP\n");
	assert_int_equal(scan_console_stage(c), SCAN_STAGE_KERNEL);
	feed(c, "[    0.4] BUG: kernel NULL pointer dereference, address: 08\n"
		"Oops: Oops: 0002 [#1] SMP\nRIP: 0010:__mutex_init+0x9/0x20\nCall Trace:\n <TASK>\n"
		" f+0x1/0x2\n </TASK>\n");
	assert_int_equal(scan_console_findings(c)->n, 0);
	feed(c, "---[ end trace 0000000000000000 ]---\n");
	/* Told when it is whole, before anything else comes. */
	assert_int_equal(scan_console_findings(c)->n, 1);
	assert_int_equal(scan_console_life(c), SCAN_ALIVE);
	feed(c, "RIP: 0010:__mutex_init+0x9/0x20\n");
	feed(c, "Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009");
	assert_int_equal(scan_console_life(c), SCAN_ALIVE);
	feed(c, "\n");
	assert_int_equal(scan_console_life(c), SCAN_DYING);
	feed(c, "Kernel Offset: disabled\n---[ end Kernel panic - not syncing: Attempted to kill "
		"init! ]---\n");
	assert_int_equal(scan_console_life(c), SCAN_DEAD);
	assert_int_equal(scan_console_findings(c)->n, 2);
	assert_string_equal(
		scan_console_findings(c)->items[1].signature, "panic: Attempted to kill init");
	scan_console_end(c);
	assert_int_equal(scan_console_findings(c)->n, 2);
	scan_console_free(c);
}

static void a_second_report_ends_the_first(void **state)
{
	struct scan_console *c = scan("BUG: kernel NULL pointer dereference, address: 08\n"
				      "Oops: Oops: 0002 [#1] SMP\nRIP: 0010:f+0x9/0x20\n"
				      "------------[ cut here ]------------\n"
				      "WARNING: CPU: 0 PID: 1 at a.c:1 g+0x1/0x2\n"
				      "RIP: 0010:g+0x1/0x2\n");
	const struct scan_findings *f = scan_console_findings(c);

	assert_int_equal(f->n, 2);
	assert_string_equal(f->items[0].signature, "BUG: NULL pointer dereference in f");
	assert_string_equal(f->items[1].signature, "WARNING: g");
	assert_string_equal(f->items[1].file, "a.c");
	assert_int_equal(f->items[1].line, 1);
	assert_null(strstr(f->items[0].excerpt, "WARNING"));
	scan_console_free(c);
}

static void the_order_of_locks_does_not_matter(void **state)
{
	static const char form[] =
		"=====================================\n"
		"WARNING: possible circular locking dependency detected\n"
		"a is trying to acquire lock:\nffff (x){+.+.}, at: %s+0x1/0x2\n"
		"but task is already holding lock:\nffff (y){+.+.}, at: %s+0x1/0x2\n"
		"Call Trace:\n <TASK>\n </TASK>\n";
	AUTO_FREE char *ab = xasprintf(form, "map", "unmap");
	AUTO_FREE char *ba = xasprintf(form, "unmap", "map");
	struct scan_console *a = scan(ab), *b = scan(ba);

	assert_string_equal(scan_console_findings(a)->items[0].signature,
		"lockdep: possible circular locking dependency detected: map, unmap");
	assert_string_equal(scan_console_findings(a)->items[0].signature,
		scan_console_findings(b)->items[0].signature);
	scan_console_free(a);
	scan_console_free(b);
}

static void firmware_may_end_without_a_line_feed(void **state)
{
	struct scan_console *c = scan("SeaBIOS\r\nBooting from ROM..Linux version 6.12.117 #1\n");

	assert_int_equal(scan_console_stage(c), SCAN_STAGE_KERNEL);
	scan_console_free(c);
}

static void a_kernel_that_starts_again_is_found(void **state)
{
	struct scan_console *c = scan("[    0.000000] Linux version 6.12.117 #1\n"
				      "[    1.000000] last words\n"
				      "[    0.000000] Linux version 6.12.117 #1\n");

	assert_int_equal(scan_console_findings(c)->n, 1);
	assert_string_equal(scan_console_findings(c)->items[0].signature,
		"reboot: the kernel started again by itself");
	assert_non_null(strstr(scan_console_findings(c)->items[0].excerpt, "last words"));
	assert_int_equal(scan_console_life(c), SCAN_DEAD);
	scan_console_free(c);
}

static void a_stack_without_task_marks_ends_by_itself(void **state)
{
	struct scan_console *c = scan("BUG: scheduling while atomic: init/1/0x00000002\n"
				      "Call trace:\n dump_backtrace+0x1/0x2\n vfio_f+0x1/0x2\n"
				      "something else\nKernel panic - not syncing: x\n");
	const struct scan_findings *f = scan_console_findings(c);

	assert_int_equal(f->n, 2);
	assert_string_equal(f->items[0].signature, "BUG: scheduling while atomic in vfio_f");
	assert_null(strstr(f->items[0].excerpt, "something else"));
	scan_console_free(c);
}

static void limits(void **state)
{
	struct scan_console *c = scan_console_new();
	AUTO_FREE char *line = xcalloc(1, 2 * SCAN_MAX_LINE + 1);

	memset(line, 'x', 2 * SCAN_MAX_LINE);
	feed(c, line);
	feed(c, "\n");
	assert_int_equal(strlen(scan_console_last_line(c)), SCAN_MAX_LINE);
	feed(c, "Kernel panic - not syncing: x\n");
	for (int i = 0; i < 10 * SCAN_MAX_EXCERPT_LINES; i++)
		feed(c, "more and more of it\n");
	scan_console_end(c);
	assert_int_equal(scan_console_findings(c)->n, 1);
	assert_true(strlen(scan_console_findings(c)->items[0].excerpt) <= SCAN_MAX_EXCERPT);
	scan_console_free(c);

	c = scan_console_new();
	for (int i = 0; i <= SCAN_MAX_REPORTS; i++) {
		char report[64];

		(void)snprintf(
			report, sizeof(report), "BUG: letters %c%c\n", 'a' + i / 26, 'a' + i % 26);
		feed(c, report);
		feed(c, report);
	}
	feed(c, "Kernel panic - not syncing: x\n");
	scan_console_end(c);
	/* What is fatal has room of its own. */
	assert_int_equal(scan_console_findings(c)->n, SCAN_MAX_REPORTS / 10 * 9 + 1);
	assert_true(scan_console_findings(c)->dropped > 0);
	assert_true(scan_console_findings(c)->items[SCAN_MAX_REPORTS / 10 * 9].fatal);
	scan_console_free(c);
}

static void the_same_report_counts_once(void **state)
{
	struct scan_console *c = scan("Out of memory: Killed process 72 (init)\n"
				      "Out of memory: Killed process 73 (init)\n");

	assert_int_equal(scan_console_findings(c)->n, 1);
	assert_int_equal(scan_console_findings(c)->dropped, 0);
	scan_console_free(c);
}

static void checkers_are_heard(void **state)
{
	static const struct {
		const char *line;
		unsigned said;
	} lines[] = {
		{"[    0.001000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo "
		 "Molnar\n",
			SCAN_SAID_LOCKDEP},
		{"[    0.021000][    T0] kasan: KernelAddressSanitizer initialized\n",
			SCAN_SAID_KASAN},
		{"[    0.143000][    T1] kcsan: enabled early\n", SCAN_SAID_KCSAN},
		{"[    0.143000] kcsan: strict mode configured\n", 0},
		{"[    0.143000] not a Lock dependency validator: x\n", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct scan_console *c = scan(lines[i].line);

		assert_int_equal(scan_console_said(c), lines[i].said);
		scan_console_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures),
		cmocka_unit_test(prefixes_are_taken_off),
		cmocka_unit_test(a_healthy_boot_has_no_findings),
		cmocka_unit_test(an_oops_and_then_a_panic_are_two),
		cmocka_unit_test(a_second_report_ends_the_first),
		cmocka_unit_test(the_order_of_locks_does_not_matter),
		cmocka_unit_test(a_kernel_that_starts_again_is_found),
		cmocka_unit_test(a_stack_without_task_marks_ends_by_itself),
		cmocka_unit_test(firmware_may_end_without_a_line_feed),
		cmocka_unit_test(checkers_are_heard),
		cmocka_unit_test(limits),
		cmocka_unit_test(the_same_report_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

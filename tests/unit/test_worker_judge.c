/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a boot was worth: only `fail` blames. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/worker/boot_judge.h"

#define CLEAN .how = "exited", .exit = "exit status 0", .exit_clean = true
#define WATCHED .checker_at_start = "active", .checker_at_end = "active"
#define LINE .last_line = "[ 1.0] last words"

static const struct {
	const char *name;
	struct boot_facts f;
	int status;
	const char *words; /* in the reason */
	const char *signature; /* of a finding of its own, or NULL */
} cases[] = {
	{"all is well", {CLEAN, LINE, .reached = REACHED_DONE}, BOOT_PASS, "", NULL},
	{"done, but it did not power off", {.how = "stopped", LINE, .reached = REACHED_DONE},
		BOOT_PASS, "", NULL},
	{"done, then silent", {.how = "silence", LINE, .reached = REACHED_DONE}, BOOT_PASS, "",
		NULL},
	{"a panic before init",
		{CLEAN, LINE, .reached = REACHED_KERNEL, .fatal = "panic: x", .broken = "no end"},
		BOOT_FAIL, "panic: x", NULL},
	{"an oops after the last result", {CLEAN, LINE, .reached = REACHED_DONE, .fatal = "BUG: y"},
		BOOT_FAIL, "BUG: y", NULL},
	{"a panic, and the results are rubbish too",
		{.how = "stopped",
			LINE,
			.reached = REACHED_BENCH,
			.fatal = "panic: x",
			.broken = "line 3 is cut"},
		BOOT_FAIL, "panic: x", NULL},
	{"the kernel refused a map",
		{CLEAN, LINE, .reached = REACHED_DONE, .kernel_problem = "dma-map: MAP says EINVAL",
			.lab_problem = "also"},
		BOOT_FAIL, "EINVAL", NULL},
	{"the benchmark could not run",
		{CLEAN, LINE, .reached = REACHED_DONE, .lab_problem = "dma-map: no huge pages"},
		BOOT_ERROR, "no huge pages", NULL},
	{"rubbish on the result channel",
		{.how = "stopped",
			LINE,
			.reached = REACHED_BENCH,
			.broken = "line 7 has a wrong checksum"},
		BOOT_ERROR, "line 7", NULL},
	{"the end line is missing",
		{CLEAN, LINE, .reached = REACHED_BENCH, .broken = "the end line is missing"},
		BOOT_ERROR, "the end line is missing", NULL},
	{"done by its word, but broken behind it",
		{CLEAN, LINE, .reached = REACHED_DONE, .broken = "a line after the end"},
		BOOT_ERROR, "a line after the end", NULL},
	{"silent before init", {.how = "silence", LINE, .reached = REACHED_KERNEL}, BOOT_FAIL,
		"nothing came for 30 seconds", "boot hang"},
	{"silent before the kernel's first word",
		{.how = "silence", .last_line = "Booting from ROM..", .reached = REACHED_NOTHING},
		BOOT_FAIL, "Booting from ROM", "boot hang"},
	{"silent after init began", {.how = "silence", LINE, .reached = REACHED_INIT}, BOOT_FAIL,
		"last words", "init hang"},
	{"silent in the benchmark", {.how = "silence", LINE, .reached = REACHED_BENCH}, BOOT_FAIL,
		"last words", "benchmark hang"},
	{"talking, but never up", {.how = "boot-deadline", LINE, .reached = REACHED_KERNEL},
		BOOT_FAIL, "not up after 60 seconds", "boot hang"},
	{"alive at the end of its time", {.how = "deadline", LINE, .reached = REACHED_BENCH},
		BOOT_ERROR, "600 seconds", NULL},
	{"alive at the end of its time, and stalled",
		{.how = "deadline", LINE, .reached = REACHED_BENCH, .stalled = "RCU stall"},
		BOOT_FAIL, "RCU stall", "benchmark hang"},
	{"an oops, and the benchmark was killed",
		{CLEAN, LINE, .reached = REACHED_DONE, .fatal = "BUG: y",
			.lab_problem = "dma-map: killed by signal 9"},
		BOOT_FAIL, "BUG: y", NULL},
	{"a reset in the benchmark",
		{CLEAN, LINE, .reached = REACHED_BENCH, .broken = "no end line", .cut = true},
		BOOT_FAIL, "last words", "reset during benchmark"},
	{"the target could not open its port",
		{CLEAN, LINE, .reached = REACHED_INIT, .broken = "no line", .cut = true},
		BOOT_ERROR, "no line", NULL},
	{"the target gave up in the benchmark",
		{CLEAN, .last_line = "[ 9.1] reboot: Power down", .reached = REACHED_BENCH,
			.broken = "no end line", .cut = true},
		BOOT_ERROR, "no end line", NULL},
	{"the results are cut, but QEMU was killed",
		{.how = "exited",
			.exit = "killed by signal 9",
			LINE,
			.reached = REACHED_BENCH,
			.broken = "no end line",
			.cut = true},
		BOOT_ERROR, "signal 9", NULL},
	{"not a byte, not even from the firmware",
		{.how = "boot-deadline",
			.last_line = "",
			.empty = true,
			.reached = REACHED_NOTHING},
		BOOT_ERROR, "empty", NULL},
	{"ended without a word",
		{CLEAN, .last_line = "", .empty = true, .reached = REACHED_NOTHING}, BOOT_ERROR,
		"without a word", NULL},
	{"a reset before init", {CLEAN, LINE, .reached = REACHED_KERNEL}, BOOT_FAIL, "last words",
		"reset during boot"},
	{"QEMU was killed",
		{.how = "exited", .exit = "killed by signal 9", LINE, .reached = REACHED_KERNEL},
		BOOT_ERROR, "signal 9", NULL},
	{"stopped by us for the lab's own reason",
		{.how = "stopped", LINE, .reached = REACHED_INIT}, BOOT_ERROR, "stopped", NULL},
	{"lockdep watched and was silent",
		{CLEAN, LINE, WATCHED, .reached = REACHED_DONE, .checker = "lockdep",
			.checker_said = SCAN_SAID_LOCKDEP},
		BOOT_PASS, "", NULL},
	{"lockdep never said that it is there",
		{CLEAN, LINE, WATCHED, .reached = REACHED_DONE, .checker = "lockdep",
			.checker_said = SCAN_SAID_KASAN | SCAN_SAID_KCSAN},
		BOOT_ERROR, "lockdep's own words", NULL},
	{"KASAN is not in the kernel",
		{CLEAN, LINE, .reached = REACHED_DONE, .checker = "kasan",
			.checker_at_start = "no code calls KASAN",
			.checker_at_end = "no code calls KASAN"},
		BOOT_ERROR, "kasan was not active, so its silence proves nothing: no code calls",
		NULL},
	{"a target that knows of no checkers",
		{CLEAN, LINE, .reached = REACHED_DONE, .checker = "kcsan",
			.checker_said = SCAN_SAID_KCSAN},
		BOOT_ERROR, "kcsan was not active", NULL},
	{"lockdep turned itself off without a report",
		{CLEAN, LINE, .reached = REACHED_DONE, .checker = "lockdep",
			.checker_said = SCAN_SAID_LOCKDEP, .checker_at_start = "active",
			.checker_at_end = "lockdep has turned itself off"},
		BOOT_ERROR, "did not watch to the end", NULL},
	{"lockdep turned itself off with its report",
		{CLEAN, LINE, .reached = REACHED_DONE, .checker = "lockdep",
			.checker_said = SCAN_SAID_LOCKDEP, .checker_at_start = "active",
			.checker_at_end = "lockdep has turned itself off",
			.lockdep_reported = true},
		BOOT_PASS, "", NULL},
	{"an oops counts, whoever watched",
		{CLEAN, LINE, .reached = REACHED_DONE, .checker = "kasan", .fatal = "BUG: y"},
		BOOT_FAIL, "BUG: y", NULL},
	{"fault injection has no words of its own",
		{CLEAN, LINE, WATCHED, .reached = REACHED_DONE, .checker = "fault"}, BOOT_PASS, "",
		NULL},
	{"a word of the agent that is not known", {.how = "?", LINE, .reached = REACHED_BENCH},
		BOOT_ERROR, "", NULL},
};

static void test_table(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct boot_facts f = cases[i].f;
		struct boot_judgement j;

		f.boot_seconds = 60;
		f.silence_seconds = 30;
		f.total_seconds = 600;
		boot_judge(&f, &j);
		if ((int)j.status != cases[i].status || !strstr(j.reason, cases[i].words))
			fail_msg("%s: status %d: %s", cases[i].name, j.status, j.reason);
		if (j.has_finding != (cases[i].signature != NULL))
			fail_msg("%s: finding: %s", cases[i].name, j.signature);
		if (cases[i].signature && !streq(cases[i].signature, j.signature))
			fail_msg("%s: signature: %s", cases[i].name, j.signature);
		/* Blame comes with a reason, and so does trouble. */
		if (j.status != BOOT_PASS)
			assert_true(*j.reason);
	}
}

static void test_signature_holds_no_line(void **state)
{
	struct boot_facts a = {.how = "silence",
				  .last_line = "[ 1.0] x 0x1234",
				  .silence_seconds = 30},
			  b = {.how = "silence",
				  .last_line = "[ 2.0] y 0x5678",
				  .silence_seconds = 30};
	struct boot_judgement x, y;

	boot_judge(&a, &x);
	boot_judge(&b, &y);
	assert_string_equal(x.signature, y.signature);
	assert_string_not_equal(x.message, y.message);
}

static void test_a_long_line_is_cut(void **state)
{
	char line[5000];
	struct boot_facts f = {.how = "silence", .last_line = line, .silence_seconds = 30};
	struct boot_judgement j;

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	boot_judge(&f, &j);
	assert_int_equal(j.status, BOOT_FAIL);
	assert_true(strlen(j.message) < sizeof(j.message));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_signature_holds_no_line),
		cmocka_unit_test(test_a_long_line_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

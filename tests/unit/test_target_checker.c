/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a checker watches, out of files as kernels write them. */
#include "agents/target/checker.h"
#include "temp_folder.h"

static void expect(const char *name, int code, const char *words)
{
	struct error e = ERROR_INIT;

	assert_int_equal(checker_prove(root, name, &e), code);
	if (!strstr(e.msg, words))
		fail_msg("'%s' does not say '%s'", e.msg, words);
}

static void test_absent(void **state)
{
	expect("lockdep", ERR_MISSING, "PROVE_LOCKING");
	expect("kasan", ERR_MISSING, "KALLSYMS");
	expect("kcsan", ERR_MISSING, "KCSAN");
	expect("fault", ERR_MISSING, "FAULT_INJECTION");
	expect("valgrind", ERR_MISSING, "valgrind");
}

static void test_lockdep(void **state)
{
	put("proc/lockdep_stats",
		" lock-classes:                          712 [max: 8192]\n"
		" debug_locks:                             1\n"
		"\n zapped classes:                          0\n",
		0600);
	expect("lockdep", 0, "");
	put("proc/lockdep_stats", " debug_locks:                             0\n", 0600);
	expect("lockdep", ERR_STATE, "turned itself off");
	put("proc/lockdep_stats", " lock-classes:   712\n xdebug_locks: 1\n", 0600);
	expect("lockdep", ERR_SYNTAX, "debug_locks");
}

static void test_kasan(void **state)
{
	put("proc/kallsyms", "0000000000000000 T vfio_pin\n0000000000000000 T kasan_init\n", 0600);
	expect("kasan", ERR_MISSING, "needs KASAN");
	put("proc/kallsyms", "0000000000000000 T vfio_pin\n0000000000000000 T __asan_load8\n",
		0600);
	expect("kasan", 0, "");
}

static void test_kcsan(void **state)
{
	put("sys/kernel/debug/kcsan", "enabled: 1\nused_watchpoints: 0\nsetup_watchpoints: 71\n",
		0600);
	expect("kcsan", 0, "");
	put("sys/kernel/debug/kcsan", "enabled: 0\nused_watchpoints: 0\nsetup_watchpoints: 71\n",
		0600);
	expect("kcsan", ERR_STATE, "off");
	put("sys/kernel/debug/kcsan", "enabled: 1\nused_watchpoints: 0\nsetup_watchpoints: 0\n",
		0600);
	expect("kcsan", ERR_STATE, "not watched");
}

static void test_fault(void **state)
{
	put("proc/self/fail-nth", "0\n", 0600);
	expect("fault", ERR_MISSING, "FAILSLAB");
	put("sys/kernel/debug/failslab/probability", "0\n", 0600);
	expect("fault", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_IN_FOLDER(test_absent),
		TEST_IN_FOLDER(test_lockdep),
		TEST_IN_FOLDER(test_kasan),
		TEST_IN_FOLDER(test_kcsan),
		TEST_IN_FOLDER(test_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

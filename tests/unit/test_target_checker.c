/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a checker watches, out of files as kernels write them. */
#include "agents/target/checker.h"
#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char root[64];

static int setup(void **state)
{
	(void)snprintf(root, sizeof(root), "/tmp/test-checker.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	return file_remove_tree(root, NULL);
}

static void put(const char *path, const char *text)
{
	AUTO_FREE char *whole = xasprintf("%s%s", root, path);
	AUTO_FREE char *folder = xstrdup(whole);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(file_mkdirs(folder, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(whole, text, strlen(text), 0600, NULL), 0);
}

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
	put("/proc/lockdep_stats", " lock-classes:                          712 [max: 8192]\n"
				   " debug_locks:                             1\n"
				   "\n zapped classes:                          0\n");
	expect("lockdep", 0, "");
	put("/proc/lockdep_stats", " debug_locks:                             0\n");
	expect("lockdep", ERR_STATE, "turned itself off");
	put("/proc/lockdep_stats", " lock-classes:   712\n xdebug_locks: 1\n");
	expect("lockdep", ERR_SYNTAX, "debug_locks");
}

static void test_kasan(void **state)
{
	put("/proc/kallsyms", "0000000000000000 T vfio_pin\n0000000000000000 T kasan_init\n");
	expect("kasan", ERR_MISSING, "needs KASAN");
	put("/proc/kallsyms", "0000000000000000 T vfio_pin\n0000000000000000 T __asan_load8\n");
	expect("kasan", 0, "");
}

static void test_kcsan(void **state)
{
	put("/sys/kernel/debug/kcsan", "enabled: 1\nused_watchpoints: 0\nsetup_watchpoints: 71\n");
	expect("kcsan", 0, "");
	put("/sys/kernel/debug/kcsan", "enabled: 0\nused_watchpoints: 0\nsetup_watchpoints: 71\n");
	expect("kcsan", ERR_STATE, "off");
	put("/sys/kernel/debug/kcsan", "enabled: 1\nused_watchpoints: 0\nsetup_watchpoints: 0\n");
	expect("kcsan", ERR_STATE, "not watched");
}

static void test_fault(void **state)
{
	put("/proc/self/fail-nth", "0\n");
	expect("fault", ERR_MISSING, "FAILSLAB");
	put("/sys/kernel/debug/failslab/probability", "0\n");
	expect("fault", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_absent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lockdep, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kasan, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kcsan, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fault, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

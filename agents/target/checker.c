/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/checker.h"
#include "agents/target/sysfs.h"
#include "base/file.h"

#define MAX_FILE (64 * 1024)
#define MAX_SYMBOLS (64 * 1024 * 1024)

struct checker {
	const char *name;
	int (*prove)(const char *root, struct error *e);
};

static int read_text(const char *root, const char *path, const char *option, size_t max,
	char **ret_text, struct error *e)
{
	AUTO_FREE char *whole = xasprintf("%s%s", root, path);

	if (!file_exists(whole))
		return error_set(e, ERR_MISSING,
			"there is no %s: the kernel's configuration needs %s", path, option);
	return file_read(whole, max, ret_text, NULL, e);
}

static int read_number(
	const char *text, const char *path, const char *name, int64_t *ret_n, struct error *e)
{
	return sysfs_number(text, name, ret_n)
		       ? 0
		       : error_set(e, ERR_SYNTAX, "%s has no number '%s'", path, name);
}

/* It turns itself off after its first report, and where one of its tables is full. */
static int prove_lockdep(const char *root, struct error *e)
{
	static const char path[] = "/proc/lockdep_stats";
	AUTO_FREE char *text = NULL;
	int64_t on = 0;
	int err = read_text(root, path, "PROVE_LOCKING", MAX_FILE, &text, e);

	if (!err)
		err = read_number(text, path, "debug_locks", &on, e);
	if (!err && !on)
		err = error_set(e, ERR_STATE,
			"lockdep has turned itself off: the console has its report, or which of "
			"its tables was full");
	return err;
}

/* Nothing counts what KASAN does; that the code calls it is in the symbols. */
static int prove_kasan(const char *root, struct error *e)
{
	AUTO_FREE char *text = NULL;
	int err = read_text(root, "/proc/kallsyms", "KALLSYMS", MAX_SYMBOLS, &text, e);

	if (!err && !strstr(text, " __asan_"))
		err = error_set(e, ERR_MISSING,
			"no code calls KASAN: the kernel's configuration needs KASAN");
	return err;
}

/* It watches a few accesses at a time: it must have watched one. */
static int prove_kcsan(const char *root, struct error *e)
{
	static const char path[] = "/sys/kernel/debug/kcsan";
	AUTO_FREE char *text = NULL;
	int64_t on = 0, watched = 0;
	int err = read_text(root, path, "KCSAN and DEBUG_FS", MAX_FILE, &text, e);

	if (!err)
		err = read_number(text, path, "enabled", &on, e);
	if (!err)
		err = read_number(text, path, "setup_watchpoints", &watched, e);
	if (!err && !on)
		err = error_set(e, ERR_STATE,
			"KCSAN is off: the kernel's configuration needs KCSAN_EARLY_ENABLE");
	if (!err && watched <= 0)
		err = error_set(e, ERR_STATE,
			"KCSAN has not watched a single access: the kernel must run for longer, or "
			"be built with a smaller KCSAN_SKIP_WATCH");
	return err;
}

static int prove_fault(const char *root, struct error *e)
{
	static const struct {
		const char *path;
		const char *option;
	} files[] = {
		{"/proc/self/fail-nth", "FAULT_INJECTION"},
		{"/sys/kernel/debug/failslab/probability", "FAILSLAB and FAULT_INJECTION_DEBUG_FS"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_FREE char *text = NULL;
		int err = read_text(root, files[i].path, files[i].option, MAX_FILE, &text, e);

		if (err)
			return err;
	}
	return 0;
}

static const struct checker checkers[] = {
	{"lockdep", prove_lockdep},
	{"kasan", prove_kasan},
	{"kcsan", prove_kcsan},
	{"fault", prove_fault},
};

int checker_prove(const char *root, const char *name, struct error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(checkers); i++)
		if (streq(checkers[i].name, name))
			return checkers[i].prove(root, e);
	return error_set(e, ERR_MISSING, "there is no checker '%s' in this patchbay-target", name);
}

static void report(struct channel *ch, const char *name, const char *fact)
{
	struct error e = ERROR_INIT;

	channel_fact(ch, fact, checker_prove("", name, &e) ? e.msg : "active");
}

void checker_begin(struct channel *ch, const char *name)
{
	report(ch, name, "checker_at_start");
}

void checker_end(struct channel *ch, const char *name)
{
	report(ch, name, "checker_at_end");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/worker/boot_judge.h"

const char *boot_reached_name(enum boot_reached reached)
{
	static const char *const names[] = {"nothing", "kernel", "init", "bench", "done"};

	return names[reached];
}

static void say(struct boot_judgement *j, int status, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void say(struct boot_judgement *j, int status, const char *fmt, ...)
{
	va_list ap;

	j->status = status;
	va_start(ap, fmt);
	vsnprintf(j->reason, sizeof(j->reason), fmt, ap);
	va_end(ap);
}

/* The guest ran and told nothing any more. Its signature names the part of the boot, not the last
 * line: that differs from boot to boot where the hang does not. */
static void hang(const struct boot_facts *f, struct boot_judgement *j, const char *what)
{
	const char *signature = f->reached >= REACHED_BENCH  ? "benchmark hang"
				: f->reached == REACHED_INIT ? "init hang"
							     : "boot hang";

	j->has_finding = true;
	snprintf(j->signature, sizeof(j->signature), "%s", signature);
	snprintf(j->message, sizeof(j->message), "%s; the last line: %.400s", what,
		*f->last_line ? f->last_line : "(none)");
	say(j, BOOT_FAIL, "%s: %s", signature, j->message);
}

/* It ended by a limit of time. */
static void judge_limit(const struct boot_facts *f, struct boot_judgement *j)
{
	char what[200];

	if (f->empty) {
		say(j, BOOT_ERROR,
			"the console stayed empty, without even the firmware: the virtual machine "
			"did not "
			"run");
		return;
	}
	if (streq(f->how, "silence")) {
		snprintf(what, sizeof(what), "nothing came for %lld seconds",
			(long long)f->silence_seconds);
		hang(f, j, what);
	} else if (streq(f->how, "boot-deadline")) {
		snprintf(what, sizeof(what), "it was not up after %lld seconds",
			(long long)f->boot_seconds);
		hang(f, j, what);
	} else if (f->stalled) {
		snprintf(what, sizeof(what),
			"it was not done after %lld seconds, and the kernel said: %.60s",
			(long long)f->total_seconds, f->stalled);
		hang(f, j, what);
	} else {
		/* It went on talking, so it was alive, whatever it warned of: slow is what
		 * benchmarks are there to say. */
		say(j, BOOT_ERROR,
			"it was alive but not done after %lld seconds: allow more in the profile's "
			"limits, "
			"or ask less of the benchmarks",
			(long long)f->total_seconds);
	}
}

static void reset(
	const struct boot_facts *f, struct boot_judgement *j, const char *during, const char *when)
{
	j->has_finding = true;
	snprintf(j->signature, sizeof(j->signature), "reset during %s", during);
	snprintf(j->message, sizeof(j->message),
		"the machine reset or powered off %s; the last line: %.400s", when,
		*f->last_line ? f->last_line : "(none)");
	say(j, BOOT_FAIL, "%s: %s", j->signature, j->message);
}

/* The target could not go on and powered off: the kernel or the target says so. */
static bool is_orderly(const char *last_line)
{
	return strstr(last_line, "reboot: ") || strstr(last_line, "result channel failed");
}

/* It ended by itself, before its results were here. */
static void judge_exit(const struct boot_facts *f, struct boot_judgement *j)
{
	if (!f->exit_clean) {
		say(j, BOOT_ERROR, "QEMU broke off: %s", f->exit ? f->exit : "no exit status");
	} else if (f->empty) {
		say(j, BOOT_ERROR, "the virtual machine ended without a word on its console");
	} else if (f->reached < REACHED_INIT) {
		reset(f, j, "boot", "before init ran");
	} else if (f->cut && f->reached == REACHED_BENCH && !is_orderly(f->last_line)) {
		/* The target is init: it powers off behind an end line, or its end is a panic. */
		reset(f, j, "benchmark", "before its results were complete");
	} else {
		say(j, BOOT_ERROR,
			"the guest ended before its results were complete, and the kernel did not "
			"complain: "
			"%s",
			f->broken ? f->broken : "the end line is missing");
	}
}

/* The kernel's word that it has this checker: it says so where it is set up. */
static bool is_announced(const struct boot_facts *f)
{
	static const struct {
		const char *checker;
		unsigned said;
	} words[] = {
		{"lockdep", SCAN_SAID_LOCKDEP},
		{"kasan", SCAN_SAID_KASAN},
		{"kcsan", SCAN_SAID_KCSAN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (streq(words[i].checker, f->checker))
			return f->checker_said & words[i].said;
	return true;
}

/* Its silence is a pass only where it watched from beginning to end, by its own files and words.
 * lockdep turns itself off with its first report, and what it said is then no silence. */
static void judge_checker(const struct boot_facts *f, struct boot_judgement *j)
{
	const char *start = f->checker_at_start ? f->checker_at_start : "the guest did not say";
	const char *end = f->checker_at_end ? f->checker_at_end : "the guest did not say";

	if (!f->checker || f->lockdep_reported)
		return;
	if (!streq(start, "active"))
		say(j, BOOT_ERROR, "%s was not active, so its silence proves nothing: %s",
			f->checker, start);
	else if (!streq(end, "active"))
		say(j, BOOT_ERROR, "%s did not watch to the end, so its silence proves nothing: %s",
			f->checker, end);
	else if (!is_announced(f))
		say(j, BOOT_ERROR,
			"the console does not have %s's own words that it is set up, so its "
			"silence proves nothing",
			f->checker);
}

void boot_judge(const struct boot_facts *f, struct boot_judgement *ret_j)
{
	struct boot_judgement *j = ret_j;

	*j = (struct boot_judgement){.status = BOOT_PASS};
	if (f->fatal)
		say(j, BOOT_FAIL, "the kernel broke: %s", f->fatal);
	else if (f->kernel_problem)
		say(j, BOOT_FAIL, "%s", f->kernel_problem);
	else if (f->lab_problem)
		say(j, BOOT_ERROR, "%s", f->lab_problem);
	else if (f->reached == REACHED_DONE && !f->broken)
		judge_checker(f, j);
	else if (f->broken && f->reached == REACHED_BENCH && streq(f->how, "stopped"))
		say(j, BOOT_ERROR, "the results cannot be used: %s", f->broken);
	else if (streq(f->how, "exited"))
		judge_exit(f, j);
	else if (streq(f->how, "stopped"))
		say(j, BOOT_ERROR, "the boot was stopped: %s",
			f->broken ? f->broken : "no reason is known");
	else
		judge_limit(f, j);
}

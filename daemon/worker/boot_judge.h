/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a boot was worth, once it is over. Pure: facts in, a judgement out, so its tests are a
 * table. The order of the questions is the law "only `fail` blames":
 *
 *   1. the kernel said that it is beyond rescue            fail
 *   2. a result says what the kernel refused               fail
 *   3. all results came, and nothing says otherwise        pass
 *   4. the results are broken, or a benchmark could not,   error
 *      or the checker that was to watch did not
 *   5. it fell silent, never got to init, or reset         fail, with a finding of its own
 *   6. anything else                                       error
 */
#ifndef WORKER_BOOT_JUDGE_H
#define WORKER_BOOT_JUDGE_H

#include "scan/scan.h"

enum boot_reached {
	REACHED_NOTHING, /* the kernel has not said a word */
	REACHED_KERNEL,
	REACHED_INIT,
	REACHED_BENCH, /* the target said hello */
	REACHED_DONE, /* all its results are here */
};
const char *boot_reached_name(enum boot_reached reached);

struct boot_facts {
	const char *how; /* the agent's word: exited stopped boot-deadline silence deadline */
	const char *exit; /* how QEMU ended, or NULL */
	bool exit_clean; /* with status 0 */
	enum boot_reached reached;
	bool empty; /* not a byte on the console */
	const char *fatal; /* signature of the first fatal finding, or NULL */
	const char *stalled; /* signature of the first finding of something that hangs, or NULL */
	const char *broken; /* what is wrong with the result lines, or NULL */
	bool cut; /* no more than that: they are good as far as they go */
	const char *kernel_problem; /* what the target says the kernel refused, or NULL */
	const char *lab_problem; /* what the target could not do, or NULL */
	const char *checker; /* of the kernel's, which was to be active; or NULL */
	unsigned checker_said; /* enum scan_said */
	const char *checker_at_start, *checker_at_end; /* "active", or why not; NULL: not told */
	bool lockdep_reported;
	const char *last_line; /* of the console */
	int64_t boot_seconds, silence_seconds, total_seconds; /* the limits */
};

struct boot_judgement {
	enum { BOOT_PASS, BOOT_FAIL, BOOT_ERROR } status;
	char reason[1024];
	bool has_finding; /* of a hang: no line of the console says it */
	char signature[64];
	char message[600];
};

void boot_judge(const struct boot_facts *f, struct boot_judgement *ret_j);

#endif

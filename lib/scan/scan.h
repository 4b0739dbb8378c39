/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From text that machines write to findings: compiler output, kernel consoles, result lines.
 * Everything here reads hostile input: every size has a limit, nothing is trusted.
 *
 * A signature says when two findings are the same one: it holds no line numbers, addresses,
 * offsets, counts, process ids or compiler-made suffixes (.isra.0), so that a finding keeps it
 * when the code around it moves.
 *   compiler   "warning drivers/vfio/a.c: f: unused variable 'x' [-Wunused-variable]"
 *   kernel     "WARNING: vfio_unpin_pages_remote", "BUG: NULL pointer dereference in __mutex_init",
 *              "panic: Attempted to kill init!", "lockdep: possible circular locking dependency
 *              detected: a_lock, b_lock"
 */
#ifndef SCAN_SCAN_H
#define SCAN_SCAN_H

#include "base/json.h"

/* A scan keeps so many, the last tenth of them for what is fatal; more is counted in `dropped`. */
#define SCAN_MAX_FINDINGS 1000
#define SCAN_MAX_LINE 4096 /* bytes of a line that are looked at */
#define SCAN_MAX_REPORTS 100 /* the same for a console */
#define SCAN_MAX_EXCERPT (16 * 1024) /* bytes kept of a kernel's report */
#define SCAN_MAX_EXCERPT_LINES 120 /* lines kept of it */
#define SCAN_MAX_CONTEXT 3072 /* bytes kept of a diagnostic */
#define SCAN_MAX_CONTEXT_LINES 30

struct scan_finding {
	const char *kind; /* "error", "warning" (compiler), "kernel"; static */
	char *file; /* compiler, and a kernel WARNING that says it: path in the tree; or NULL */
	int line; /* from 1; 0: none */
	int column; /* from 1; 0: none */
	char *function; /* or NULL */
	char *message; /* compiler: without the option; kernel: the report's first line */
	char *option; /* "-Wunused-function", however -Werror spelled it; or NULL */
	char *signature;
	char *excerpt; /* compiler: the diagnostic as printed, with its include chain, source context
			  and notes; kernel: the report's lines without timestamps; or NULL */
	bool fatal; /* compiler: an error; kernel: an oops, a panic, a lockup */
};

struct scan_findings {
	struct scan_finding *items;
	size_t n;
	size_t dropped; /* past the limit */
};

void scan_findings_done(struct scan_findings *f);
#define AUTO_FINDINGS CLEANUP(scan_findings_done)

/*
 * Compiler output: gcc and clang diagnostics, and errors of the assembler, ld, modpost, objtool
 * and make. Findings are added to *findings (start with a zeroed one); one that is there already
 * to the column is not added again, so calling this for each object of a build gives the union.
 * A mere "make: *** [...] Error 1" is a finding only where *findings would otherwise hold no
 * error: call this with the tail of the log last.
 */
void scan_compiler(const char *text, size_t len, struct scan_findings *findings);

/* A path as the compiler printed it, as a path in the tree: "/src/", "../", "./" and inner
 * "x/.." removed. Heap. */
char *scan_tree_path(const char *path, size_t len);

/*
 * A kernel console, fed byte by byte as it comes. Carriage returns, ANSI sequences, printk
 * prefixes ("<4>", "[    1.234567]", "[  T1]") are taken off.
 */
struct scan_console;

enum scan_stage {
	SCAN_STAGE_NOTHING, /* no kernel has spoken */
	SCAN_STAGE_KERNEL, /* "Linux version" */
	SCAN_STAGE_INIT, /* "Run /init as init process" */
};

enum scan_life {
	SCAN_ALIVE,
	SCAN_DYING, /* beyond rescue, its last report is still coming: give it a moment */
	SCAN_DEAD, /* beyond rescue, and it has said everything: end the guest now */
};

/* What a kernel says of its own checkers, as bits. That one is silent proves nothing. */
enum scan_said {
	SCAN_SAID_LOCKDEP = 1 << 0, /* "Lock dependency validator: …" */
	SCAN_SAID_KASAN = 1 << 1, /* "KernelAddressSanitizer initialized" */
	SCAN_SAID_KCSAN = 1 << 2, /* "kcsan: enabled early" */
};

struct scan_console *scan_console_new(void);
struct scan_console *scan_console_free(struct scan_console *c);
void scan_console_feed(struct scan_console *c, const char *data, size_t len);
/* No more bytes will come: closes the report that is open. */
void scan_console_end(struct scan_console *c);
/* Reports that are complete, in the order they began, each signature once. Belongs to the console and may move with
 * the next feed; items that are there stay as they are. */
const struct scan_findings *scan_console_findings(const struct scan_console *c);
enum scan_life scan_console_life(const struct scan_console *c);
enum scan_stage scan_console_stage(const struct scan_console *c);
unsigned scan_console_said(const struct scan_console *c);
/* The last line with anything on it, cleaned; "" before there is one. */
const char *scan_console_last_line(const struct scan_console *c);

/*
 * Result lines (docs/internals/result-lines.md), fed as they come. Each good line becomes one
 * record. The first thing that is wrong ends it: from then on every call returns the same error,
 * and what had been given before must not be used as a result.
 */
enum scan_record_type {
	SCAN_HELLO,
	SCAN_SAMPLE,
	SCAN_FACT,
	SCAN_PROBLEM,
	SCAN_OUTPUT, /* of one of the lab's own tests; scan/ktap.h reads it */
	SCAN_EXIT,
	SCAN_END,
};

struct scan_record {
	enum scan_record_type type;
	int64_t seq;
	/* Strings and objects belong to the record and live as long as the callback runs. */
	const char *boot_id, *kernel, *cmdline, *clock; /* hello */
	int64_t seed; /* hello */
	const char *metric; /* sample */
	double value; /* sample: finite */
	const cJSON *params; /* sample: object, or NULL */
	const char *name; /* fact */
	const cJSON *fact; /* fact: its value */
	const char *benchmark, *case_name, *kind, *message; /* problem; kind "lab" or "kernel" */
	const char *test; /* output, exit: NAME, or NAME/PROGRAM of a folder */
	const char *text; /* output */
	int64_t status; /* exit: of the program; -1: it did not exit by itself */
	const char *how; /* exit: in words */
};

typedef void (*scan_record_fn)(const struct scan_record *record, void *data);

#define SCAN_RESULT_MAX_LINE (64 * 1024)
#define SCAN_RESULT_MAX_LINES 10000

struct scan_results;
struct scan_results *scan_results_new(scan_record_fn fn, void *data);
struct scan_results *scan_results_free(struct scan_results *r);
/* 0, or ERR_SYNTAX or ERR_LIMIT with a sentence that says which line is wrong and how. */
int scan_results_feed(struct scan_results *r, const char *data, size_t len, struct error *e);
/* The channel has closed: 0 only where a good `end` line was the last. Says what is missing. */
int scan_results_end(struct scan_results *r, struct error *e);
/* An `end` line with the right count has come: the benchmark is over. */
bool scan_results_complete(const struct scan_results *r);

#endif

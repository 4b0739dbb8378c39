/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Result lines (docs/internals/result-lines.md). One channel is the serial port, and numbers and
 * checks its lines; a benchmark's process writes the same records bare into a pipe, so that a
 * benchmark that dies half-way through a line spoils nothing.
 *
 * Writing does not fail: the first error is kept, nothing is written after it, and the reader
 * sees a run without an end.
 */
#ifndef TARGET_CHANNEL_H
#define TARGET_CHANNEL_H

#include "base/strbuf.h"

#define CHANNEL_MAX_LINE 65536
/* What is left of a line for the record: the frame takes 52 bytes at most. */
#define CHANNEL_MAX_RECORD (CHANNEL_MAX_LINE - 64)

struct channel {
	int fd; /* not owned */
	bool numbered;
	uint64_t lines;
	uint64_t problems;
	int error; /* 0 or the first -errno */
};

enum problem_kind {
	PROBLEM_LAB, /* it could not be measured */
	PROBLEM_KERNEL, /* the kernel refused what it should do */
};

struct hello {
	const char *boot_id;
	const char *kernel;
	const char *cmdline;
	int64_t seed;
	const char *clock;
};

void channel_init(struct channel *ch, int fd, bool numbered);

void channel_hello(struct channel *ch, const struct hello *hello);
/* params: a JSON object's text. */
void channel_sample(struct channel *ch, const char *metric, double value, const char *params);
void channel_fact(struct channel *ch, const char *name, const char *value);
void channel_fact_int(struct channel *ch, const char *name, int64_t value);
/* benchmark and what (the case) may be NULL. */
void channel_problem(struct channel *ch, const char *benchmark, const char *what,
	enum problem_kind kind, const char *fmt, ...) PRINTF_LIKE(5, 6);
void channel_end(struct channel *ch);

/* A record as text: a JSON object without line ends. One over the limit is replaced by a
 * problem. */
void channel_put(struct channel *ch, const char *record, size_t len);
/* Pass the whole lines of a benchmark's pipe on, and consume them. */
void channel_forward(struct channel *ch, struct strbuf *in);

#endif

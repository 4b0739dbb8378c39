/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One child process watched to its end: its output is handed on as it comes, deadlines are kept,
 * and when the worker goes away, asks to stop, or a limit is passed, everything the child started
 * is killed and reaped before supervise() returns. The agent is a subreaper
 * (supervise_init()), so what a child leaves behind is the agent's to kill.
 */
#ifndef HOST_SUPERVISE_H
#define HOST_SUPERVISE_H

#include "agents/host/link.h"
#include "base/child.h"

#define RUN_SOURCES 3
#define RUN_TICK_MS 1000

enum run_how {
	RUN_EXITED,
	RUN_STOPPED, /* the worker asked */
	RUN_LOST, /* the worker is gone: say nothing more, end */
	RUN_FIRST, /* no sign of life on a `first` source before first_ms */
	RUN_SILENCE,
	RUN_DEADLINE,
	RUN_LIMIT, /* tick said so; reason says what */
};

struct run_source {
	int fd; /* the reading end, the caller's, becomes non-blocking; -1: none */
	bool first; /* a byte here is the sign of life that first_ms waits for */
	void (*fn)(void *data, const char *buf, size_t len);
};

struct run {
	struct link *link;
	struct child_spec spec;
	int close_after_start[4]; /* the child's ends of pipes, closed once it has them; -1: none */
	struct run_source sources[RUN_SOURCES];
	void *data; /* for fn and tick */
	int64_t total_ms; /* limits, in milliseconds from the start; 0: none */
	int64_t silence_ms; /* no byte from any source */
	int64_t first_ms;
	/* Once a second; not 0 ends the run, with a sentence in e. */
	int (*tick)(void *data, pid_t pid, struct error *e);

	/* Set by supervise(). */
	enum run_how how;
	int status; /* as of waitpid() */
	struct error limit; /* RUN_LIMIT */
	int64_t took_ms;
};

/* No sources, no limits. */
void run_init(struct run *r, struct link *link, const char *const *argv);
/* A pipe whose reading end is source i and whose writing end becomes the child's descriptor. */
int run_pipe(struct run *r, size_t i, int child_fd, void (*fn)(void *, const char *, size_t),
	struct error *e);
/* Closes what run_pipe() opened. */
void run_done(struct run *r);
#define AUTO_RUN CLEANUP(run_done)

/* A source's fn where data is a strbuf: append what fits. */
void run_collect(void *data, const char *buf, size_t len);

void supervise_init(void);
/* Fails only where the child could not be started or watched, or what it started does not die. */
int supervise(struct run *r, struct error *e);
/* Kill and reap whatever children there are; ERR_STATE where some are left after ten seconds. */
int supervise_reap(struct error *e);

/*
 * A tool run to its end, standard output and error together, at most max bytes of them. ERR_LINK
 * where the worker went away, ERR_STATE where it asked to stop, ERR_TIMEOUT after total_ms;
 * ERR_CONFLICT with what it said where it did not exit with 0.
 */
int supervise_tool(struct link *link, const char *const *argv, const char *const *env,
	int64_t total_ms, size_t max, char **ret_output, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Child processes: started without a shell, in a process group of their own, killed when
 * this process dies (PR_SET_PDEATHSIG), every descriptor but the named ones closed.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/error.h"
#include <sys/types.h>

struct child_spec {
	const char *const *argv; /* argv[0] is looked up in PATH */
	const char *const *env; /* "NAME=value" added to or replacing ours; NULL: none */
	const char *cwd; /* NULL: ours */
	int fds[4]; /* become 0, 1, 2, 3; -1: /dev/null for 0..2, closed for 3 */
	bool keep_on_exit; /* outlives this process: no PDEATHSIG (daemons only) */
};

#define CHILD_SPEC(argv_)                                  \
	{                                                  \
		.argv = (argv_), .fds = { -1, -1, -1, -1 } \
	}

struct child {
	pid_t pid;
	int pidfd; /* readable when it has ended */
};

#define CHILD_INIT    \
	{             \
		0, -1 \
	}

/* ERR_MISSING names a program that is not installed. */
int child_start(const struct child_spec *spec, struct child *ret_child, struct error *e);
/* SIGKILL to its whole process group; harmless after it has ended. */
void child_kill(struct child *c);
/* Wait for the end, at most until the monotonic deadline (-1: for ever); ERR_TIMEOUT leaves it
 * running. *ret_status as waitpid() gives it. Closes pidfd on success. */
int child_wait(struct child *c, int64_t deadline_ms, int *ret_status, struct error *e);
/* Kill, reap, close. */
void child_done(struct child *c);
#define AUTO_CHILD CLEANUP(child_done)

/* Run to the end with standard output and error collected together, up to max_output bytes.
 * A status other than exit 0 is no failure of this function. ERR_TIMEOUT kills it. */
int child_run(const struct child_spec *spec, size_t max_output, int64_t deadline_ms,
	char **ret_output, int *ret_status, struct error *e);
/* "exit status 2", "killed by signal 9 (Killed)" into buf; returns buf. */
const char *child_status_text(int status, char *buf, size_t size);

#endif

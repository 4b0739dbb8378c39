/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many processes and how much memory a sandbox may have. Where the agent may make a cgroup,
 * the kernel keeps the limit (it binds root, which RLIMIT_NPROC does not); elsewhere the
 * sandbox's PID namespace is counted once a second, and RLIMIT_NPROC holds for a normal user.
 */
#ifndef HOST_CAGE_H
#define HOST_CAGE_H

#include "base/error.h"
#include <sys/types.h>

struct cage {
	char *dirs[2]; /* cgroups made; NULL: none */
	char *pids_dir; /* the one that counts processes (one of dirs), or NULL */
	int64_t max_processes;
	int64_t max_bytes;
	char pid_ns[64]; /* of the sandbox, once it is known; counting only */
};

/* Never fails: it makes what it may. */
void cage_open(struct cage *c, int64_t max_processes, int64_t max_bytes);
/* Removes the cgroups; all their processes must be gone. */
void cage_close(struct cage *c);
#define AUTO_CAGE CLEANUP(cage_close)

/* ERR_LIMIT once the limit on processes was reached. pid: the child the agent started; 0: it is
 * gone. */
int cage_check(struct cage *c, pid_t pid, struct error *e);
/* Whether the kernel killed a process for want of memory. False where there is no cgroup to tell. */
bool cage_starved(const struct cage *c);

#endif

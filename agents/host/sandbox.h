/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines that run inside bubblewrap: no network, no capabilities, a PID namespace of its
 * own that dies with the agent, the system's programs read-only, an empty /tmp, nothing of the
 * lab's or of anybody's home.
 */
#ifndef HOST_SANDBOX_H
#define HOST_SANDBOX_H

#include "agents/host/cage.h"
#include "agents/host/link.h"

/* A growing argument vector that owns its strings. */
struct argv {
	char **v; /* NULL at the end */
	size_t n;
};

void argv_add(struct argv *a, const char *s);
void argv_addf(struct argv *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Strings up to a NULL. */
void argv_adds(struct argv *a, const char *const *list);
void argv_done(struct argv *a);
#define AUTO_ARGV CLEANUP(argv_done)

#define SANDBOX_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * Try it: run true in one. ERR_MISSING with the command that mends the host where it does not work.
 * Remembers which options this bubblewrap knows.
 */
int sandbox_try(struct link *link, struct error *e);

/*
 * Begin a command line: limits, bubblewrap, what every sandbox has. Add --ro-bind and --bind pairs
 * as needed, then "--" and the command. With a cage, descriptor 3 of the child must be the host's
 * lock: the sandbox keeps it until its last process is gone. Without one there are no limits.
 */
void sandbox_begin(struct argv *a, const struct cage *cage);

#endif

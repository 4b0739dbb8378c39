/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a job did, as a shell script that does it again by hand on this host (law 4): made of the very
 * argument vectors that the job used, so that it cannot tell anything else.
 */
#ifndef HOST_SCRIPT_H
#define HOST_SCRIPT_H

#include "agents/host/sandbox.h"
#include "base/strbuf.h"

/* In front of an argument: the rest is a path in the folder that the script works in. */
#define SCRIPT_DIR "\1"

#define SCRIPT_MAX (128 * 1024)

/* The start: "$dir" is the script's argument, or name in the current folder. */
void script_begin(struct strbuf *s, const char *name);
/* One word, quoted for a shell. */
void script_word(struct strbuf *s, const char *word);
/* bubblewrap's part of a command line, in one line without its end. */
void script_sandboxed(struct strbuf *s, const struct argv *cmd);
/* As an event `script`. One that grew too long is not sent. */
void script_send(struct link *link, const struct strbuf *s);

#endif

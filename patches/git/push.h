/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commits to a host: libgit2 makes the pack, and an SSH session that is there already carries it
 * to git-receive-pack. So the host's key is pinned, deadlines hold and a dead link is seen, which
 * libgit2's own SSH does not give.
 */
#ifndef PATCHES_GIT_PUSH_H
#define PATCHES_GIT_PUSH_H

#include "ssh/ssh.h"

/* Objects of the pack that have been sent. */
typedef void (*push_progress_fn)(void *data, unsigned done, unsigned total);

struct host_push {
	const char *repo; /* a bare repository here */
	const char *commit; /* full id of a commit in it */
	const char *ref; /* "refs/…" it becomes there, whatever that was before */
	const char *remote_path; /* of the bare repository on the host */
	int64_t deadline_ms; /* monotonic */
	push_progress_fn progress; /* or NULL */
	void *data;
};

/*
 * ERR_MISSING: the commit is not in the repository. -ENOSPC: the host's disk is full. ERR_LINK,
 * ERR_TIMEOUT, and ERR_CONFLICT where the host refuses the ref, with its words.
 * No other channel may be open on the session.
 */
int push_to_host(const struct host_push *push, struct ssh *s, struct error *e);

/*
 * For a repository on the host that has no refs yet: carry the packs of the one here over as they
 * are, which takes seconds where making a new pack of a kernel tree takes minutes (libgit2
 * searches for deltas anew). What arrived whole, by the word of git there, gets a ref there, so
 * that the push after this sends only what is new. Nothing is lost where nothing did. Uses repo,
 * commit, remote_path and the deadline.
 */
int push_seed(const struct host_push *push, struct ssh *s, struct error *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SSH to the lab's hosts: a session with a pinned ed25519 host key and an ed25519 user key,
 * commands over channels, files over SFTP.
 *
 * Nothing blocks without bounds. Deadlines are monotonic milliseconds (base/clock.h; -1: none).
 * A session sends keepalives while it waits and is given up, as ERR_LINK, when the other side
 * has not been heard of for SSH_SILENCE_MS, whatever the deadline. After any error of a session
 * but ERR_MISSING, ERR_LIMIT, -ENOSPC and -EACCES only ssh_close() makes sense.
 *
 * One thread owns a session and everything on it. One operation at a time: no SFTP while a
 * channel is open.
 */
#ifndef SSH_SSH_H
#define SSH_SSH_H

#include "base/strbuf.h"
#include <sys/types.h>

#define SSH_KEEPALIVE_SECONDS 5
#define SSH_SILENCE_MS 25000
#define SSH_BUFFER (1024 * 1024) /* for SFTP: smaller ones crawl */
#define SSH_MAX_QUEUE (4 * 1024 * 1024) /* bytes waiting to be sent on a channel */

struct ssh_target {
	const char *name; /* for sentences */
	const char *address; /* name or number */
	int port;
	const char *user;
	const char *key; /* path of the private key; no passphrase */
	const char *host_key; /* "ssh-ed25519 AAAA…", a comment may follow; NULL: refused, with
				 a sentence that holds the key to add */
};

struct ssh;

/* ERR_LINK: not reachable. ERR_AUTH: the host's key is not the pinned one, or it does not take
 * ours. ERR_MISSING: no private key file. ERR_TIMEOUT. The target's strings must stay. The look-up
 * of a name alone has the resolver's own time limits. */
int ssh_connect(const struct ssh_target *target, int64_t deadline_ms, struct ssh **ret_ssh,
	struct error *e);
struct ssh *ssh_close(struct ssh *s);
static inline void ssh_closep(struct ssh **s)
{
	*s = ssh_close(*s);
}
#define AUTO_SSH CLEANUP(ssh_closep)

/*
 * A command on a channel. It is given to the user's login shell there: strbuf_add_quoted() its parts.
 */
struct ssh_channel;

/* What comes from the command; must not call back into the channel but for ssh_channel_send()
 * and ssh_channel_send_eof(). */
typedef void (*ssh_output_fn)(void *data, bool is_stderr, const char *bytes, size_t len);

struct ssh_exit {
	int status; /* 0…255; -1 where it was killed by a signal or never said */
	char signal[16]; /* "KILL", "SEGV"…; "" without one */
};

int ssh_channel_open(struct ssh *s, const char *command, int64_t deadline_ms, ssh_output_fn fn,
	void *data, struct ssh_channel **ret_channel, struct error *e);
/* Queue bytes for its standard input; they leave in ssh_channel_step(). ERR_LIMIT where
 * SSH_MAX_QUEUE is reached. */
int ssh_channel_send(struct ssh_channel *c, const void *bytes, size_t len, struct error *e);
/* Bytes that are queued and have not left yet. */
size_t ssh_channel_queued(const struct ssh_channel *c);
/* Its standard input ends behind what is queued. */
void ssh_channel_send_eof(struct ssh_channel *c);

enum ssh_step {
	SSH_STEP_DEADLINE, /* nothing came until the deadline */
	SSH_STEP_OUTPUT, /* the callback was called; all that was there has been taken */
	SSH_STEP_SENT, /* nothing came, but all that was queued has left */
	SSH_STEP_ENDED, /* it ended, and all its output was given */
};
/* Send what is queued, take what comes; returns at the first of the above, or a negative error.
 * wake_fd (or -1): SSH_STEP_DEADLINE too when it becomes readable. */
int ssh_channel_step(struct ssh_channel *c, int wake_fd, int64_t deadline_ms, struct error *e);
/* After SSH_STEP_ENDED. */
void ssh_channel_exit(struct ssh_channel *c, struct ssh_exit *ret_exit);
/* A command that has not ended sees its standard input close. */
struct ssh_channel *ssh_channel_close(struct ssh_channel *c);
static inline void ssh_channel_closep(struct ssh_channel **c)
{
	*c = ssh_channel_close(*c);
}
#define AUTO_SSH_CHANNEL CLEANUP(ssh_channel_closep)

/* Run to the end without input; both outputs together, up to max bytes (ERR_LIMIT). */
int ssh_run(struct ssh *s, const char *command, size_t max, int64_t deadline_ms, char **ret_output,
	struct ssh_exit *ret_exit, struct error *e);
/* "exit status 1", "killed by SIGKILL" into buf; returns buf. */
const char *ssh_exit_text(const struct ssh_exit *x, char *buf, size_t size);

/*
 * Files. Both directions write a temporary name beside the target (the target's with ".part-" and
 * a number) and rename it, so that a target is whole or not there. stall_ms: ERR_TIMEOUT when
 * nothing has moved for so long.
 */
/* -ENOSPC: the host's disk is full. -EEXIST: the target is there, and stays what it is (version 3
 * of SFTP cannot replace one without a moment in which there is none). */
int ssh_upload(struct ssh *s, const char *local, const char *remote, mode_t mode, int64_t stall_ms,
	struct error *e);
/* ERR_MISSING: there is no such file. ERR_LIMIT: larger than max bytes. */
int ssh_download(struct ssh *s, const char *remote, const char *local, mode_t mode, uint64_t max,
	int64_t stall_ms, struct error *e);
/* ERR_MISSING where there is none. */
int ssh_stat(struct ssh *s, const char *remote, uint64_t *ret_size, int64_t deadline_ms,
	struct error *e);

#endif

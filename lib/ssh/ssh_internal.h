/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SSH_SSH_INTERNAL_H
#define SSH_SSH_INTERNAL_H

#include "ssh/ssh.h"

#include "base/clock.h"

#include <libssh2.h>
#include <libssh2_sftp.h>

struct ssh {
	const struct ssh_target *target;
	int fd;
	LIBSSH2_SESSION *session;
	LIBSSH2_SFTP *sftp; /* opened by the first file */
	int64_t quiet_ms; /* spent waiting since anything last came or could be sent */
	int64_t beat_ms; /* monotonic: when the next keepalive is due */
	bool up; /* keys are exchanged and we are let in: keepalives make sense */
};

/*
 * Wait until the call that said EAGAIN is worth another try. Sends keepalives when they are due.
 * ERR_TIMEOUT at the deadline, ERR_LINK when the other side is silent. *ret_woken (may be NULL
 * with wake_fd -1): wake_fd is readable.
 */
int ssh_wait(struct ssh *s, int wake_fd, int64_t deadline_ms, bool *ret_woken, struct error *e);

/* The session's last error as ours, with "doing what" in front. */
int ssh_failed(struct ssh *s, const char *what, struct error *e);

/* Call an expression that gives an int until it is not EAGAIN: libssh2 wants the very same call
 * again. Evaluates to the libssh2 result, or LIBSSH2_ERROR_EAGAIN with r set by ssh_wait(). */
#define SSH_RETRY(s, r, deadline_ms, e, call)                                    \
	({                                                                       \
		int rc_;                                                         \
		while ((rc_ = (int)(call)) == LIBSSH2_ERROR_EAGAIN)              \
			if (((r) = ssh_wait((s), -1, (deadline_ms), NULL, (e)))) \
				break;                                           \
		rc_;                                                             \
	})

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files over SFTP (version 3, which is what OpenSSH speaks). */
#include "ssh/ssh_internal.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>

#define FULL_BELOW (1024 * 1024) /* bytes free under which a failed write means a full disk */

/* An SFTP error as ours. Version 3 has no code for a full disk: see disk_is_full(). */
static int file_failed(struct ssh *s, const char *what, const char *remote, struct error *e)
{
	const char *host = s->target->name;

	if (libssh2_session_last_errno(s->session) != LIBSSH2_ERROR_SFTP_PROTOCOL)
		return ssh_failed(s, what, e);
	switch (libssh2_sftp_last_error(s->sftp)) {
	case LIBSSH2_FX_NO_SUCH_FILE:
	case LIBSSH2_FX_NO_SUCH_PATH:
		return error_set(
			e, ERR_MISSING, "%s: there is no %s on host %s", what, remote, host);
	case LIBSSH2_FX_PERMISSION_DENIED:
	case LIBSSH2_FX_WRITE_PROTECT:
		return error_set(e, -EACCES, "%s: user %s on host %s may not use %s", what,
			s->target->user, host, remote);
	default:
		return error_set(e, -EIO, "%s: host %s refused, without saying why, for %s", what,
			host, remote);
	}
}

static int open_sftp(struct ssh *s, int64_t deadline_ms, struct error *e)
{
	int r;

	while (!s->sftp) {
		s->sftp = libssh2_sftp_init(s->session);
		if (s->sftp)
			break;
		if (libssh2_session_last_errno(s->session) != LIBSSH2_ERROR_EAGAIN)
			return ssh_failed(s,
				"starting SFTP (does its sshd_config have a Subsystem "
				"sftp line?)",
				e);
		r = ssh_wait(s, -1, deadline_ms, NULL, e);
		if (r)
			return r;
	}
	return 0;
}

static int open_remote(struct ssh *s, const char *path, unsigned long flags, long mode,
	int64_t deadline_ms, LIBSSH2_SFTP_HANDLE **ret_handle, struct error *e)
{
	LIBSSH2_SFTP_HANDLE *h;
	int r = open_sftp(s, deadline_ms, e);

	if (r)
		return r;
	while (!(h = libssh2_sftp_open_ex(s->sftp, path, (unsigned)strlen(path), flags, mode,
			 LIBSSH2_SFTP_OPENFILE))) {
		if (libssh2_session_last_errno(s->session) != LIBSSH2_ERROR_EAGAIN)
			return file_failed(s, "opening a file", path, e);
		r = ssh_wait(s, -1, deadline_ms, NULL, e);
		if (r)
			return r;
	}
	*ret_handle = h;
	return 0;
}

/* Returns 0 or the error of libssh2 as ours. */
static int close_remote(struct ssh *s, LIBSSH2_SFTP_HANDLE *h, const char *path,
	int64_t deadline_ms, struct error *e)
{
	int r = 0, rc;

	rc = SSH_RETRY(s, r, deadline_ms, e, libssh2_sftp_close_handle(h));
	if (r)
		return r;
	return rc ? file_failed(s, "closing a file", path, e) : 0;
}

static bool disk_is_full(struct ssh *s, const char *path, int64_t deadline_ms)
{
	LIBSSH2_SFTP_STATVFS st;
	int r = 0, rc;

	rc = SSH_RETRY(
		s, r, deadline_ms, NULL, libssh2_sftp_statvfs(s->sftp, path, strlen(path), &st));
	return !r && !rc && st.f_bavail * st.f_frsize < FULL_BELOW;
}

static int write_failed(struct ssh *s, const char *remote, int64_t deadline_ms, struct error *e)
{
	int r = file_failed(s, "writing a file", remote, e);

	if (r == -EIO && disk_is_full(s, remote, deadline_ms))
		return error_set(e, -ENOSPC, "the disk of host %s is full: no room for %s",
			s->target->name, remote);
	return r;
}

static int remove_remote(struct ssh *s, const char *path, int64_t deadline_ms, struct error *e)
{
	int r = 0, rc;

	rc = SSH_RETRY(s, r, deadline_ms, e,
		libssh2_sftp_unlink_ex(s->sftp, path, (unsigned)strlen(path)));
	if (r)
		return r;
	return rc ? file_failed(s, "removing a file", path, e) : 0;
}

static int rename_remote(
	struct ssh *s, const char *from, const char *to, int64_t deadline_ms, struct error *e)
{
	uint64_t size;
	int r = 0, rc;

	rc = SSH_RETRY(s, r, deadline_ms, e,
		libssh2_sftp_rename_ex(s->sftp, from, (unsigned)strlen(from), to,
			(unsigned)strlen(to), LIBSSH2_SFTP_RENAME_NATIVE));
	if (r || !rc)
		return r;
	r = file_failed(s, "renaming a file", to, e);
	if (r == -EIO && !ssh_stat(s, to, &size, deadline_ms, NULL))
		return error_set(e, -EEXIST, "%s is there already on host %s", to, s->target->name);
	return r;
}

/* The whole of one buffer; the library wants the unconfirmed rest of it again each time. */
static int send_buffer(struct ssh *s, LIBSSH2_SFTP_HANDLE *h, const char *remote, const char *buf,
	size_t len, int64_t stall_ms, struct error *e)
{
	while (len) {
		int64_t deadline_ms = clock_mono_ms() + stall_ms;
		int r = 0, n;

		n = SSH_RETRY(s, r, deadline_ms, e, libssh2_sftp_write(h, buf, len));
		if (r == ERR_TIMEOUT)
			return error_set(e, r,
				"sending %s to host %s: nothing moved for %d seconds", remote,
				s->target->name, (int)(stall_ms / 1000));
		if (r)
			return r;
		if (n < 0)
			return write_failed(s, remote, deadline_ms, e);
		s->quiet_ms = 0;
		buf += n;
		len -= (size_t)n;
	}
	return 0;
}

static int send_file(struct ssh *s, LIBSSH2_SFTP_HANDLE *h, int fd, const char *local,
	const char *remote, int64_t stall_ms, struct error *e)
{
	AUTO_FREE char *buf = xmalloc(SSH_BUFFER);
	int r = 0;

	while (!r) {
		ssize_t n = read(fd, buf, SSH_BUFFER);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(e, "cannot read %s", local);
		if (!n)
			break;
		r = send_buffer(s, h, remote, buf, (size_t)n, stall_ms, e);
	}
	return r;
}

/* Bring the temporary file's size and mode home: what is renamed is whole. */
static int finish_upload(struct ssh *s, LIBSSH2_SFTP_HANDLE *h, const char *part, mode_t mode,
	int64_t deadline_ms, struct error *e)
{
	LIBSSH2_SFTP_ATTRIBUTES a = {.flags = LIBSSH2_SFTP_ATTR_PERMISSIONS, .permissions = mode};
	int r = 0, rc;

	/* The mode that open() was asked for has been through the host's umask. */
	rc = SSH_RETRY(s, r, deadline_ms, e, libssh2_sftp_fsetstat(h, &a));
	if (r)
		return r;
	if (rc)
		return file_failed(s, "setting a file's mode", part, e);
	rc = SSH_RETRY(s, r, deadline_ms, e, libssh2_sftp_fsync(h));
	if (r)
		return r;
	/* A server without that extension is as good as its disk. */
	if (rc && libssh2_sftp_last_error(s->sftp) != LIBSSH2_FX_OP_UNSUPPORTED)
		return write_failed(s, part, deadline_ms, e);
	return 0;
}

static bool session_survives(int r)
{
	return r == ERR_MISSING || r == ERR_LIMIT || r == -ENOSPC || r == -EACCES || r == -EIO ||
	       r == -EEXIST;
}

/* A name that no other upload to this host uses, from wherever. */
static char *part_name(const char *path)
{
	uint64_t n = clock_mono_ns() ^ (uint64_t)getpid() << 40;

	/* Where that fails, the time and the process must do. */
	(void)!getrandom(&n, sizeof(n), 0);
	return xasprintf("%s.part-%016llx", path, (unsigned long long)n);
}

int ssh_upload(struct ssh *s, const char *local, const char *remote, mode_t mode, int64_t stall_ms,
	struct error *e)
{
	AUTO_FREE char *part = part_name(remote);
	AUTO_CLOSE int fd = open(local, O_RDONLY | O_CLOEXEC);
	LIBSSH2_SFTP_HANDLE *h = NULL;
	int r, r_close;

	if (fd < 0)
		return error_errno(e, "cannot open %s", local);
	r = open_remote(s, part, LIBSSH2_FXF_WRITE | LIBSSH2_FXF_CREAT | LIBSSH2_FXF_TRUNC,
		(long)mode, clock_mono_ms() + stall_ms, &h, e);
	if (r == -EIO && disk_is_full(s, "/", clock_mono_ms() + stall_ms))
		return error_set(e, -ENOSPC, "the disk of host %s is full", s->target->name);
	if (r)
		return r;
	r = send_file(s, h, fd, local, part, stall_ms, e);
	if (!r)
		r = finish_upload(s, h, part, mode, clock_mono_ms() + stall_ms, e);
	if (r && !session_survives(r))
		return r;
	r_close = close_remote(s, h, part, clock_mono_ms() + stall_ms, r ? NULL : e);
	if (!r)
		r = r_close;
	if (!r)
		r = rename_remote(s, part, remote, clock_mono_ms() + stall_ms, e);
	if (r && session_survives(r))
		(void)remove_remote(s, part, clock_mono_ms() + stall_ms, NULL);
	return r;
}

static int receive(struct ssh *s, LIBSSH2_SFTP_HANDLE *h, const char *remote, int fd,
	const char *local, uint64_t max, int64_t stall_ms, struct error *e)
{
	AUTO_FREE char *buf = xmalloc(SSH_BUFFER);
	uint64_t total = 0;

	for (;;) {
		int64_t deadline_ms = clock_mono_ms() + stall_ms;
		int r = 0, n;

		n = SSH_RETRY(s, r, deadline_ms, e, libssh2_sftp_read(h, buf, SSH_BUFFER));
		if (r == ERR_TIMEOUT)
			return error_set(e, r,
				"fetching %s from host %s: nothing moved for %d seconds", remote,
				s->target->name, (int)(stall_ms / 1000));
		if (r)
			return r;
		if (n < 0)
			return file_failed(s, "reading a file", remote, e);
		if (!n)
			return 0;
		s->quiet_ms = 0;
		total += (uint64_t)n;
		if (total > max)
			return error_set(e, ERR_LIMIT,
				"%s on host %s is larger than the limit of %llu bytes", remote,
				s->target->name, (unsigned long long)max);
		r = write_all(fd, buf, (size_t)n);
		if (r)
			return error_set(e, r, "cannot write %s: %s", local, strerror(-r));
	}
}

int ssh_download(struct ssh *s, const char *remote, const char *local, mode_t mode, uint64_t max,
	int64_t stall_ms, struct error *e)
{
	AUTO_FREE char *part = part_name(local);
	AUTO_CLOSE int fd = -1;
	LIBSSH2_SFTP_HANDLE *h = NULL;
	int r, r_close;

	r = open_remote(s, remote, LIBSSH2_FXF_READ, 0, clock_mono_ms() + stall_ms, &h, e);
	if (r)
		return r;
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	if (fd < 0)
		r = error_errno(e, "cannot make %s", part);
	if (!r)
		r = receive(s, h, remote, fd, local, max, stall_ms, e);
	if (!r || session_survives(r)) {
		r_close = close_remote(s, h, remote, clock_mono_ms() + stall_ms, r ? NULL : e);
		if (!r)
			r = r_close;
	}
	if (!r && fsync(fd))
		r = error_errno(e, "cannot write %s to disk", part);
	if (!r && rename(part, local))
		r = error_errno(e, "cannot rename %s to %s", part, local);
	if (r)
		unlink(part);
	return r;
}

int ssh_stat(
	struct ssh *s, const char *remote, uint64_t *ret_size, int64_t deadline_ms, struct error *e)
{
	LIBSSH2_SFTP_ATTRIBUTES a = {0};
	int r = open_sftp(s, deadline_ms, e), rc;

	if (r)
		return r;
	rc = SSH_RETRY(s, r, deadline_ms, e,
		libssh2_sftp_stat_ex(
			s->sftp, remote, (unsigned)strlen(remote), LIBSSH2_SFTP_STAT, &a));
	if (r)
		return r;
	if (rc)
		return file_failed(s, "looking at a file", remote, e);
	*ret_size = a.filesize;
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ssh/ssh_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

/* 32 bytes as base64 without padding, as ssh-keygen -l prints them. */
#define FINGERPRINT_SIZE 44

static void to_base64(const uint8_t *in, size_t len, bool pad, char *out)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)in[i] << 16;
		size_t n = MIN_OF((size_t)3, len - i);

		if (n > 1)
			v |= (uint32_t)in[i + 1] << 8;
		if (n > 2)
			v |= in[i + 2];
		for (size_t k = 0; k <= n; k++)
			*out++ = digit[v >> (18 - 6 * k) & 63];
		for (size_t k = n; pad && k < 3; k++)
			*out++ = '=';
	}
	*out = '\0';
}

int ssh_failed(struct ssh *s, const char *what, struct error *e)
{
	char *text = NULL;
	int rc = libssh2_session_last_error(s->session, &text, NULL, 0);

	switch (rc) {
	case LIBSSH2_ERROR_SOCKET_DISCONNECT:
	case LIBSSH2_ERROR_SOCKET_RECV:
	case LIBSSH2_ERROR_SOCKET_SEND:
	case LIBSSH2_ERROR_SOCKET_NONE:
	case LIBSSH2_ERROR_CHANNEL_CLOSED:
	case LIBSSH2_ERROR_CHANNEL_EOF_SENT:
		return error_set(e, ERR_LINK, "%s: the connection to host %s was lost", what,
			s->target->name);
	default:
		return error_set(e, -EPROTO, "%s on host %s: %s", what, s->target->name,
			text && *text ? text : "the SSH library did not say why");
	}
}

static int silent(struct ssh *s, struct error *e)
{
	return error_set(e, ERR_LINK,
		"host %s has not answered for %d seconds: the connection is given up",
		s->target->name, SSH_SILENCE_MS / 1000);
}

/* A keepalive is a small packet: on a socket that takes data it leaves whole. One that stuck
 * half-way would break the next call. */
static int send_beat(struct ssh *s, int64_t now, struct error *e)
{
	struct pollfd pfd = {.fd = s->fd, .events = POLLOUT};
	int next = 0;

	s->beat_ms = now + SSH_KEEPALIVE_SECONDS * 1000;
	if (libssh2_session_block_directions(s->session) & LIBSSH2_SESSION_BLOCK_OUTBOUND)
		return 0;
	if (poll(&pfd, 1, 0) <= 0 || !(pfd.revents & POLLOUT))
		return 0;
	if (libssh2_keepalive_send(s->session, &next))
		return ssh_failed(s, "keeping the connection alive", e);
	return 0;
}

int ssh_wait(struct ssh *s, int wake_fd, int64_t deadline_ms, bool *ret_woken, struct error *e)
{
	int directions = libssh2_session_block_directions(s->session);
	struct pollfd pfd[2] = {{.fd = s->fd}, {.fd = wake_fd, .events = POLLIN}};

	pfd[0].events = directions & LIBSSH2_SESSION_BLOCK_OUTBOUND ? POLLOUT : 0;
	if (directions & LIBSSH2_SESSION_BLOCK_INBOUND || !directions)
		pfd[0].events |= POLLIN;
	for (;;) {
		int64_t now = clock_mono_ms(), until = now + SSH_SILENCE_MS - s->quiet_ms;
		int n, r;

		if (s->up && now >= s->beat_ms) {
			r = send_beat(s, now, e);
			if (r)
				return r;
		}
		if (s->up)
			until = MIN_OF(until, s->beat_ms);
		if (deadline_ms >= 0)
			until = MIN_OF(until, deadline_ms);
		n = poll(pfd, 2, clock_poll_ms(until));
		if (n < 0 && errno != EINTR)
			return error_errno(e, "cannot wait for host %s", s->target->name);
		/* Only time spent waiting counts as silence: between two calls nobody listens. */
		s->quiet_ms = n > 0 && pfd[0].revents ? 0 : s->quiet_ms + clock_mono_ms() - now;
		if (n > 0) {
			if (ret_woken)
				*ret_woken = pfd[1].revents != 0;
			return 0;
		}
		if (deadline_ms >= 0 && clock_mono_ms() >= deadline_ms)
			return error_set(
				e, ERR_TIMEOUT, "host %s did not answer in time", s->target->name);
		if (s->quiet_ms >= SSH_SILENCE_MS)
			return silent(s, e);
	}
}

static int set_socket(int fd, struct error *e)
{
	int on = 1, idle = 5, interval = 5, probes = 3, unacked_ms = SSH_SILENCE_MS;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
		setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)) ||
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle)) ||
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval)) ||
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes)) ||
		setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacked_ms, sizeof(unacked_ms)))
		return error_errno(e, "cannot set up a TCP socket");
	return 0;
}

/* One address. Returns 0 with *ret_fd connected, or -errno. */
static int connect_address(const struct addrinfo *ai, int64_t deadline_ms, int *ret_fd)
{
	AUTO_CLOSE int fd = socket(
		ai->ai_family, ai->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, ai->ai_protocol);
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};
	socklen_t len = sizeof(int);
	int n, failed = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, ai->ai_addr, ai->ai_addrlen)) {
		if (errno != EINPROGRESS)
			return -errno;
		do
			n = poll(&pfd, 1, clock_poll_ms(deadline_ms));
		while (n < 0 && errno == EINTR);
		if (n <= 0)
			return n ? -errno : -ETIMEDOUT;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len))
			return -errno;
		if (failed)
			return -failed;
	}
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int connect_tcp(
	const struct ssh_target *t, int64_t deadline_ms, int *ret_fd, struct error *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
	int r = -EADDRNOTAVAIL;
	char port[12];

	snprintf(port, sizeof(port), "%d", t->port);
	r = getaddrinfo(t->address, port, &hints, &list);
	if (r)
		return error_set(e, ERR_LINK, "host %s: cannot look up its address \"%s\": %s",
			t->name, t->address, gai_strerror(r));
	r = -EADDRNOTAVAIL;
	for (struct addrinfo *ai = list; ai && r; ai = ai->ai_next)
		r = connect_address(ai, deadline_ms, ret_fd);
	freeaddrinfo(list);
	if (r == -ETIMEDOUT)
		return error_set(e, ERR_LINK,
			"host %s (%s port %d) does not answer: is it on, and does a firewall let "
			"SSH "
			"through?",
			t->name, t->address, t->port);
	if (r)
		return error_set(e, ERR_LINK, "cannot connect to host %s (%s port %d): %s", t->name,
			t->address, t->port, strerror(-r));
	return set_socket(*ret_fd, e);
}

/* The middle word of "ssh-ed25519 AAAA… comment". */
static bool same_key(const char *pinned, const char *base64)
{
	static const char type[] = "ssh-ed25519 ";
	size_t len = strlen(base64);

	if (!starts_with(pinned, type))
		return false;
	pinned += sizeof(type) - 1;
	return strncmp(pinned, base64, len) == 0 &&
	       (!pinned[len] || strchr(" \t\r\n", pinned[len]));
}

static int check_host_key(struct ssh *s, struct error *e)
{
	const struct ssh_target *t = s->target;
	char base64[128], fingerprint[FINGERPRINT_SIZE] = "?";
	const char *key, *hash;
	size_t len = 0;
	int type = 0;

	key = libssh2_session_hostkey(s->session, &len, &type);
	if (!key || type != LIBSSH2_HOSTKEY_TYPE_ED25519 || len > 90)
		return error_set(e, ERR_AUTH,
			"host %s shows no ed25519 host key: make one there with ssh-keygen -A",
			t->name);
	to_base64((const uint8_t *)key, len, true, base64);
	if (t->host_key && same_key(t->host_key, base64))
		return 0;
	hash = libssh2_hostkey_hash(s->session, LIBSSH2_HOSTKEY_HASH_SHA256);
	if (hash)
		to_base64((const uint8_t *)hash, 32, false, fingerprint);
	if (!t->host_key || !*t->host_key)
		return error_set(e, ERR_AUTH,
			"the key of host %s is not known: it shows SHA256:%s; compare that with "
			"`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the host, then add "
			"it "
			"as its host key: ssh-ed25519 %s",
			t->name, fingerprint, base64);
	return error_set(e, ERR_AUTH,
		"the key of host %s has CHANGED: it shows SHA256:%s, which is not the pinned one. "
		"If the "
		"host was installed anew, compare with `ssh-keygen -lf "
		"/etc/ssh/ssh_host_ed25519_key.pub` on it and set its host key to: ssh-ed25519 %s; "
		"if "
		"not, someone else may be answering in its place",
		t->name, fingerprint, base64);
}

static int handshake(struct ssh *s, int64_t deadline_ms, struct error *e)
{
	int r = 0, rc;

	rc = SSH_RETRY(s, r, deadline_ms, e, libssh2_session_handshake(s->session, s->fd));
	if (r)
		return error_prefix(e, "greeting");
	if (rc == LIBSSH2_ERROR_KEX_FAILURE || rc == LIBSSH2_ERROR_METHOD_NONE)
		return error_set(e, ERR_AUTH,
			"host %s shows no ed25519 host key or no cipher we take (aes-ctr, "
			"hmac-sha2): make a key there with ssh-keygen -A, or update its sshd",
			s->target->name);
	if (rc)
		return error_set(e, ERR_LINK,
			"what answers at %s port %d as host %s ended the SSH greeting: is it an "
			"sshd?",
			s->target->address, s->target->port, s->target->name);
	return check_host_key(s, e);
}

static int authenticate(struct ssh *s, int64_t deadline_ms, struct error *e)
{
	const struct ssh_target *t = s->target;
	int r = 0, rc;

	if (access(t->key, R_OK)) {
		r = errno == ENOENT ? ERR_MISSING : -errno;
		return error_set(e, r, "cannot read the private key %s for host %s: %s", t->key,
			t->name, strerror(errno));
	}
	rc = SSH_RETRY(s, r, deadline_ms, e,
		libssh2_userauth_publickey_fromfile_ex(
			s->session, t->user, (unsigned)strlen(t->user), NULL, t->key, NULL));
	if (r)
		return error_prefix(e, "logging in");
	if (rc == LIBSSH2_ERROR_AUTHENTICATION_FAILED || rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED)
		return error_set(e, ERR_AUTH,
			"host %s does not let user %s in with the key %s: add its public half to "
			"~%s/.ssh/authorized_keys there",
			t->name, t->user, t->key, t->user);
	if (rc == LIBSSH2_ERROR_FILE)
		return error_set(e, ERR_AUTH,
			"%s is not an ed25519 private key without a passphrase: make one with "
			"ssh-keygen -t ed25519 -N ''",
			t->key);
	return rc ? ssh_failed(s, "logging in", e) : 0;
}

static int set_methods(struct ssh *s, struct error *e)
{
	static const struct {
		int method;
		const char *names;
	} wanted[] = {
		{LIBSSH2_METHOD_HOSTKEY, "ssh-ed25519"},
		{LIBSSH2_METHOD_KEX, "curve25519-sha256,curve25519-sha256@libssh.org,"
				     "diffie-hellman-group16-sha512,diffie-hellman-group14-sha256"},
		{LIBSSH2_METHOD_CRYPT_CS, "aes128-ctr,aes256-ctr"},
		{LIBSSH2_METHOD_CRYPT_SC, "aes128-ctr,aes256-ctr"},
		{LIBSSH2_METHOD_MAC_CS, "hmac-sha2-256,hmac-sha2-512"},
		{LIBSSH2_METHOD_MAC_SC, "hmac-sha2-256,hmac-sha2-512"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (libssh2_session_method_pref(s->session, wanted[i].method, wanted[i].names))
			return ssh_failed(s, "choosing ciphers", e);
	return 0;
}

int ssh_connect(
	const struct ssh_target *target, int64_t deadline_ms, struct ssh **ret_ssh, struct error *e)
{
	AUTO_SSH struct ssh *s = NULL;
	AUTO_CLOSE int fd = -1;
	int r;

	/* Counted inside the library: every session but the first finds it done. */
	if (libssh2_init(0))
		return error_set(e, -ENOMEM, "the SSH library does not start");
	r = connect_tcp(target, deadline_ms, &fd, e);
	if (r)
		return r;
	s = xcalloc(1, sizeof(*s));
	s->target = target;
	s->fd = steal_fd(&fd);
	s->session = libssh2_session_init();
	if (!s->session)
		return error_set(e, -ENOMEM, "no memory for an SSH session");
	libssh2_session_set_blocking(s->session, 0);
	r = set_methods(s, e);
	if (!r)
		r = handshake(s, deadline_ms, e);
	if (!r)
		r = authenticate(s, deadline_ms, e);
	if (r)
		return r;
	/* The library skips one that comes sooner than this after the last; beat_ms is the clock. */
	libssh2_keepalive_config(s->session, 1, 2);
	s->beat_ms = clock_mono_ms() + SSH_KEEPALIVE_SECONDS * 1000;
	s->up = true;
	*ret_ssh = steal_ptr(s);
	return 0;
}

struct ssh *ssh_close(struct ssh *s)
{
	if (!s)
		return NULL;
	if (s->session) {
		libssh2_session_disconnect(s->session, "done");
		/* What is still open on it is closed by the library; without a socket it does not
		 * wait for the other side's word. */
		shutdown(s->fd, SHUT_RDWR);
		if (s->sftp)
			while (libssh2_sftp_shutdown(s->sftp) == LIBSSH2_ERROR_EAGAIN)
				;
		while (libssh2_session_free(s->session) == LIBSSH2_ERROR_EAGAIN)
			;
	}
	closep(&s->fd);
	free(s);
	return NULL;
}

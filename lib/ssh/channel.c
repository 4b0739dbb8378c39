/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands over channels.
 *
 * libssh2 without blocking has one hard rule: where a call said EAGAIN with a packet of its own
 * half sent, that very call must be made again before any other that could send. Reading sends
 * too (window adjustments). `stuck` remembers which call that is.
 */
#include "ssh/ssh_internal.h"

#define STEP_MAX (1024 * 1024) /* bytes taken in one step: its caller has other duties */
#define CLOSE_MS 2000

enum op { OP_NONE, OP_WRITE, OP_EOF, OP_READ, OP_READ_ERR };

struct ssh_channel {
	struct ssh *s;
	LIBSSH2_CHANNEL *channel;
	ssh_output_fn fn;
	void *data;
	struct strbuf queue; /* to be sent */
	size_t sending; /* bytes of it that the write under way was called with */
	bool eof_wanted;
	bool eof_sent;
	bool ended;
	enum op stuck;
	char buf[64 * 1024];
};

int ssh_channel_open(struct ssh *s, const char *command, int64_t deadline_ms, ssh_output_fn fn,
	void *data, struct ssh_channel **ret_channel, struct error *e)
{
	AUTO_SSH_CHANNEL struct ssh_channel *c = xcalloc(1, sizeof(*c));
	int r = 0, rc;

	c->s = s;
	c->fn = fn;
	c->data = data;
	strbuf_init(&c->queue, SSH_MAX_QUEUE);
	while (!(c->channel = libssh2_channel_open_session(s->session))) {
		if (libssh2_session_last_errno(s->session) != LIBSSH2_ERROR_EAGAIN)
			return ssh_failed(s, "opening a channel", e);
		r = ssh_wait(s, -1, deadline_ms, NULL, e);
		if (r)
			return r;
	}
	rc = SSH_RETRY(s, r, deadline_ms, e, libssh2_channel_exec(c->channel, command));
	if (r)
		return r;
	if (rc)
		return ssh_failed(s, "starting a command", e);
	*ret_channel = steal_ptr(c);
	return 0;
}

int ssh_channel_send(struct ssh_channel *c, const void *bytes, size_t len, struct error *e)
{
	if (len > SSH_MAX_QUEUE - c->queue.len)
		return error_set(e, ERR_LIMIT, "more than %d bytes wait to be sent to host %s",
			SSH_MAX_QUEUE, c->s->target->name);
	return strbuf_add(&c->queue, bytes, len);
}

size_t ssh_channel_queued(const struct ssh_channel *c)
{
	return c->queue.len;
}

void ssh_channel_send_eof(struct ssh_channel *c)
{
	c->eof_wanted = true;
}

/* One call of libssh2. Returns its result: bytes, 0, or an error of it. */
static ssize_t attempt(struct ssh_channel *c, enum op op)
{
	ssize_t n = 0;

	switch (op) {
	case OP_WRITE:
		if (c->stuck != OP_WRITE)
			c->sending = c->queue.len;
		n = libssh2_channel_write(c->channel, c->queue.buf, c->sending);
		break;
	case OP_EOF:
		n = libssh2_channel_send_eof(c->channel);
		break;
	case OP_READ:
		n = libssh2_channel_read(c->channel, c->buf, sizeof(c->buf));
		break;
	case OP_READ_ERR:
		n = libssh2_channel_read_stderr(c->channel, c->buf, sizeof(c->buf));
		break;
	case OP_NONE:
		break;
	}
	c->stuck = OP_NONE;
	if (n == LIBSSH2_ERROR_EAGAIN &&
		libssh2_session_block_directions(c->s->session) & LIBSSH2_SESSION_BLOCK_OUTBOUND)
		c->stuck = op;
	if (n > 0)
		c->s->quiet_ms = 0;
	return n;
}

struct round {
	size_t taken;
	bool sent;
};

/* Returns 0 where it is done for now (stuck or not), or a negative error. */
static int push(struct ssh_channel *c, struct round *round, struct error *e)
{
	ssize_t n;

	while (c->queue.len) {
		n = attempt(c, OP_WRITE);
		if (n == LIBSSH2_ERROR_EAGAIN || n == 0)
			return 0;
		if (n < 0)
			return ssh_failed(c->s, "sending to a command", e);
		strbuf_consume(&c->queue, (size_t)n);
		round->sent = true;
	}
	if (c->eof_wanted && !c->eof_sent) {
		n = attempt(c, OP_EOF);
		if (n == LIBSSH2_ERROR_EAGAIN)
			return 0;
		if (n < 0)
			return ssh_failed(c->s, "ending a command's input", e);
		c->eof_sent = true;
	}
	return 0;
}

static int pull(struct ssh_channel *c, enum op op, struct round *round, struct error *e)
{
	while (round->taken < STEP_MAX) {
		ssize_t n = attempt(c, op);

		if (n == LIBSSH2_ERROR_EAGAIN || n == 0)
			return 0;
		if (n < 0)
			return ssh_failed(c->s, "reading from a command", e);
		round->taken += (size_t)n;
		c->fn(c->data, op == OP_READ_ERR, c->buf, (size_t)n);
	}
	return 0;
}

/* All that can be done without waiting. The stuck call, if any, comes before all others. */
static int exchange(struct ssh_channel *c, struct round *round, struct error *e)
{
	static const enum op reads[] = {OP_READ, OP_READ_ERR};
	enum op first = c->stuck;
	int r = 0;

	if (first == OP_READ || first == OP_READ_ERR)
		r = pull(c, first, round, e);
	if (!r && !c->stuck)
		r = push(c, round, e);
	for (size_t i = 0; i < ARRAY_SIZE(reads) && !r && !c->stuck; i++)
		r = pull(c, reads[i], round, e);
	return r;
}

/* Its output is over, and the host has said how it ended. */
static int check_end(struct ssh_channel *c, struct error *e)
{
	int rc;

	if (c->stuck || !libssh2_channel_eof(c->channel))
		return 0;
	rc = libssh2_channel_wait_closed(c->channel);
	if (rc == LIBSSH2_ERROR_EAGAIN)
		return 0;
	if (rc)
		return ssh_failed(c->s, "waiting for a command's end", e);
	c->ended = true;
	return 0;
}

int ssh_channel_step(struct ssh_channel *c, int wake_fd, int64_t deadline_ms, struct error *e)
{
	bool woken = false;

	while (!c->ended) {
		struct round round = {0, false};
		int r = exchange(c, &round, e);

		if (!r && !round.taken)
			r = check_end(c, e);
		if (r)
			return r;
		if (round.taken)
			return SSH_STEP_OUTPUT;
		if (c->ended)
			break;
		if (round.sent && !c->queue.len)
			return SSH_STEP_SENT;
		if (woken)
			return SSH_STEP_DEADLINE;
		r = ssh_wait(c->s, wake_fd, deadline_ms, &woken, e);
		if (r == ERR_TIMEOUT)
			return SSH_STEP_DEADLINE;
		if (r)
			return r;
	}
	return SSH_STEP_ENDED;
}

void ssh_channel_exit(struct ssh_channel *c, struct ssh_exit *ret_exit)
{
	char *name = NULL;
	size_t len = 0;

	*ret_exit = (struct ssh_exit){.status = -1};
	if (!c->ended)
		return;
	/* A command that a signal killed has an exit status of 0 for libssh2. */
	libssh2_channel_get_exit_signal(c->channel, &name, &len, NULL, NULL, NULL, NULL);
	if (name && *name)
		snprintf(ret_exit->signal, sizeof(ret_exit->signal), "%s", name);
	else
		ret_exit->status = libssh2_channel_get_exit_status(c->channel);
	if (name)
		libssh2_free(c->s->session, name);
}

struct ssh_channel *ssh_channel_close(struct ssh_channel *c)
{
	int64_t deadline_ms = clock_mono_ms() + CLOSE_MS;
	int r = 0;

	if (!c)
		return NULL;
	while (c->channel && c->stuck && !r)
		if (attempt(c, c->stuck) == LIBSSH2_ERROR_EAGAIN && c->stuck)
			r = ssh_wait(c->s, -1, deadline_ms, NULL, NULL);
	/* Where the host does not confirm in time, the session frees it at its own end. */
	if (c->channel && !r)
		SSH_RETRY(c->s, r, deadline_ms, NULL, libssh2_channel_free(c->channel));
	strbuf_done(&c->queue);
	free(c);
	return NULL;
}

static void collect(void *data, bool is_stderr, const char *bytes, size_t len)
{
	strbuf_add(data, bytes, len);
}

int ssh_run(struct ssh *s, const char *command, size_t max, int64_t deadline_ms, char **ret_output,
	struct ssh_exit *ret_exit, struct error *e)
{
	AUTO_SSH_CHANNEL struct ssh_channel *c = NULL;
	AUTO_STRBUF struct strbuf out;
	int r;

	strbuf_init(&out, max);
	r = ssh_channel_open(s, command, deadline_ms, collect, &out, &c, e);
	if (!c)
		return r;
	ssh_channel_send_eof(c);
	do
		r = ssh_channel_step(c, -1, deadline_ms, e);
	while (r == SSH_STEP_OUTPUT || r == SSH_STEP_SENT);
	if (r < 0)
		return r;
	if (r == SSH_STEP_DEADLINE)
		return error_set(e, ERR_TIMEOUT, "a command on host %s did not end in time",
			s->target->name);
	if (out.overflow)
		return error_set(e, ERR_LIMIT,
			"a command on host %s printed more than the limit of %zu bytes",
			s->target->name, max);
	ssh_channel_exit(c, ret_exit);
	*ret_output = strbuf_detach(&out, NULL);
	return 0;
}

const char *ssh_exit_text(const struct ssh_exit *x, char *buf, size_t size)
{
	if (*x->signal)
		snprintf(buf, size, "killed by SIG%s", x->signal);
	else if (x->status >= 0)
		snprintf(buf, size, "exit status %d", x->status);
	else
		snprintf(buf, size, "ended without an exit status");
	return buf;
}

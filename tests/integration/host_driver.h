/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the real patchbay-agent: a request in, frames out. For the tests of agents/host. */
#ifndef TESTS_HOST_DRIVER_H
#define TESTS_HOST_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define DRIVER_MAX (64 * 1024 * 1024)
#define DRIVER_BEAT_MS 2000

/* What to do once a text was seen in the log or on the console. */
enum reaction { REACT_NOT, REACT_STOP, REACT_CLOSE, REACT_KILL, REACT_RETURN };

struct agent_run {
	struct child child;
	int in;
	int out;
	struct strbuf frames; /* not yet taken apart */
	struct strbuf events; /* JSON, one a line */
	struct strbuf log;
	struct strbuf console;
	struct strbuf result;
	const char *trigger;
	enum reaction reaction;
	bool reacted;
	bool silent; /* send no beats */
	int64_t took_ms;
};

/* NULL-terminated NAME=value strings. */
static inline void driver_request(struct strbuf *req, const char *const *params)
{
	strbuf_init(req, FRAME_MAX);
	for (; *params; params++)
		strbuf_add(req, *params, strlen(*params) + 1);
}

static inline void driver_start(struct agent_run *d)
{
	const char *const argv[] = {TEST_BIN_DIR "/patchbay-agent", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	struct error e = ERROR_INIT;
	int in[2], out[2];

	signal(SIGPIPE, SIG_IGN);
	*d = (struct agent_run){.child = CHILD_INIT};
	strbuf_init(&d->frames, 2 * FRAME_MAX);
	strbuf_init(&d->events, DRIVER_MAX);
	strbuf_init(&d->log, DRIVER_MAX);
	strbuf_init(&d->console, DRIVER_MAX);
	strbuf_init(&d->result, DRIVER_MAX);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	spec.fds[0] = in[0];
	spec.fds[1] = out[1];
	spec.fds[2] = STDERR_FILENO;
	if (child_start(&spec, &d->child, &e))
		fail_msg("%s", e.msg);
	close(in[0]);
	close(out[1]);
	d->in = in[1];
	d->out = out[0];
}

static inline void driver_done(struct agent_run *d)
{
	closep(&d->in);
	closep(&d->out);
	child_done(&d->child);
	strbuf_done(&d->frames);
	strbuf_done(&d->events);
	strbuf_done(&d->log);
	strbuf_done(&d->console);
	strbuf_done(&d->result);
}
#define AUTO_DRIVER CLEANUP(driver_done)

static inline void driver_react(struct agent_run *d)
{
	if (d->reacted || d->reaction == REACT_NOT ||
		(!strstr(d->log.buf, d->trigger) && !strstr(d->console.buf, d->trigger)))
		return;
	d->reacted = true;
	if (d->reaction == REACT_STOP)
		frame_write(d->in, FRAME_STOP, "enough", 6);
	else if (d->reaction == REACT_CLOSE)
		close(steal_fd(&d->in));
	else if (d->reaction == REACT_KILL)
		kill(d->child.pid, SIGKILL);
}

static inline void driver_take(struct agent_run *d)
{
	enum frame_type type;
	const char *payload;
	size_t len, total;
	int r;

	while ((r = frame_next(&d->frames, &type, &payload, &len, &total)) == 1) {
		struct strbuf *to = type == FRAME_EVENT	    ? &d->events
				    : type == FRAME_LOG	    ? &d->log
				    : type == FRAME_CONSOLE ? &d->console
							    : &d->result;

		strbuf_add(to, payload, len);
		if (type == FRAME_EVENT)
			strbuf_addc(to, '\n');
		strbuf_consume(&d->frames, total);
	}
	assert_int_equal(r, 0);
	driver_react(d);
}

/* Until the agent closes its end, or the trigger's reaction is to return. */
static inline void driver_listen(struct agent_run *d)
{
	int64_t start_ms = clock_mono_ms();
	char buf[65536];

	for (;;) {
		struct pollfd pfd = {.fd = d->out, .events = POLLIN};
		int n = poll(&pfd, 1, DRIVER_BEAT_MS);
		ssize_t got;

		if (!n && !d->silent && d->in >= 0)
			frame_write(d->in, FRAME_BEAT, "", 0);
		if (n <= 0)
			continue;
		got = read(d->out, buf, sizeof(buf));
		if (got <= 0)
			break;
		strbuf_add(&d->frames, buf, (size_t)got);
		driver_take(d);
		if (d->reacted && d->reaction == REACT_RETURN)
			return;
		/* Beats are due while it talks, too. */
		if (!d->silent && d->in >= 0 &&
			clock_mono_ms() - start_ms > DRIVER_BEAT_MS + d->took_ms) {
			d->took_ms = clock_mono_ms() - start_ms;
			frame_write(d->in, FRAME_BEAT, "", 0);
		}
	}
	d->took_ms = clock_mono_ms() - start_ms;
}

/* A whole run without reactions. */
static inline void driver_run(struct agent_run *d, const char *const *params)
{
	AUTO_STRBUF struct strbuf req;

	driver_request(&req, params);
	driver_start(d);
	assert_int_equal(frame_write(d->in, FRAME_REQUEST, req.buf, req.len), 0);
	driver_listen(d);
}

/* The end event, or "". Valid until the run is done. */
static inline const char *driver_end(const struct agent_run *d)
{
	const char *end = strstr(d->events.buf, "{\"event\":\"end\"");

	return end ? end : "";
}

#define assert_has(text, part)                                        \
	do {                                                          \
		if (!strstr((text), (part)))                          \
			fail_msg("no \"%s\" in: %s", (part), (text)); \
	} while (0)
#define assert_has_not(text, part)                                             \
	do {                                                                   \
		if (strstr((text), (part)))                                    \
			fail_msg("\"%s\" must not be in: %s", (part), (text)); \
	} while (0)

/* The string value of a member of the end event, heap; fails where it is not there. */
static inline char *driver_member(const struct agent_run *d, const char *name)
{
	AUTO_FREE char *key = xasprintf("\"%s\":\"", name);
	const char *p = strstr(driver_end(d), key);

	if (!p)
		fail_msg("no %s in %s", name, driver_end(d));
	p += strlen(key);
	return xstrndup(p, strcspn(p, "\""));
}

/* Whether a process with this in its command line is alive. */
static inline bool process_exists(const char *part)
{
	AUTO_FREE char *out = NULL;
	const char *const argv[] = {"pgrep", "-f", "--", part, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	int status = 0;

	assert_int_equal(child_run(&spec, 65536, -1, &out, &status, NULL), 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A shell command that must succeed. */
static inline PRINTF_LIKE(1, 2) void sh(const char *fmt, ...)
{
	AUTO_FREE char *out = NULL;
	char command[8192];
	const char *const argv[] = {"sh", "-ec", command, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	int status;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	assert_int_equal(child_run(&spec, 65536, -1, &out, &status, NULL), 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("%s: %s", command, out);
}

/* Its output without the last newline, heap. */
static inline char *sh_out(const char *command)
{
	const char *const argv[] = {"sh", "-ec", command, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	char *out = NULL;
	int status;

	assert_int_equal(child_run(&spec, 65536, -1, &out, &status, NULL), 0);
	out[strcspn(out, "\n")] = '\0';
	return out;
}

/* The script that the agent sent, in a file. */
static inline void driver_script(const struct agent_run *d, const char *path)
{
	AUTO_FREE char *events = xasprintf("%s.events", path);

	assert_int_equal(file_write_atomic(events, d->events.buf, d->events.len, 0600, NULL), 0);
	sh("jq -r 'select(.event == \"script\").text' %s >%s", events, path);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/worker/remote.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"

#include <errno.h>
#include <limits.h>

#define AGENT_NAME "patchbay-agent"
#define HASH_DIGITS 16
#define BEAT_MS 4000
#define LEAVE_MS 3000 /* for the agent to go once it has said its end */
#define MAX_REQUEST FRAME_MAX
#define MAX_SAID 4096
#define MAX_LOOK 8192 /* what the shell may print when it looks for the agent */

static int read_target(struct remote *r, struct error *e)
{
	const cJSON *host = json_get(r->job->doc, "host");
	struct ssh_target *t = &r->target;
	int64_t port;

	if (!cJSON_IsObject(host))
		return error_set(e, ERR_SYNTAX, "the job names no \"host\"");
	if (json_need_str(host, "name", &t->name, e) ||
		json_need_str(host, "address", &t->address, e) ||
		json_need_int(host, "port", 1, 65535, &port, e) ||
		json_need_str(host, "user", &t->user, e) || json_need_str(host, "key", &t->key, e))
		return error_prefix(e, "the job's host");
	t->port = (int)port;
	t->host_key = json_str(host, "host_key", NULL);
	return 0;
}

/*
 * Where the lab's folder is on the host, and whether the agent is in it. Its last line is
 * "have ROOT" or "need ROOT"; what a login script prints comes before.
 */
static int look_for_agent(
	struct remote *r, const char *file, bool *ret_there, char **ret_root, struct error *e)
{
	static const char script[] = "root=$1; [ -n \"$root\" ] || "
				     "root=\"${XDG_CACHE_HOME:-$HOME/.cache}/patchbay/host\"; "
				     "umask 077; mkdir -p \"$root/agent\" || exit 1; "
				     "[ -x \"$root/agent/$2\" ] && word=have || word=need; "
				     "printf '\\n%s %s\\n' \"$word\" \"$root\"";
	const char *root = json_str(json_get(r->job->doc, "host"), "root", "");
	AUTO_STRBUF struct strbuf command;
	AUTO_FREE char *out = NULL;
	char text[64], *line;
	struct ssh_exit x;
	size_t len;
	int err;

	strbuf_init(&command, 16384);
	strbuf_adds(&command, "exec sh -c ");
	strbuf_add_quoted(&command, script);
	strbuf_adds(&command, " sh ");
	strbuf_add_quoted(&command, root);
	strbuf_addc(&command, ' ');
	strbuf_add_quoted(&command, file);
	err = ssh_run(
		r->ssh, command.buf, MAX_LOOK, clock_mono_ms() + REMOTE_SHORT_MS, &out, &x, e);
	if (err)
		return err;
	len = strlen(out);
	while (len && out[len - 1] == '\n')
		out[--len] = '\0';
	line = strrchr(out, '\n');
	line = line ? line + 1 : out;
	if (x.status || (!starts_with(line, "have /") && !starts_with(line, "need /")))
		return error_set(e, -EIO, "cannot use host %s: its shell ended with %s: %s",
			r->target.name, ssh_exit_text(&x, text, sizeof(text)), line);
	*ret_there = starts_with(line, "have ");
	*ret_root = xstrdup(line + 5);
	return 0;
}

/* The agent beside this program, under the name its content gives it. */
static int install_agent(struct remote *r, struct error *e)
{
	AUTO_FREE char *dir = path_self_dir();
	AUTO_FREE char *local = path_join(dir, AGENT_NAME);
	AUTO_FREE char *file = NULL;
	char hex[SHA256_HEX];
	bool there = false;
	int err;

	err = sha256_file(local, hex, e);
	if (err)
		return error_prefix(e, "the agent for hosts belongs beside patchbay-worker");
	file = xasprintf("%s-%.*s", AGENT_NAME, HASH_DIGITS, hex);
	err = look_for_agent(r, file, &there, &r->root, e);
	if (err)
		return err;
	r->agent = xasprintf("%s/agent/%s", r->root, file);
	if (there)
		return 0;
	err = ssh_upload(r->ssh, local, r->agent, 0700, REMOTE_STALL_MS, e);
	return err == -EEXIST ? 0 : err;
}

int remote_open(struct remote *r, struct job *job, struct error *e)
{
	int err;

	*r = (struct remote){.job = job};
	err = read_target(r, e);
	if (!err)
		err = ssh_connect(&r->target, clock_mono_ms() + REMOTE_CONNECT_MS, &r->ssh, e);
	return err ? err : install_agent(r, e);
}

void remote_done(struct remote *r)
{
	r->ssh = ssh_close(r->ssh);
	free(r->root);
	free(r->agent);
}

void request_add(struct strbuf *request, const char *name, const char *value)
{
	strbuf_addf(request, "%s=%s", name, value);
	strbuf_addc(request, '\0');
}

void request_add_int(struct strbuf *request, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	request_add(request, name, text);
}

void request_begin(struct strbuf *request, const struct remote *r, const char *command)
{
	strbuf_init(request, MAX_REQUEST);
	request_add(request, "command", command);
	request_add(request, "root", r->root);
	request_add(request, "lab", r->job->lab);
	request_add_int(request, "epoch", r->job->epoch);
}

static int send_frame(struct remote_call *c, enum frame_type type, const void *payload, size_t len,
	struct error *e)
{
	AUTO_STRBUF struct strbuf frame;

	strbuf_init(&frame, FRAME_MAX + 16);
	if (frame_add(&frame, type, payload, len))
		return error_set(e, ERR_LIMIT,
			"a request to the agent is over %d bytes: make the "
			"config fragments smaller",
			FRAME_MAX);
	return ssh_channel_send(c->channel, frame.buf, frame.len, e);
}

int remote_stop(struct remote_call *c, const char *reason, struct error *e)
{
	if (c->stopped)
		return 0;
	c->stopped = true;
	return send_frame(c, FRAME_STOP, reason, strlen(reason), e);
}

static void take(void *data, bool is_stderr, const char *bytes, size_t len)
{
	struct remote_call *c = data;

	strbuf_add(is_stderr ? &c->said : &c->in, bytes, len);
}

/* What does the job again by hand, beside its log. */
static int keep_script(struct remote_call *c, const char *text, struct error *e)
{
	struct job *job = c->remote->job;
	AUTO_FREE char *path = worker_path(job, "reproduce.sh");
	AUTO_FREE char *script =
		xasprintf("#!/bin/sh\n"
			  "# Job %lld (%s) of lab %s once more, by hand, on host %s:\n"
			  "#     sh THIS [FOLDER]\n%s",
			(long long)json_int(job->doc, "job", 0), json_str(job->doc, "kind", "?"),
			json_str(job->doc, "lab", "?"), c->remote->target.name, text);

	return file_write_atomic(path, script, strlen(script), 0700, e);
}

static int on_event(struct remote_call *c, const char *text, size_t len, struct error *e)
{
	AUTO_JSON cJSON *event = NULL;
	const char *name;
	int err;

	err = json_parse(text, len, &event, e);
	if (!err)
		err = json_need_str(event, "event", &name, e);
	if (err)
		return error_prefix(e, "an event of the agent on host %s", c->remote->target.name);
	if (streq(name, "end")) {
		cJSON_Delete(c->end);
		c->end = steal_ptr(event);
		return 0;
	}
	if (streq(name, "script"))
		return keep_script(c, json_str(event, "text", ""), e);
	if (streq(name, "waiting")) {
		c->deadline_ms = -1;
		worker_stage(c->remote->job, "waiting");
		worker_progress(c->remote->job, 0, -1, "waiting for host %s: %s",
			c->remote->target.name, json_str(event, "why", "it is busy"));
		return 0;
	}
	if (c->deadline_ms < 0) {
		c->deadline_ms = clock_mono_ms() + c->handlers->budget_ms;
		worker_stage(c->remote->job, "starting");
	}
	return c->handlers->event ? c->handlers->event(c, name, event, e) : 0;
}

static int no_frame(struct remote_call *c, struct error *e)
{
	char shown[40] = "";

	for (size_t i = 0; i < MIN_OF(c->in.len, sizeof(shown) - 1); i++)
		shown[i] = (char)(c->in.buf[i] >= ' ' && c->in.buf[i] <= '~' ? c->in.buf[i] : '.');
	return error_set(e, -EPROTO,
		"host %s: what came back is not from the agent but begins \"%s\": commands over "
		"SSH must "
		"print nothing there (look at ~/.bashrc of user %s)",
		c->remote->target.name, shown, c->remote->target.user);
}

/* All whole frames that are there. */
static int take_frames(struct remote_call *c, struct error *e)
{
	enum frame_type type;
	const char *payload;
	size_t len, total, used = 0;
	struct strbuf rest = c->in;
	int err = 0, n;

	if (c->in.overflow)
		return error_set(e, ERR_LIMIT, "the agent on host %s sends more than can be taken",
			c->remote->target.name);
	while (!err && (n = frame_next(&rest, &type, &payload, &len, &total)) == 1) {
		if (type == FRAME_EVENT)
			err = on_event(c, payload, len, e);
		else if (c->handlers->bytes)
			err = c->handlers->bytes(c, type, payload, len, e);
		rest.buf += total;
		rest.len -= total;
		used += total;
	}
	strbuf_consume(&c->in, used);
	if (!err && n < 0)
		return no_frame(c, e);
	if (!err && c->handlers->batch)
		err = c->handlers->batch(c, e);
	return err;
}

static int agent_went(struct remote_call *c, struct error *e)
{
	struct ssh_exit x;
	char text[64];

	ssh_channel_exit(c->channel, &x);
	while (c->said.len && c->said.buf[c->said.len - 1] == '\n')
		strbuf_truncate(&c->said, c->said.len - 1);
	return error_set(e, ERR_LINK,
		"the agent on host %s went away (%s) before it had finished%s%s",
		c->remote->target.name, ssh_exit_text(&x, text, sizeof(text)),
		c->said.len ? ": " : "", c->said.buf);
}

/* The beat, the caller's timer and the deadline, where they are due. */
static int on_time(struct remote_call *c, struct error *e)
{
	int64_t now = clock_mono_ms();
	int err = 0;

	if (now >= c->beat_ms) {
		c->beat_ms = now + BEAT_MS;
		err = send_frame(c, FRAME_BEAT, "", 0, e);
	}
	if (!err && c->timer_ms >= 0 && now >= c->timer_ms) {
		c->timer_ms = -1;
		err = c->handlers->timer(c, e);
	}
	if (!err && c->deadline_ms >= 0 && now >= c->deadline_ms)
		err = error_set(e, ERR_TIMEOUT,
			"the agent on host %s does not end: it had %lld seconds",
			c->remote->target.name, (long long)c->handlers->budget_ms / 1000);
	return err;
}

static int run(struct remote_call *c, struct error *e)
{
	while (!c->end) {
		int64_t until = c->beat_ms;
		int step, err;

		if (c->timer_ms >= 0)
			until = MIN_OF(until, c->timer_ms);
		if (c->deadline_ms >= 0)
			until = MIN_OF(until, c->deadline_ms);
		step = ssh_channel_step(c->channel, -1, until, e);
		if (step < 0)
			return step;
		err = take_frames(c, e);
		if (!err && !c->end && step == SSH_STEP_ENDED)
			err = agent_went(c, e);
		if (!err)
			err = on_time(c, e);
		if (err)
			return err;
	}
	return 0;
}

/* The agent has said its end: give it a moment to go by itself. What it does then is no matter. */
static void leave(struct remote_call *c)
{
	int64_t deadline_ms = clock_mono_ms() + LEAVE_MS;
	int step;

	ssh_channel_send_eof(c->channel);
	do
		step = ssh_channel_step(c->channel, -1, deadline_ms, NULL);
	while (step == SSH_STEP_OUTPUT || step == SSH_STEP_SENT);
}

int remote_call(struct remote *r, const struct strbuf *request,
	const struct remote_handlers *handlers, void *data, cJSON **ret_end, struct error *e)
{
	struct remote_call c = {.remote = r, .handlers = handlers, .data = data, .timer_ms = -1};
	AUTO_STRBUF struct strbuf command;
	int err;

	strbuf_init(&command, 16384);
	strbuf_init(&c.in, 4 * (FRAME_MAX + 1024 * 1024));
	strbuf_init(&c.said, MAX_SAID);
	strbuf_adds(&command, "exec ");
	strbuf_add_quoted(&command, r->agent);
	c.deadline_ms = clock_mono_ms() + handlers->budget_ms;
	c.beat_ms = clock_mono_ms() + BEAT_MS;
	err = ssh_channel_open(r->ssh, command.buf, c.deadline_ms, take, &c, &c.channel, e);
	if (!err && request->overflow)
		err = error_set(
			e, ERR_LIMIT, "a request to the agent is over %d bytes", MAX_REQUEST);
	if (!err)
		err = send_frame(&c, FRAME_REQUEST, request->buf, request->len, e);
	if (!err)
		err = run(&c, e);
	if (!err)
		leave(&c);
	if (!err && streq(json_str(c.end, "status", NULL), "error"))
		err = error_set(
			e, -EIO, "%s", json_str(c.end, "reason", "the agent gives no reason"));
	c.channel = ssh_channel_close(c.channel);
	if (!err)
		*ret_end = steal_ptr(c.end);
	cJSON_Delete(c.end);
	strbuf_done(&c.in);
	strbuf_done(&c.said);
	return err;
}

int remote_blob(struct remote *r, const char *sha256, const char *path, struct error *e)
{
	static const struct remote_handlers handlers = {.budget_ms = REMOTE_SHORT_MS};
	AUTO_STRBUF struct strbuf request;
	AUTO_JSON cJSON *end = NULL;
	AUTO_FREE char *remote = xasprintf("%s/blobs/%s", r->root, sha256);
	char hex[SHA256_HEX];
	int err;

	request_begin(&request, r, "have");
	request_add(&request, "sha256", sha256);
	err = remote_call(r, &request, &handlers, NULL, &end, e);
	if (err || json_bool(end, "have", false))
		return err;
	err = sha256_file(path, hex, e);
	if (err)
		return err;
	if (!streq(hex, sha256))
		return error_set(e, -EIO, "%s is damaged: its SHA-256 is %s, and should be %s",
			path, hex, sha256);
	err = ssh_upload(r->ssh, path, remote, 0600, REMOTE_STALL_MS, e);
	return err == -EEXIST ? 0 : err;
}

int remote_fetch(
	struct remote *r, const char *sha256, const char *path, uint64_t max, struct error *e)
{
	AUTO_FREE char *remote = xasprintf("%s/blobs/%s", r->root, sha256);
	char hex[SHA256_HEX];
	int err;

	err = ssh_download(r->ssh, remote, path, 0644, max, REMOTE_STALL_MS, e);
	if (!err)
		err = sha256_file(path, hex, e);
	if (!err && !streq(hex, sha256)) {
		unlink(path);
		err = error_set(e, -EIO,
			"%s was damaged on its way from host %s: its SHA-256 is %s", remote,
			r->target.name, hex);
	}
	return err;
}

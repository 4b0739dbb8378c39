/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/push.h"

#include "base/clock.h"

#include <errno.h>
#include <git2.h>
#include <git2/sys/transport.h>

#define MAX_INCOMING (8 * 1024 * 1024) /* bytes of the host's answer not yet read by libgit2 */
#define MAX_STDERR 4096
#define SEND_LOW (512 * 1024) /* wait for the channel while more than this is queued */

/*
 * The one connection of a push: a libgit2 subtransport with its single stream. libgit2 drives it
 * by blocking calls; each of them runs the SSH channel until it is satisfied.
 */
struct wire {
	git_smart_subtransport transport;
	git_smart_subtransport_stream stream;
	const struct host_push *push;
	struct ssh *s;
	struct ssh_channel *channel;
	bool ended;
	struct strbuf in;
	struct strbuf said; /* on standard error */
	struct error *e; /* what went wrong on the way: better than libgit2's own words */
	char refused[512]; /* the host's word on the ref */
};

static int wire_failed(struct wire *w, int r)
{
	git_error_set_str(GIT_ERROR_NET, "the SSH channel failed");
	if (w->e)
		w->e->code = r;
	return -1;
}

static void take(void *data, bool is_stderr, const char *bytes, size_t len)
{
	struct wire *w = data;

	strbuf_add(is_stderr ? &w->said : &w->in, bytes, len);
}

/* Returns 0, or -1 with the reason in *w->e. */
static int run_channel(struct wire *w)
{
	int r = ssh_channel_step(w->channel, -1, w->push->deadline_ms, w->e);

	if (r == SSH_STEP_DEADLINE)
		r = error_set(w->e, ERR_TIMEOUT, "pushing commit %.12s did not end in time",
			w->push->commit);
	if (r == SSH_STEP_ENDED)
		w->ended = true;
	if (w->in.overflow)
		r = error_set(w->e, ERR_LIMIT, "git-receive-pack answered more than %d bytes",
			MAX_INCOMING);
	return r < 0 ? wire_failed(w, r) : 0;
}

static int stream_read(
	git_smart_subtransport_stream *stream, char *buffer, size_t size, size_t *bytes_read)
{
	struct wire *w = (struct wire *)stream->subtransport;
	size_t n;

	while (!w->in.len && !w->ended)
		if (run_channel(w))
			return -1;
	n = MIN_OF(size, w->in.len);
	memcpy(buffer, w->in.buf, n);
	strbuf_consume(&w->in, n);
	*bytes_read = n;
	return 0;
}

static int stream_write(git_smart_subtransport_stream *stream, const char *buffer, size_t len)
{
	struct wire *w = (struct wire *)stream->subtransport;

	while (len) {
		size_t n = MIN_OF(len, (size_t)SSH_MAX_QUEUE / 2);
		int r = ssh_channel_send(w->channel, buffer, n, w->e);

		if (r)
			return wire_failed(w, r);
		buffer += n;
		len -= n;
		while (ssh_channel_queued(w->channel) > SEND_LOW) {
			if (run_channel(w))
				return -1;
			if (w->ended) {
				error_set(w->e, ERR_LINK,
					"git-receive-pack on the host ended early: %s",
					w->said.len ? w->said.buf : "it did not say why");
				return wire_failed(w, ERR_LINK);
			}
		}
	}
	return 0;
}

static void stream_free(git_smart_subtransport_stream *stream)
{
	/* Part of the wire. */
}

static int open_channel(struct wire *w)
{
	AUTO_STRBUF struct strbuf command;
	int r;

	strbuf_init(&command, 8192);
	strbuf_adds(&command, "exec git-receive-pack ");
	strbuf_add_quoted(&command, w->push->remote_path);
	r = ssh_channel_open(w->s, command.buf, w->push->deadline_ms, take, w, &w->channel, w->e);
	return r ? wire_failed(w, r) : 0;
}

static int wire_action(git_smart_subtransport_stream **out, git_smart_subtransport *transport,
	const char *url, git_smart_service_t action)
{
	struct wire *w = (struct wire *)transport;

	if (action != GIT_SERVICE_RECEIVEPACK_LS && action != GIT_SERVICE_RECEIVEPACK)
		return -1;
	if (!w->channel && open_channel(w))
		return -1;
	*out = &w->stream;
	return 0;
}

static int wire_close(git_smart_subtransport *transport)
{
	struct wire *w = (struct wire *)transport;

	w->channel = ssh_channel_close(w->channel);
	return 0;
}

static void wire_free(git_smart_subtransport *transport)
{
	/* On push_to_host()'s stack. */
}

static int give_wire(git_smart_subtransport **out, git_transport *owner, void *param)
{
	*out = &((struct wire *)param)->transport;
	return 0;
}

static int make_transport(git_transport **out, git_remote *owner, void *param)
{
	git_smart_subtransport_definition definition = {give_wire, 0, param};

	return git_transport_smart(out, owner, &definition);
}

static int on_progress(unsigned current, unsigned total, size_t bytes, void *payload)
{
	const struct host_push *p = ((struct wire *)payload)->push;

	if (p->progress)
		p->progress(p->data, current, total);
	return 0;
}

static int on_reference(const char *name, const char *status, void *payload)
{
	struct wire *w = payload;

	if (status)
		snprintf(w->refused, sizeof(w->refused), "%s: %s", name, status);
	return 0;
}

/* Why it failed: the channel's own reason, else what the host said, else libgit2. */
static int explain(struct wire *w, const char *what, struct error *e)
{
	const git_error *last = git_error_last();
	const char *text = w->said.len ? w->said.buf : last ? last->message : "no reason given";

	if (w->e && w->e->code)
		return error_prefix(e, "%s", what);
	if (strstr(text, "No space left on device"))
		return error_set(e, -ENOSPC, "%s: the host's disk is full", what);
	return error_set(e, -EIO, "%s: %s", what, text);
}

static int push_commit(struct wire *w, git_repository *repo, const git_oid *commit, struct error *e)
{
	/* libgit2 pushes refs, not ids: this one is there for as long as the push. */
	AUTO_FREE char *name = xasprintf("refs/pushing/%s-%d", w->push->commit, (int)getpid());
	AUTO_FREE char *spec = xasprintf("+%s:%s", name, w->push->ref);
	git_strarray specs = {&spec, 1};
	git_push_options options;
	git_reference *ref = NULL;
	git_remote *remote = NULL;
	int r;

	git_push_options_init(&options, GIT_PUSH_OPTIONS_VERSION);
	options.pb_parallelism = 0; /* as many threads as there are cores */
	options.callbacks.transport = make_transport;
	options.callbacks.push_transfer_progress = on_progress;
	options.callbacks.push_update_reference = on_reference;
	options.callbacks.payload = w;
	r = git_reference_create(&ref, repo, name, commit, true, NULL);
	/* The address only has to look like one: the wire is there already. */
	if (!r)
		r = git_remote_create_anonymous(&remote, repo, "ssh://host/repository");
	if (!r)
		r = git_remote_push(remote, &specs, &options);
	if (r)
		r = explain(w, "git push", e);
	git_remote_free(remote);
	if (ref)
		git_reference_delete(ref);
	git_reference_free(ref);
	return r;
}

int push_to_host(const struct host_push *push, struct ssh *s, struct error *e)
{
	struct error own = ERROR_INIT;
	struct wire w = {.transport = {wire_action, wire_close, wire_free},
		.stream = {NULL, stream_read, stream_write, stream_free},
		.push = push,
		.s = s,
		.e = e ? e : &own};
	git_repository *repo = NULL;
	git_object *commit = NULL;
	int r;

	w.stream.subtransport = &w.transport;
	w.e->code = 0;
	strbuf_init(&w.in, MAX_INCOMING);
	strbuf_init(&w.said, MAX_STDERR);
	git_libgit2_init();
	r = git_repository_open_bare(&repo, push->repo);
	if (r)
		r = explain(&w, push->repo, w.e);
	if (!r && git_revparse_single(&commit, repo, push->commit))
		r = error_set(w.e, ERR_MISSING, "commit %s is not in %s", push->commit, push->repo);
	if (!r)
		r = push_commit(&w, repo, git_object_id(commit), w.e);
	if (!r && *w.refused)
		r = error_set(w.e, ERR_CONFLICT, "the host refuses %s", w.refused);
	ssh_channel_close(w.channel);
	strbuf_done(&w.in);
	strbuf_done(&w.said);
	git_object_free(commit);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return r;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Build one commit on a host: bring it there, let the agent build it, keep the log as it comes,
 * turn what the compiler said into findings, fetch the image.
 */
#include "daemon/worker/remote.h"

#include "base/clock.h"
#include "base/sha256.h"
#include "patches/git/history.h"
#include "patches/git/push.h"
#include "patches/git/repo.h"

#include <errno.h>
#include <sys/stat.h>

#define PUSH_MS (30 * 60 * 1000) /* a whole kernel tree, over a slow line */
#define PREPARE_MS (25 * 60 * 1000) /* what the agent may take for checkout and hashing */
#define MAX_IMAGE (512ULL * 1024 * 1024)
#define MAX_FRAGMENTS 32
#define TAIL (64 * 1024) /* bytes of the log's end that are searched for make's own words */
#define PROGRESS_MS 250 /* between two progress events */
#define MAX_PROGRESS_LINE 200

struct build {
	struct job *job;
	const char *repo, *tree, *commit, *ref, *arch, *config_base;
	const char *owner; /* whose code it is; empty: the tree's own */
	const cJSON *fragments;
	int64_t seconds, silence_seconds;
	char *remote_repo;

	struct scan_findings findings;
	size_t told; /* findings that have been sent */
	struct strbuf tail;
	struct strbuf line; /* the unfinished last line of the log */
	char step[MAX_PROGRESS_LINE]; /* the last of make's "  CC x.o" lines */
	int64_t steps;
	int64_t steps_told;
	int64_t told_ms; /* monotonic: the last progress event */
};

static int read_job(struct build *b, struct error *e)
{
	const cJSON *doc = b->job->doc, *config = json_get(doc, "config"),
		    *limits = json_get(doc, "limits"), *fragment;

	if (json_need_str(doc, "repo", &b->repo, e) || json_need_str(doc, "tree", &b->tree, e) ||
		json_need_str(doc, "commit", &b->commit, e) ||
		json_need_str(doc, "ref", &b->ref, e) || json_need_str(doc, "arch", &b->arch, e) ||
		json_need_str(config, "base", &b->config_base, e) ||
		json_need_int(limits, "seconds", 1, 7 * 86400, &b->seconds, e) ||
		json_need_int(limits, "silence_seconds", 1, 7 * 86400, &b->silence_seconds, e))
		return error_prefix(e, "the build job");
	if (strlen(b->commit) != 40 || strspn(b->commit, "0123456789abcdef") != 40)
		return error_set(
			e, ERR_SYNTAX, "the build job: \"%.50s\" is no commit id", b->commit);
	b->fragments = json_get(config, "fragments");
	if (cJSON_GetArraySize(b->fragments) > MAX_FRAGMENTS)
		return error_set(e, ERR_LIMIT, "the build job has more than %d config fragments",
			MAX_FRAGMENTS);
	json_for_each (fragment, b->fragments)
		if (!json_str(fragment, "text", NULL))
			return error_set(
				e, ERR_SYNTAX, "the build job: a config fragment has no text");
	return 0;
}

/* The tree's repository on the host, made where it is not there. */
static int find_repo(struct build *b, struct remote *r, struct error *e)
{
	static const struct remote_handlers handlers = {.budget_ms = REMOTE_SHORT_MS};
	AUTO_STRBUF struct strbuf request;
	AUTO_JSON cJSON *end = NULL;
	const char *path;
	int err;

	request_begin(&request, r, "repo");
	request_add(&request, "tree", b->tree);
	err = remote_call(r, &request, &handlers, NULL, &end, e);
	if (!err)
		err = json_need_str(end, "path", &path, e);
	if (!err)
		b->remote_repo = xstrdup(path);
	return err;
}

/* Whether the ref is there already, and this commit: then it came whole; and whether there is any
 * ref at all. */
static int is_pushed(
	struct build *b, struct remote *r, bool *ret_pushed, bool *ret_empty, struct error *e)
{
	static const char script[] = "git --git-dir=\"$1\" rev-parse -q --verify \"$2\"; "
				     "git --git-dir=\"$1\" for-each-ref --count=1 --format=any";
	AUTO_STRBUF struct strbuf command;
	AUTO_FREE char *out = NULL;
	struct ssh_exit x;
	int err;

	strbuf_init(&command, 16384);
	strbuf_adds(&command, "exec sh -c ");
	strbuf_add_quoted(&command, script);
	strbuf_adds(&command, " sh ");
	strbuf_add_quoted(&command, b->remote_repo);
	strbuf_addc(&command, ' ');
	strbuf_add_quoted(&command, b->ref);
	err = ssh_run(r->ssh, command.buf, 8192, clock_mono_ms() + REMOTE_SHORT_MS, &out, &x, e);
	if (err)
		return err;
	if (x.status == 127)
		return error_set(e, ERR_MISSING, "git is not installed on host %s", r->target.name);
	*ret_empty = x.status == 0 && !strstr(out, "any\n");
	*ret_pushed = starts_with(out, b->commit);
	return 0;
}

static void on_push(void *data, unsigned done, unsigned total)
{
	struct build *b = data;
	int64_t now = clock_mono_ms();

	if (!total || now - b->told_ms < PROGRESS_MS)
		return;
	b->told_ms = now;
	worker_progress(b->job, done, total, "sending the tree to the host");
}

static int bring_commit(struct build *b, struct remote *r, struct error *e)
{
	bool pushed = false, empty = false;
	int err = find_repo(b, r, e);

	if (!err)
		err = is_pushed(b, r, &pushed, &empty, e);
	if (err || pushed)
		return err;
	worker_progress(
		b->job, 0, -1, "sending commit %.12s to host %s", b->commit, r->target.name);

	struct host_push push = {.repo = b->repo,
		.commit = b->commit,
		.ref = b->ref,
		.remote_path = b->remote_repo,
		.deadline_ms = clock_mono_ms() + PUSH_MS,
		.progress = on_push,
		.data = b};

	if (empty)
		err = push_seed(&push, r->ssh, e);
	return err ? err : push_to_host(&push, r->ssh, e);
}

/* Findings go out once each, as they are found. */
static void tell_findings(struct build *b)
{
	for (; b->told < b->findings.n; b->told++)
		worker_finding(b->job, &b->findings.items[b->told]);
}

/* Kbuild's short lines: two spaces, a word in capitals, what it makes. */
static void on_line(struct build *b)
{
	const char *s = b->line.buf;

	if (starts_with(s, "  ") && s[2] >= 'A' && s[2] <= 'Z') {
		char word[16], what[MAX_PROGRESS_LINE - 20];

		if (sscanf(s, " %15s %179s", word, what) == 2) {
			snprintf(b->step, sizeof(b->step), "%s %s", word, what);
			b->steps++;
		}
	}
	strbuf_truncate(&b->line, 0);
}

static void look_at_log(struct build *b, const char *bytes, size_t len)
{
	const char *end = bytes + len;

	if (len >= TAIL)
		strbuf_truncate(&b->tail, 0);
	else if (b->tail.len + len > TAIL)
		strbuf_consume(&b->tail, b->tail.len + len - TAIL);
	strbuf_add(&b->tail, len > TAIL ? end - TAIL : bytes, MIN_OF(len, (size_t)TAIL));
	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));

		strbuf_add(&b->line, bytes, (size_t)((newline ? newline : end) - bytes));
		if (!newline)
			break;
		on_line(b);
		bytes = newline + 1;
	}
}

static int on_bytes(struct remote_call *call, enum frame_type type, const char *bytes, size_t len,
	struct error *e)
{
	struct build *b = call->data;

	if (type != FRAME_LOG)
		return 0;
	look_at_log(b, bytes, len);
	return worker_log(b->job, bytes, len, e);
}

static int on_event(struct remote_call *call, const char *name, const cJSON *event, struct error *e)
{
	struct build *b = call->data;
	const char *text;

	if (streq(name, "stage")) {
		worker_stage(b->job, json_str(event, "name", "?"));
	} else if (streq(name, "diagnostics")) {
		text = json_str(event, "text", "");
		scan_compiler(text, strlen(text), &b->findings);
		/* Cut, or left out: then the list is not whole, and nothing in it can be called new. */
		if (json_int(event, "left_out_bytes", 0) > 0)
			b->findings.dropped++;
		b->findings.dropped += (size_t)MAX_OF(json_int(event, "left_out_objects", 0), 0);
		tell_findings(b);
	}
	return 0;
}

static int on_batch(struct remote_call *call, struct error *e)
{
	struct build *b = call->data;
	int64_t now = clock_mono_ms();

	worker_log_tell(b->job);
	if (b->steps != b->steps_told && now - b->told_ms >= PROGRESS_MS) {
		b->told_ms = now;
		b->steps_told = b->steps;
		worker_progress(b->job, b->steps, -1, "%s", b->step);
	}
	return 0;
}

/* What is in the tree's own history is nobody else's code. */
static int find_owner(struct build *b, struct error *e)
{
	const char *tip = json_str(b->job->doc, "tip", NULL);
	AUTO_REPO struct repo *repo = NULL;
	struct oid commit, of;
	bool has = false;
	int err;

	b->owner = json_str(b->job->doc, "owner", "");
	if (!tip || !*b->owner)
		return 0;
	if ((err = repo_open(b->repo, &repo, e)) || (err = repo_commit(repo, tip, &of, e)) ||
		(err = repo_commit(repo, b->commit, &commit, e)) ||
		(err = history_has(repo, &of, &commit, &has, e)))
		return err;
	if (has)
		b->owner = "";
	return 0;
}

static int build_there(struct build *b, struct remote *r, cJSON **ret_end, struct error *e)
{
	struct remote_handlers handlers = {.event = on_event,
		.bytes = on_bytes,
		.batch = on_batch,
		.budget_ms = b->seconds * 1000 + PREPARE_MS};
	AUTO_STRBUF struct strbuf request;
	const cJSON *fragment;

	request_begin(&request, r, "build");
	request_add(&request, "tree", b->tree);
	request_add(&request, "commit", b->commit);
	request_add(&request, "arch", b->arch);
	request_add(&request, "owner", b->owner);
	request_add(&request, "config_base", b->config_base);
	json_for_each (fragment, b->fragments)
		request_add(&request, "fragment", json_str(fragment, "text", ""));
	request_add_int(&request, "seconds", b->seconds);
	request_add_int(&request, "silence_seconds", b->silence_seconds);
	return remote_call(r, &request, &handlers, b, ret_end, e);
}

static void copy_members(cJSON *to, const cJSON *from, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const cJSON *item = json_get(from, names[i]);

		json_set(to, names[i], item ? cJSON_Duplicate(item, true) : NULL);
	}
}

static int fetch_image(
	struct build *b, struct remote *r, const cJSON *end, cJSON *result, struct error *e)
{
	AUTO_FREE char *path = worker_path(b->job, "image");
	const char *sha256 = json_str(end, "image_sha256", NULL);
	struct stat st;
	int err;

	if (!is_sha256(sha256))
		return error_set(e, -EPROTO, "the agent on host %s names no image", r->target.name);
	err = remote_fetch(r, sha256, path, MAX_IMAGE, e);
	if (err)
		return err;
	if (stat(path, &st))
		return error_errno(e, "cannot look at %s", path);
	worker_artifact(b->job, "image", path, sha256, (size_t)st.st_size);
	json_set_str(result, "image", path);
	return 0;
}

/* make has said that it failed: with what, for the person who reads only one line. */
static void blame(struct build *b, const cJSON *end)
{
	for (size_t i = 0; i < b->findings.n; i++) {
		const struct scan_finding *f = &b->findings.items[i];

		if (!streq(f->kind, "error"))
			continue;
		if (f->file && f->line)
			worker_fail(b->job, "it does not build: %s:%d: %s", f->file, f->line,
				f->message);
		else
			worker_fail(b->job, "it does not build: %s", f->message);
		return;
	}
	worker_fail(b->job, "it does not build: %s",
		json_str(end, "reason", "make ended with an error and printed no diagnostic"));
}

static int build(struct build *b, cJSON *result, struct error *e)
{
	static const char *const members[] = {"config_sha256", "compiler", "seconds",
		"image_sha256", "code_sha256", "output", "dropped", "tools"};
	AUTO_REMOTE struct remote remote;
	AUTO_JSON cJSON *end = NULL;
	int err;

	err = remote_open(&remote, b->job, e);
	if (!err)
		err = bring_commit(b, &remote, e);
	if (!err)
		err = build_there(b, &remote, &end, e);
	if (err)
		return err;
	copy_members(result, end, members, ARRAY_SIZE(members));
	json_set_int(result, "findings_dropped", (int64_t)b->findings.dropped);
	b->job->tool_ms = (int64_t)(json_num(end, "seconds", 0) * 1000);
	if (streq(json_str(end, "status", NULL), "pass"))
		return fetch_image(b, &remote, end, result, e);
	scan_compiler(b->tail.buf, b->tail.len, &b->findings);
	json_set_int(result, "findings_dropped", (int64_t)b->findings.dropped);
	tell_findings(b);
	blame(b, end);
	return 0;
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	struct build b = {.job = job};
	int err;

	strbuf_init(&b.tail, TAIL);
	strbuf_init(&b.line, MAX_PROGRESS_LINE);
	err = read_job(&b, e);
	if (!err)
		err = find_owner(&b, e);
	if (!err)
		err = build(&b, result, e);
	scan_findings_done(&b.findings);
	strbuf_done(&b.tail);
	strbuf_done(&b.line);
	free(b.remote_repo);
	return err;
}

const struct worker_ops worker_build = {.kind = "build", .run = run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/import.h"

#include "base/child.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "patches/git/repo_internal.h"

#include <errno.h>
#include <fcntl.h>

#define SAID_MAX 8192
/* The largest pack that is taken: several times the whole kernel with all its trees. */
#define PACK_MAX_BYTES ((size_t)32 << 30)
#define PACK_LIMIT "--fsize=34359738368" /* the same */

/* What follows the last line end of either kind. */
static char *last_line(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		text[--len] = '\0';
	while (len && text[len - 1] != '\n' && text[len - 1] != '\r')
		len--;
	return text + len;
}

/* What git gave up over: its first complaint. Advice may follow it. */
static char *complaint(char *text)
{
	char *last = last_line(text);

	for (char *at = text; (at = strstr(at, "fatal: ")); at++) {
		if (at != text && at[-1] != '\n' && at[-1] != '\r')
			continue;
		at[strcspn(at, "\r\n")] = '\0';
		return at;
	}
	return last;
}

/* git's progress, until it closes its standard error; the end of what it said stays in said. */
static void follow(const struct import *in, int fd, struct strbuf *said)
{
	char buf[1024];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf) - 1)) > 0 || (n < 0 && errno == EINTR)) {
		char *line;

		if (n < 0)
			continue;
		if (said->len + (size_t)n > said->max)
			strbuf_consume(said, said->len / 2);
		(void)strbuf_add(said, buf, (size_t)n);
		buf[n] = '\0';
		line = last_line(buf);
		if (*line)
			in->progress(line, 0, -1, in->data);
	}
}

/* git itself, with its progress told; what: for the sentence of its failure. */
static int run_git(const struct import *in, const char *const *args, size_t n_args,
	const char *what, const char *url, struct error *e)
{
	static const char *const start[] = {"prlimit", PACK_LIMIT, "git", "-c",
		"http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=120"};
	static const char *const env[] = {"GIT_TERMINAL_PROMPT=0",
		"GIT_SSH_COMMAND=ssh -oBatchMode=yes", "GIT_ALLOW_PROTOCOL=https:http:git:ssh:file",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", NULL};
	const char *argv[ARRAY_SIZE(start) + 16] = {NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CHILD struct child child = CHILD_INIT;
	AUTO_STRBUF struct strbuf said;
	char text[64];
	int pipe_fds[2];
	int status;
	int r;

	strbuf_init(&said, SAID_MAX);
	memcpy(argv, start, sizeof(start));
	memcpy(argv + ARRAY_SIZE(start), args, n_args * sizeof(*args));
	if (pipe2(pipe_fds, O_CLOEXEC))
		return error_errno(e, "cannot make a pipe");
	spec.env = env;
	spec.fds[2] = pipe_fds[1];
	r = child_start(&spec, &child, e);
	(void)close(pipe_fds[1]);
	if (!r)
		follow(in, pipe_fds[0], &said);
	(void)close(pipe_fds[0]);
	if (!r)
		r = child_wait(&child, -1, &status, e);
	if (r || !status)
		return r;
	return error_set(e, ERR_LINK, "%s \"%s\": %s: %s", what, url,
		child_status_text(status, text, sizeof(text)), complaint(said.buf));
}

/*
 * libgit2 clones large repositories many times slower than git. Branches and tags only: what else a
 * server offers, such as every pull request or a refs/patchbay of its own, is none of ours. Never
 * by hard links: they would bring the alternates of a local repository along.
 */
static int clone(const struct import *in, const char *url, const char *repo_path, struct error *e)
{
	AUTO_FREE char *part = xasprintf("%s.part", repo_path);
	const char *const args[] = {"clone", "--bare", "--no-local", "--progress", "--", url, part};
	int r = file_remove_tree(part, e);

	if (r)
		return r;
	r = run_git(in, args, ARRAY_SIZE(args), "git clone of", url, e);
	if (r) {
		(void)file_remove_tree(part, NULL);
		return r;
	}
	return rename(part, repo_path) ? error_errno(e, "cannot rename \"%s\"", part) : 0;
}

/* libgit2 looks for what a shallow history has cut off. */
static int fetch_shallow(
	const struct import *in, const char *repo_path, const char *url, struct error *e)
{
	AUTO_FREE char *folder = xasprintf("--git-dir=%s", repo_path);
	const char *const args[] = {folder, "fetch", "--update-shallow", "--no-tags", "--progress",
		"--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"};

	return run_git(in, args, ARRAY_SIZE(args), "git fetch from", url, e);
}

struct fetching {
	const struct import *in;
	unsigned last_percent;
	bool over; /* more than PACK_MAX_BYTES */
};

static int on_progress(const git_indexer_progress *p, void *data)
{
	struct fetching *f = data;
	unsigned percent = p->total_objects
				   ? 100 * (p->received_objects / 2 + p->indexed_objects / 2) /
					     p->total_objects
				   : 0;

	if (percent != f->last_percent)
		f->in->progress(
			"fetching", p->received_objects, (int64_t)p->total_objects, f->in->data);
	f->last_percent = percent;
	f->over |= p->received_bytes > PACK_MAX_BYTES;
	return f->over ? GIT_EUSER : 0;
}

static int on_credentials(
	git_credential **ret, const char *url, const char *user, unsigned allowed, void *data)
{
	(void)url;
	(void)data;
	if (!(allowed & GIT_CREDENTIAL_SSH_KEY))
		return GIT_PASSTHROUGH;
	return git_credential_ssh_key_from_agent(ret, user ? user : "git");
}

/* The branch that the remote now calls its own: it may have another than when it was cloned. */
static void follow_head(struct repo *repo, git_remote *remote)
{
	git_buf name = GIT_BUF_INIT;

	/* A remote that does not say keeps the one it had. */
	if (git_remote_default_branch(&name, remote) == 0 && starts_with(name.ptr, "refs/heads/"))
		(void)git_repository_set_head(repo->git, name.ptr);
	git_buf_dispose(&name);
}

/* Branches and tags only: refs/patchbay is the lab's own, and nothing of it is pruned. */
static int fetch(const struct import *in, struct repo *repo, const char *url, struct error *e)
{
	static char heads[] = "+refs/heads/*:refs/heads/*";
	static char tags[] = "+refs/tags/*:refs/tags/*";
	char *specs[] = {heads, tags};
	git_strarray refspecs = {specs, ARRAY_SIZE(specs)};
	git_fetch_options options;
	git_remote *remote = NULL;
	struct fetching f = {.in = in};
	int r = git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);

	options.callbacks.transfer_progress = on_progress;
	options.callbacks.credentials = on_credentials;
	options.callbacks.payload = &f;
	options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
	if (r >= 0)
		r = git_remote_create_anonymous(&remote, repo->git, url);
	if (r >= 0)
		r = git_remote_fetch(remote, &refspecs, &options, "fetch");
	if (r >= 0)
		follow_head(repo, remote);
	git_remote_free(remote);
	if (f.over)
		return error_set(e, ERR_LIMIT, "the fetch from \"%s\" has more than %zu bytes", url,
			PACK_MAX_BYTES);
	return r < 0 ? repo_error(e, ERR_LINK, "the fetch from \"%s\" failed", url) : 0;
}

int import_git(const struct import *in, const char *url, const char *repo_path, struct oid *ret_tip,
	struct error *e)
{
	AUTO_REPO struct repo *repo = NULL;
	struct error missing = ERROR_INIT;
	int r;

	if (!*url || *url == '-')
		return error_set(
			e, ERR_SYNTAX, "\"%.100s\" is no address of a git repository", url);
	r = repo_open(repo_path, &repo, &missing);
	if (r == ERR_MISSING) {
		r = clone(in, url, repo_path, e);
		if (!r)
			r = repo_open(repo_path, &repo, e);
	} else if (r) {
		*e = missing;
	} else if (git_repository_is_shallow(repo->git)) {
		r = fetch_shallow(in, repo_path, url, e);
		repo = repo_free(repo);
		if (!r)
			r = repo_open(repo_path, &repo, e);
	} else {
		r = fetch(in, repo, url, e);
	}
	if (r)
		return r;
	if (repo_commit(repo, "HEAD", ret_tip, NULL))
		return error_set(e, ERR_MISSING,
			"the repository \"%s\" has no commit on its default branch (HEAD): it is "
			"empty, or names a branch that it does not have: push one there, and add "
			"or fetch it again",
			url);
	return 0;
}

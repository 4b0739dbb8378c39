/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders of a host: paths, repo, have. */
#include "agents/host/agent.h"

#include "agents/host/supervise.h"
#include "base/file.h"
#include "base/sha256.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/utsname.h>

char *agent_path(const struct agent *a, const char *dir, const char *name)
{
	return xasprintf("%s/%s/%s", a->root, dir, name);
}

int agent_paths(struct agent *a, struct error *e)
{
	AUTO_STRBUF struct strbuf ev;
	AUTO_FREE char *git = path_join(a->root, "git");
	struct utsname un;

	strbuf_init(&ev, 16384);
	if (uname(&un))
		return error_errno(e, "cannot ask for the architecture");
	event_begin(&ev, "end");
	jsonw_str(&ev, "status", "pass");
	jsonw_str(&ev, "root", a->root);
	jsonw_str(&ev, "git", git);
	jsonw_str(&ev, "arch", un.machine);
	event_send(&a->link, &ev);
	return 0;
}

/* A bare repository whose ref names the worker chooses, and that never tidies up behind us. */
static int make_repo(struct agent *a, const char *path, struct error *e)
{
	AUTO_FREE char *part = xasprintf("%s.part-%d", path, getpid());
	const char *const init[] = {
		"git", "init", "--quiet", "--bare", "--initial-branch=none", part, NULL};
	const char *const gc[] = {
		"git", "--git-dir", part, "config", "receive.autogc", "false", NULL};
	const char *const env[] = {"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", NULL};
	int r;

	if ((r = supervise_tool(&a->link, init, env, AGENT_GIT_MS, 4096, NULL, e)) ||
		(r = supervise_tool(&a->link, gc, env, AGENT_GIT_MS, 4096, NULL, e)))
		return r;
	if (rename(part, path) && errno != EEXIST && errno != ENOTEMPTY)
		return error_errno(e, "cannot make %s", path);
	return file_remove_tree(part, e);
}

int agent_repo(struct agent *a, struct error *e)
{
	AUTO_STRBUF struct strbuf ev;
	AUTO_FREE char *path = NULL, *name = NULL;
	const char *tree;
	int r;

	strbuf_init(&ev, 16384);
	if ((r = request_name(&a->req, "tree", &tree, e)))
		return r;
	name = xasprintf("%s.git", tree);
	path = agent_path(a, "git", name);
	if (!file_exists(path) && (r = make_repo(a, path, e)))
		return r;
	event_begin(&ev, "end");
	jsonw_str(&ev, "status", "pass");
	jsonw_str(&ev, "path", path);
	event_send(&a->link, &ev);
	return 0;
}

int agent_blob(struct agent *a, const char *sha256, char **ret_path, struct error *e)
{
	AUTO_FREE char *path = agent_path(a, "blobs", sha256);
	char is[SHA256_HEX];
	int r;

	if (!file_exists(path))
		return error_set(e, ERR_MISSING, "%s is not there; upload it first", path);
	r = sha256_file(path, is, e);
	if (r)
		return r;
	if (!streq(is, sha256)) {
		(void)unlink(path);
		return error_set(e, ERR_MISSING,
			"%s held something else and was removed; upload it again", path);
	}
	*ret_path = steal_ptr(path);
	return 0;
}

int agent_keep(struct agent *a, const void *data, size_t len, char *ret_sha256, char **ret_path,
	struct error *e)
{
	AUTO_FREE char *path = NULL;
	char there[SHA256_HEX];
	int r = 0;

	sha256_of(data, len, ret_sha256);
	path = agent_path(a, "blobs", ret_sha256);
	if (sha256_file(path, there, NULL) || !streq(there, ret_sha256))
		r = file_write_atomic(path, data, len, 0600, e);
	if (!r)
		*ret_path = steal_ptr(path);
	return r;
}

int agent_have(struct agent *a, struct error *e)
{
	AUTO_STRBUF struct strbuf ev;
	AUTO_FREE char *there = NULL, *path = NULL;
	const char *sha256;
	int r;

	strbuf_init(&ev, 16384);
	if ((r = request_hex(&a->req, "sha256", 64, &sha256, e)))
		return r;
	path = agent_path(a, "blobs", sha256);
	r = agent_blob(a, sha256, &there, e);
	if (r && r != ERR_MISSING)
		return r;
	event_begin(&ev, "end");
	jsonw_str(&ev, "status", "pass");
	jsonw_bool(&ev, "have", r == 0);
	jsonw_str(&ev, "path", path);
	event_send(&a->link, &ev);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work tree of a build. Its index lies beside it and there is no .git in it: the sandbox sees
 * sources only, and the bare repository keeps no state of ours.
 */
#include "agents/host/build.h"

#include "base/file.h"

#include <errno.h>

#define GIT_OUTPUT_MAX 65536

/* What a kernel config is made from. */
static const char *const config_paths[] = {":(glob)**/Kconfig*", ":(glob)arch/*/configs/**",
	"kernel/configs", "scripts", "Makefile", ":(glob)arch/*/Makefile*"};

static int git(struct build *b, const char *const *args, struct error *e)
{
	AUTO_ARGV struct argv a = {NULL, 0};
	AUTO_FREE char *index = xasprintf("GIT_INDEX_FILE=%s.index", b->src);
	const char *const env[] = {
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C", index, NULL};

	argv_adds(&a, (const char *const[]){"git", "--git-dir", b->repo, "--work-tree", b->src,
			      "-c", "checkout.workers=0", "-c", "core.hooksPath=/dev/null", NULL});
	argv_adds(&a, args);
	return supervise_tool(
		&b->a->link, (const char *const *)a.v, env, AGENT_GIT_MS, GIT_OUTPUT_MAX, NULL, e);
}

/* The lock on the host is ours: a lock on the index is a killed git's. */
static void remove_stale_lock(const struct build *b)
{
	AUTO_FREE char *lock = xasprintf("%s.index.lock", b->src);

	(void)unlink(lock);
}

/* The commit that the work tree is known to be, heap; NULL where that is not known. Forgets it:
 * it is to be known again when the change is through. */
static char *take_current(const char *state)
{
	AUTO_FREE char *commit = NULL;
	size_t len;

	if (file_read(state, 64, &commit, &len, NULL) || len != 40 || unlink(state))
		return NULL;
	return steal_ptr(commit);
}

/*
 * From one commit to another only what differs is looked at; from the unknown, every file. A file
 * whose inode was touched (by a backup, or a copy with links) but not its contents keeps its time:
 * written again, it would have everything compiled again that was made from it.
 */
static int change_tree(struct build *b, const char *from, struct error *e)
{
	const char *const step[] = {"read-tree", "-m", "-u", from, b->commit, NULL};
	const char *const refresh[] = {"update-index", "-q", "--refresh", NULL};
	const char *const reset[] = {"read-tree", "--reset", "-u", b->commit, NULL};
	int r = from ? git(b, step, e) : ERR_CONFLICT;

	if (r != ERR_CONFLICT)
		return r;
	r = git(b, refresh, e);
	return r && r != ERR_CONFLICT ? r : git(b, reset, e);
}

int tree_checkout(struct build *b, bool clean, struct error *e)
{
	AUTO_FREE char *object = xasprintf("%s^{commit}", b->commit);
	AUTO_FREE char *state = xasprintf("%s.commit", b->src);
	AUTO_FREE char *from = NULL;
	const char *const verify[] = {"cat-file", "-e", object, NULL};
	const char *const rest[] = {"clean", "-ffdxq", NULL};
	int r;

	if ((r = file_mkdirs(b->src, 0700, e)))
		return r;
	r = git(b, verify, e);
	if (r == ERR_CONFLICT)
		return error_set(e, ERR_MISSING,
			"commit %s is not in %s; push it before it is built", b->commit, b->repo);
	if (r)
		return r;
	remove_stale_lock(b);
	from = take_current(state);
	if (change_tree(b, clean ? NULL : from, e))
		return error_prefix(e, "cannot check out %.12s", b->commit);
	/* A killed checkout may have left files that its index knows nothing of. */
	if ((clean || !from) && (r = git(b, rest, e)))
		return r;
	return file_write_atomic(state, b->commit, strlen(b->commit), 0600, e);
}

int tree_config_differs(struct build *b, const char *from, bool *ret_differs, struct error *e)
{
	AUTO_ARGV struct argv a = {NULL, 0};
	struct error ignored = ERROR_INIT;
	int r;

	argv_adds(&a, (const char *const[]){
			      "diff", "--quiet", "--no-ext-diff", from, b->commit, "--", NULL});
	for (size_t i = 0; i < ARRAY_SIZE(config_paths); i++)
		argv_add(&a, config_paths[i]);
	r = git(b, (const char *const *)a.v, &ignored);
	/* Also where the older commit is gone. */
	*ret_differs = r == ERR_CONFLICT;
	if (r && r != ERR_CONFLICT)
		return error_set(e, r, "%s", ignored.msg);
	return 0;
}

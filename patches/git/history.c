/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/history.h"

#include "patches/git/patchid.h"
#include "patches/git/repo_internal.h"

static void tree_freep(git_tree **t)
{
	git_tree_free(*t);
}

static void diff_freep(git_diff **d)
{
	git_diff_free(*d);
}

/* A commit against its parent as git show prints it; false where there is none or it is too large. */
static bool show(struct repo *r, const git_commit *commit, git_buf *ret_text)
{
	CLEANUP(tree_freep) git_tree *before = NULL;
	CLEANUP(tree_freep) git_tree *after = NULL;
	CLEANUP(diff_freep) git_diff *diff = NULL;
	git_diff_options options;
	git_commit *parent = NULL;
	bool good =
		git_commit_parent(&parent, commit, 0) == 0 && git_commit_tree(&before, parent) == 0;

	git_commit_free(parent);
	if (!good || git_commit_tree(&after, commit) < 0 ||
		git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION) < 0)
		return false;
	options.flags |= GIT_DIFF_SHOW_BINARY;
	options.id_abbrev = GIT_OID_HEXSZ;
	if (git_diff_tree_to_tree(&diff, r->git, before, after, &options) < 0)
		return false;
	return git_diff_num_deltas(diff) < 2000 &&
	       git_diff_to_buf(ret_text, diff, GIT_DIFF_FORMAT_PATCH) == 0 &&
	       ret_text->size <= HISTORY_MAX_DIFF;
}

static bool any_left(const struct sought *list, size_t n, enum sought_kind kind)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == kind && !list[i].found)
			return true;
	return false;
}

static void take(struct sought *s, const git_commit *commit)
{
	s->found = true;
	s->commit = from_git(git_commit_id(commit));
}

static void look_for_ids(struct repo *r, const git_commit *commit, struct sought *list, size_t n)
{
	git_buf text = GIT_BUF_INIT;
	char stable[PATCH_ID_HEX];
	char old[PATCH_ID_HEX];

	if (git_commit_parentcount(commit) == 1 && show(r, commit, &text) &&
		patch_id(text.ptr, text.size, true, stable) &&
		patch_id(text.ptr, text.size, false, old))
		for (size_t i = 0; i < n; i++)
			if (list[i].kind == SOUGHT_PATCH_ID && !list[i].found &&
				(streq(list[i].value, stable) || streq(list[i].value, old)))
				take(&list[i], commit);
	git_buf_dispose(&text);
}

static bool ends_id(char c)
{
	return !c || strchr(" \t\r\n>/", c) != NULL;
}

/* The whole id at the end of a "Link:", "Message-ID:" or "Change-Id:" line, however it is wrapped. */
static bool names(const char *message, const char *id)
{
	static const char *const lines[] = {"Link:", "Message-ID:", "Message-Id:", "change-id:"};
	size_t len = strlen(id);

	for (const char *p = message; (p = strstr(p, id)); p++) {
		const char *line = p;

		while (line > message && line[-1] != '\n')
			line--;
		if (!ends_id(p[len]) || p == message || !strchr(" /<", p[-1]))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
			if (starts_with(line, lines[i]))
				return true;
	}
	return false;
}

static void look_for_trailers(const git_commit *commit, struct sought *list, size_t n)
{
	const char *message = git_commit_message_raw(commit);

	for (size_t i = 0; i < n; i++)
		if (list[i].kind == SOUGHT_TRAILER && !list[i].found && *list[i].value &&
			names(message, list[i].value))
			take(&list[i], commit);
}

int history_find(
	struct repo *r, const struct oid *from, struct sought *list, size_t n, struct error *e)
{
	git_oid id = to_git(from);
	git_revwalk *walk = NULL;
	char hex[OID_HEX];

	if (git_revwalk_new(&walk, r->git) < 0 || git_revwalk_sorting(walk, GIT_SORT_TIME) < 0 ||
		git_revwalk_push(walk, &id) < 0) {
		git_revwalk_free(walk);
		return repo_error(
			e, ERR_STATE, "the history of %s cannot be read", oid_hex(from, hex));
	}
	/* A shallow history ends where a parent is missing. */
	for (size_t i = 0; i < HISTORY_MAX_COMMITS && git_revwalk_next(&id, walk) == 0; i++) {
		git_commit *commit = NULL;
		bool trailers = any_left(list, n, SOUGHT_TRAILER);
		bool ids = any_left(list, n, SOUGHT_PATCH_ID);

		if ((!trailers && !ids) || git_commit_lookup(&commit, r->git, &id) < 0)
			break;
		if (trailers)
			look_for_trailers(commit, list, n);
		if (ids)
			look_for_ids(r, commit, list, n);
		git_commit_free(commit);
	}
	git_revwalk_free(walk);
	return 0;
}

int history_has(struct repo *r, const struct oid *commit, const struct oid *ancestor, bool *ret_has,
	struct error *e)
{
	git_oid of = to_git(commit);
	git_oid what = to_git(ancestor);
	char hex[OID_HEX];
	int has = oid_equal(commit, ancestor) ? 1 : git_graph_descendant_of(r->git, &of, &what);

	if (has < 0)
		return repo_error(
			e, ERR_STATE, "the history of %s cannot be read", oid_hex(commit, hex));
	*ret_has = has > 0;
	return 0;
}

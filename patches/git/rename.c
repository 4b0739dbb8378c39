/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/rename.h"

#include "patches/git/repo_internal.h"
#include "patches/git/tree.h"

/* Trees with more files than this are not compared file by file. */
#define SMALL_TREE 2000

struct candidate {
	char *path;
	struct oid id;
	bool related; /* the same name, or the same folder */
};

struct search {
	const char *path;
	const char *name; /* its last part */
	size_t folder; /* length of its folder with the '/' */
	struct oid id;
	const struct pathmap *known;
	char *exact;
	struct candidate *list;
	size_t n;
	size_t room;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int add_candidate(const char *path, unsigned mode, const struct oid *id, void *data)
{
	struct search *s = data;
	const char *name = last_part(path);
	bool same_name = streq(name, s->name);

	if ((mode & 0170000u) != 0100000u || pathmap_get(s->known, path) != PATHMAP_NONE)
		return 0;
	/* Of several copies, the one of the same name. */
	if (oid_equal(id, &s->id) &&
		(!s->exact || (same_name && !streq(last_part(s->exact), s->name)))) {
		free(s->exact);
		s->exact = xstrdup(path);
	}
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 256;
		s->list = xreallocarray(s->list, s->room, sizeof(*s->list));
	}
	s->list[s->n++] = (struct candidate){xstrdup(path), *id,
		same_name || ((size_t)(name - path) == s->folder &&
				     strncmp(path, s->path, s->folder) == 0)};
	return 0;
}

/* A flat tree of files named by their number and a letter, for libgit2 to compare. */
static int make_tree(struct repo *r, const struct candidate *list, size_t n, bool related_only,
	char letter, git_tree **ret_tree, struct error *e)
{
	git_treebuilder *builder = NULL;
	git_oid id;
	int status = git_treebuilder_new(&builder, r->git, NULL);

	for (size_t i = 0; i < n && status >= 0; i++) {
		git_oid blob = to_git(&list[i].id);
		char name[32];

		if (related_only && !list[i].related)
			continue;
		(void)snprintf(name, sizeof(name), "%zu%c", i, letter);
		status = git_treebuilder_insert(NULL, builder, name, &blob, GIT_FILEMODE_BLOB);
	}
	if (status >= 0)
		status = git_treebuilder_write(&id, builder);
	if (status >= 0)
		status = git_tree_lookup(ret_tree, r->git, &id);
	git_treebuilder_free(builder);
	return status < 0 ? repo_error(e, ERR_STATE, "cannot compare files") : 0;
}

static int most_similar(struct repo *r, const struct search *s, char **ret_path, struct error *e)
{
	const struct candidate source = {NULL, s->id, true};
	git_diff_find_options options;
	git_tree *from = NULL;
	git_tree *to = NULL;
	git_diff *diff = NULL;
	int status = git_diff_find_options_init(&options, GIT_DIFF_FIND_OPTIONS_VERSION);

	options.flags = GIT_DIFF_FIND_RENAMES;
	options.rename_limit = s->n + 1;
	if (status < 0)
		return repo_error(e, ERR_STATE, "libgit2 is of another version");
	status = make_tree(r, &source, 1, false, 'a', &from, e);
	if (!status)
		status = make_tree(r, s->list, s->n, s->n > SMALL_TREE, 'b', &to, e);
	if (!status && (git_diff_tree_to_tree(&diff, r->git, from, to, NULL) < 0 ||
			       git_diff_find_similar(diff, &options) < 0))
		status = repo_error(e, ERR_STATE, "cannot compare files");
	for (size_t i = 0; !status && i < git_diff_num_deltas(diff); i++) {
		const git_diff_delta *delta = git_diff_get_delta(diff, i);

		if (delta->status == GIT_DELTA_RENAMED && !*ret_path)
			*ret_path = xstrdup(s->list[strtoul(delta->new_file.path, NULL, 10)].path);
	}
	git_diff_free(diff);
	git_tree_free(from);
	git_tree_free(to);
	return status;
}

int rename_find(struct repo *r, const struct oid *tree, const char *path, const struct oid *id,
	const struct pathmap *known, char **ret_path, struct error *e)
{
	struct search s = {.path = path, .name = last_part(path), .id = *id, .known = known};
	int status;

	s.folder = (size_t)(s.name - path);
	*ret_path = NULL;
	status = tree_walk(r, tree, add_candidate, &s, e);
	if (!status && s.exact)
		*ret_path = steal_ptr(s.exact);
	else if (!status)
		status = most_similar(r, &s, ret_path, e);
	for (size_t i = 0; i < s.n; i++)
		free(s.list[i].path);
	free(s.list);
	free(s.exact);
	return status;
}

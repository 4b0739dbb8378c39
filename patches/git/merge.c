/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/merge.h"

#include "base/strbuf.h"
#include "patches/git/pathmap.h"
#include "patches/git/rename.h"
#include "patches/git/repo_internal.h"
#include "patches/git/tree.h"

/* A version of a file; mode 0: it is not there. */
struct side {
	unsigned mode;
	struct oid id;
};

struct ancestor {
	const char *path; /* the diff's */
	struct side side;
};

/* The blobs that index lines name, by path: a source for the diff. */
struct ancestors {
	struct source source;
	struct ancestor *list;
	size_t n;
	struct pathmap map;
};

struct merging {
	struct repo *repo;
	const struct oid *tree;
	struct ancestors base;
	const struct changes *theirs;
	struct changes result;
	struct conflict *conflict;
};

static int refuse(struct merging *m, struct error *e, const char *file, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
static int refuse(struct merging *m, struct error *e, const char *file, const char *fmt, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	*m->conflict = (struct conflict){.file = xstrdup(file),
		.expected = xstrdup(""),
		.found = xstrdup(""),
		.why = xstrdup(why)};
	return error_set(e, ERR_CONFLICT, "%s: %s", file, why);
}

static struct side ancestor_of(const struct ancestors *a, const char *path)
{
	size_t at = pathmap_get(&a->map, path);

	return at == PATHMAP_NONE ? (struct side){0} : a->list[at].side;
}

static int find_ancestor(struct source *s, const char *path, unsigned *ret_mode, struct oid *ret_id,
	unsigned *ret_blocked, struct error *e)
{
	struct side side = ancestor_of((struct ancestors *)s, path);

	(void)e;
	if (ret_blocked)
		*ret_blocked = 0;
	*ret_mode = side.mode;
	*ret_id = side.id;
	return side.mode != 0;
}

static int find_ours(struct merging *m, const char *path, struct side *ret, struct error *e)
{
	int r = tree_find(m->repo, m->tree, path, &ret->mode, &ret->id, NULL, e);

	if (r == 0 || (r > 0 && ret->mode == TREE_MODE_DIR))
		*ret = (struct side){0};
	return r < 0 ? r : 0;
}

/* The ancestor of one part of the diff. */
static int add_ancestor(struct merging *m, const struct diff_file *f, struct error *e)
{
	struct ancestors *a = &m->base;
	const char *path = f->old_name ? f->old_name : f->new_name;
	struct side side = {.mode = f->old_mode};
	size_t at;
	int r;

	if (f->is_new == YES)
		return 0;
	if (repo_find_blob(m->repo, f->old_id, &side.id)) {
		if (f->n_hunks || f->binary != BINARY_NONE)
			return refuse(m, e, path,
				"the tree's history does not have the version that the patch was "
				"made for (%s)",
				*f->old_id ? f->old_id : "it has no index line");
		/* Only a name or a mode changes: any version will do. */
		r = find_ours(m, path, &side, e);
		if (r)
			return r;
		if (!side.mode)
			return refuse(m, e, path, "there is no such file in the tree");
		if (f->old_mode)
			side.mode = f->old_mode;
	}
	if (!side.mode)
		side.mode = DIFF_MODE_FILE;
	at = pathmap_get(&a->map, path);
	if (at == PATHMAP_NONE) {
		at = a->n++;
		pathmap_set(&a->map, path, at);
	}
	a->list[at] = (struct ancestor){path, side};
	return 0;
}

static bool same(const struct side *a, const struct side *b)
{
	return a->mode == b->mode && (!a->mode || oid_equal(&a->id, &b->id));
}

static void put(struct merging *m, const char *path, const struct side *side)
{
	struct changes *c = &m->result;

	for (size_t i = 0; i < c->n; i++) {
		/* A file that gives way to another of its name. */
		if (!streq(c->list[i].path, path))
			continue;
		if (side->mode) {
			c->list[i].mode = side->mode;
			c->list[i].id = side->id;
		}
		return;
	}
	c->list = xreallocarray(c->list, c->n + 1, sizeof(*c->list));
	c->list[c->n++] = (struct change){xstrdup(path), side->mode, side->id};
}

static bool is_binary(const char *data, size_t len)
{
	return memchr(data, '\0', MIN_OF(len, (size_t)8000)) != NULL;
}

/* Both sides changed a file's lines. */
static int merge_lines(struct merging *m, const char *path, const struct side *base,
	const struct side *ours, const struct side *theirs, struct oid *ret_id, struct error *e)
{
	const struct side *sides[3] = {base, ours, theirs};
	char *data[3] = {NULL};
	size_t len[3] = {0};
	git_merge_file_input in[3];
	git_merge_file_result out = {0};
	bool binary = false;
	int r = 0;

	for (size_t i = 0; i < 3 && !r; i++) {
		r = repo_read_blob(m->repo, &sides[i]->id, &data[i], &len[i], e);
		if (r)
			break;
		binary |= is_binary(data[i], len[i]);
		(void)git_merge_file_input_init(&in[i], GIT_MERGE_FILE_INPUT_VERSION);
		in[i].ptr = data[i];
		in[i].size = len[i];
	}
	if (!r && binary)
		r = refuse(m, e, path, "it is binary and both the tree and the patch changed it");
	else if (!r && git_merge_file(&out, &in[0], &in[1], &in[2], NULL) < 0)
		r = repo_error(e, ERR_STATE, "the merge of \"%s\" failed", path);
	else if (!r && !out.automergeable)
		r = refuse(m, e, path,
			"a three-way merge conflicts: the tree changed the same lines since the "
			"patch "
			"was made");
	else if (!r)
		r = repo_write_blob(m->repo, out.ptr ? out.ptr : "", out.len, ret_id, e);
	git_merge_file_result_free(&out);
	for (size_t i = 0; i < 3; i++)
		free(data[i]);
	return r;
}

/* One file that all three have. */
static int merge_file(struct merging *m, const char *path, const struct side *base,
	const struct side *ours, const struct side *theirs, struct side *ret, struct error *e)
{
	*ret = *ours;
	if (ours->mode == base->mode)
		ret->mode = theirs->mode;
	else if (theirs->mode != base->mode && theirs->mode != ours->mode)
		return refuse(m, e, path, "the tree and the patch changed its mode differently");
	if (oid_equal(&theirs->id, &base->id) || oid_equal(&theirs->id, &ours->id))
		return 0;
	if (oid_equal(&ours->id, &base->id)) {
		ret->id = theirs->id;
		return 0;
	}
	if (base->mode == DIFF_MODE_LINK || ours->mode == DIFF_MODE_LINK ||
		theirs->mode == DIFF_MODE_LINK)
		return refuse(m, e, path, "both the tree and the patch changed the symbolic link");
	return merge_lines(m, path, base, ours, theirs, &ret->id, e);
}

/* The patch changes a file that the tree has not (any more): it may have another name there. */
static int merge_moved(struct merging *m, const char *path, const struct side *base,
	const struct side *theirs, struct error *e)
{
	AUTO_FREE char *moved = NULL;
	struct side ours;
	struct side result;
	int r = rename_find(m->repo, m->tree, path, &base->id, &m->base.map, &moved, e);

	if (r < 0)
		return r;
	if (!moved)
		return refuse(m, e, path, "there is no such file in the tree");
	r = find_ours(m, moved, &ours, e);
	if (!r)
		r = merge_file(m, moved, base, &ours, theirs, &result, e);
	if (!r)
		put(m, moved, &result);
	return r;
}

/* One path that the diff changed, other than by a rename. */
static int merge_path(struct merging *m, const struct change *c, struct error *e)
{
	struct side base = ancestor_of(&m->base, c->path);
	struct side theirs = {c->mode, c->id};
	struct side ours;
	struct side result;
	int r = find_ours(m, c->path, &ours, e);

	if (r || same(&ours, &theirs))
		return r;
	if (same(&ours, &base)) {
		put(m, c->path, &theirs);
		return 0;
	}
	if (!theirs.mode)
		return refuse(m, e, c->path, "the patch deletes it, the tree changed it");
	if (!base.mode)
		return refuse(m, e, c->path, "the patch makes it, and the tree has another one");
	if (!ours.mode)
		return merge_moved(m, c->path, &base, &theirs, e);
	r = merge_file(m, c->path, &base, &ours, &theirs, &result, e);
	if (!r)
		put(m, c->path, &result);
	return r;
}

static struct side theirs_of(const struct merging *m, const char *path)
{
	for (size_t i = 0; i < m->theirs->n; i++)
		if (streq(m->theirs->list[i].path, path))
			return (struct side){m->theirs->list[i].mode, m->theirs->list[i].id};
	return ancestor_of(&m->base, path);
}

/* A file that the diff renames: the tree's changes to it go along. */
static int merge_rename(struct merging *m, const struct diff_file *f, struct error *e)
{
	static const struct side none;
	struct side base = ancestor_of(&m->base, f->old_name);
	struct side theirs = theirs_of(m, f->new_name);
	struct side old;
	struct side new;
	struct side result;
	int r = find_ours(m, f->old_name, &old, e);

	if (!r)
		r = find_ours(m, f->new_name, &new, e);
	if (r)
		return r;
	if (old.mode && new.mode && theirs_of(m, f->old_name).mode == 0)
		return refuse(m, e, f->new_name,
			"the patch renames \"%s\" to it, and the tree has another one",
			f->old_name);
	if (!old.mode && !new.mode)
		return refuse(m, e, f->old_name, "there is no such file in the tree to rename");
	r = merge_file(m, f->new_name, &base, old.mode ? &old : &new, &theirs, &result, e);
	if (r)
		return r;
	if (old.mode)
		put(m, f->old_name, &none);
	put(m, f->new_name, &result);
	return 0;
}

static int merge_all(struct merging *m, const struct diff *diff, struct error *e)
{
	struct pathmap renamed = {0};
	int r = 0;

	for (size_t i = 0; i < diff->n_files && !r; i++) {
		const struct diff_file *f = &diff->files[i];

		if (!f->is_rename)
			continue;
		pathmap_set(&renamed, f->old_name, i);
		pathmap_set(&renamed, f->new_name, i);
		r = merge_rename(m, f, e);
	}
	for (size_t i = 0; i < m->theirs->n && !r; i++)
		if (pathmap_get(&renamed, m->theirs->list[i].path) == PATHMAP_NONE)
			r = merge_path(m, &m->theirs->list[i], e);
	pathmap_done(&renamed);
	return r;
}

int merge_apply(struct repo *r, const struct oid *tree, const struct diff *diff,
	struct oid *ret_tree, struct conflict *ret_conflict, struct error *e)
{
	struct merging m = {.repo = r,
		.tree = tree,
		.conflict = ret_conflict,
		.base.source = {find_ancestor, r}};
	AUTO_CHANGES struct changes theirs = {0};
	int status = 0;

	*ret_conflict = (struct conflict){0};
	m.base.list = xcalloc(diff->n_files + 1, sizeof(*m.base.list));
	for (size_t i = 0; i < diff->n_files && !status; i++)
		status = add_ancestor(&m, &diff->files[i], e);
	if (!status)
		status = diff_apply(diff, &m.base.source, &theirs, ret_conflict, e);
	m.theirs = &theirs;
	if (!status)
		status = merge_all(&m, diff, e);
	if (!status)
		status = changes_write(&m.result, r, tree, ret_tree, e);
	if (status == ERR_CONFLICT && !ret_conflict->why)
		*ret_conflict = (struct conflict){.file = xstrdup(""),
			.expected = xstrdup(""),
			.found = xstrdup(""),
			.why = xstrdup(e->msg)};
	changes_done(&m.result);
	pathmap_done(&m.base.map);
	free(m.base.list);
	return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/merge.h"

#include "patches/git/pathmap.h"
#include "patches/git/rename.h"
#include "patches/git/repo_internal.h"
#include "patches/git/tree.h"

/* A version of a file; mode 0: it is not there. */
struct side {
	unsigned mode;
	struct oid id;
};

/* A file of the ancestor, and what each side calls it. */
struct ancestor {
	const char *path; /* the diff's */
	struct side side;
	struct side ours;
	struct side theirs;
	const char *ours_path; /* NULL: that side has it no more */
	const char *theirs_path;
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
	struct pathmap theirs_map; /* path: place in theirs */
	struct pathmap taken; /* paths that the patch renamed a file to */
	struct changes result;
	struct pathmap result_map;
	struct conflict *conflict;
	/* files of the tree that the ancestor has not, read where a file is missed */
	struct rename_file *added;
	size_t n_added;
	size_t room;
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

static int find_ancestor(struct source *s, const char *path, unsigned *ret_mode, struct oid *ret_id,
	unsigned *ret_blocked, struct error *e)
{
	const struct ancestors *a = (const struct ancestors *)s;
	size_t at = pathmap_get(&a->map, path);

	(void)e;
	if (ret_blocked)
		*ret_blocked = 0;
	if (at == PATHMAP_NONE)
		return 0;
	*ret_mode = a->list[at].side.mode;
	*ret_id = a->list[at].side.id;
	return 1;
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
		/* Without a mode line git takes it for a file, a symbolic link too. */
		side.mode = f->old_mode;
	}
	if (!side.mode)
		side.mode = DIFF_MODE_FILE;
	at = pathmap_get(&a->map, path);
	if (at == PATHMAP_NONE) {
		at = a->n++;
		pathmap_set(&a->map, path, at);
	}
	a->list[at] = (struct ancestor){.path = path, .side = side};
	return 0;
}

static bool same(const struct side *a, const struct side *b)
{
	return a->mode == b->mode && (!a->mode || oid_equal(&a->id, &b->id));
}

/* A file that gives way to another of its name stays. */
static void put(struct merging *m, const char *path, const struct side *side)
{
	struct changes *c = &m->result;
	size_t at = pathmap_get(&m->result_map, path);

	if (at == PATHMAP_NONE) {
		c->list = xgrow(c->list, c->n, sizeof(*c->list));
		c->list[c->n] = (struct change){xstrdup(path), side->mode, side->id};
		pathmap_set(&m->result_map, c->list[c->n].path, c->n);
		c->n++;
	} else if (side->mode) {
		c->list[at].mode = side->mode;
		c->list[at].id = side->id;
	}
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
		r = refuse(m, e, path, "the tree changed the same lines since the patch was made");
	else if (!r)
		r = repo_write_blob(m->repo, out.ptr ? out.ptr : "", out.len, &ours->id, ret_id, e);
	git_merge_file_result_free(&out);
	for (size_t i = 0; i < 3; i++)
		free(data[i]);
	return r;
}

static bool is_blob(unsigned mode)
{
	return mode == DIFF_MODE_LINK ||
	       (mode & DIFF_MODE_TYPE) == (DIFF_MODE_FILE & DIFF_MODE_TYPE);
}

/* The tree may have moved a link to where its target leads out. */
static int check_link(
	struct merging *m, const char *path, const struct side *result, struct error *e)
{
	AUTO_FREE char *target = NULL;
	size_t len;
	int r;

	if (result->mode != DIFF_MODE_LINK)
		return 0;
	r = repo_read_blob(m->repo, &result->id, &target, &len, e);
	if (r || !link_escapes(path, target, len))
		return r;
	return refuse(m, e, path, "it is a symbolic link that leads out of the tree: refused");
}

static bool has_other_type(const struct side *a, const struct side *b)
{
	return (a->mode ^ b->mode) & DIFF_MODE_TYPE;
}

/* One file that all three have. */
static int merge_file(struct merging *m, const char *path, const struct side *base,
	const struct side *ours, const struct side *theirs, struct side *ret, struct error *e)
{
	*ret = *ours;
	if (!is_blob(ours->mode) || !is_blob(base->mode))
		return refuse(m, e, path, "it is no file in the tree");
	if (has_other_type(ours, base) && has_other_type(ours, theirs))
		return refuse(
			m, e, path, "it is a symbolic link on one side and a file on the other");
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

/* Each side's version under the old name. */
static int find_versions(struct merging *m, struct error *e)
{
	for (size_t i = 0; i < m->base.n; i++) {
		struct ancestor *a = &m->base.list[i];
		size_t at = pathmap_get(&m->theirs_map, a->path);
		int r = find_ours(m, a->path, &a->ours, e);

		if (r)
			return r;
		a->theirs = a->side;
		if (at != PATHMAP_NONE)
			a->theirs = (struct side){m->theirs->list[at].mode, m->theirs->list[at].id};
		a->ours_path = a->ours.mode ? a->path : NULL;
		a->theirs_path = a->theirs.mode ? a->path : NULL;
	}
	return 0;
}

/* Where the files went that the patch took away. */
static int find_their_renames(struct merging *m, struct error *e)
{
	struct rename_file *from = xcalloc(m->base.n + 1, sizeof(*from));
	struct rename_file *to = xcalloc(m->theirs->n + 1, sizeof(*to));
	size_t n_from = 0;
	size_t n_to = 0;
	int r;

	for (size_t i = 0; i < m->base.n; i++) {
		const struct ancestor *a = &m->base.list[i];

		if (!a->theirs_path)
			from[n_from++] = (struct rename_file){
				.path = a->path, .mode = a->side.mode, .id = a->side.id};
	}
	for (size_t i = 0; i < m->theirs->n; i++) {
		const struct change *c = &m->theirs->list[i];

		if (c->mode && pathmap_get(&m->base.map, c->path) == PATHMAP_NONE)
			to[n_to++] =
				(struct rename_file){.path = c->path, .mode = c->mode, .id = c->id};
	}
	r = rename_pairs(m->repo, from, n_from, to, n_to, e);
	for (size_t i = 0; i < n_from && !r; i++) {
		struct ancestor *a = &m->base.list[pathmap_get(&m->base.map, from[i].path)];

		if (from[i].pair == RENAME_NONE)
			continue;
		a->theirs_path = to[from[i].pair].path;
		a->theirs = (struct side){to[from[i].pair].mode, to[from[i].pair].id};
		pathmap_set(&m->taken, a->theirs_path, 1);
	}
	rename_files_free(from, n_from);
	rename_files_free(to, n_to);
	return r;
}

static int note_added(const char *path, unsigned mode, const struct oid *id, void *data)
{
	struct merging *m = data;

	if (pathmap_get(&m->base.map, path) != PATHMAP_NONE)
		return 0;
	if (m->n_added == m->room) {
		m->room = m->room ? m->room * 2 : 256;
		m->added = xreallocarray(m->added, m->room, sizeof(*m->added));
	}
	m->added[m->n_added++] =
		(struct rename_file){.path = xstrdup(path), .mode = mode, .id = *id};
	return 0;
}

/* Where the files went that the tree has no more. */
static int find_our_renames(struct merging *m, struct error *e)
{
	struct rename_file *from = xcalloc(m->base.n + 1, sizeof(*from));
	size_t n_from = 0;
	int r = 0;

	for (size_t i = 0; i < m->base.n; i++) {
		const struct ancestor *a = &m->base.list[i];

		if (!a->ours_path)
			from[n_from++] = (struct rename_file){
				.path = a->path, .mode = a->side.mode, .id = a->side.id};
	}
	if (n_from)
		r = tree_walk(m->repo, m->tree, note_added, m, e);
	if (!r)
		r = rename_pairs(m->repo, from, n_from, m->added, m->n_added, e);
	for (size_t i = 0; i < n_from && !r; i++) {
		struct ancestor *a = &m->base.list[pathmap_get(&m->base.map, from[i].path)];
		const struct rename_file *to =
			from[i].pair == RENAME_NONE ? NULL : &m->added[from[i].pair];

		if (!to)
			continue;
		a->ours_path = to->path;
		a->ours = (struct side){to->mode, to->id};
	}
	rename_files_free(from, n_from);
	return r;
}

/* The name that a file has in the end; ERR_CONFLICT where both sides gave it another. */
static int final_name(
	struct merging *m, const struct ancestor *a, const char **ret, struct error *e)
{
	struct side other;
	int r;

	if (streq(a->theirs_path, a->path) || streq(a->theirs_path, a->ours_path)) {
		*ret = a->ours_path;
		return 0;
	}
	if (!streq(a->ours_path, a->path))
		return refuse(m, e, a->path, "the patch renames it to \"%s\", the tree to \"%s\"",
			a->theirs_path, a->ours_path);
	r = find_ours(m, a->theirs_path, &other, e);
	if (!r && other.mode)
		return refuse(m, e, a->theirs_path,
			"the patch renames \"%s\" to it, and the tree has another one", a->path);
	*ret = a->theirs_path;
	return r;
}

/* One file that the ancestor has. */
static int merge_ancestor(struct merging *m, const struct ancestor *a, struct error *e)
{
	static const struct side none;
	const char *name = NULL;
	struct side result;
	int r;

	if (!a->theirs_path && !a->ours_path)
		return 0;
	if (!a->theirs_path) {
		if (!streq(a->ours_path, a->path) || !same(&a->ours, &a->side))
			return refuse(m, e, a->path, "the patch deletes it, the tree changed it");
		put(m, a->path, &none);
		return 0;
	}
	if (!a->ours_path) {
		if (streq(a->theirs_path, a->path) && same(&a->theirs, &a->side))
			return 0;
		return refuse(m, e, a->path, "there is no such file in the tree");
	}
	r = final_name(m, a, &name, e);
	if (!r)
		r = merge_file(m, name, &a->side, &a->ours, &a->theirs, &result, e);
	if (r)
		return r;
	if (!same(&result, &a->ours))
		r = check_link(m, name, &result, e);
	if (r)
		return r;
	if (!streq(name, a->ours_path))
		put(m, a->ours_path, &none);
	if (!streq(name, a->ours_path) || !same(&result, &a->ours))
		put(m, name, &result);
	return 0;
}

/* A file that is new in the patch. */
static int merge_new(struct merging *m, const struct change *c, struct error *e)
{
	struct side theirs = {c->mode, c->id};
	struct side ours;
	int r = find_ours(m, c->path, &ours, e);

	if (r || same(&ours, &theirs))
		return r;
	if (ours.mode)
		return refuse(m, e, c->path, "the patch makes it, and the tree has another one");
	put(m, c->path, &theirs);
	return 0;
}

static int merge_all(struct merging *m, struct error *e)
{
	int r;

	for (size_t i = 0; i < m->theirs->n; i++)
		pathmap_set(&m->theirs_map, m->theirs->list[i].path, i);
	r = find_versions(m, e);
	if (!r)
		r = find_their_renames(m, e);
	if (!r)
		r = find_our_renames(m, e);
	for (size_t i = 0; i < m->base.n && !r; i++)
		r = merge_ancestor(m, &m->base.list[i], e);
	for (size_t i = 0; i < m->theirs->n && !r; i++) {
		const struct change *c = &m->theirs->list[i];

		if (c->mode && pathmap_get(&m->base.map, c->path) == PATHMAP_NONE &&
			pathmap_get(&m->taken, c->path) == PATHMAP_NONE)
			r = merge_new(m, c, e);
	}
	return r;
}

static void merging_done(struct merging *m)
{
	for (size_t i = 0; i < m->n_added; i++)
		free((char *)(uintptr_t)m->added[i].path);
	rename_files_free(m->added, m->n_added);
	changes_done(&m->result);
	pathmap_done(&m->result_map);
	pathmap_done(&m->theirs_map);
	pathmap_done(&m->taken);
	pathmap_done(&m->base.map);
	free(m->base.list);
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
	m.theirs = &theirs;
	m.base.list = xcalloc(diff->n_files + 1, sizeof(*m.base.list));
	for (size_t i = 0; i < diff->n_files && !status; i++)
		status = add_ancestor(&m, &diff->files[i], e);
	if (!status)
		status = diff_apply(diff, &m.base.source, &theirs, ret_conflict, e);
	if (!status)
		status = merge_all(&m, e);
	if (!status)
		status = changes_write(&m.result, r, tree, ret_tree, e);
	if (status == ERR_CONFLICT && !ret_conflict->why)
		*ret_conflict = (struct conflict){.file = xstrdup(""),
			.expected = xstrdup(""),
			.found = xstrdup(""),
			.why = xstrdup(e->msg)};
	merging_done(&m);
	return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/tree.h"

#include "base/strbuf.h"
#include "patches/git/repo_internal.h"

#define MAX_DEPTH 512
#define MAX_TREE ((size_t)64 << 20)

struct entry {
	const char *name;
	size_t len;
	unsigned mode;
	struct oid id;
};

/* One raw tree object: entries point into it. */
struct raw {
	git_odb_object *object; /* NULL: an empty tree */
	struct entry *entries;
	size_t n;
};

static void raw_done(struct raw *raw)
{
	free(raw->entries);
	git_odb_object_free(raw->object);
}
#define AUTO_RAW CLEANUP(raw_done)

/* "MODE NAME\0ID". False at the end or where it is no entry. */
static bool next_entry(const char **p, const char *end, struct entry *ret)
{
	const char *nul = memchr(*p, '\0', (size_t)(end - *p));
	unsigned mode = 0;

	if (!nul || end - nul < 21)
		return false;
	for (; **p >= '0' && **p <= '7'; (*p)++)
		mode = mode * 8 + (unsigned)(**p - '0');
	if (**p != ' ')
		return false;
	(*p)++;
	*ret = (struct entry){.name = *p, .len = (size_t)(nul - *p), .mode = mode};
	memcpy(ret->id.id, nul + 1, 20);
	*p = nul + 21;
	return true;
}

static int read_object(
	struct repo *r, const struct oid *tree, git_odb_object **ret_object, struct error *e)
{
	git_oid id = to_git(tree);
	char hex[OID_HEX];

	if (git_odb_read(ret_object, r->odb, &id) < 0)
		return repo_error(e, ERR_MISSING, "tree %s cannot be read", oid_hex(tree, hex));
	if (git_odb_object_type(*ret_object) != GIT_OBJECT_TREE) {
		git_odb_object_free(*ret_object);
		return error_set(e, ERR_STATE, "%s is no tree", oid_hex(tree, hex));
	}
	return 0;
}

static int read_raw(struct repo *r, const struct oid *tree, struct raw *ret_raw, struct error *e)
{
	const char *p;
	const char *end;
	struct entry entry;
	size_t room = 0;
	int status = read_object(r, tree, &ret_raw->object, e);

	ret_raw->entries = NULL;
	ret_raw->n = 0;
	if (status) {
		ret_raw->object = NULL;
		return status;
	}
	p = git_odb_object_data(ret_raw->object);
	end = p + git_odb_object_size(ret_raw->object);
	while (next_entry(&p, end, &entry)) {
		if (ret_raw->n == room) {
			room = room ? room * 2 : 64;
			ret_raw->entries = xreallocarray(ret_raw->entries, room, sizeof(entry));
		}
		ret_raw->entries[ret_raw->n++] = entry;
	}
	return 0;
}

static int find_in(struct repo *r, const struct oid *tree, const char *name, size_t len,
	struct entry *ret_entry, struct error *e)
{
	git_odb_object *object = NULL;
	const char *p;
	const char *end;
	int found = 0;
	int status = read_object(r, tree, &object, e);

	if (status)
		return status;
	p = git_odb_object_data(object);
	end = p + git_odb_object_size(object);
	while (!found && next_entry(&p, end, ret_entry))
		found = ret_entry->len == len && memcmp(ret_entry->name, name, len) == 0;
	git_odb_object_free(object);
	return found;
}

int tree_find(struct repo *r, const struct oid *tree, const char *path, unsigned *ret_mode,
	struct oid *ret_id, unsigned *ret_blocked, struct error *e)
{
	struct oid at = *tree;

	if (ret_blocked)
		*ret_blocked = 0;
	for (;;) {
		size_t len = strcspn(path, "/");
		struct entry entry;
		int found = find_in(r, &at, path, len, &entry, e);

		if (found <= 0)
			return found;
		if (!path[len]) {
			*ret_mode = entry.mode;
			*ret_id = entry.id;
			return 1;
		}
		if (entry.mode != TREE_MODE_DIR) {
			if (ret_blocked)
				*ret_blocked = entry.mode;
			return 0;
		}
		at = entry.id;
		path += len + 1;
	}
}

static int compare_changes(const void *a, const void *b)
{
	return strcmp(((const struct tree_change *)a)->path, ((const struct tree_change *)b)->path);
}

/* Git's order: folders as if their names ended in '/'. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;
	size_t n = MIN_OF(x->len, y->len);
	int r = memcmp(x->name, y->name, n);
	int cx, cy;

	if (r)
		return r;
	cx = n < x->len ? (unsigned char)x->name[n] : x->mode == TREE_MODE_DIR ? '/' : 0;
	cy = n < y->len ? (unsigned char)y->name[n] : y->mode == TREE_MODE_DIR ? '/' : 0;
	return cx - cy;
}

static struct entry *raw_entry(struct raw *raw, const char *name, size_t len)
{
	for (size_t i = 0; i < raw->n; i++)
		if (raw->entries[i].len == len && memcmp(raw->entries[i].name, name, len) == 0)
			return &raw->entries[i];
	return NULL;
}

/* mode 0 takes the entry away. */
static void set_entry(
	struct raw *raw, const char *name, size_t len, unsigned mode, const struct oid *id)
{
	struct entry *old = raw_entry(raw, name, len);

	if (old) {
		old->mode = mode;
		old->id = *id;
		return;
	}
	if (!mode)
		return;
	raw->entries = xgrow(raw->entries, raw->n, sizeof(*raw->entries));
	raw->entries[raw->n++] = (struct entry){name, len, mode, *id};
}

/* Writes the entries that are left; *ret_empty: there are none. old: what they were, or NULL. */
static int write_raw(struct repo *r, struct raw *raw, const struct oid *old, struct oid *ret_tree,
	bool *ret_empty, struct error *e)
{
	AUTO_STRBUF struct strbuf text;

	strbuf_init(&text, MAX_TREE);
	if (raw->n)
		qsort(raw->entries, raw->n, sizeof(*raw->entries), compare_entries);
	for (size_t i = 0; i < raw->n; i++) {
		const struct entry *entry = &raw->entries[i];

		if (!entry->mode)
			continue;
		(void)strbuf_addf(&text, "%o ", entry->mode);
		(void)strbuf_add(&text, entry->name, entry->len);
		(void)strbuf_addc(&text, '\0');
		(void)strbuf_add(&text, entry->id.id, sizeof(entry->id.id));
	}
	*ret_empty = text.len == 0;
	if (text.overflow)
		return error_set(
			e, ERR_LIMIT, "a folder has more than %zu bytes of names", MAX_TREE);
	if (staging_write(r, text.buf, text.len, GIT_OBJECT_TREE, old, ret_tree) < 0)
		return repo_error(
			e, ERR_STATE, "cannot write to the git repository \"%s\"", r->path);
	return 0;
}

/* A run of changes below one folder; skip: bytes of their paths that name it. */
struct level {
	struct tree_change *changes;
	size_t n;
	size_t skip;
	int depth;
};

static int write_level(struct repo *r, const struct oid *tree, struct level l, struct oid *ret_tree,
	bool *ret_empty, struct error *e);

/* The changes in one subfolder. */
static int write_below(struct repo *r, struct raw *raw, struct level l, size_t len, struct error *e)
{
	const char *name = l.changes[0].path + l.skip;
	const struct entry *old = raw_entry(raw, name, len);
	struct oid sub;
	bool empty;
	int status;

	/* A file that an earlier change of this run takes away makes room. */
	if (old && old->mode && old->mode != TREE_MODE_DIR)
		return error_set(e, ERR_CONFLICT, "\"%.*s\" is a file, \"%s\" would be below it",
			(int)(l.skip + len), l.changes[0].path, l.changes[0].path);
	l.skip += len + 1;
	l.depth++;
	status = write_level(r, old && old->mode ? &old->id : NULL, l, &sub, &empty, e);
	if (status)
		return status;
	set_entry(raw, name, len, empty ? 0 : TREE_MODE_DIR, &sub);
	return 0;
}

/* The changes of this folder's own files that come (or go). */
static int set_files(struct raw *raw, const struct level *l, bool coming, struct error *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct tree_change *c = &l->changes[i];
		const char *name = c->path + l->skip;
		size_t len = strcspn(name, "/");
		const struct entry *old;

		if (name[len] || (c->mode != 0) != coming)
			continue;
		old = raw_entry(raw, name, len);
		if (coming && old && old->mode == TREE_MODE_DIR)
			return error_set(
				e, ERR_CONFLICT, "\"%s\" is a folder in the tree", c->path);
		set_entry(raw, name, len, c->mode, &c->id);
	}
	return 0;
}

static int set_folders(struct repo *r, struct raw *raw, const struct level *l, struct error *e)
{
	size_t j;

	for (size_t i = 0; i < l->n; i = j) {
		const char *name = l->changes[i].path + l->skip;
		size_t len = strcspn(name, "/");
		int status;

		j = i + 1;
		if (!name[len])
			continue;
		while (j < l->n && strncmp(l->changes[j].path + l->skip, name, len + 1) == 0)
			j++;
		status = write_below(
			r, raw, (struct level){&l->changes[i], j - i, l->skip, l->depth}, len, e);
		if (status)
			return status;
	}
	return 0;
}

/* Files that go make room for folders, folders that go for files. */
static int write_level(struct repo *r, const struct oid *tree, struct level l, struct oid *ret_tree,
	bool *ret_empty, struct error *e)
{
	AUTO_RAW struct raw raw = {0};
	int status = tree ? read_raw(r, tree, &raw, e) : 0;

	if (!status && l.depth > MAX_DEPTH)
		status = error_set(e, ERR_LIMIT, "a path is more than %d folders deep", MAX_DEPTH);
	if (!status)
		status = set_files(&raw, &l, false, e);
	if (!status)
		status = set_folders(r, &raw, &l, e);
	if (!status)
		status = set_files(&raw, &l, true, e);
	return status ? status : write_raw(r, &raw, tree, ret_tree, ret_empty, e);
}

int tree_write(struct repo *r, const struct oid *tree, struct tree_change *changes, size_t n,
	struct oid *ret_tree, struct error *e)
{
	bool empty;

	qsort(changes, n, sizeof(*changes), compare_changes);
	return write_level(r, tree, (struct level){changes, n, 0, 0}, ret_tree, &empty, e);
}

static int walk(struct repo *r, const struct oid *tree, struct strbuf *path, int depth, tree_fn fn,
	void *data, struct error *e)
{
	AUTO_RAW struct raw raw = {0};
	size_t len = path->len;
	int status = depth > MAX_DEPTH
			     ? error_set(e, ERR_LIMIT, "a tree is more than %d deep", depth)
			     : read_raw(r, tree, &raw, e);

	for (size_t i = 0; !status && i < raw.n; i++) {
		const struct entry *entry = &raw.entries[i];

		strbuf_truncate(path, len);
		if (len)
			(void)strbuf_addc(path, '/');
		(void)strbuf_add(path, entry->name, entry->len);
		if (entry->mode == TREE_MODE_DIR)
			status = walk(r, &entry->id, path, depth + 1, fn, data, e);
		else
			status = fn(path->buf, entry->mode, &entry->id, data);
	}
	strbuf_truncate(path, len);
	return status;
}

int tree_walk(struct repo *r, const struct oid *tree, tree_fn fn, void *data, struct error *e)
{
	AUTO_STRBUF struct strbuf path;

	strbuf_init(&path, 64 * 1024);
	return walk(r, tree, &path, 0, fn, data, e);
}

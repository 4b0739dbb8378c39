/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/apply.h"

#include "patches/git/binary.h"
#include "patches/git/pathmap.h"
#include "patches/git/tree.h"

/* What later parts of a diff see at a path. */
enum seen {
	SEEN_SOURCE, /* what the source has */
	SEEN_LEAVING, /* the same, but some part will rename or delete it */
	SEEN_GONE, /* that part was applied */
	SEEN_MADE, /* what the diff wrote */
};

/*
 * One path while a diff is applied. In the end what was made is there, even where another part
 * took the path away: two files may swap their names.
 */
struct file {
	char *path;
	enum seen seen;
	bool removed;
	bool made; /* mode and data say what */
	unsigned mode;
	char *data;
	size_t len;
	struct oid from; /* the blob that it was made from, or null */
};

struct applying {
	struct source *source;
	struct file *files;
	size_t n;
	size_t room;
	struct pathmap map;
	struct changes *changes;
	struct conflict *conflict;
	size_t made; /* bytes so far */
	uint64_t effort; /* see hunk.h */
};

void changes_done(struct changes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].path);
	free(c->list);
	*c = (struct changes){0};
}

static int tree_source_find(struct source *s, const char *path, unsigned *ret_mode,
	struct oid *ret_id, unsigned *ret_blocked, struct error *e)
{
	struct tree_source *t = (struct tree_source *)s;

	return tree_find(s->repo, &t->tree, path, ret_mode, ret_id, ret_blocked, e);
}

void tree_source_init(struct tree_source *s, struct repo *repo, const struct oid *tree)
{
	*s = (struct tree_source){{tree_source_find, repo}, *tree};
}

static void applying_done(struct applying *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->files[i].path);
		free(a->files[i].data);
	}
	free(a->files);
	pathmap_done(&a->map);
}

/* Something about a file as a whole does not fit. */
static int refuse(struct applying *a, const char *file, const char *fmt, ...) PRINTF_LIKE(3, 4);
static int refuse(struct applying *a, const char *file, const char *fmt, ...)
{
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	*a->conflict = (struct conflict){.file = xstrdup(file),
		.expected = xstrdup(""),
		.found = xstrdup(""),
		.why = xstrdup(why)};
	return ERR_CONFLICT;
}

static struct file *known(struct applying *a, const char *path)
{
	size_t at = path ? pathmap_get(&a->map, path) : PATHMAP_NONE;

	return at == PATHMAP_NONE ? NULL : &a->files[at];
}

/* Pointers to files stay good: the array has room for all that a diff can name. */
static struct file *note(struct applying *a, const char *path)
{
	struct file *f = known(a, path);

	if (f)
		return f;
	f = &a->files[a->n];
	f->path = xstrdup(path);
	pathmap_set(&a->map, f->path, a->n++);
	return f;
}

/* The content before the patch, and what is known of it. */
struct preimage {
	unsigned mode; /* 0: there is no file */
	struct oid id;
	char *data;
	size_t len;
};

static void preimage_done(struct preimage *p)
{
	free(p->data);
}
#define AUTO_PREIMAGE CLEANUP(preimage_done)

static const char *mode_word(unsigned mode)
{
	switch (mode & DIFF_MODE_TYPE) {
	case 0040000u:
		return "a folder";
	case 0120000u:
		return "a symbolic link";
	case 0160000u:
		return "a submodule";
	default:
		return "a file";
	}
}

/* From an earlier part of this diff, or from the source. */
static int load(struct applying *a, struct diff_file *d, struct preimage *ret, struct error *e)
{
	struct file *f = known(a, d->old_name);
	unsigned blocked = 0;
	int r;

	if (!d->old_name)
		return 0;
	/* Renames and copies do not depend on the order of a diff's parts. */
	if (f && !d->is_copy && !d->is_rename) {
		if (f->seen == SEEN_GONE)
			return refuse(a, d->old_name,
				"an earlier part of the patch renamed or deleted it");
		if (f->seen == SEEN_MADE) {
			ret->mode = f->mode;
			ret->data = xmalloc(f->len + 1);
			memcpy(ret->data, f->data, f->len + 1);
			ret->len = f->len;
			return 0;
		}
	}
	r = a->source->find(a->source, d->old_name, &ret->mode, &ret->id, &blocked, e);
	if (r < 0)
		return r;
	if (!r && (blocked & DIFF_MODE_TYPE) == DIFF_MODE_LINK)
		return refuse(a, d->old_name, "it is behind a symbolic link: refused");
	/* A plain diff may have meant a new file. */
	if (!r && d->is_new == MAYBE) {
		d->is_new = YES;
		free(steal_ptr(d->old_name));
		return 0;
	}
	if (!r)
		return refuse(a, d->old_name, "there is no such file in the tree");
	if ((ret->mode & DIFF_MODE_TYPE) != (DIFF_MODE_FILE & DIFF_MODE_TYPE) &&
		ret->mode != DIFF_MODE_LINK)
		return refuse(a, d->old_name, "it is %s in the tree", mode_word(ret->mode));
	return repo_read_blob(a->source->repo, &ret->id, &ret->data, &ret->len, e);
}

/* Modes as they will be, once the old file is known. */
static int settle_modes(struct applying *a, struct diff_file *d, const struct preimage *pre)
{
	if (d->old_name) {
		d->is_new = NO;
		if (!d->old_mode)
			d->old_mode = pre->mode;
		if ((pre->mode ^ d->old_mode) & DIFF_MODE_TYPE)
			return refuse(a, d->old_name, "it is %s in the tree, the patch is for %s",
				mode_word(pre->mode), mode_word(d->old_mode));
		/* Where the patch says no mode, the file keeps the one it has. */
		if (!d->new_mode && d->is_delete != YES)
			d->new_mode = pre->mode;
	}
	if (d->new_name && !d->new_mode)
		d->new_mode = DIFF_MODE_FILE;
	if (d->new_name && d->old_name && ((d->old_mode ^ d->new_mode) & DIFF_MODE_TYPE))
		return refuse(a, d->new_name, "it was %s and would become %s in one step",
			mode_word(d->old_mode), mode_word(d->new_mode));
	return 0;
}

/* A path that is to be made must be free. */
static int check_free(struct applying *a, const struct diff_file *d, struct error *e)
{
	const struct file *f = known(a, d->new_name);
	unsigned mode;
	unsigned blocked;
	struct oid id;
	int r;

	if (f && f->seen == SEEN_MADE)
		return refuse(a, d->new_name, "the patch makes it twice");
	if (f && f->seen != SEEN_SOURCE)
		return 0;
	r = a->source->find(a->source, d->new_name, &mode, &id, &blocked, e);
	/* A folder may be empty by the end of the patch: writing the tree tells. */
	if (r > 0 && mode != TREE_MODE_DIR)
		return refuse(a, d->new_name, "the patch makes it, but it is in the tree already");
	return r < 0 ? r : 0;
}

/* Whether what is in the way of a path is on its way out, by this part or a later one: git takes away
 * before it writes. */
static bool makes_room(const struct applying *a, const char *path)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct file *f = &a->files[i];

		if ((f->seen == SEEN_GONE || f->seen == SEEN_LEAVING) &&
			starts_with(path, f->path) && path[strlen(f->path)] == '/')
			return true;
	}
	return false;
}

/* Nothing is written through a symbolic link, of the tree or of this very diff. */
static int check_parents(struct applying *a, const char *path, struct error *e)
{
	AUTO_FREE char *parent = xstrdup(path);
	unsigned mode;
	unsigned blocked;
	struct oid id;
	char *slash;
	int r;

	while ((slash = strrchr(parent, '/'))) {
		const struct file *f;

		*slash = '\0';
		f = known(a, parent);
		if (f && f->seen == SEEN_MADE)
			return refuse(a, path, "\"%s\" is %s that the patch makes", parent,
				mode_word(f->mode));
	}
	r = a->source->find(a->source, path, &mode, &id, &blocked, e);
	if (r < 0)
		return r;
	if (blocked && !makes_room(a, path))
		return refuse(a, path, "it would be below %s", mode_word(blocked));
	return 0;
}

static int apply_hunks(struct applying *a, const struct diff_file *d, const struct preimage *pre,
	char **ret_data, size_t *ret_len, struct error *e)
{
	struct image img;
	int r = 0;

	image_init(&img, pre->data ? pre->data : "", pre->len);
	img.effort = a->effort;
	for (size_t i = 0; !r && i < d->n_hunks; i++) {
		long offset;

		r = image_apply(&img, &d->hunks[i], &offset);
		if (r == ERR_LIMIT) {
			(void)error_set(e, r,
				"it takes too long to find where the hunks of \"%s\" go",
				diff_file_name(d));
		} else if (r) {
			image_explain(&img, diff_file_name(d), &d->hunks[i], a->conflict);
		} else if (offset) {
			a->changes->offset = true;
			a->changes->max_offset =
				MAX_OF(a->changes->max_offset, (size_t)labs(offset));
		}
	}
	if (!r)
		*ret_data = image_join(&img, ret_len);
	a->effort = img.effort;
	image_done(&img);
	return r;
}

static int apply_binary(struct applying *a, const struct diff_file *d, const struct preimage *pre,
	char **ret_data, size_t *ret_len, struct error *e)
{
	const char *name = diff_file_name(d);
	struct oid want_old, want_new, have;
	char hex[OID_HEX];
	struct error why = ERROR_INIT;
	int r;

	if (d->binary == BINARY_MISSING)
		return refuse(a, name,
			"it is binary and the patch does not hold its content: make "
			"it with git format-patch --binary");
	if (oid_parse(d->old_id, &want_old) || oid_parse(d->new_id, &want_new))
		return refuse(a, name,
			"it is binary and its index line has no full ids: make the "
			"patch with git format-patch --full-index --binary");
	blob_id(pre->data ? pre->data : "", pre->len, &have);
	if (d->old_name && !oid_equal(&have, &want_old))
		return refuse(
			a, name, "it is binary and its content is not what the patch changes");
	if (oid_is_null(&want_new)) {
		*ret_data = xstrdup("");
		*ret_len = 0;
		return 0;
	}
	r = binary_apply(d, pre->data ? pre->data : "", pre->len, ret_data, ret_len, &why);
	if (is_input_fault(r))
		return refuse(a, name, "%s", why.msg);
	if (r) {
		*e = why;
		return r;
	}
	blob_id(*ret_data, *ret_len, &have);
	if (oid_equal(&have, &want_new))
		return 0;
	free(steal_ptr(*ret_data));
	return refuse(a, name, "the binary patch gives other content than its index line says (%s)",
		oid_hex(&have, hex));
}

static unsigned canonical_mode(unsigned mode)
{
	if (mode == DIFF_MODE_LINK)
		return mode;
	return mode & 0100u ? DIFF_MODE_EXEC : DIFF_MODE_FILE;
}

/* The result becomes what later parts see. */
static int keep(struct applying *a, const struct diff_file *d, const struct preimage *pre,
	char *data, size_t len, struct error *e)
{
	struct file *f;

	if (d->old_name && (d->is_delete == YES || d->is_rename)) {
		f = note(a, d->old_name);
		f->seen = SEEN_GONE;
		f->removed = true;
	}
	if (!d->new_name) {
		free(data);
		return 0;
	}
	/* A few bytes of delta, or of a copy, make a large file. */
	if (len > DIFF_MAX_TOTAL - a->made) {
		free(data);
		return error_set(e, ERR_LIMIT,
			"the patch makes more than %zu bytes of files: split it", DIFF_MAX_TOTAL);
	}
	a->made += len;
	if (d->new_mode == DIFF_MODE_LINK && link_escapes(d->new_name, data, len)) {
		free(data);
		return refuse(a, d->new_name,
			"it is a symbolic link that leads out of the tree: refused");
	}
	if (d->new_mode == DIFF_MODE_LINK && path_is_gitmodules(d->new_name)) {
		free(data);
		return refuse(a, d->new_name, "it would be a symbolic link, which git refuses");
	}
	f = note(a, d->new_name);
	free(f->data);
	f->seen = SEEN_MADE;
	f->made = true;
	f->mode = canonical_mode(d->new_mode);
	f->data = data;
	f->len = len;
	f->from = pre->id;
	return 0;
}

static int apply_file(struct applying *a, struct diff_file *d, struct error *e)
{
	AUTO_PREIMAGE struct preimage pre = {0};
	char *data = NULL;
	size_t len = 0;
	int r = load(a, d, &pre, e);

	if (!r)
		r = settle_modes(a, d, &pre);
	if (!r && d->new_name && (d->is_new == YES || d->is_rename || d->is_copy))
		r = check_free(a, d, e);
	if (!r && d->new_name)
		r = check_parents(a, d->new_name, e);
	if (r)
		return r;
	if (d->binary != BINARY_NONE)
		r = apply_binary(a, d, &pre, &data, &len, e);
	else
		r = apply_hunks(a, d, &pre, &data, &len, e);
	if (r)
		return r;
	if (d->is_delete == YES && len) {
		free(data);
		return refuse(a, d->old_name,
			"the patch deletes it, but it has lines that the patch does not know");
	}
	return keep(a, d, &pre, data, len, e);
}

/* Everything that was made or left, each path once. Blobs are written now. */
static int collect(struct applying *a, struct error *e)
{
	struct changes *c = a->changes;

	c->list = xcalloc(a->n + 1, sizeof(*c->list));
	for (size_t i = 0; i < a->n; i++) {
		struct file *f = &a->files[i];
		struct change *change = &c->list[c->n];
		int r;

		if (!f->made && !f->removed)
			continue;
		*change = (struct change){.path = xstrdup(f->path), .mode = f->made ? f->mode : 0};
		c->n++;
		if (!f->made)
			continue;
		r = repo_write_blob(a->source->repo, f->data, f->len, &f->from, &change->id, e);
		if (r)
			return r;
	}
	return 0;
}

int diff_apply(const struct diff *d, struct source *source, struct changes *ret_changes,
	struct conflict *ret_conflict, struct error *e)
{
	struct changes changes = {0};
	struct applying a = {.source = source, .changes = &changes, .conflict = ret_conflict};
	int r = 0;

	*ret_conflict = (struct conflict){0};
	a.files = xcalloc(2 * d->n_files + 1, sizeof(*a.files));
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];

		if (f->old_name && (f->is_delete == YES || f->is_rename))
			note(&a, f->old_name)->seen = SEEN_LEAVING;
	}
	for (size_t i = 0; !r && i < d->n_files; i++) {
		/* What the tree says about modes and names is of this application only. */
		struct diff_file f = d->files[i];

		f.old_name = xstrdup_null(f.old_name);
		f.new_name = xstrdup_null(f.new_name);
		r = apply_file(&a, &f, e);
		free(f.old_name);
		free(f.new_name);
	}
	if (!r)
		r = collect(&a, e);
	applying_done(&a);
	if (r)
		changes_done(&changes);
	else
		*ret_changes = changes;
	if (r == ERR_CONFLICT)
		(void)error_set(e, r, "%s: %s", ret_conflict->file, ret_conflict->why);
	return r;
}

int changes_write(const struct changes *c, struct repo *repo, const struct oid *tree,
	struct oid *ret_tree, struct error *e)
{
	struct tree_change *list = xcalloc(c->n + 1, sizeof(*list));
	int r;

	for (size_t i = 0; i < c->n; i++)
		list[i] = (struct tree_change){c->list[i].path, c->list[i].mode, c->list[i].id};
	r = tree_write(repo, tree, list, c->n, ret_tree, e);
	free(list);
	return r;
}

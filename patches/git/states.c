/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/states.h"

#include "patches/git/pathmap.h"
#include "patches/git/repo_internal.h"
#include "patches/git/tree.h"

struct wants_seen {
	struct pathmap map;
	char **paths;
	size_t n;
};

/* What a path was last found to be, and through which trees: a commit that has the same tree at
 * any level has the same file. */
struct cursor {
	struct oid *trees;
	size_t n;
	bool there;
	struct oid id;
};

struct states {
	struct repo *repo;
	const struct wants *wants;
	struct cursor *cursors;
	git_commit *at; /* the next to look at; NULL: the end */
	size_t walked;
};

void wants_init(struct wants *w)
{
	*w = (struct wants){.seen = xcalloc(1, sizeof(*w->seen))};
}

void wants_done(struct wants *w)
{
	if (!w->seen)
		return;
	for (size_t i = 0; i < w->n; i++)
		free(w->list[i].path);
	for (size_t i = 0; i < w->seen->n; i++)
		free(w->seen->paths[i]);
	free(w->seen->paths);
	pathmap_done(&w->seen->map);
	free(w->seen);
	free(w->list);
	*w = (struct wants){0};
}

/* False where it was seen before. */
static bool see(struct wants *w, const char *path)
{
	struct wants_seen *s = w->seen;

	if (pathmap_get(&s->map, path) != PATHMAP_NONE)
		return false;
	s->paths = xgrow(s->paths, s->n, sizeof(*s->paths));
	s->paths[s->n] = xstrdup(path);
	pathmap_set(&s->map, s->paths[s->n], 1);
	s->n++;
	return true;
}

static void want(struct wants *w, const char *path, const char *id)
{
	if (w->n == WANTS_MAX)
		return;
	w->list = xgrow(w->list, w->n, sizeof(*w->list));
	w->list[w->n] = (struct want){.path = xstrdup(path)};
	(void)snprintf(w->list[w->n].id, sizeof(w->list[w->n].id), "%s", id);
	w->n++;
	w->named += *id != '\0';
}

void wants_add(struct wants *w, const struct diff *d)
{
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];
		const char *path = f->old_name && f->is_new != YES ? f->old_name : f->new_name;
		bool absent = f->is_new == YES || !f->old_name;

		/* A diff without index lines says nothing of the version it was made for. */
		if (see(w, path) && (absent || *f->old_id))
			want(w, path, absent ? "" : f->old_id);
		if (f->new_name)
			(void)see(w, f->new_name);
	}
}

/* Where the path is in a root tree. */
static int follow(struct states *s, const char *path, struct cursor *c, const struct oid *root,
	struct error *e)
{
	struct oid at = *root;
	size_t known = c->n;

	for (size_t level = 0;; level++) {
		size_t len = strcspn(path, "/");
		AUTO_FREE char *name = NULL;
		unsigned mode = 0;
		int r;

		if (level < known && oid_equal(&c->trees[level], &at)) {
			c->n = known;
			return 0;
		}
		c->trees[level] = at;
		c->n = level + 1;
		name = xstrndup(path, len);
		r = tree_find(s->repo, &at, name, &mode, &at, NULL, e);
		if (r < 0)
			return r;
		if (r == 0 || !path[len] || mode != TREE_MODE_DIR) {
			c->there = r && !path[len] && mode != TREE_MODE_DIR;
			c->id = at;
			return 0;
		}
		path += len + 1;
	}
}

static bool holds(const struct want *w, const struct cursor *c)
{
	char hex[OID_HEX];

	if (!*w->id)
		return !c->there;
	return c->there && starts_with(oid_hex(&c->id, hex), w->id);
}

int states_new(struct repo *r, const struct oid *tip, const struct wants *w,
	struct states **ret_states, struct error *e)
{
	struct states *s = xcalloc(1, sizeof(*s));
	git_oid id = to_git(tip);
	char hex[OID_HEX];

	s->repo = r;
	s->wants = w;
	s->cursors = xcalloc(w->n + 1, sizeof(*s->cursors));
	for (size_t i = 0; i < w->n; i++) {
		size_t depth = 1;

		for (const char *p = w->list[i].path; *p; p++)
			depth += *p == '/';
		s->cursors[i].trees = xcalloc(depth, sizeof(*s->cursors[i].trees));
	}
	if (git_commit_lookup(&s->at, r->git, &id) < 0) {
		(void)states_free(s);
		return repo_error(e, ERR_MISSING, "commit %s cannot be read", oid_hex(tip, hex));
	}
	*ret_states = s;
	return 0;
}

struct states *states_free(struct states *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < s->wants->n; i++)
		free(s->cursors[i].trees);
	free(s->cursors);
	git_commit_free(s->at);
	free(s);
	return NULL;
}

/* Follows every path to this commit; *ret_changed: one of the files is another than before. */
static int look(struct states *s, bool *ret_changed, struct error *e)
{
	struct oid root = from_git(git_commit_tree_id(s->at));

	for (size_t i = 0; i < s->wants->n; i++) {
		struct cursor *c = &s->cursors[i];
		bool there = c->there;
		struct oid id = c->id;
		int r = follow(s, s->wants->list[i].path, c, &root, e);

		if (r)
			return r;
		*ret_changed |= there != c->there || (there && !oid_equal(&id, &c->id));
	}
	return 0;
}

static void judge(const struct states *s, struct state *ret)
{
	for (size_t i = 0; i < s->wants->n; i++) {
		if (holds(&s->wants->list[i], &s->cursors[i]))
			ret->matched++;
		else if (!ret->missed)
			ret->missed = s->wants->list[i].path;
	}
}

int states_next(struct states *s, struct state *ret_state, struct error *e)
{
	bool changed = s->walked == 0;

	while (s->at && s->walked < STATES_MAX_COMMITS) {
		struct oid id = from_git(git_commit_id(s->at));
		git_commit *parent = NULL;
		int r = look(s, &changed, e);

		if (r)
			return r;
		s->walked++;
		if (changed) {
			*ret_state = (struct state){.commit = id};
			judge(s, ret_state);
		}
		/* A parent that is not here ends a shallow history. */
		if (git_commit_parent(&parent, s->at, 0) < 0)
			parent = NULL;
		git_commit_free(s->at);
		s->at = parent;
		if (changed)
			return 1;
	}
	return 0;
}

size_t states_walked(const struct states *s)
{
	return s->walked;
}

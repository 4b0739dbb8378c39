/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/rename.h"

#include "patches/git/diff.h"
#include "patches/git/pathmap.h"

#define LEAST (SIMILARITY_MAX / 2)
#define LEAST_SAME_NAME (SIMILARITY_MAX / 4 * 3)

struct sides {
	struct repo *repo;
	struct rename_file *from;
	struct rename_file *to;
	size_t n_from;
	size_t n_to;
};

struct score {
	unsigned score;
	bool same_name;
	size_t from;
	size_t to;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_file(const struct rename_file *f)
{
	return (f->mode & DIFF_MODE_TYPE) == (DIFF_MODE_FILE & DIFF_MODE_TYPE);
}

static bool same_name(const struct rename_file *a, const struct rename_file *b)
{
	return streq(last_part(a->path), last_part(b->path));
}

static void pair(struct sides *s, size_t from, size_t to)
{
	s->from[from].pair = to;
	s->to[to].pair = from;
}

static int compare_ids(const void *a, const void *b)
{
	const struct rename_file *x = *(const struct rename_file *const *)a;
	const struct rename_file *y = *(const struct rename_file *const *)b;
	int r = memcmp(x->id.id, y->id.id, sizeof(x->id.id));

	return r ? r : (x > y) - (x < y);
}

/* The same content: of several, the one of the same name, else the first. */
static void pair_exact(struct sides *s)
{
	static const char empty_hex[] = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
	struct rename_file **sorted = xcalloc(s->n_from + 1, sizeof(*sorted));
	struct oid empty;

	(void)oid_parse(empty_hex, &empty);
	for (size_t i = 0; i < s->n_from; i++)
		sorted[i] = &s->from[i];
	qsort(sorted, s->n_from, sizeof(*sorted), compare_ids);
	for (size_t t = 0; t < s->n_to; t++) {
		struct rename_file *to = &s->to[t];
		const struct rename_file *best = NULL;
		size_t low = 0;
		size_t high = s->n_from;

		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (memcmp(sorted[mid]->id.id, to->id.id, sizeof(to->id.id)) < 0)
				low = mid + 1;
			else
				high = mid;
		}
		for (; low < s->n_from && oid_equal(&sorted[low]->id, &to->id); low++) {
			const struct rename_file *f = sorted[low];

			/* Empty files all look the same. */
			if (f->pair != RENAME_NONE || oid_equal(&f->id, &empty) ||
				((!is_file(f) || !is_file(to)) && f->mode != to->mode))
				continue;
			if (!best || (same_name(f, to) && !same_name(best, to)))
				best = f;
		}
		if (best)
			pair(s, (size_t)(best - s->from), t);
	}
	free(sorted);
}

static int read_spans(struct sides *s, struct rename_file *f, struct error *e)
{
	AUTO_FREE char *data = NULL;
	size_t len;
	int r;

	if (f->read)
		return 0;
	r = repo_read_blob(s->repo, &f->id, &data, &len, e);
	if (r)
		return r;
	spans_init(&f->spans, data, len);
	f->read = true;
	return 0;
}

static int score_of(
	struct sides *s, size_t from, size_t to, unsigned least, unsigned *ret, struct error *e)
{
	int r = read_spans(s, &s->from[from], e);

	if (!r)
		r = read_spans(s, &s->to[to], e);
	if (!r)
		*ret = similarity(&s->from[from].spans, &s->to[to].spans, least);
	return r;
}

/* Names that are there once among the files of a side that are left. */
static void unique_names(const struct rename_file *files, size_t n, struct pathmap *ret)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = last_part(files[i].path);

		if (files[i].pair != RENAME_NONE || !is_file(&files[i]))
			continue;
		pathmap_set(ret, name, pathmap_get(ret, name) == PATHMAP_NONE ? i : SIZE_MAX - 1);
	}
}

static int pair_names(struct sides *s, struct error *e)
{
	struct pathmap from = {0};
	struct pathmap to = {0};
	int r = 0;

	unique_names(s->from, s->n_from, &from);
	unique_names(s->to, s->n_to, &to);
	for (size_t i = 0; i < s->n_from && !r; i++) {
		const char *name = last_part(s->from[i].path);
		size_t t = pathmap_get(&to, name);
		unsigned score = 0;

		if (s->from[i].pair != RENAME_NONE || pathmap_get(&from, name) != i || t >= s->n_to)
			continue;
		r = score_of(s, i, t, LEAST_SAME_NAME, &score, e);
		if (!r && score >= LEAST_SAME_NAME)
			pair(s, i, t);
	}
	pathmap_done(&from);
	pathmap_done(&to);
	return r;
}

/* The best first; among equals, the same name, then the order they stand in. */
static int compare_scores(const void *a, const void *b)
{
	const struct score *x = a;
	const struct score *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	if (x->same_name != y->same_name)
		return x->same_name ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool same_folder(const char *a, const char *b)
{
	size_t n = (size_t)(last_part(a) - a);

	return n == (size_t)(last_part(b) - b) && memcmp(a, b, n) == 0;
}

static int pair_similar(struct sides *s, struct error *e)
{
	struct score *scores = NULL;
	size_t n = 0;
	size_t room = 0;
	int r = 0;
	bool many = s->n_from > RENAME_MANY || s->n_to > RENAME_MANY;

	for (size_t f = 0; f < s->n_from && !r; f++) {
		const struct rename_file *from = &s->from[f];

		for (size_t t = 0; t < s->n_to && !r && from->pair == RENAME_NONE; t++) {
			const struct rename_file *to = &s->to[t];
			bool name = same_name(from, to);
			unsigned score = 0;

			if (to->pair != RENAME_NONE || !is_file(from) || !is_file(to) ||
				(many && !name && !same_folder(from->path, to->path)))
				continue;
			r = score_of(s, f, t, LEAST, &score, e);
			if (r || score < LEAST)
				continue;
			if (n == room) {
				room = room ? room * 2 : 64;
				scores = xreallocarray(scores, room, sizeof(*scores));
			}
			scores[n++] = (struct score){score, name, f, t};
		}
	}
	if (n)
		qsort(scores, n, sizeof(*scores), compare_scores);
	for (size_t i = 0; i < n && !r; i++)
		if (s->from[scores[i].from].pair == RENAME_NONE &&
			s->to[scores[i].to].pair == RENAME_NONE)
			pair(s, scores[i].from, scores[i].to);
	free(scores);
	return r;
}

int rename_pairs(struct repo *repo, struct rename_file *from, size_t n_from, struct rename_file *to,
	size_t n_to, struct error *e)
{
	struct sides s = {repo, from, to, n_from, n_to};
	int r;

	for (size_t i = 0; i < n_from; i++)
		from[i].pair = RENAME_NONE;
	for (size_t i = 0; i < n_to; i++)
		to[i].pair = RENAME_NONE;
	if (!n_from || !n_to)
		return 0;
	pair_exact(&s);
	r = pair_names(&s, e);
	return r ? r : pair_similar(&s, e);
}

void rename_files_free(struct rename_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		spans_done(&files[i].spans);
	free(files);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/lines.h"

#include <stdlib.h>

#define AROUND 3 /* lines shown before and after what differs */

void lines_done(struct lines *l)
{
	if (!l)
		return;
	free(l->v);
	*l = (struct lines){0};
}

/* FNV-1a; equal lines are compared byte for byte all the same. */
static uint64_t hash_of(const char *p, size_t len)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)p[i]) * 1099511628211u;
	return h;
}

static void push(struct lines *l, const char *p, size_t len)
{
	l->v = xgrow(l->v, l->n, sizeof(*l->v));
	l->v[l->n++] = (struct line){p, len, hash_of(p, len)};
}

static const char *take_line(const char *p, const char *end, size_t *ret_len)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	*ret_len = (size_t)((nl ? nl : end) - p);
	return nl ? nl + 1 : end;
}

void lines_of_text(const char *p, size_t len, struct lines *ret_lines)
{
	const char *end = p + len;

	*ret_lines = (struct lines){0};
	while (p < end) {
		size_t n;
		const char *next = take_line(p, end, &n);

		push(ret_lines, p, n);
		p = next;
	}
}

/* How many old and new lines a hunk has: "@@ -1,2 +3 @@". */
static bool take_counts(const char *p, size_t len, long *ret_old, long *ret_new)
{
	AUTO_FREE char *text = xstrndup(p, MIN_OF(len, 100));
	char *at = text + 4;

	if (!starts_with(text, "@@ -"))
		return false;
	*ret_old = *ret_new = 1;
	(void)strtol(at, &at, 10);
	if (*at == ',')
		*ret_old = strtol(at + 1, &at, 10);
	if (!starts_with(at, " +"))
		return false;
	(void)strtol(at + 2, &at, 10);
	if (*at == ',')
		*ret_new = strtol(at + 1, &at, 10);
	return true;
}

/* Between a file's first header and its hunks, or the data of a binary file. */
static bool is_header(const char *p, size_t len)
{
	static const char *const names[] = {"diff -", "--- ", "+++ ", "old mode ", "new mode ",
		"new file mode ", "deleted file mode ", "rename ", "copy ", "similarity index ",
		"dissimilarity index ", "GIT binary patch", "Binary files ", "literal ", "delta "};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (len >= strlen(names[i]) && memcmp(p, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void lines_of_diff(const char *p, size_t len, struct lines *ret_lines)
{
	const char *end = p + len;
	long old = 0;
	long new = 0;
	bool binary = false;

	*ret_lines = (struct lines){0};
	while (p < end) {
		size_t n;
		const char *next = take_line(p, end, &n);

		if (old > 0 || new > 0 || (n && *p == '\\' && ret_lines->n)) {
			push(ret_lines, p, n);
			old -= n == 0 || *p == ' ' || *p == '-';
			new -= n == 0 || *p == ' ' || *p == '+';
		} else if (take_counts(p, n, &old, &new)) {
			push(ret_lines, p, 2);
			binary = false;
		} else if (is_header(p, n)) {
			push(ret_lines, p, n);
			binary = n > 2 && (*p == 'G' || *p == 'l' || memcmp(p, "delta", 5) == 0);
		} else if (binary && n) {
			push(ret_lines, p, n);
		}
		p = next;
	}
}

static bool same(const struct line *a, const struct line *b)
{
	return a->hash == b->hash && a->len == b->len && memcmp(a->p, b->p, a->len) == 0;
}

bool lines_equal(const struct lines *a, const struct lines *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same(&a->v[i], &b->v[i]))
			return false;
	return true;
}

/* One line of the result. */
struct edit {
	char sign;
	const struct line *line;
};

/*
 * The shortest edit script, forward: for each number of edits d the furthest reach on every
 * diagonal is kept, d + 1 numbers of them, and the way is read off them from the end.
 */
struct script {
	const struct lines *a, *b;
	int *reach; /* row d begins at d * d: 2d + 1 diagonals, -d first */
	size_t room; /* rows */
};

static int *row_of(const struct script *s, int d)
{
	return s->reach + (size_t)d * (size_t)d;
}

/* Does the way to diagonal k in row d come from above (an insertion) or from the left? */
static bool comes_down(const struct script *s, int d, int k)
{
	const int *before = row_of(s, d - 1) + (d - 1);

	return k == -d || (k != d && before[k - 1] < before[k + 1]);
}

/* The number of edits, or -1. */
static int search(struct script *s, int max)
{
	int n = (int)s->a->n;
	int m = (int)s->b->n;

	for (int d = 0; d <= max && d <= n + m; d++) {
		int *row;

		if ((size_t)d == s->room) {
			s->room = s->room ? 2 * s->room : 16;
			s->reach = xreallocarray(s->reach, s->room * s->room, sizeof(*s->reach));
		}
		row = row_of(s, d) + d;
		for (int k = -d; k <= d; k++)
			row[k] = -1;
		for (int k = -d; k <= d; k += 2) {
			const int *before = d ? row_of(s, d - 1) + (d - 1) : NULL;
			int x = !d ? 0 : comes_down(s, d, k) ? before[k + 1] : before[k - 1] + 1;

			while (x < n && x - k < m && same(&s->a->v[x], &s->b->v[x - k]))
				x++;
			row[k] = x;
			if (k == n - m && x >= n)
				return d;
		}
	}
	return -1;
}

/* Backwards from the end; *ret_edits in order, n of them. */
static size_t trace(const struct script *s, int d, struct edit *edits, size_t room)
{
	int x = (int)s->a->n;
	int y = (int)s->b->n;
	size_t at = room;

	for (;; d--) {
		int k = x - y;
		bool down = d && comes_down(s, d, k);
		int from_x = !d	    ? 0
			     : down ? row_of(s, d - 1)[d - 1 + k + 1]
				    : row_of(s, d - 1)[d - 1 + k - 1];
		int start_x = !d ? 0 : down ? from_x : from_x + 1;

		for (; x > start_x; x--, y--)
			edits[--at] = (struct edit){' ', &s->a->v[x - 1]};
		if (!d)
			return at;
		if (down)
			edits[--at] = (struct edit){'+', &s->b->v[--y]};
		else
			edits[--at] = (struct edit){'-', &s->a->v[--x]};
	}
}

static void show(const struct edit *edits, size_t n, struct strbuf *out)
{
	size_t shown = 0; /* up to here */
	bool gap = false;

	for (size_t i = 0; i < n; i++) {
		size_t from;
		size_t to;

		if (edits[i].sign == ' ')
			continue;
		from = i > AROUND ? i - AROUND : 0;
		to = MIN_OF(i + AROUND + 1, n);
		gap = from > shown && shown;
		if (gap)
			(void)strbuf_adds(out, " ...\n");
		for (size_t j = MAX_OF(from, shown); j < to; j++) {
			/* A change further on shows its own lines. */
			if (j > i && edits[j].sign != ' ')
				break;
			(void)strbuf_addc(out, edits[j].sign);
			(void)strbuf_add(out, edits[j].line->p, edits[j].line->len);
			(void)strbuf_addc(out, '\n');
			shown = j + 1;
		}
	}
}

int lines_diff(const struct lines *a, const struct lines *b, int max, struct strbuf *out)
{
	struct script s = {.a = a, .b = b};
	struct edit *edits;
	size_t room = a->n + b->n;
	size_t at;
	int d;

	if (a->n > INT32_MAX / 4 || b->n > INT32_MAX / 4)
		return -1;
	d = search(&s, max);
	if (d > 0) {
		edits = xcalloc(room + 1, sizeof(*edits));
		at = trace(&s, d, edits, room);
		show(edits + at, room - at, out);
		free(edits);
	}
	free(s.reach);
	return d;
}

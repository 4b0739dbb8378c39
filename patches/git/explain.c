/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a hunk does not apply, in words that help its author. */
#include "base/strbuf.h"
#include "patches/git/hunk_internal.h"

#define SHOWN_BYTES 8192
/* Line comparisons that looking for the most similar place may cost. */
#define MAX_EFFORT 20000000u

void conflict_done(struct conflict *c)
{
	if (!c)
		return;
	free(c->file);
	free(c->expected);
	free(c->found);
	free(c->why);
	*c = (struct conflict){0};
}

static bool same_bytes(const struct line *a, const struct line *b)
{
	return a->len == b->len && memcmp(a->p, b->p, a->len) == 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The same but for white space? */
static bool same_words(const struct line *a, const struct line *b)
{
	size_t i = 0;
	size_t j = 0;

	for (;;) {
		while (i < a->len && is_space(a->p[i]))
			i++;
		while (j < b->len && is_space(b->p[j]))
			j++;
		if (i == a->len || j == b->len)
			return i == a->len && j == b->len;
		if (a->p[i++] != b->p[j++])
			return false;
	}
}

typedef bool (*same_fn)(const struct line *, const struct line *);

static size_t score_at(
	const struct image *img, const struct line *want, size_t n, size_t at, same_fn same)
{
	size_t score = 0;

	for (size_t i = 0; i < n && at + i < img->n; i++)
		score += same(&want[i], &img->lines[at + i]);
	return score;
}

/* The place where most lines agree, the nearest to start among equals. */
static size_t best_place(const struct image *img, const struct line *want, size_t n, size_t start,
	same_fn same, size_t *ret_score)
{
	size_t reach = n ? MAX_EFFORT / n / 2 : 0;
	size_t best;

	/* A header may name a line that is millions away. */
	start = best = MIN_OF(start, img->n);
	*ret_score = score_at(img, want, n, best, same);
	for (size_t d = 1; d <= reach && (d <= start || start + d < img->n); d++) {
		size_t places[2] = {start + d, start - d};

		for (size_t i = 0; i < 2; i++) {
			size_t score;

			if ((i == 1 && d > start) || places[i] >= img->n)
				continue;
			score = score_at(img, want, n, places[i], same);
			if (score > *ret_score) {
				*ret_score = score;
				best = places[i];
			}
		}
		if (*ret_score == n)
			break;
	}
	return best;
}

static char *show(const struct line *lines, size_t n)
{
	struct strbuf text;

	strbuf_init(&text, SHOWN_BYTES);
	for (size_t i = 0; i < n; i++)
		(void)strbuf_add(&text, lines[i].p, lines[i].len);
	return strbuf_detach(&text, NULL);
}

static char *explain(const struct image *img, const struct sides *s, const struct hunk *h,
	size_t at, size_t score)
{
	size_t start = h->new_start ? h->new_start - 1 : 0;
	size_t place;
	size_t n;

	if (!img->n)
		return xstrdup("the file is empty in the tree");
	place = best_place(img, s->post, s->n_post, start, same_bytes, &n);
	if (s->n_post && n == s->n_post)
		return xasprintf("what the hunk would make stands at line %zu already: the change "
				 "seems to be in the tree",
			place + 1);
	(void)best_place(img, s->pre, s->n_pre, start, same_words, &n);
	if (s->n_pre && n == s->n_pre && score < n)
		return xstrdup("its lines are there but for white space: a mail program changed "
			       "tabs, spaces or line ends; send it again with git send-email");
	if (score == s->n_pre && !h->trailing)
		return xasprintf("its lines stand at line %zu, but the hunk belongs at the end of "
				 "the file, which goes on there",
			at + 1);
	if (score == s->n_pre)
		return xasprintf("its lines stand only at line %zu, where the hunk cannot go: it "
				 "belongs at the start, or an earlier hunk changed them",
			at + 1);
	if (!score)
		return xstrdup("none of the hunk's lines is in the file");
	return xasprintf(
		"at the most similar place, %zu of the hunk's %zu lines agree", score, s->n_pre);
}

void image_explain(const struct image *img, const char *file, const struct hunk *h,
	struct conflict *ret_conflict)
{
	AUTO_SIDES struct sides s;
	size_t start = h->new_start ? h->new_start - 1 : 0;
	size_t score;
	size_t at;
	size_t have;
	size_t differs = 0;

	sides_init(&s, h);
	at = best_place(img, s.pre, s.n_pre, start, same_bytes, &score);
	have = MIN_OF(s.n_pre, img->n - at);
	while (differs < have && same_bytes(&s.pre[differs], &img->lines[at + differs]))
		differs++;
	if (differs == s.n_pre)
		differs = 0;
	*ret_conflict = (struct conflict){.file = xstrdup(file),
		.hunk = h->number,
		.line = (int)(at + differs + 1),
		.expected = show(s.pre, s.n_pre),
		.found = show(img->lines + at, have),
		.why = explain(img, &s, h, at, score)};
}

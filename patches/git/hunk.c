/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/hunk.h"

#include "patches/git/hunk_internal.h"

static size_t count_lines(const char *p, size_t len)
{
	const char *end = p + len;
	size_t n = 0;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		n++;
		p = nl ? nl + 1 : end;
	}
	return n;
}

void image_init(struct image *img, const char *data, size_t len)
{
	const char *end = data + len;

	img->n = 0;
	img->effort = 0;
	img->lines = xcalloc(count_lines(data, len) + 1, sizeof(*img->lines));
	while (data < end) {
		const char *nl = memchr(data, '\n', (size_t)(end - data));
		const char *next = nl ? nl + 1 : end;

		img->lines[img->n++] = (struct line){data, (size_t)(next - data), false};
		data = next;
	}
}

void image_done(struct image *img)
{
	free(img->lines);
	img->lines = NULL;
	img->n = 0;
}

char *image_join(const struct image *img, size_t *ret_len)
{
	size_t len = 0;
	char *data;
	char *p;

	for (size_t i = 0; i < img->n; i++)
		len += img->lines[i].len;
	p = data = xmalloc(len + 1);
	for (size_t i = 0; i < img->n; i++) {
		memcpy(p, img->lines[i].p, img->lines[i].len);
		p += img->lines[i].len;
	}
	*p = '\0';
	*ret_len = len;
	return data;
}

void sides_done(struct sides *s)
{
	free(s->pre);
	free(s->post);
}

/* The line at p without its sign; without its newline where "\ No newline" follows. */
static struct line bare_line(const char *p, size_t len, const char *next, const char *end)
{
	static const char newline[] = "\n";

	if (*p == '\n') /* an empty context line that lost its space */
		return (struct line){newline, next < end && *next == '\\' ? 0 : 1, false};
	if (next < end && *next == '\\' && p[len - 1] == '\n')
		len--;
	return (struct line){p + 1, len - 1, false};
}

void sides_init(struct sides *s, const struct hunk *h)
{
	const char *p = h->text;
	const char *end = p + h->len;
	size_t n = count_lines(p, h->len);

	s->n_pre = s->n_post = 0;
	s->pre = xcalloc(n + 1, sizeof(*s->pre));
	s->post = xcalloc(n + 1, sizeof(*s->post));
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *next = nl ? nl + 1 : end;
		struct line line = bare_line(p, (size_t)(next - p), next, end);

		if (*p == ' ' || *p == '-' || *p == '\n')
			s->pre[s->n_pre++] = line;
		if (*p == ' ' || *p == '+' || *p == '\n')
			s->post[s->n_post++] = line;
		p = next;
	}
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * git compares the bytes of the whole pre-image, and the hash of each line without white space.
 * So a last line without newline may also stand before white space.
 */
static bool last_line_fits(const struct line *want, const struct line *have)
{
	if (have->len < want->len || memcmp(have->p, want->p, want->len) != 0)
		return false;
	for (size_t i = want->len; i < have->len; i++)
		if (!is_space(have->p[i]))
			return false;
	return true;
}

static bool line_equal(const struct line *a, const struct line *b)
{
	return a->len == b->len && memcmp(a->p, b->p, a->len) == 0;
}

static bool matches(struct image *img, const struct sides *s, size_t at, bool at_end)
{
	img->effort++;
	if (at + s->n_pre > img->n || (at_end && at + s->n_pre != img->n))
		return false;
	for (size_t i = 0; i < s->n_pre; i++) {
		const struct line *want = &s->pre[i];
		const struct line *have = &img->lines[at + i];

		if (have->written)
			return false;
		if (line_equal(want, have)) {
			/* As long as a line is, so long it took. */
			img->effort += 1 + want->len / 64;
			continue;
		}
		if (i + 1 < s->n_pre || at_end || !last_line_fits(want, have))
			return false;
	}
	return true;
}

/* Where the hunk fits, the nearest to start; false: nowhere, or the effort is spent. */
static bool find_place(
	struct image *img, const struct sides *s, const struct hunk *h, size_t *ret_at)
{
	bool at_start = h->old_start <= 1;
	bool at_end = !h->trailing;
	size_t start = h->new_start ? h->new_start - 1 : 0;
	size_t back;
	size_t forth;

	if (at_start)
		start = 0;
	else if (at_end)
		start = img->n >= s->n_pre ? img->n - s->n_pre : img->n;
	if (start > img->n)
		start = img->n;
	*ret_at = start;
	if (matches(img, s, start, at_end))
		return true;
	/* Both ends are fixed places: there is no second one to try. */
	if (at_start || at_end)
		return false;
	for (back = forth = start; back > 0 || forth < img->n;) {
		if (img->effort > HUNK_MAX_EFFORT)
			return false;
		if (forth < img->n) {
			*ret_at = ++forth;
			if (matches(img, s, forth, false))
				return true;
		}
		if (back > 0) {
			*ret_at = --back;
			if (matches(img, s, back, false))
				return true;
		}
	}
	return false;
}

static void replace(struct image *img, size_t at, const struct sides *s)
{
	size_t n = img->n - s->n_pre + s->n_post;

	img->effort += (img->n - at) / 8;
	if (n > img->n)
		img->lines = xreallocarray(img->lines, n + 1, sizeof(*img->lines));
	memmove(img->lines + at + s->n_post, img->lines + at + s->n_pre,
		(img->n - at - s->n_pre) * sizeof(*img->lines));
	for (size_t i = 0; i < s->n_post; i++) {
		img->lines[at + i] = s->post[i];
		img->lines[at + i].written = true;
	}
	img->n = n;
}

int image_apply(struct image *img, const struct hunk *h, long *ret_offset)
{
	AUTO_SIDES struct sides s;
	size_t at;

	sides_init(&s, h);
	if (!find_place(img, &s, h, &at))
		return img->effort > HUNK_MAX_EFFORT ? ERR_LIMIT : ERR_CONFLICT;
	*ret_offset = (long)at - (long)(h->new_start ? h->new_start - 1 : 0);
	replace(img, at, &s);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What patch_maker.h does to files. */
#ifndef TESTS_PATCH_EDITS_H
#define TESTS_PATCH_EDITS_H

#include "base/strbuf.h"

struct made_file {
	char *path;
	unsigned mode; /* 0: not there */
	char *data;
	size_t len;
};

struct maker {
	uint64_t state;
	struct made_file *base;
	size_t n_base;
	struct made_file *now; /* of the series being made */
	size_t n;
	size_t names; /* given out so far */
	struct strbuf out; /* for git fast-import */
	size_t touched[16]; /* of now */
	size_t n_touched;
	char **kept; /* every content: states share it */
	size_t n_kept;
};

static inline char *maker_keep(struct maker *m, char *data)
{
	m->kept = xgrow((void *)m->kept, m->n_kept, sizeof(*m->kept));
	m->kept[m->n_kept++] = data;
	return data;
}

static inline uint64_t maker_draw(struct maker *m)
{
	uint64_t z = (m->state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline size_t maker_below(struct maker *m, size_t n)
{
	return (size_t)(maker_draw(m) % n);
}

static inline const char *maker_line(struct maker *m)
{
	static const char *const lines[] = {
		"\tint ret;\n",
		"\n",
		"\tret = check(dev, flags);\n",
		"\tif (ret)\n",
		"\t\treturn ret;\n",
		"\tmutex_lock(&dev->lock);\n",
		"\tmutex_unlock(&dev->lock);\n",
		"\treturn 0;\n",
		"}\n",
		"{\n",
		"\tfor (i = 0; i < n; i++) {\n",
		"\t}\n",
		"\t/* says nothing */\n",
		"\tdev->count++;\n",
		"\tgoto out;\n",
		"out:\n",
		"\tkfree(dev);\n",
		"\t\tbreak;\n",
		"\tcase 7:\n",
		"#define X 1\n",
	};

	return lines[maker_below(m, ARRAY_SIZE(lines))];
}

/* The line that stands somewhere in the file, with its newline if it has one. */
static inline void maker_repeat_line(struct maker *m, const struct made_file *f, struct strbuf *sb)
{
	const char *at = f->data + maker_below(m, f->len);
	const char *nl = memrchr(f->data, '\n', (size_t)(at - f->data));
	const char *start = nl ? nl + 1 : f->data;
	const char *end = memchr(at, '\n', (size_t)(f->data + f->len - at));

	(void)strbuf_add(sb, start, (size_t)((end ? end + 1 : f->data + f->len) - start));
}

/* One line: a common one, one of the file's (or NULL), now and then one that occurs nowhere else,
 * that is not ASCII, or not even UTF-8. */
static inline void maker_add_line(struct maker *m, const struct made_file *f, struct strbuf *sb)
{
	switch (maker_below(m, 12)) {
	case 0:
	case 1:
	case 2:
		(void)strbuf_addf(sb, "\tv%zu = read(dev, %zu);\n", maker_below(m, 50),
			maker_below(m, 100000));
		break;
	case 3:
		if (maker_below(m, 10) == 0)
			(void)strbuf_addf(sb,
				maker_below(m, 2) ? "\t/* Gr\xc3\xb6\xc3\x9f"
						    "e \xe2\x86\x92 %zu */\n"
						  : "\t/* Gr\xf6\xdf"
						    "e %zu */\n",
				maker_below(m, 100));
		else
			(void)strbuf_adds(sb, maker_line(m));
		break;
	case 4:
	case 5:
	case 6:
		if (f && f->len) {
			maker_repeat_line(m, f, sb);
			break;
		}
		/* fall through */
	default:
		(void)strbuf_adds(sb, maker_line(m));
	}
}

static inline void maker_add_crlf(const char *data, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n')
			(void)strbuf_addc(out, '\r');
		(void)strbuf_addc(out, data[i]);
	}
}

static inline char *maker_text(struct maker *m, size_t lines, size_t *ret_len)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	for (size_t i = 0; i < lines; i++) {
		if (i % 12 == 0)
			(void)strbuf_addf(&sb, "static int fn_%zu(struct dev *dev)\n{\n",
				maker_below(m, 200));
		maker_add_line(m, NULL, &sb);
	}
	return maker_keep(m, strbuf_detach(&sb, ret_len));
}

static inline char *maker_binary(struct maker *m, size_t *ret_len)
{
	size_t len = 20 + maker_below(m, 3000);
	char *data = maker_keep(m, xmalloc(len + 1));

	for (size_t i = 0; i < len; i++)
		data[i] = (char)(maker_below(m, 3) ? i : maker_draw(m));
	data[len] = '\0';
	data[5] = '\0';
	*ret_len = len;
	return data;
}

/* Everything as it is in the base. */
static inline void maker_restart(struct maker *m)
{
	m->now = xreallocarray(m->now, m->n_base, sizeof(*m->now));
	memcpy(m->now, m->base, m->n_base * sizeof(*m->now));
	m->n = m->n_base;
}

static inline size_t maker_pick(struct maker *m, unsigned type)
{
	for (;;) {
		size_t at = maker_below(m, m->n);

		if (m->now[at].mode && (m->now[at].mode & 0170000) == type)
			return at;
	}
}

/* A file that is not there yet, in the folder of another. */
static inline size_t maker_slot(struct maker *m)
{
	const char *near = m->now[maker_below(m, m->n)].path;
	const char *slash = strrchr(near, '/');

	/* xgrow() would have to know the room that maker_restart() left. */
	m->now = xreallocarray(m->now, m->n + 1, sizeof(*m->now));
	m->now[m->n] = (struct made_file){
		.path = maker_keep(
			m, xasprintf("%.*sfile-%zu.c", slash ? (int)(slash + 1 - near) : 0, near,
				   m->names++))};
	return m->n++;
}

static inline void maker_touch(struct maker *m, size_t at)
{
	for (size_t i = 0; i < m->n_touched; i++)
		if (m->touched[i] == at)
			return;
	if (m->n_touched == ARRAY_SIZE(m->touched))
		abort();
	m->touched[m->n_touched++] = at;
}

static inline size_t maker_lines(const struct made_file *f)
{
	size_t lines = 0;

	for (size_t i = 0; i < f->len; i++)
		lines += f->data[i] == '\n';
	return lines;
}

/* Where line n begins; the end for one that is not there. */
static inline const char *maker_at(const struct made_file *f, size_t n)
{
	const char *p = f->data;
	const char *end = f->data + f->len;

	while (n-- && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
	}
	return p;
}

/* Old content is kept: other states point to it. */
static inline void maker_become(struct maker *m, size_t at, struct strbuf *sb)
{
	struct made_file *f = &m->now[at];

	f->data = maker_keep(m, strbuf_detach(sb, &f->len));
	maker_touch(m, at);
}

/* A few lines out, a few in; at the start or the end more often than chance would have it. */
static inline void maker_edit(struct maker *m, size_t file)
{
	const struct made_file *f = &m->now[file];
	struct strbuf sb;
	size_t lines = maker_lines(f) + 1;
	size_t drop = maker_below(m, 4);
	size_t add = maker_below(m, 5);
	size_t at = maker_below(m, 8) ? maker_below(m, lines) : maker_below(m, 2) ? 0 : lines;
	const char *from = maker_at(f, at);
	const char *to = maker_at(f, at + drop);

	if (!drop && !add)
		add = 1;
	strbuf_init(&sb, 1 << 24);
	(void)strbuf_add(&sb, f->data, (size_t)(from - f->data));
	for (size_t i = 0; i < add; i++)
		maker_add_line(m, f, &sb);
	(void)strbuf_add(&sb, to, (size_t)(f->data + f->len - to));
	if (maker_below(m, 40) == 0 && sb.len)
		strbuf_truncate(&sb, sb.len - 1);
	maker_become(m, file, &sb);
}

/* A run of lines to elsewhere; or it stays where it was, too. */
static inline void maker_move_block(struct maker *m, size_t file, bool copy)
{
	const struct made_file *f = &m->now[file];
	struct strbuf sb;
	size_t lines = maker_lines(f) + 1;
	size_t first = maker_below(m, lines);
	size_t n = 1 + maker_below(m, 12);
	size_t to = maker_below(m, lines);
	const char *end = f->data + f->len;
	const char *a = maker_at(f, first);
	const char *b = maker_at(f, first + n);
	const char *c = maker_at(f, to);

	if (c > a && c < b)
		c = b;
	strbuf_init(&sb, 1 << 24);
	(void)strbuf_add(&sb, f->data, (size_t)(MIN_OF(a, c) - f->data));
	if (copy || c <= a) {
		const char *rest = copy ? c : b;

		if (copy && a < c)
			(void)strbuf_add(&sb, a, (size_t)(c - a));
		(void)strbuf_add(&sb, a, (size_t)(b - a));
		if (!copy)
			(void)strbuf_add(&sb, c, (size_t)(a - c));
		(void)strbuf_add(&sb, rest, (size_t)(end - rest));
	} else {
		(void)strbuf_add(&sb, b, (size_t)(c - b));
		(void)strbuf_add(&sb, a, (size_t)(b - a));
		(void)strbuf_add(&sb, c, (size_t)(end - c));
	}
	maker_become(m, file, &sb);
}

/* Tabs become spaces, or lines get one more: white space that a lax tool would overlook. */
static inline void maker_reindent(struct maker *m, size_t file)
{
	const struct made_file *f = &m->now[file];
	struct strbuf sb;
	size_t first = maker_below(m, maker_lines(f) + 1);
	const char *from = maker_at(f, first);
	const char *to = maker_at(f, first + 1 + maker_below(m, 8));
	bool spaces = maker_below(m, 2);

	strbuf_init(&sb, 1 << 24);
	(void)strbuf_add(&sb, f->data, (size_t)(from - f->data));
	for (const char *p = from; p < to; p++) {
		if (p == from || p[-1] == '\n')
			(void)strbuf_adds(&sb, spaces ? "        " : "\t");
		if (!(spaces && *p == '\t'))
			(void)strbuf_addc(&sb, *p);
	}
	(void)strbuf_add(&sb, to, (size_t)(f->data + f->len - to));
	maker_become(m, file, &sb);
}

static inline bool maker_is_binary(const struct made_file *f)
{
	return memchr(f->data, '\0', f->len) != NULL;
}

static inline void maker_edit_text(struct maker *m, size_t file)
{
	if (!maker_is_binary(&m->now[file]))
		maker_edit(m, file);
}

/* A new file with another one's content. */
static inline size_t maker_copy(struct maker *m, size_t from)
{
	size_t to = maker_slot(m);

	m->now[to].mode = m->now[from].mode;
	m->now[to].data = m->now[from].data;
	m->now[to].len = m->now[from].len;
	maker_touch(m, to);
	return to;
}

static inline void maker_remove(struct maker *m, size_t file)
{
	m->now[file].mode = 0;
	maker_touch(m, file);
}

/* To another file of its folder, which may be there. */
static inline void maker_link(struct maker *m, struct made_file *f)
{
	f->mode = 0120000;
	f->data = maker_keep(m, xasprintf("file-%zu.c", maker_below(m, 300)));
	f->len = strlen(f->data);
}

static inline void maker_become_link(struct maker *m, size_t file)
{
	maker_link(m, &m->now[file]);
	maker_touch(m, file);
}

/* Two files change places. */
static inline void maker_swap(struct maker *m, size_t a, size_t b)
{
	struct made_file was = m->now[a];

	m->now[a].data = m->now[b].data;
	m->now[a].len = m->now[b].len;
	m->now[b].data = was.data;
	m->now[b].len = was.len;
	maker_touch(m, a);
	maker_touch(m, b);
}

/* A file makes room for a folder of its name, with a file in it. */
static inline void maker_become_folder(struct maker *m, size_t file)
{
	size_t inside = maker_copy(m, file);

	m->now[inside].path =
		maker_keep(m, xasprintf("%s/file-%zu.c", m->now[file].path, m->names++));
	maker_remove(m, file);
	maker_edit_text(m, inside);
}

static inline void maker_new(struct maker *m)
{
	size_t file = maker_slot(m);

	m->now[file].mode = maker_below(m, 4) ? 0100644 : 0100755;
	m->now[file].data = maker_text(m, maker_below(m, 30), &m->now[file].len);
	maker_touch(m, file);
}

/* What concerns files as a whole. */
static inline void maker_change_file(struct maker *m, size_t file, size_t kind)
{
	size_t other;

	switch (kind) {
	case 0: /* rename, with or without an edit */
		other = maker_copy(m, file);
		if (maker_below(m, 2))
			maker_edit_text(m, other);
		maker_remove(m, file);
		break;
	case 1:
		other = maker_copy(m, file);
		maker_edit_text(m, other);
		maker_edit(m, file);
		break;
	case 2:
		maker_remove(m, file);
		break;
	case 3:
		maker_new(m);
		break;
	case 4:
		m->now[file].mode ^= 0111;
		if (maker_below(m, 2))
			maker_edit(m, file);
		maker_touch(m, file);
		break;
	case 5:
		if (maker_below(m, 4) && !maker_is_binary(&m->now[file]))
			break;
		m->now[file].data = maker_binary(m, &m->now[file].len);
		maker_touch(m, file);
		break;
	case 6:
		maker_become_link(m, maker_slot(m));
		break;
	case 7:
		if (maker_below(m, 3))
			break;
		if (maker_below(m, 2))
			maker_become_link(m, file);
		else
			maker_become_folder(m, file);
		break;
	default:
		if (maker_below(m, 4) == 0)
			maker_swap(m, file, maker_pick(m, 0100000));
	}
}

static inline void maker_change(struct maker *m)
{
	size_t file = maker_pick(m, 0100000);
	size_t kind = maker_below(m, 40);

	if (m->n_touched + 3 > ARRAY_SIZE(m->touched))
		return;
	if (kind < 9) {
		maker_change_file(m, file, kind);
	} else if (maker_is_binary(&m->now[file])) {
		return;
	} else if (kind < 13) {
		maker_move_block(m, file, kind < 11);
	} else if (kind == 13) {
		maker_reindent(m, file);
	} else {
		for (size_t i = 0; i <= maker_below(m, 3); i++)
			maker_edit(m, file);
	}
}

#endif

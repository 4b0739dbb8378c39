/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a repository of source-like files and many patches to it, the same for the same seed: for
 * comparing what Patchbay and git make of them. Text repeats itself on purpose, so that hunks fit
 * in more places than one.
 */
#ifndef TESTS_PATCH_MAKER_H
#define TESTS_PATCH_MAKER_H

#include "base/strbuf.h"

#define MAKER_FILES 320
#define MAKER_ROOM (MAKER_FILES + 4000)

struct made_file {
	char path[64];
	unsigned mode; /* 0: not there */
	char *data;
	size_t len;
};

struct maker {
	uint64_t state;
	struct made_file base[MAKER_ROOM];
	struct made_file now[MAKER_ROOM]; /* of the series being made */
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
	m->kept = xreallocarray((void *)m->kept, m->n_kept + 1, sizeof(*m->kept));
	m->kept[m->n_kept++] = data;
	return data;
}

static inline void maker_done(struct maker *m)
{
	for (size_t i = 0; i < m->n_kept; i++)
		free(m->kept[i]);
	free((void *)m->kept);
	strbuf_done(&m->out);
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

/* One line, now and then one that occurs nowhere else, or is not ASCII. */
static inline void maker_add_line(struct maker *m, struct strbuf *sb)
{
	switch (maker_below(m, 12)) {
	case 0:
	case 1:
	case 2:
		(void)strbuf_addf(sb, "\tv%zu = read(dev, %zu);\n", maker_below(m, 50),
			maker_below(m, 100000));
		break;
	case 3:
		if (maker_below(m, 10) == 0) {
			(void)strbuf_addf(sb,
				"\t/* Gr\xc3\xb6\xc3\x9f"
				"e \xe2\x86\x92 %zu */\n",
				maker_below(m, 100));
			break;
		}
		/* fall through */
	default:
		(void)strbuf_adds(sb, maker_line(m));
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
		maker_add_line(m, &sb);
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

static inline void maker_crlf(struct maker *m, struct made_file *f)
{
	struct strbuf sb;

	strbuf_init(&sb, 2 * f->len + 1);
	for (size_t i = 0; i < f->len; i++) {
		if (f->data[i] == '\n')
			(void)strbuf_addc(&sb, '\r');
		(void)strbuf_addc(&sb, f->data[i]);
	}
	f->data = maker_keep(m, strbuf_detach(&sb, &f->len));
}

static inline struct made_file *maker_slot(struct maker *m, struct made_file *files)
{
	static const char *const folders[] = {
		"", "drivers/", "drivers/vfio/", "drivers/iommu/", "mm/", "include/linux/", "a b/"};
	struct made_file *f;

	if (m->n == MAKER_ROOM)
		abort();
	f = &files[m->n++];
	(void)snprintf(f->path, sizeof(f->path), "%sfile-%zu.c",
		folders[maker_below(m, ARRAY_SIZE(folders))], m->names++);
	return f;
}

static inline void maker_base(struct maker *m, uint64_t seed)
{
	*m = (struct maker){.state = seed};
	strbuf_init(&m->out, (size_t)1 << 30);
	for (size_t i = 0; i < MAKER_FILES; i++) {
		struct made_file *f = maker_slot(m, m->base);
		size_t kind = maker_below(m, 40);

		f->mode = kind == 0 ? 0100755 : 0100644;
		if (kind == 1)
			f->data = maker_binary(m, &f->len);
		else
			f->data = maker_text(m, 5 + maker_below(m, 250), &f->len);
		if (kind == 2)
			maker_crlf(m, f);
		if (kind == 3)
			f->len--; /* no newline at its end */
		if (kind == 4) {
			f->mode = 0120000;
			f->len = (size_t)snprintf(
				f->data, f->len, "file-%zu.c", maker_below(m, 300));
		}
		if (kind == 5)
			f->len = 0;
	}
}

static inline void maker_touch(struct maker *m, const struct made_file *f)
{
	size_t at = (size_t)(f - m->now);

	for (size_t i = 0; i < m->n_touched; i++)
		if (m->touched[i] == at)
			return;
	if (m->n_touched < ARRAY_SIZE(m->touched))
		m->touched[m->n_touched++] = at;
}

/* Old content is kept: other states point to it. */
static inline void maker_edit(struct maker *m, struct made_file *f)
{
	struct strbuf sb;
	size_t lines = 1;
	size_t at;
	size_t drop = maker_below(m, 4);
	size_t add = maker_below(m, 5);
	size_t n = 0;
	const char *p = f->data;
	const char *end = f->data + f->len;

	for (size_t i = 0; i < f->len; i++)
		lines += f->data[i] == '\n';
	at = maker_below(m, 8) ? maker_below(m, lines) : maker_below(m, 2) ? 0 : lines;
	if (!drop && !add)
		add = 1;
	strbuf_init(&sb, 1 << 20);
	while (p < end || n == at) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *next = nl ? nl + 1 : end;

		if (n == at)
			for (size_t i = 0; i < add; i++)
				maker_add_line(m, &sb);
		if (n < at || n >= at + drop)
			(void)strbuf_add(&sb, p, (size_t)(next - p));
		n++;
		if (p == end)
			break;
		p = next;
	}
	if (maker_below(m, 40) == 0 && sb.len)
		strbuf_truncate(&sb, sb.len - 1);
	f->data = maker_keep(m, strbuf_detach(&sb, &f->len));
	maker_touch(m, f);
}

static inline struct made_file *maker_pick(struct maker *m, unsigned type)
{
	for (;;) {
		struct made_file *f = &m->now[maker_below(m, m->n)];

		if (f->mode && (f->mode & 0170000) == type)
			return f;
	}
}

/* A new file with another one's content, mostly. */
static inline struct made_file *maker_copy(struct maker *m, const struct made_file *from)
{
	struct made_file *f = maker_slot(m, m->now);

	f->mode = from->mode;
	f->data = from->data;
	f->len = from->len;
	maker_touch(m, f);
	return f;
}

static inline bool maker_is_binary(const struct made_file *f)
{
	return memchr(f->data, '\0', f->len) != NULL;
}

static inline void maker_change(struct maker *m)
{
	struct made_file *f = maker_pick(m, 0100000);
	struct made_file *g;

	switch (maker_below(m, 32)) {
	case 0: /* rename, with or without an edit */
		g = maker_copy(m, f);
		if (maker_below(m, 2) && !maker_is_binary(f))
			maker_edit(m, g);
		f->mode = 0;
		maker_touch(m, f);
		break;
	case 1:
		g = maker_copy(m, f);
		if (!maker_is_binary(f))
			maker_edit(m, g);
		maker_edit(m, f);
		break;
	case 2:
		f->mode = 0;
		maker_touch(m, f);
		break;
	case 3:
		g = maker_slot(m, m->now);
		g->mode = maker_below(m, 4) ? 0100644 : 0100755;
		g->data = maker_text(m, maker_below(m, 30), &g->len);
		maker_touch(m, g);
		break;
	case 4:
		f->mode ^= 0111;
		if (maker_below(m, 2))
			maker_edit(m, f);
		maker_touch(m, f);
		break;
	case 5:
		if (maker_below(m, 4) && !maker_is_binary(f))
			break;
		f->data = maker_binary(m, &f->len);
		maker_touch(m, f);
		break;
	case 6:
		g = maker_slot(m, m->now);
		g->mode = 0120000;
		g->data = maker_keep(m, xasprintf("file-%zu.c", maker_below(m, 300)));
		g->len = strlen(g->data);
		maker_touch(m, g);
		break;
	case 7:
		if (maker_below(m, 3))
			break;
		f->mode = 0120000; /* a file becomes a link */
		f->data = maker_keep(m, xasprintf("file-%zu.c", maker_below(m, 300)));
		f->len = strlen(f->data);
		maker_touch(m, f);
		break;
	default:
		for (size_t i = 0; i <= maker_below(m, 3); i++)
			if (!maker_is_binary(f))
				maker_edit(m, f);
	}
}

static inline void maker_put(struct maker *m, const struct made_file *f)
{
	if (!f->mode) {
		(void)strbuf_addf(&m->out, "D \"%s\"\n", f->path);
		return;
	}
	(void)strbuf_addf(&m->out, "M %o inline \"%s\"\ndata %zu\n", f->mode, f->path, f->len);
	(void)strbuf_add(&m->out, f->data, f->len);
	(void)strbuf_addc(&m->out, '\n');
}

static inline void maker_message(struct maker *m, size_t number, struct strbuf *sb)
{
	static const char *const bodies[] = {
		"",
		"\n\nA body.\n",
		"\n\nTwo\n\n\n\nparagraphs, too far apart.   \n\n\n",
		"\n\nUmlauts: \xc3\xa4\xc3\xb6\xc3\xbc.\n\nSigned-off-by: A <a@example.org>\n",
		"\n\n    indented\n\n[PATCH] no subject\n",
		"\n\nRe: what was said\n\tand tabs\n",
		"\n\nDate: Tue, 1 Mar 2022 10:00:00 +0100\n\nBelow an in-body header\n",
		"\n\n>From the start\nFrom here on\n",
		"\n\n-- \nnot a signature\n",
		"\n\n--\n---- a line\n--- \n",
	};
	static const char *const subjects[] = {
		"mm: change",
		"[tag] vfio: change",
		"Re: iommu:  change",
		"drivers: \xc3\xa4ndern",
		("a subject that is so long that format-patch has to fold it over two lines, or "
		 "three"),
		"net: a [bracket] inside",
		": colon",
	};

	(void)strbuf_addf(sb, "%s %zu%s", subjects[maker_below(m, ARRAY_SIZE(subjects))], number,
		bodies[maker_below(m, ARRAY_SIZE(bodies))]);
}

/* One commit; from 0: an orphan. Its mark is its number. */
static inline void maker_commit(struct maker *m, size_t mark, size_t from)
{
	static const char *const people[] = {"A U Thor <author@example.org>",
		"J\xc3\xb6rg M\xc3\xbcller <jm@example.org>", "O'Hara, Pat <pat@example.org>",
		"\xe6\x9d\x8e <li@example.org>", "x@example.org <x@example.org>",
		"Al \"the\" Gore <al@example.org>",
		"A long name that goes on for more than sixty bytes in all, truly <l@example.org>"};
	static const char *const zones[] = {"+0000", "+0530", "-0800", "+0100"};
	struct strbuf message;

	strbuf_init(&message, 100000);
	maker_message(m, mark, &message);
	(void)strbuf_addf(&m->out,
		"commit refs/patches/%zu\nmark :%zu\nauthor %s %zu %s\n"
		"committer C <c@example.org> 1700000000 +0000\ndata %zu\n%s\n",
		mark, mark, people[maker_below(m, ARRAY_SIZE(people))],
		1600000000 + maker_below(m, 100000000), zones[maker_below(m, ARRAY_SIZE(zones))],
		message.len, message.buf);
	if (from)
		(void)strbuf_addf(&m->out, "from :%zu\n", from);
	strbuf_done(&message);
}

/* The base as commit 1, then `patches` commits in series of a few, each series on the base. */
static inline void maker_run(struct maker *m, uint64_t seed, size_t patches)
{
	size_t from = 1;
	size_t base_n;

	maker_base(m, seed);
	base_n = m->n;
	maker_commit(m, 1, 0);
	for (size_t i = 0; i < m->n; i++)
		maker_put(m, &m->base[i]);
	for (size_t mark = 2; mark < patches + 2; mark++) {
		if (mark == 2 || maker_below(m, 3) == 0) {
			memcpy(m->now, m->base, sizeof(m->now));
			m->n = base_n;
			from = 1;
		}
		m->n_touched = 0;
		while (!m->n_touched)
			for (size_t i = 0; i <= maker_below(m, 3); i++)
				maker_change(m);
		maker_commit(m, mark, from);
		for (size_t t = 0; t < m->n_touched; t++)
			maker_put(m, &m->now[m->touched[t]]);
		from = mark;
	}
}

#endif

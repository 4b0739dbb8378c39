/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a repository and many patches to it, the same for the same seed and files: for comparing
 * what Patchbay and git make of them. The files are source-like ones of its own, whose text repeats
 * itself on purpose so that hunks fit in more places than one, or real ones (patch_files.h).
 */
#ifndef TESTS_PATCH_MAKER_H
#define TESTS_PATCH_MAKER_H

#include "patch_edits.h"

#define MAKER_FILES 320

static inline void maker_init(struct maker *m, uint64_t seed)
{
	*m = (struct maker){.state = seed};
	strbuf_init(&m->out, (size_t)2 << 30);
}

static inline void maker_done(struct maker *m)
{
	for (size_t i = 0; i < m->n_kept; i++)
		free(m->kept[i]);
	free((void *)m->kept);
	free(m->base);
	free(m->now);
	strbuf_done(&m->out);
}

static inline void maker_crlf(struct maker *m, struct made_file *f)
{
	struct strbuf sb;

	strbuf_init(&sb, 2 * f->len + 1);
	maker_add_crlf(f->data, f->len, &sb);
	f->data = maker_keep(m, strbuf_detach(&sb, &f->len));
}

/* A file of the base; path and data become the maker's. */
static inline struct made_file *maker_add_base(
	struct maker *m, char *path, unsigned mode, char *data, size_t len)
{
	m->base = xgrow(m->base, m->n_base, sizeof(*m->base));
	m->base[m->n_base] = (struct made_file){
		maker_keep(m, path), mode, data ? maker_keep(m, data) : NULL, len};
	return &m->base[m->n_base++];
}

/* Source-like files, and one of each odd kind among 40. */
static inline void maker_make_base(struct maker *m)
{
	static const char *const folders[] = {
		"", "drivers/", "drivers/vfio/", "drivers/iommu/", "mm/", "include/linux/", "a b/"};

	for (size_t i = 0; i < MAKER_FILES; i++) {
		size_t kind = maker_below(m, 40);
		struct made_file *f = maker_add_base(m,
			xasprintf("%sfile-%zu.c", folders[maker_below(m, ARRAY_SIZE(folders))],
				m->names++),
			kind == 0 ? 0100755 : 0100644, NULL, 0);

		if (kind == 1)
			f->data = maker_binary(m, &f->len);
		else
			f->data = maker_text(m, 5 + maker_below(m, 250), &f->len);
		if (kind == 2)
			maker_crlf(m, f);
		if (kind == 3)
			f->len--; /* no newline at its end */
		if (kind == 4)
			maker_link(m, f);
		if (kind == 5)
			f->len = 0;
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

/* One commit; from: a commit-ish, "" for an orphan. Its mark is its number. */
static inline void maker_commit(struct maker *m, size_t mark, const char *from)
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
	if (*from)
		(void)strbuf_addf(&m->out, "from %s\n", from);
	strbuf_done(&message);
}

/*
 * For git fast-import: the base as commit 1, unless it is `root` of the repository already; then
 * `patches` commits in series of a few, each series on the base.
 */
static inline void maker_run(struct maker *m, const char *root, size_t patches)
{
	char from[48] = "";

	if (*root) {
		(void)strbuf_addf(&m->out, "reset refs/patches/1\nfrom %s\n\n", root);
	} else {
		maker_commit(m, 1, "");
		for (size_t i = 0; i < m->n_base; i++)
			maker_put(m, &m->base[i]);
	}
	for (size_t mark = 2; mark < patches + 2; mark++) {
		if (mark == 2 || maker_below(m, 3) == 0) {
			maker_restart(m);
			(void)snprintf(from, sizeof(from), "%s", *root ? root : ":1");
		}
		m->n_touched = 0;
		while (!m->n_touched)
			for (size_t i = 0; i <= maker_below(m, 3); i++)
				maker_change(m);
		maker_commit(m, mark, from);
		/* What goes away makes room for what comes. */
		for (int come = 0; come < 2; come++)
			for (size_t t = 0; t < m->n_touched; t++)
				if ((m->now[m->touched[t]].mode != 0) == come)
					maker_put(m, &m->now[m->touched[t]]);
		(void)snprintf(from, sizeof(from), ":%zu", mark);
	}
}

#endif

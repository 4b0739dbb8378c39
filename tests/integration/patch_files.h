/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real files for patch_maker.h: of this machine's packages, or of a repository. */
#ifndef TESTS_PATCH_FILES_H
#define TESTS_PATCH_FILES_H

#include "base/file.h"
#include "patches/git/apply.h"
#include "patches/git/tree.h"
#include "patch_maker.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX_BYTES ((size_t)100 << 10) /* of one; patches to larger ones are no other */

struct found {
	char *path;
	unsigned mode;
	struct oid id; /* in a repository */
};

struct found_list {
	struct found *list;
	size_t n;
};

static inline void found_add(
	struct found_list *l, const char *path, unsigned mode, const struct oid *id)
{
	/* Names that fast-import would want quoted are for the base that is made. */
	if (strpbrk(path, "\"\\\n"))
		return;
	l->list = xgrow(l->list, l->n, sizeof(*l->list));
	l->list[l->n++] = (struct found){xstrdup(path), mode, id ? *id : (struct oid){{0}}};
}

static inline void found_done(struct found_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].path);
	free(l->list);
}

static inline void find_below(struct found_list *l, const char *folder)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		AUTO_FREE char *path = path_join(folder, names[i]->d_name);
		struct stat st;

		if (names[i]->d_name[0] != '.' && lstat(path, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				find_below(l, path);
			else if (S_ISREG(st.st_mode) && (size_t)st.st_size <= FILES_MAX_BYTES)
				found_add(l, path, st.st_mode & 0100 ? 0100755 : 0100644, NULL);
		}
		free(names[i]);
	}
	free((void *)names);
}

/* So many files of a folder, evenly spread over all that are below it. None where it is not. */
static inline void maker_take_folder(struct maker *m, const char *folder, size_t wanted)
{
	struct found_list l = {0};
	struct error e = ERROR_INIT;

	find_below(&l, folder);
	for (size_t i = 0; i < MIN_OF(wanted, l.n); i++) {
		const struct found *f = &l.list[i * l.n / MIN_OF(wanted, l.n)];
		char *data;
		size_t len;

		if (file_read(f->path, FILES_MAX_BYTES, &data, &len, &e) == 0)
			(void)maker_add_base(m, xstrdup(f->path + 1), f->mode, data, len);
	}
	found_done(&l);
}

static inline int note_entry(const char *path, unsigned mode, const struct oid *id, void *data)
{
	if (mode == DIFF_MODE_FILE || mode == DIFF_MODE_EXEC || mode == DIFF_MODE_LINK)
		found_add(data, path, mode, id);
	return 0;
}

/* So many files of a repository's HEAD, drawn from all; *ret_root becomes its commit. */
static inline int maker_take_repository(
	struct maker *m, const char *repository, size_t wanted, char root[OID_HEX], struct error *e)
{
	AUTO_REPO struct repo *repo = NULL;
	struct found_list l = {0};
	struct oid commit;
	struct oid tree;
	int r = repo_open(repository, &repo, e);

	if (!r)
		r = repo_commit(repo, "HEAD", &commit, e);
	if (!r)
		r = repo_tree_of(repo, &commit, &tree, e);
	if (!r)
		r = tree_walk(repo, &tree, note_entry, &l, e);
	for (size_t tries = 0; !r && l.n && m->n_base < wanted && tries < 10 * wanted; tries++) {
		struct found *f = &l.list[maker_below(m, l.n)];
		char *data;
		size_t len;

		if (!f->mode)
			continue;
		r = repo_read_blob(repo, &f->id, &data, &len, e);
		if (!r && len <= FILES_MAX_BYTES)
			(void)maker_add_base(m, xstrdup(f->path), f->mode, data, len);
		else if (!r)
			free(data);
		f->mode = 0; /* once */
	}
	found_done(&l);
	if (!r)
		(void)oid_hex(&commit, root);
	return r;
}

#endif

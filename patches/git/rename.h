/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of the files that went are which of the files that came, by git's rules: first the same
 * content; then the same, unique name and three quarters of the content; then half of the
 * content, the most similar first.
 */
#ifndef GIT_RENAME_H
#define GIT_RENAME_H

#include "patches/git/repo.h"
#include "patches/git/similarity.h"

#define RENAME_NONE SIZE_MAX
/* With more files than this on one side, only those of the same name or folder as a file on the
 * other side are read. */
#define RENAME_MANY 2000

struct rename_file {
	const char *path;
	unsigned mode;
	struct oid id;
	size_t pair; /* its place in the other list; RENAME_NONE */
	struct spans spans; /* own; empty until it was read */
	bool read;
};

/* Fills the pairs. */
int rename_pairs(struct repo *r, struct rename_file *from, size_t n_from, struct rename_file *to,
	size_t n_to, struct error *e);
void rename_files_free(struct rename_file *files, size_t n);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commits as `git am` makes them: author, date and message from the mail. The committer is fixed
 * and its date is the author's, so that the same mail on the same base is the same commit id
 * everywhere.
 */
#ifndef GIT_COMMIT_H
#define GIT_COMMIT_H

#include "patches/git/repo.h"

#define COMMIT_COMMITTER "Patchbay <patchbay@localhost>"

struct commit_info {
	const char *author_name;
	const char *author_email;
	int64_t author_s; /* Unix */
	int author_offset_min;
	const char *subject;
	const char *body;
	size_t body_len;
};

/* ERR_SYNTAX: an author without name or address. */
int commit_write(struct repo *r, const struct commit_info *info, const struct oid *tree,
	const struct oid *parent, struct oid *ret_commit, struct error *e);
/* What a commit says of itself. */
struct commit_says {
	char *subject; /* its first bytes, where it is longer than COMMIT_MAX_SUBJECT */
	char *author_name;
	char *author_email;
};
#define COMMIT_MAX_SUBJECT 500
void commit_says_done(struct commit_says *c);
int commit_read(
	struct repo *r, const struct oid *commit, struct commit_says *ret_says, struct error *e);

/* `git stripspace`: no trailing white space, no blank lines at the ends or two in a row. Heap. */
char *message_strip(const char *text, size_t len, size_t *ret_len);

#endif

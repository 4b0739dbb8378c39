/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A patch's text taken apart, as strictly as `git apply` takes it: git's own headers, plain
 * unified diffs, binary patches; garbage between files is skipped, a corrupt hunk is an error.
 * Names have their first folder (a/, b/) taken off and are checked: nothing that leaves the tree.
 */
#ifndef GIT_DIFF_H
#define GIT_DIFF_H

#include "base/error.h"

#define DIFF_MAX_FILES 20000
#define DIFF_MAX_PATH 4096
#define DIFF_MAX_TOTAL ((size_t)128 << 20) /* all that one patch makes of files */
#define DIFF_MAX_BINARY ((size_t)64 << 20) /* one binary file, unpacked */

#define DIFF_MODE_FILE 0100644u
#define DIFF_MODE_EXEC 0100755u
#define DIFF_MODE_LINK 0120000u
#define DIFF_MODE_TYPE 0170000u

struct hunk {
	size_t old_start, old_count, new_start, new_count; /* of the @@ line */
	const char *text; /* lines with their signs, in the patch */
	size_t len;
	size_t leading, trailing; /* context lines at either end */
	int number; /* in its file, from 1 */
	int at_line; /* of the patch, from 1: where its @@ stands */
};

enum binary_kind { BINARY_NONE, BINARY_LITERAL, BINARY_DELTA, BINARY_MISSING };

enum maybe { MAYBE = -1, NO, YES };

struct diff_file {
	char *old_name; /* NULL: there is none */
	char *new_name;
	unsigned old_mode, new_mode; /* 0: not said */
	enum maybe is_new, is_delete; /* MAYBE: a plain diff does not say */
	bool is_rename, is_copy;
	char old_id[65], new_id[65]; /* of the index line, perhaps abbreviated; "" */
	struct hunk *hunks;
	size_t n_hunks;
	enum binary_kind binary; /* MISSING: "Binary files differ" without the data */
	char *packed; /* deflated literal or delta */
	size_t packed_len;
	size_t unpacked_len;
};

struct diff {
	struct diff_file *files;
	size_t n_files;
};

/* text must outlive the diff. ERR_SYNTAX: corrupt, empty, or a name that leaves the tree. */
int diff_parse(const char *text, size_t len, struct diff **ret_diff, struct error *e);
struct diff *diff_free(struct diff *d);

static inline void diff_freep(struct diff **d)
{
	*d = diff_free(*d);
}
#define AUTO_DIFF CLEANUP(diff_freep)

/* The name to show for a file. */
const char *diff_file_name(const struct diff_file *f);
/* ERR_SYNTAX where a path is absolute, has an empty, "." or ".." part or one that is .git under
 * any spelling a file system may know. */
int path_check(const char *path, struct error *e);
/* .gitmodules under any such spelling: git reads it, and takes no symbolic link for it. */
bool path_is_gitmodules(const char *path);
/* Whether a symbolic link at path leads out of the tree, or may: nothing but leading ".." goes up. */
bool link_escapes(const char *path, const char *target, size_t len);

#endif

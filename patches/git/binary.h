/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary patches: unpacking, and git's delta format (gitformat-pack(5), "Deltified representation"). */
#ifndef GIT_BINARY_H
#define GIT_BINARY_H

#include "patches/git/diff.h"

/* The new content of a binary file from its old one, heap. ERR_SYNTAX: it does not unpack. */
int binary_apply(const struct diff_file *f, const char *old, size_t old_len, char **ret_data,
	size_t *ret_len, struct error *e);

#endif

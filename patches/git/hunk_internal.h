/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two sides of a hunk; shared by applying and explaining. */
#ifndef GIT_HUNK_INTERNAL_H
#define GIT_HUNK_INTERNAL_H

#include "patches/git/hunk.h"

struct sides {
	struct line *pre;
	struct line *post;
	size_t n_pre;
	size_t n_post;
};

void sides_init(struct sides *s, const struct hunk *h);
void sides_done(struct sides *s);
#define AUTO_SIDES CLEANUP(sides_done)

#endif

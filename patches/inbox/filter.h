/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of an archive's series a lab wants, and whose run without being asked about. */
#ifndef INBOX_FILTER_H
#define INBOX_FILTER_H

#include "patches/inbox/mails.h"

struct words {
	const char *const *words;
	size_t n;
};

struct inbox_filter {
	struct words paths; /* "drivers/vfio": files and folders; none: any */
	struct words lists; /* "kvm.vger.kernel.org" or "kvm@vger.kernel.org"; none: any */
	struct words allow; /* "a@example.org", "@example.org"; none: nobody */
	struct words trust; /* authserv-ids */
};

/* Does the mail name one of the lists in List-Id, To or Cc? */
bool filter_has_list(const struct words *lists, const char *mail, size_t len);
/* Does a patch of it touch one of the paths? A diff that cannot be read touches none. */
bool filter_has_path(const struct words *paths, const struct series *s);

/*
 * May it run without approval: every mail with a patch, and the cover letter, is from an allowed
 * sender and authentic. *ret_why (heap) says why not, one sentence; NULL where it may.
 */
bool filter_may_run(const struct inbox_filter *f, const struct mails *m, const struct series *s,
	char **ret_why);

#endif

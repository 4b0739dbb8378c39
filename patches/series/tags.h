/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a subject says in its brackets: "[RFC PATCH net-next v3 2/7]", "[net,v2,1/2]", "[Patch 2/2]:". */
#ifndef SERIES_TAGS_H
#define SERIES_TAGS_H

#include "base/util.h"

#define TAGS_MAX_TOTAL 2000

struct tags {
	bool reply; /* Re:, Fwd: and their translations */
	bool patch; /* PATCH, RFC, a version or a number is there */
	bool rfc;
	bool resend;
	bool pull; /* GIT PULL */
	int version; /* 0: not said */
	int minor; /* of v2.1 */
	bool numbered;
	int n; /* of n/total */
	int total;
};

void tags_parse(const char *subject, struct tags *ret_tags);

#endif

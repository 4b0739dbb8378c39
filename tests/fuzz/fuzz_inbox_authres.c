/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Authentication-Results: whatever a mail says, without a trusted name in it nobody is authentic. */
#include "patches/inbox/authres.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const trusted[] = {"mx.example.net"};
	AUTO_FREE char *mail = xstrndup((const char *)data, size);
	AUTO_FREE char *why = NULL;
	size_t len = strlen(mail);
	bool good = authres_is_authentic(mail, len, "dev@example.org", trusted, 1, &why);

	assert(why);
	assert(!good || strcasestr(mail, "mx.example.net"));
	return 0;
}

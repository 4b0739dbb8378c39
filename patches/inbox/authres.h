/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What trusted servers found out about a mail's origin: Authentication-Results (RFC 8601).
 *
 * Anybody can write such a header. One counts only where its authserv-id is trusted, and a server
 * is worth that trust only if it takes forged headers of its own name off what comes in (section 5
 * of the RFC). Servers put theirs on top, so the topmost statement about a method decides.
 */
#ifndef INBOX_AUTHRES_H
#define INBOX_AUTHRES_H

#include "base/util.h"

/*
 * Is the mail from the domain of email, which readers take for the sender's address? That holds
 * where DMARC passed for it, or, where no trusted server speaks of DMARC, where a DKIM signature of
 * that domain, or of one above it, was verified; and only where the mail has one From address.
 * *ret_why (heap) says what was found, as a sentence without its subject: "has dmarc=pass for
 * example.org from mx.example.net".
 */
bool authres_is_authentic(const char *mail, size_t len, const char *email,
	const char *const *trusted, size_t n_trusted, char **ret_why);

#endif

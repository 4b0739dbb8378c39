/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of threads on a public-inbox server: ARCHIVE/MESSAGE-ID/t.mbox.gz. */
#ifndef INBOX_LORE_H
#define INBOX_LORE_H

#include "base/error.h"

/* Heap. */
char *lore_thread(const char *archive, const char *message_id);
/*
 * The thread of the mail that an address shows (ARCHIVE/MESSAGE-ID/ and whatever follows), heap, and
 * the mail's id. ERR_SYNTAX: no mail is named in it.
 */
int lore_thread_of(const char *url, char **ret_address, char **ret_message_id, struct error *e);

#endif

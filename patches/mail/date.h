/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dates as mail and git write them. */
#ifndef MAIL_DATE_H
#define MAIL_DATE_H

#include "base/error.h"

/*
 * "Mon, 30 Nov 2026 15:57:08 +0000 (UTC)", "2026-11-30T15:57:08Z", "2026-11-30 15:57 +0100",
 * "Mon Nov 30 15:57:08 2026 +0100", "@1796054228 +0000". Without a zone it is UTC. Returns 0 with
 * Unix seconds and the offset in minutes, or ERR_SYNTAX.
 */
int date_parse(const char *s, int64_t *ret_unix_s, int *ret_offset_min);

#endif

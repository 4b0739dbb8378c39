/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the mails of a series say about where it goes: base-commit: and its relatives. */
#ifndef SERIES_TRAILERS_H
#define SERIES_TRAILERS_H

#include "patches/series/series.h"

#define TRAILERS_MAX 1000 /* prerequisites of one series */

/* Reads one message into the series; what an earlier message said stays. */
void trailers_read(struct series *s, const struct message *m);

#endif

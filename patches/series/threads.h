/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which messages answer which: by In-Reply-To and References, across messages that are not here.
 * Cost is n log n in the number of ids.
 */
#ifndef SERIES_THREADS_H
#define SERIES_THREADS_H

#include "patches/mail/message.h"

#define THREADS_NONE SIZE_MAX

struct threads;

/* The messages stay the caller's and must outlive it. */
struct threads *threads_new(struct message *const *messages, size_t n);
struct threads *threads_free(struct threads *t);

static inline void threads_freep(struct threads **t)
{
	*t = threads_free(*t);
}
#define AUTO_THREADS CLEANUP(threads_freep)

/* The same number for all messages of one thread. */
size_t threads_root(struct threads *t, size_t message);
/* The message with that id that came first; THREADS_NONE where it is not here. */
size_t threads_find(const struct threads *t, const char *message_id);

#endif

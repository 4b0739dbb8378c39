/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An epoll loop: descriptors, monotonic timers, signals. One thread owns it. Callbacks may add
 * and remove any source, their own too. There is no idle wake-up: it sleeps until something
 * is due.
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include "base/error.h"
#include <sys/epoll.h>

struct loop;
struct loop_source;

typedef void (*loop_io_fn)(struct loop *loop, int fd, uint32_t events, void *data);
typedef void (*loop_timer_fn)(struct loop *loop, void *data);
typedef void (*loop_signal_fn)(struct loop *loop, int signal, void *data);

int loop_new(struct loop **ret_loop, struct error *e);
struct loop *loop_free(struct loop *loop);

/* events: EPOLLIN, EPOLLOUT. The descriptor stays the caller's. */
int loop_add_io(struct loop *loop, int fd, uint32_t events, loop_io_fn fn, void *data,
	struct loop_source **ret_source, struct error *e);
int loop_set_io(struct loop_source *source, uint32_t events, struct error *e);
/* Fires once at the monotonic deadline; the source stays until removed, and can be set again. */
struct loop_source *loop_add_timer(
	struct loop *loop, int64_t deadline_ms, loop_timer_fn fn, void *data);
/* deadline_ms < 0 disarms. */
void loop_set_timer(struct loop_source *source, int64_t deadline_ms);
/* Blocks the signal for the process and delivers it through signalfd. */
int loop_add_signal(struct loop *loop, int signal, loop_signal_fn fn, void *data,
	struct loop_source **ret_source, struct error *e);
/* NULL is fine. */
void loop_remove(struct loop_source *source);

/* Until loop_stop(). */
int loop_run(struct loop *loop, struct error *e);
void loop_stop(struct loop *loop);

#endif

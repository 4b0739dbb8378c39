/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/loop.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/signalfd.h>

#define BATCH 64

enum source_kind { SOURCE_IO, SOURCE_TIMER, SOURCE_SIGNAL };

struct loop_source {
	struct loop *loop;
	struct loop_source *next; /* all of the loop's, or its dead ones */
	struct loop_source **link;
	enum source_kind kind;
	bool dead; /* removed; freed when no callback can hold it any more */
	void *data;
	union {
		struct {
			int fd;
			loop_io_fn fn;
		} io;
		struct {
			int64_t deadline_ms; /* -1: not armed */
			size_t place; /* in the heap, while armed */
			loop_timer_fn fn;
		} timer;
		struct {
			int number;
			uint64_t delivery; /* the last one it was told of */
			loop_signal_fn fn;
		} signal;
	};
};

struct loop {
	int epoll;
	int signal_fd;
	sigset_t signals;
	struct loop_source *sources;
	struct loop_source *dead;
	struct loop_source **heap; /* armed timers, the earliest first */
	size_t n_timers;
	size_t heap_alloc;
	uint64_t deliveries;
	bool stopped;
};

int loop_new(struct loop **ret_loop, struct error *e)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	l->signal_fd = -1;
	sigemptyset(&l->signals);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0) {
		free(l);
		return error_errno(e, "cannot make an epoll descriptor");
	}
	*ret_loop = l;
	return 0;
}

static void free_dead(struct loop *l)
{
	while (l->dead) {
		struct loop_source *s = l->dead;

		l->dead = s->next;
		free(s);
	}
}

struct loop *loop_free(struct loop *l)
{
	if (!l)
		return NULL;
	while (l->sources)
		loop_remove(l->sources);
	free_dead(l);
	closep(&l->signal_fd);
	closep(&l->epoll);
	free(l->heap);
	free(l);
	return NULL;
}

static struct loop_source *source_new(struct loop *l, enum source_kind kind, void *data)
{
	struct loop_source *s = xcalloc(1, sizeof(*s));

	s->loop = l;
	s->kind = kind;
	s->data = data;
	s->next = l->sources;
	s->link = &l->sources;
	if (s->next)
		s->next->link = &s->next;
	l->sources = s;
	return s;
}

int loop_add_io(struct loop *l, int fd, uint32_t events, loop_io_fn fn, void *data,
	struct loop_source **ret_source, struct error *e)
{
	struct loop_source *s = source_new(l, SOURCE_IO, data);
	struct epoll_event ev = {.events = events, .data.ptr = s};

	s->io.fd = fd;
	s->io.fn = fn;
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev)) {
		int r = error_errno(e, "cannot watch descriptor %d", fd);

		loop_remove(s);
		return r;
	}
	if (ret_source)
		*ret_source = s;
	return 0;
}

int loop_set_io(struct loop_source *s, uint32_t events, struct error *e)
{
	struct epoll_event ev = {.events = events, .data.ptr = s};

	if (epoll_ctl(s->loop->epoll, EPOLL_CTL_MOD, s->io.fd, &ev))
		return error_errno(e, "cannot watch descriptor %d", s->io.fd);
	return 0;
}

/* A binary heap; each timer knows its place in it. */
static void heap_put(struct loop *l, size_t place, struct loop_source *s)
{
	l->heap[place] = s;
	s->timer.place = place;
}

static void heap_sift(struct loop *l, size_t place, struct loop_source *s)
{
	int64_t key = s->timer.deadline_ms;

	while (place && l->heap[(place - 1) / 2]->timer.deadline_ms > key) {
		heap_put(l, place, l->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * place + 1;

		if (child + 1 < l->n_timers &&
			l->heap[child + 1]->timer.deadline_ms < l->heap[child]->timer.deadline_ms)
			child++;
		if (child >= l->n_timers || l->heap[child]->timer.deadline_ms >= key)
			break;
		heap_put(l, place, l->heap[child]);
		place = child;
	}
	heap_put(l, place, s);
}

static void disarm(struct loop_source *s)
{
	struct loop *l = s->loop;
	struct loop_source *last;

	if (s->timer.deadline_ms < 0)
		return;
	s->timer.deadline_ms = -1;
	last = l->heap[--l->n_timers];
	if (last != s)
		heap_sift(l, s->timer.place, last);
}

struct loop_source *loop_add_timer(
	struct loop *l, int64_t deadline_ms, loop_timer_fn fn, void *data)
{
	struct loop_source *s = source_new(l, SOURCE_TIMER, data);

	s->timer.deadline_ms = -1;
	s->timer.fn = fn;
	loop_set_timer(s, deadline_ms);
	return s;
}

void loop_set_timer(struct loop_source *s, int64_t deadline_ms)
{
	struct loop *l = s->loop;

	disarm(s);
	if (deadline_ms < 0)
		return;
	if (l->n_timers == l->heap_alloc) {
		l->heap_alloc = l->heap_alloc ? 2 * l->heap_alloc : 16;
		l->heap = xreallocarray(l->heap, l->heap_alloc, sizeof(struct loop_source *));
	}
	s->timer.deadline_ms = deadline_ms;
	heap_sift(l, l->n_timers++, s);
}

static int watch_signals(struct loop *l, struct error *e)
{
	/* data.ptr NULL stands for the signal descriptor. */
	struct epoll_event ev = {.events = EPOLLIN};
	int fd = signalfd(l->signal_fd, &l->signals, SFD_CLOEXEC | SFD_NONBLOCK);

	if (fd < 0)
		return error_errno(e, "cannot make a signal descriptor");
	if (l->signal_fd < 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev)) {
		int r = error_errno(e, "cannot watch the signal descriptor");

		close(fd);
		return r;
	}
	l->signal_fd = fd;
	return 0;
}

int loop_add_signal(struct loop *l, int number, loop_signal_fn fn, void *data,
	struct loop_source **ret_source, struct error *e)
{
	struct loop_source *s;
	int r;

	sigaddset(&l->signals, number);
	if (sigprocmask(SIG_BLOCK, &l->signals, NULL))
		return error_errno(e, "cannot block signal %d", number);
	r = watch_signals(l, e);
	if (r)
		return r;
	s = source_new(l, SOURCE_SIGNAL, data);
	s->signal.number = number;
	s->signal.fn = fn;
	if (ret_source)
		*ret_source = s;
	return 0;
}

void loop_remove(struct loop_source *s)
{
	struct loop *l;

	if (!s || s->dead)
		return;
	l = s->loop;
	/* Fails where the descriptor was closed or never watched: then it is gone already. */
	if (s->kind == SOURCE_IO)
		(void)epoll_ctl(l->epoll, EPOLL_CTL_DEL, s->io.fd, NULL);
	else if (s->kind == SOURCE_TIMER)
		disarm(s);
	s->dead = true;
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	s->next = l->dead;
	l->dead = s;
}

static void deliver_signals(struct loop *l)
{
	struct signalfd_siginfo info;

	while (read(l->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		struct loop_source *s = l->sources;

		l->deliveries++;
		while (s) {
			if (s->kind != SOURCE_SIGNAL || s->signal.number != (int)info.ssi_signo ||
				s->signal.delivery == l->deliveries) {
				s = s->next;
				continue;
			}
			s->signal.delivery = l->deliveries;
			s->signal.fn(l, s->signal.number, s->data);
			/* It may have removed any source: only the start of the list is sure. */
			s = l->sources;
		}
	}
}

static void fire_timers(struct loop *l)
{
	int64_t now = clock_mono_ms();

	while (l->n_timers && l->heap[0]->timer.deadline_ms <= now) {
		struct loop_source *s = l->heap[0];

		disarm(s);
		s->timer.fn(l, s->data);
	}
}

int loop_run(struct loop *l, struct error *e)
{
	struct epoll_event events[BATCH];

	l->stopped = false;
	while (!l->stopped) {
		int64_t due = l->n_timers ? l->heap[0]->timer.deadline_ms : -1;
		int n = epoll_wait(l->epoll, events, BATCH, clock_poll_ms(due));

		if (n < 0 && errno != EINTR)
			return error_errno(e, "cannot wait for events");
		for (int i = 0; i < n && !l->stopped; i++) {
			struct loop_source *s = events[i].data.ptr;

			if (!s)
				deliver_signals(l);
			else if (!s->dead)
				s->io.fn(l, s->io.fd, events[i].events, s->data);
		}
		if (!l->stopped)
			fire_timers(l);
		free_dead(l);
	}
	return 0;
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}

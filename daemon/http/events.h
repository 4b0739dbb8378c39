/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GET /events: what changes in the lab, as it changes. The newest events are kept in a ring, and
 * each stream reads on from the place where it stands. Who falls out of the ring, or comes back
 * with a Last-Event-ID that is not in it any more, gets one `reset` and has to load anew.
 */
#ifndef HTTP_EVENTS_H
#define HTTP_EVENTS_H

#include "daemon/http/request.h"

#define EVENTS_KEPT 512
#define EVENTS_PROGRESS_MS 250 /* progress of one job is told at most that often */

struct events;

struct events *events_new(struct http *http);
struct events *events_free(struct events *ev);
/* A change_fn; data is the struct http. */
void events_on_change(const struct change *change, void *data);
/* GET /events[?series=N or comparison=N] */
void events_open(struct request *r);

#endif

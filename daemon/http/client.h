/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connected clients and how long they may take. MHD's own timeout starts anew with every byte, so
 * somebody who sends one a minute would never be cut off; here the whole head of a request, and
 * its whole body, have a deadline. The socket of who misses it is shut for reading, and MHD ends
 * the request as one that broke off.
 */
#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

#include "base/loop.h"

#define CLIENT_HEAD_MS (90 * 1000) /* of a request, from the end of the one before */
#define CLIENT_BODY_MS (10 * 60 * 1000)

struct client {
	struct clients *clients;
	struct client *prev, *next;
	int fd;
	int64_t deadline_ms; /* monotonic; 0: nothing has to come */
};

struct clients {
	struct client *first;
	struct loop_source *timer;
	int64_t next_ms; /* when the timer fires; 0: not set */
	int64_t head_ms, body_ms;
};

void clients_init(struct clients *clients, struct loop *loop);
void clients_done(struct clients *clients);
/* Its head is awaited. */
struct client *client_new(struct clients *clients, int fd);
struct client *client_free(struct client *client);
/* Something has to come within so many ms; 0: nothing has to. */
void client_expect(struct client *client, int64_t within_ms);

#endif

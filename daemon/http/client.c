/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/client.h"
#include "base/clock.h"
#include <sys/socket.h>

static void arm(struct clients *clients, int64_t deadline_ms)
{
	if (clients->next_ms != 0 && clients->next_ms <= deadline_ms)
		return;
	clients->next_ms = deadline_ms;
	loop_set_timer(clients->timer, deadline_ms);
}

static void on_timer(struct loop *loop, void *data)
{
	struct clients *clients = data;
	int64_t now = clock_mono_ms();

	clients->next_ms = 0;
	for (struct client *c = clients->first; c; c = c->next) {
		if (c->deadline_ms == 0)
			continue;
		if (now < c->deadline_ms) {
			arm(clients, c->deadline_ms);
			continue;
		}
		c->deadline_ms = 0;
		(void)shutdown(c->fd, SHUT_RD);
	}
}

void clients_init(struct clients *clients, struct loop *loop)
{
	clients->head_ms = CLIENT_HEAD_MS;
	clients->body_ms = CLIENT_BODY_MS;
	clients->timer = loop_add_timer(loop, -1, on_timer, clients);
}

void clients_done(struct clients *clients)
{
	loop_remove(clients->timer);
}

struct client *client_new(struct clients *clients, int fd)
{
	struct client *c = xcalloc(1, sizeof(*c));

	c->clients = clients;
	c->fd = fd;
	c->next = clients->first;
	if (c->next)
		c->next->prev = c;
	clients->first = c;
	client_expect(c, clients->head_ms);
	return c;
}

struct client *client_free(struct client *c)
{
	if (!c)
		return NULL;
	if (c->prev)
		c->prev->next = c->next;
	else
		c->clients->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	free(c);
	return NULL;
}

void client_expect(struct client *c, int64_t within_ms)
{
	c->deadline_ms = within_ms ? clock_mono_ms() + within_ms : 0;
	if (within_ms)
		arm(c->clients, c->deadline_ms);
}

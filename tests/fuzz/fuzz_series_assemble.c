/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mailbox to series: whatever comes, no message is lost and no number is used twice. */
#include "patches/series/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_series(const struct series *s, size_t *placed)
{
	int last = 0;

	*placed += s->n_replies + (s->cover && !s->partial);
	for (size_t i = 0; i < s->n_patches; i++) {
		*placed += !s->patches[i].carried;
		if (s->patches[i].carried && !s->partial)
			abort();
		if (s->patches[i].n <= last || s->patches[i].n > s->total)
			abort();
		last = s->patches[i].n;
	}
	if (s->complete && s->n_patches != (size_t)s->total)
		abort();
	if (!s->complete && !s->held)
		abort();
	for (size_t i = 0; i < s->n_trailers; i++)
		if (s->trailers[i].patch > s->total ||
			(s->trailers[i].refused && !s->trailers[i].reply))
			abort();
}

/* Every patch of both versions is told of once. */
static void check_changes(const struct series *s)
{
	AUTO_SERIES_CHANGES struct series_changes c = {0};
	size_t new = 0;
	size_t old = 0;

	if (s->previous->version > s->version)
		abort();
	series_compare(s->previous, s, &c);
	for (size_t i = 0; i < c.n; i++) {
		new += c.items[i].n > 0;
		old += c.items[i].was > 0;
		if (!c.items[i].text ||
			(c.items[i].kind == CHANGE_NONE) !=
				(!c.items[i].interdiff && c.items[i].n && c.items[i].was))
			abort();
	}
	if (new != s->n_patches || old != s->previous->n_patches)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct series_set set;
	const struct series *only;
	struct error e = ERROR_INIT;
	size_t placed = 0;

	series_set_init(&set);
	if (series_set_read(&set, (const char *)data, size, &e) == 0) {
		for (size_t i = 0; i < set.n_series; i++)
			check_series(&set.series[i], &placed);
		for (size_t i = 0; i < set.n_series; i++)
			if (set.series[i].previous)
				check_changes(&set.series[i]);
		if (placed + set.n_ignored < set.n_messages)
			abort();
		if (series_set_only(&set, &only, &e) == 0 && (!only->complete || only->held))
			abort();
	}
	series_set_done(&set);
	return 0;
}

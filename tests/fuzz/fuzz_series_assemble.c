/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mailbox to series: whatever comes, no message is lost and no number is used twice. */
#include "patches/series/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_series(const struct series *s, size_t *placed)
{
	int last = 0;

	*placed += s->n_patches + s->n_replies + (s->cover != NULL);
	for (size_t i = 0; i < s->n_patches; i++) {
		if (s->patches[i].n <= last || s->patches[i].n > s->total)
			abort();
		last = s->patches[i].n;
	}
	if (s->complete && s->n_patches != (size_t)s->total)
		abort();
	if (!s->complete && !s->held)
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
		if (placed + set.n_ignored < set.n_messages)
			abort();
		if (series_set_only(&set, &only, &e) == 0 && (!only->complete || only->held))
			abort();
	}
	series_set_done(&set);
	return 0;
}

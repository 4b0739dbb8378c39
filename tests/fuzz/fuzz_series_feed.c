/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mails one by one through a small window: no patch is given out twice, nothing is left over. */
#include "patches/series/feed.h"

#include "patches/mail/mbox.h"

#define MAILS 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	size_t added;
	bool given[MAILS];
};

static void check_event(const struct feed_event *event, struct seen *seen)
{
	for (size_t i = 0; i < event->n_origins; i++)
		if (event->origins[i] < 0 || (size_t)event->origins[i] >= seen->added)
			abort();
	if (event->kind == FEED_IGNORED) {
		if (!event->why || event->series || event->n_origins != 1)
			abort();
		return;
	}
	if (event->series->complete != (event->kind == FEED_SERIES))
		abort();
	if (event->kind == FEED_SERIES && !event->series->partial && event->series->n_patches) {
		/* The first patch stands behind the cover letter. */
		int64_t first = event->origins[event->series->cover != NULL];

		if (seen->given[first])
			abort();
		seen->given[first] = true;
	}
}

static void take(struct series_feed *f, struct seen *seen)
{
	struct feed_event event;

	while (series_feed_next(f, &event))
		check_event(&event, seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_SERIES_FEED struct series_feed *f = series_feed_new(8, 0);
	AUTO_STRBUF struct strbuf text;
	struct seen seen = {0};
	const int64_t *waiting;
	struct mbox mbox;
	struct error e = ERROR_INIT;

	strbuf_init(&text, 1 << 20);
	if (mbox_init(&mbox, (const char *)data, size, 1 << 20, MAILS, &e))
		return 0;
	while (mbox_next(&mbox, &text, &e) > 0) {
		series_feed_add(f, (int64_t)seen.added, (int64_t)seen.added, text.buf, text.len);
		seen.added++;
		if (seen.added % 3)
			take(f, &seen);
		if (seen.added % 5 == 0)
			series_feed_settle(f, (int64_t)seen.added - 2);
		if (seen.added % 7 == 0)
			series_feed_forget(f, "2@x");
	}
	series_feed_settle(f, INT64_MAX);
	take(f, &seen);
	if (series_feed_waiting(f, &waiting) > 8)
		abort();
	return 0;
}

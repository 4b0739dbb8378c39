/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assemble FOLDER N: feeds the mails FOLDER/1 ... FOLDER/N to patches/series as an archive would,
 * and prints "MAILS SERIES SECONDS MAX_RSS_KIB" (processor time).
 */
#include "base/file.h"
#include "patches/series/feed.h"

#include <sys/resource.h>

#define MAIL_MAX ((size_t)1 << 20)

static size_t take(struct series_feed *f)
{
	struct feed_event event;
	size_t series = 0;

	while (series_feed_next(f, &event))
		series += event.kind == FEED_SERIES;
	return series;
}

static int feed(const char *folder, int n)
{
	AUTO_SERIES_FEED struct series_feed *f = series_feed_new(0, 0);
	struct error e = ERROR_INIT;
	struct rusage usage;
	size_t series = 0;

	for (int i = 1; i <= n; i++) {
		AUTO_FREE char *path = xasprintf("%s/%d", folder, i);
		AUTO_FREE char *data = NULL;
		size_t len;

		if (file_read(path, MAIL_MAX, &data, &len, &e)) {
			(void)fprintf(stderr, "%s\n", e.msg);
			return 1;
		}
		series_feed_add(f, i, i, data, len);
		series += take(f);
		if (i % 1000 == 0) {
			series_feed_settle(f, i - 100);
			series += take(f);
		}
	}
	series_feed_settle(f, INT64_MAX);
	series += take(f);
	if (getrusage(RUSAGE_SELF, &usage))
		return 1;
	(void)printf("%d %zu %.3f %ld\n", n, series,
		(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
		usage.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	int64_t n;

	if (argc != 3 || parse_int64(argv[2], 1, 1000000, &n)) {
		(void)fputs("usage: assemble FOLDER N\n", stderr);
		return 2;
	}
	return feed(argv[1], (int)n);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assemble FOLDER N: the mails FOLDER/1 ... FOLDER/N, taken in by visits as those of an archive are
 * (daemon/worker/inbox.c), and put together to series. Prints "MAILS SERIES SECONDS MAX_RSS_KIB"
 * (processor time).
 */
#include "base/file.h"
#include "patches/inbox/mails.h"

#include <sys/resource.h>

#define MAIL_MAX ((size_t)1 << 20)
#define VISIT_MAILS 2000

/* Mails first to last; returns how many series they make, or a negative error. */
static int visit(const char *folder, int first, int last, struct error *e)
{
	AUTO_MAILS struct mails mails;

	mails_init(&mails);
	for (int i = first; i <= last; i++) {
		AUTO_FREE char *path = xasprintf("%s/%d", folder, i);
		AUTO_FREE char *data = NULL;
		size_t len;
		int r = file_read(path, MAIL_MAX, &data, &len, e);

		if (r)
			return r;
		mails_add(&mails, data, len, 0);
	}
	mails_assemble(&mails);
	return (int)mails.set.n_series;
}

static int measure(const char *folder, int n)
{
	struct error e = ERROR_INIT;
	struct rusage usage;
	int series = 0;

	for (int first = 1; first <= n; first += VISIT_MAILS) {
		int r = visit(folder, first, MIN_OF(first + VISIT_MAILS - 1, n), &e);

		if (r < 0) {
			(void)fprintf(stderr, "%s\n", e.msg);
			return 1;
		}
		series += r;
	}
	if (getrusage(RUSAGE_SELF, &usage))
		return 1;
	(void)printf("%d %d %.3f %ld\n", n, series,
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
	return measure(argv[1], (int)n);
}

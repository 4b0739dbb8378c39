/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a console: it must not matter in which pieces they come. */
#include "scan/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static struct scan_console *scan(const uint8_t *data, size_t size, size_t piece)
{
	struct scan_console *c = scan_console_new();

	for (size_t at = 0; at < size; at += piece)
		scan_console_feed(c, (const char *)data + at, MIN_OF(piece, size - at));
	scan_console_end(c);
	return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan_console *whole = scan(data, size, size + 1);
	struct scan_console *pieces = scan(data, size, size % 7 + 1);
	const struct scan_findings *a = scan_console_findings(whole);
	const struct scan_findings *b = scan_console_findings(pieces);

	check(a->n == b->n && a->n <= SCAN_MAX_REPORTS);
	check(scan_console_life(whole) == scan_console_life(pieces));
	check(scan_console_stage(whole) == scan_console_stage(pieces));
	check(strcmp(scan_console_last_line(whole), scan_console_last_line(pieces)) == 0);
	for (size_t i = 0; i < a->n; i++) {
		check(a->items[i].message && *a->items[i].signature);
		check(strcmp(a->items[i].signature, b->items[i].signature) == 0);
		check(!a->items[i].excerpt || strlen(a->items[i].excerpt) <= SCAN_MAX_EXCERPT);
	}
	scan_console_free(whole);
	scan_console_free(pieces);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a result channel: records are whole, what was wrong once stays wrong, and it does
 * not matter in which pieces the bytes come. */
#include "scan/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void take(const struct scan_record *r, void *data)
{
	int64_t *last = data;

	check(r->seq == ++*last);
	check(r->type != SCAN_SAMPLE || (r->metric && r->value - r->value == 0));
	check(r->type != SCAN_HELLO || r->boot_id);
	check(r->type != SCAN_PROBLEM || (r->kind && r->message));
}

static int scan(
	const uint8_t *data, size_t size, size_t piece, int64_t *ret_records, struct error *e)
{
	struct scan_results *r = scan_results_new(take, ret_records);
	int fed = 0, ended;

	*ret_records = 0;
	for (size_t at = 0; at < size; at += piece) {
		int rc = scan_results_feed(r, (const char *)data + at, MIN_OF(piece, size - at), e);

		check(fed == 0 || rc == fed);
		fed = rc;
	}
	ended = scan_results_end(r, e);
	check(fed == 0 || ended == fed);
	check(scan_results_complete(r) == (ended == 0));
	scan_results_free(r);
	return ended;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error a = ERROR_INIT, b = ERROR_INIT;
	int64_t n, m;

	check(scan(data, size, size + 1, &n, &a) == scan(data, size, size % 7 + 1, &m, &b));
	check(n == m && strcmp(a.msg, b.msg) == 0);
	return 0;
}

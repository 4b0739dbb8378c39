/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a result channel: records are whole, what was wrong once stays wrong, and it does
 * not matter in which pieces the bytes come. No fuzzer guesses a checksum, so the same bytes are
 * also tried as the data of lines that are otherwise good.
 */
#include "base/sha256.h"
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

static void scan_both_ways(const uint8_t *data, size_t size)
{
	struct error a = ERROR_INIT, b = ERROR_INIT;
	int64_t n, m;

	check(scan(data, size, size + 1, &n, &a) == scan(data, size, size % 7 + 1, &m, &b));
	check(n == m && strcmp(a.msg, b.msg) == 0);
}

/* Each line of the input as the data of a result line. */
static void wrap(const uint8_t *data, size_t size, struct strbuf *out)
{
	for (int64_t seq = 1; size; seq++) {
		const uint8_t *newline = memchr(data, '\n', size);
		size_t n = newline ? (size_t)(newline - data) : size;

		(void)strbuf_addf(out, "{\"seq\":%lld,\"crc\":\"%08x\",\"data\":", (long long)seq,
			crc32_add(0, data, n));
		(void)strbuf_add(out, data, n);
		(void)strbuf_adds(out, "}\n");
		n += newline ? 1 : 0;
		data += n;
		size -= n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_STRBUF struct strbuf wrapped;

	strbuf_init(&wrapped, 4 * size + 65536);
	scan_both_ways(data, size);
	wrap(data, size, &wrapped);
	scan_both_ways((const uint8_t *)wrapped.buf, wrapped.len);
	return 0;
}

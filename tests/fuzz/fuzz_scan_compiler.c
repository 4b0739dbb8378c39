/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as compiler output: findings are whole and bounded, and a second look adds none. */
#include "scan/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FINDINGS struct scan_findings f = {0};
	size_t n;

	scan_compiler((const char *)data, size, &f);
	check(f.n <= SCAN_MAX_FINDINGS);
	for (size_t i = 0; i < f.n; i++) {
		const struct scan_finding *k = &f.items[i];

		check(k->kind && k->message && k->signature && *k->signature);
		check(k->line >= 0 && k->column >= 0);
		check(!k->excerpt || strlen(k->excerpt) <= SCAN_MAX_CONTEXT);
		check(!strchr(k->signature, '\n'));
	}
	n = f.n;
	scan_compiler((const char *)data, size, &f);
	check(f.n == n);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a test program prints, whole and byte by byte: the same must come out. */
#include "scan/ktap.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_KTAP struct ktap_scan *whole = ktap_new();
	AUTO_KTAP struct ktap_scan *pieces = ktap_new();
	const struct ktap_results *a, *b;

	ktap_feed(whole, (const char *)data, size);
	for (size_t i = 0; i < size; i++)
		ktap_feed(pieces, (const char *)data + i, 1);
	a = ktap_end(whole);
	b = ktap_end(pieces);
	if (a->n_cases != b->n_cases || a->n_metrics != b->n_metrics || a->planned != b->planned ||
		a->n_cases > KTAP_MAX_CASES || a->n_metrics > KTAP_MAX_METRICS)
		abort();
	for (size_t i = 0; i < a->n_cases; i++)
		if (strcmp(a->cases[i].name, b->cases[i].name) != 0 ||
			strlen(a->cases[i].name) > KTAP_MAX_NAME)
			abort();
	for (size_t i = 0; i < a->n_metrics; i++)
		for (size_t j = 0; j < a->metrics[i].n; j++)
			if (!isfinite(a->metrics[i].values[j]))
				abort();
	return 0;
}

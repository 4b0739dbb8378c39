/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of comparisons: at most 100 columns wide. */
#include "daemon/report/internal.h"

#include <math.h>

/* "0.0541 ±1.5%": the median, and the deviation as a part of it. */
static void format_summary(const cJSON *s, char *buf, size_t size)
{
	double median = json_num(s, "median", NAN), stddev = json_num(s, "stddev", NAN);

	if (isfinite(stddev) && median != 0)
		(void)snprintf(buf, size, "%.4g \u00b1%.1f%%", median, 100 * fabs(stddev / median));
	else
		(void)snprintf(buf, size, "%.6g", median);
}

/* Columns are counted in characters, printf counts bytes: "±" is two. */
static int width(const char *s, int columns)
{
	int extra = 0;

	for (; *s; s++)
		extra += ((unsigned char)*s & 0xc0) == 0x80 ? 1 : 0;
	return columns + extra;
}

static void format_change(const cJSON *c, char *buf, size_t size)
{
	const cJSON *interval = json_get(c, "interval");
	double change = json_num(c, "change", NAN);

	if (!isfinite(change))
		(void)snprintf(buf, size, "-");
	else if (!interval)
		(void)snprintf(buf, size, "%+.1f%%", 100 * change);
	else
		(void)snprintf(buf, size, "%+.1f%% [%+.1f, %+.1f]", 100 * change,
			100 * cJSON_GetArrayItem(interval, 0)->valuedouble,
			100 * cJSON_GetArrayItem(interval, 1)->valuedouble);
}

/* "dma-map" of "dma-map.hugetlbfs.unmap_seconds": it stands above the rows of its metrics. */
static size_t benchmark_length(const char *metric)
{
	size_t n = strcspn(metric, ".");

	return metric[n] ? n : 0;
}

static const char *short_name(const cJSON *comparison)
{
	const char *metric = json_str(comparison, "metric", "?");
	size_t n = benchmark_length(metric);

	return n ? metric + n + 1 : metric;
}

static int widest_name(const cJSON *comparisons)
{
	int widest = (int)strlen("metric");
	const cJSON *c;

	json_for_each (c, comparisons)
		widest = MAX_OF(widest, (int)strlen(short_name(c)));
	return MIN_OF(widest, 44);
}

static void text_row(const cJSON *c, int name_width, struct strbuf *out)
{
	char base[64], patched[64], change[96];

	format_summary(json_get(c, "base"), base, sizeof(base));
	format_summary(json_get(c, "patched"), patched, sizeof(patched));
	format_change(c, change, sizeof(change));
	(void)strbuf_addf(out, "%s %-*s  %*s  %*s  %24s  %s\n",
		json_bool(c, "primary", false) ? "*" : " ", name_width, short_name(c),
		width(base, 13), base, width(patched, 13), patched, change,
		json_str(c, "verdict", "?"));
}

static bool same_group(const cJSON *a, const cJSON *b)
{
	const char *x = json_str(a, "metric", ""), *y = json_str(b, "metric", "");
	size_t n = benchmark_length(x);

	return n == benchmark_length(y) && strncmp(x, y, n) == 0 &&
	       streq(json_str(a, "machine", ""), json_str(b, "machine", "")) &&
	       streq(json_str(a, "clock", ""), json_str(b, "clock", ""));
}

void text_comparisons(const cJSON *report, struct strbuf *out)
{
	const cJSON *comparisons = json_get(report, "comparisons");
	int name_width = widest_name(comparisons);
	const cJSON *c, *before = NULL;

	json_for_each (c, comparisons) {
		const char *metric = json_str(c, "metric", "");

		if (!before)
			(void)strbuf_adds(out,
				"\nMeasured (* decides; median and deviation over fresh "
				"boots; change with its interval in %)\n");
		if (!before || !same_group(before, c))
			(void)strbuf_addf(out,
				"\n  %.*s, %s clock, %lld pairs on %s\n  %-*s  %13s  %13s  %24s\n",
				(int)benchmark_length(metric), metric, json_str(c, "clock", "?"),
				(long long)json_int(json_get(c, "base"), "n", 0),
				json_str(c, "machine", "?"), name_width, "metric", "base",
				"patched", "change");
		text_row(c, name_width, out);
		before = c;
	}
}

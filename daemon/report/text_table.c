/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparisons: what one machine measured of one part of a benchmark stands together, and under
 * each metric what either clock says of it. At most 100 columns wide.
 */
#include "daemon/report/internal.h"

#include <math.h>

#define VALUE_COLUMNS 16 /* "999.99 ms ±99.9%" */
#define RATE_COLUMNS 5
#define SIDE_COLUMNS (VALUE_COLUMNS + 2 + RATE_COLUMNS)
#define CHANGE_COLUMNS 22 /* "+99.9% [+99.9, +99.9]" */

static void text_side(const cJSON *c, const char *side, struct strbuf *out)
{
	const cJSON *s = json_get(c, side);
	double median = json_num(s, "median", NAN), stddev = json_num(s, "stddev", NAN);
	double largest = fmax(fabs(json_num(json_get(c, "base"), "median", NAN)),
		fabs(json_num(json_get(c, "patched"), "median", NAN)));
	char value[64], rate[32], cell[128];

	format_value(json_str(c, "metric", ""), median, largest, value, sizeof(value));
	format_rate(c, median, rate, sizeof(rate));
	if (isfinite(stddev) && median != 0)
		(void)snprintf(
			cell, sizeof(cell), "%s ±%.1f%%", value, 100 * fabs(stddev / median));
	else
		(void)snprintf(cell, sizeof(cell), "%s", value);
	if (*rate)
		(void)strbuf_addf(
			out, "  %*s  %*s", text_pad(cell, VALUE_COLUMNS), cell, RATE_COLUMNS, rate);
	else
		(void)strbuf_addf(out, "  %*s", text_pad(cell, SIDE_COLUMNS), cell);
}

static void text_row(const struct measured *m, struct strbuf *out)
{
	char change[128];

	(void)strbuf_addf(out, "    %-7s", m->clock);
	text_side(m->json, "base", out);
	text_side(m->json, "patched", out);
	format_change(m->json, change, sizeof(change));
	(void)strbuf_addf(out, "  %-*s  %s\n", CHANGE_COLUMNS, change, m->verdict);
}

/* What both clocks say of one thing, in their order. */
static void text_metric(struct measured_list *list, size_t first, struct strbuf *out)
{
	const struct measured *m = &list->items[first];
	const char *said = NULL;
	bool primary = false;

	for (size_t i = first; i < list->n; i++)
		primary = primary || (list->items[i].primary && same_thing(&list->items[i], m));
	(void)strbuf_addf(out, "  %c %s\n", primary ? '*' : ' ',
		m->metric + m->benchmark + (m->benchmark ? 1 : 0));
	for (size_t i = first; i < list->n; i++) {
		if (!same_thing(&list->items[i], m))
			continue;
		list->items[i].done = true;
		text_row(&list->items[i], out);
		if (i != first)
			said = clocks_disagree(m, &list->items[i]);
	}
	if (said)
		(void)strbuf_addf(out, "    (%s)\n", said);
}

/* "wall clock, 5 pairs, 1024 MiB" of each clock that has measured this. */
static void text_clocks(
	const struct measured_list *list, const struct measured *first, struct strbuf *out)
{
	static const char *const clocks[] = {"wall", "counted"};
	const char *before = ": ";

	for (size_t k = 0; k < ARRAY_SIZE(clocks); k++) {
		for (size_t i = 0; i < list->n; i++) {
			const struct measured *m = &list->items[i];
			int64_t mib = json_int(json_get(m->json, "params"), "size_mib", 0);

			if (!streq(m->clock, clocks[k]) || !same_benchmark(m, first))
				continue;
			(void)strbuf_addf(out, "%s%s, %lld %s", before,
				k ? "instructions counted" : "wall clock",
				(long long)json_int(json_get(m->json, "base"), "n", 0),
				k ? "layouts" : "pairs");
			if (mib > 0)
				(void)strbuf_addf(out, ", %lld MiB", (long long)mib);
			before = "; ";
			break;
		}
	}
}

static bool has_rates(const struct measured_list *list, const struct measured *first)
{
	for (size_t i = 0; i < list->n; i++) {
		const cJSON *c = list->items[i].json;
		char rate[32];

		if (!same_benchmark(&list->items[i], first))
			continue;
		format_rate(c, json_num(json_get(c, "base"), "median", NAN), rate, sizeof(rate));
		if (*rate)
			return true;
	}
	return false;
}

static void text_heading(const cJSON *report, const struct measured_list *list,
	const struct measured *m, struct strbuf *out)
{
	AUTO_FREE char *machine = machine_words(m->machine, stream_accel(report, m->json));
	AUTO_STRBUF struct strbuf line;

	strbuf_init(&line, 4096);
	(void)strbuf_addf(&line, "%.*s%s%s on %s", (int)m->benchmark, m->metric,
		*m->part ? ", part " : "", m->part, machine);
	text_clocks(list, m, &line);
	(void)strbuf_addc(out, '\n');
	text_wrapped(out, "  ", "    ", line.buf);
	if (has_rates(list, m))
		(void)strbuf_addf(out, "%13s%*s  %*s  %*s  %*s  change\n", "", VALUE_COLUMNS,
			"base", RATE_COLUMNS, "GB/s", VALUE_COLUMNS, "patched", RATE_COLUMNS,
			"GB/s");
	else
		(void)strbuf_addf(out, "%13s%*s  %*s  change\n", "", SIDE_COLUMNS, "base",
			SIDE_COLUMNS, "patched");
}

void text_comparisons(const cJSON *report, struct strbuf *out)
{
	AUTO_MEASURED struct measured_list list = measured_all(report);
	size_t shown = 0;

	if (!list.n)
		return;
	(void)strbuf_adds(out,
		"\nMeasured: medians of fresh boots and their deviation; the change with its "
		"interval, in %.\n* marks what decides. GB/s is 2^30 bytes a second.\n");
	for (size_t i = 0; i < list.n && shown < MAX_METRICS; i++) {
		if (list.items[i].done)
			continue;
		text_heading(report, &list, &list.items[i], out);
		for (size_t k = i; k < list.n && shown < MAX_METRICS; k++) {
			if (list.items[k].done || !same_benchmark(&list.items[k], &list.items[i]))
				continue;
			text_metric(&list, k, out);
			shown++;
		}
	}
	if (shown == MAX_METRICS)
		(void)strbuf_adds(out, "\n  There are more: --format json has them all.\n");
}

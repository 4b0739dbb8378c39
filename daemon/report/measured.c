/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/internal.h"

static size_t benchmark_length(const char *metric)
{
	size_t n = strcspn(metric, ".");

	return metric[n] ? n : 0;
}

static size_t stem_length(const char *metric)
{
	static const char *const units[] = {"_seconds", "_instructions"};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (ends_with(metric, units[i]))
			return strlen(metric) - strlen(units[i]);
	return strlen(metric);
}

struct measured_list measured_all(const cJSON *report)
{
	const cJSON *comparisons = json_get(report, "comparisons"), *c;
	struct measured_list list = {
		xcalloc((size_t)cJSON_GetArraySize(comparisons) + 1, sizeof(*list.items)), 0};

	json_for_each (c, comparisons) {
		const char *metric = json_str(c, "metric", "?");

		list.items[list.n++] = (struct measured){.json = c,
			.metric = metric,
			.machine = json_str(c, "machine", "?"),
			.clock = json_str(c, "clock", "?"),
			.part = json_str(c, "part", ""),
			.verdict = json_str(c, "verdict", "?"),
			.benchmark = benchmark_length(metric),
			.stem = stem_length(metric),
			.primary = json_bool(c, "primary", false)};
	}
	return list;
}

bool same_benchmark(const struct measured *a, const struct measured *b)
{
	return a->benchmark == b->benchmark && strncmp(a->metric, b->metric, a->benchmark) == 0 &&
	       streq(a->part, b->part) && streq(a->machine, b->machine);
}

bool same_thing(const struct measured *a, const struct measured *b)
{
	return a->stem == b->stem && strncmp(a->metric, b->metric, a->stem) == 0 &&
	       same_benchmark(a, b);
}

const struct measured *measured_twin(const struct measured_list *list, const struct measured *m)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct measured *other = &list->items[i];

		if (same_thing(other, m) && !streq(other->clock, m->clock))
			return other;
	}
	return NULL;
}

bool is_changed(const struct measured *m)
{
	return streq(m->verdict, "improvement") || streq(m->verdict, "regression");
}

const char *clocks_disagree(const struct measured *a, const struct measured *b)
{
	const struct measured *changed = is_changed(a) ? a : b, *other = changed == a ? b : a;
	bool wall = streq(changed->clock, "wall");

	if (!is_changed(changed) || streq(a->verdict, b->verdict))
		return NULL;
	if (is_changed(other))
		return "the two clocks contradict each other";
	if (streq(other->verdict, "inconclusive"))
		return wall ? "the wall clock sees a change, the counted one cannot tell"
			    : "the counted clock sees a change, the wall clock cannot tell";
	return wall ? "the wall clock alone sees a change"
		    : "the counted clock alone sees a change";
}

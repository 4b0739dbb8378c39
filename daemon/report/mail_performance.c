/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was measured, as the 0-day robot lays it out: what changed by how much on which commit, the
 * test case, the machine, the parameters, and for each clock a table of the means of both commits
 * with their deviation where it is above 2 %.
 */
#include "daemon/report/internal.h"

#include <math.h>

#define RULE "============================================================================"
#define SHOWN_DEVIATION 2 /* percent */
#define MAX_CHANGES 40 /* lines of those that changed, or that nothing can be said of */

const cJSON *mail_headline(const cJSON *report)
{
	const char *performance = json_str(report, "performance", "none");
	const char *wanted = streq(performance, "improvement") ? "improvement" : "regression";
	const cJSON *c, *best = NULL;

	json_for_each (c, json_get(report, "comparisons")) {
		if (!json_bool(c, "primary", false) || !streq(json_str(c, "verdict", ""), wanted))
			continue;
		if (!best || fabs(json_num(c, "change", 0)) > fabs(json_num(best, "change", 0)))
			best = c;
	}
	return best;
}

static void opening(const cJSON *report, const cJSON *headline, struct strbuf *out)
{
	double change = json_num(headline, "change", NAN);
	char percent[48] = "";

	if (isfinite(change))
		format_percent(fabs(change), percent, sizeof(percent));
	if (headline)
		(void)strbuf_addf(out, "\nPatchbay noticed a %s%s%s of %s on:\n",
			*percent ? percent + 1 : "", *percent ? " " : "",
			json_str(headline, "verdict", "?"), json_str(headline, "metric", "?"));
	else if (streq(json_str(report, "performance", ""), "inconclusive"))
		(void)strbuf_adds(out, "\nPatchbay could not tell whether anything that decides "
				       "changed on:\n");
	else
		(void)strbuf_adds(
			out, "\nPatchbay noticed no change of anything that decides on:\n");
}

/* Of the last patch, or of the other one of two commits. */
static const cJSON *tip_build(const cJSON *report)
{
	const cJSON *build, *tip = NULL;

	json_for_each (build, json_get(report, "builds"))
		if (!tip || json_int(build, "patch", 0) > json_int(tip, "patch", 0))
			tip = build;
	return tip;
}

/* ` ("subject")` of the last patch, or nothing. */
static void add_subject(const cJSON *report, struct strbuf *out)
{
	const char *subject = revision_subject(report, json_int(tip_build(report), "patch", 0));

	if (subject)
		(void)strbuf_addf(out, " (\"%s\")", subject);
}

static void commits(const cJSON *report, struct strbuf *out)
{
	const cJSON *base = json_get(report, "base");

	(void)strbuf_addf(out, "\ncommit:  %s", json_str(tip_build(report), "commit", "?"));
	add_subject(report, out);
	(void)strbuf_addf(out, "\nagainst: %s (%s%s)\n",
		json_str(build_of(report, 0), "commit", "?"), json_str(base, "tree", "?"),
		cJSON_GetArraySize(json_get(base, "needs")) ? " with what the series needs" : "");
}

static bool same_table(const struct measured *a, const struct measured *b)
{
	return streq(a->clock, b->clock) && same_benchmark(a, b);
}

/* Of the parameters of m, one that is said once for its whole table. */
static bool is_common(
	const struct measured_list *list, const struct measured *m, const cJSON *param)
{
	if (!cJSON_IsNumber(param) && !cJSON_IsString(param) && !cJSON_IsBool(param))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		const cJSON *params = json_get(list->items[i].json, "params");

		if (same_table(&list->items[i], m) &&
			!cJSON_Compare(param, json_get(params, param->string), true))
			return false;
	}
	return true;
}

static void add_param(const cJSON *param, struct strbuf *out)
{
	if (cJSON_IsString(param))
		(void)strbuf_adds(out, param->valuestring);
	else if (cJSON_IsNumber(param))
		(void)strbuf_addf(out, "%.10g", param->valuedouble);
	else
		(void)strbuf_adds(out, cJSON_IsTrue(param) ? "yes" : "no");
}

static void test_machine(const cJSON *report, const struct measured *c, struct strbuf *out)
{
	AUTO_FREE char *machine = machine_words(c->machine, stream_accel(report, c->json));
	const cJSON *m;

	(void)strbuf_addf(out, "test machine: %s", machine);
	json_for_each (m, json_get(json_get(report, "environment"), "machines")) {
		if (!streq(json_str(m, "name", ""), c->machine))
			continue;
		if (json_int(m, "cpus", 0))
			(void)strbuf_addf(out, ", %lld CPUs", (long long)json_int(m, "cpus", 0));
		if (json_int(m, "memory_mib", 0))
			(void)strbuf_addf(
				out, ", %lld MiB", (long long)json_int(m, "memory_mib", 0));
		if (json_str(m, "cpu_model", NULL))
			(void)strbuf_addf(out, ", %s", json_str(m, "cpu_model", ""));
	}
	(void)strbuf_addc(out, '\n');
}

static void test_case(const cJSON *report, const struct measured_list *list,
	const struct measured *m, struct strbuf *out)
{
	const cJSON *param;

	(void)strbuf_addf(out, "\ntestcase: %.*s\n", (int)m->benchmark, m->metric);
	test_machine(report, m, out);
	(void)strbuf_adds(out, "parameters:\n\n");
	if (*m->part)
		(void)strbuf_addf(out, "\tpart: %s\n", m->part);
	(void)strbuf_addf(out, "\tclock: %s\n", m->clock);
	json_for_each (param, json_get(m->json, "params")) {
		if (!is_common(list, m, param))
			continue;
		(void)strbuf_addf(out, "\t%s: ", param->string);
		add_param(param, out);
		(void)strbuf_addc(out, '\n');
	}
}

/* All that changed, with the interval, the clock, and whether the other clock bears it out. */
static void changes(const struct measured_list *list, struct strbuf *out)
{
	int shown = 0;

	for (size_t i = 0; i < list->n && shown < MAX_CHANGES; i++) {
		const struct measured *m = &list->items[i];
		const struct measured *twin = is_changed(m) ? measured_twin(list, m) : NULL;
		const char *said = twin ? clocks_disagree(m, twin) : NULL;
		AUTO_FREE char *stream = NULL;
		char change[128];

		if (!is_changed(m))
			continue;
		if (!shown++)
			(void)strbuf_adds(out, "\nAll that changed, with its interval in %:\n\n");
		stream = stream_words(m->json);
		format_change(m->json, change, sizeof(change));
		(void)strbuf_addf(out, "  %-23s %s of %s\n  %23s (%s%s%s)\n", change, m->verdict,
			m->metric, "", said ? said : stream,
			said || !twin ? "" : "; both clocks agree",
			m->primary ? "" : "; does not decide");
	}
}

/* "gcc (Debian 12.2.0-14) 12.2.0" as "gcc-12.2.0". */
static void add_compiler(const cJSON *report, struct strbuf *out)
{
	const char *compiler = json_str(build_of(report, 0), "compiler", "?");
	const char *last = strrchr(compiler, ' ');

	(void)strbuf_add(out, compiler, strcspn(compiler, " "));
	if (last)
		(void)strbuf_addf(out, "-%s", last + 1);
}

/* What both columns have in common: names with slashes between, then their values alike. */
static void axis(const cJSON *report, const struct measured_list *list, const struct measured *m,
	struct strbuf *out)
{
	const char *accel = stream_accel(report, m->json);
	const cJSON *params = json_get(m->json, "params"), *param;
	AUTO_STRBUF struct strbuf values;

	strbuf_init(&values, 4096);
	(void)strbuf_adds(out, "\n" RULE "\ncompiler/kconfig/tbox_group/accel/clock");
	if (*m->part)
		(void)strbuf_adds(out, "/part");
	json_for_each (param, params) {
		if (!cJSON_IsNumber(param) || ends_with(param->string, "_coverage") ||
			!is_common(list, m, param))
			continue;
		(void)strbuf_addf(out, "/%s", param->string);
		(void)strbuf_addc(&values, '/');
		add_param(param, &values);
	}
	(void)strbuf_adds(out, "/testcase:\n  ");
	add_compiler(report, out);
	(void)strbuf_addf(out, "/%s/%s/%s/%s%s%s%s/%.*s\n", json_str(report, "profile", "?"),
		m->machine, accel ? accel : "?", m->clock, *m->part ? "/" : "", m->part, values.buf,
		(int)m->benchmark, m->metric);
}

static void heading(const cJSON *report, struct strbuf *out)
{
	const char *base = json_str(build_of(report, 0), "commit", "?");
	const char *tip = json_str(tip_build(report), "commit", "?");

	(void)strbuf_addf(out, "\ncommit:\n  %.10s (%s)\n  %.10s", base,
		json_str(json_get(report, "base"), "tree", "?"), tip);
	add_subject(report, out);
	(void)strbuf_addf(out,
		"\n\n%-16.16s %-27.27s\n"
		"---------------- ---------------------------\n"
		"         %%stddev     %%change         %%stddev\n"
		"             \\          |                \\\n",
		base, tip);
}

/* The mean in ten columns, and six for its deviation. */
static void add_mean(const cJSON *summary, struct strbuf *out)
{
	double mean = json_num(summary, "mean", NAN), stddev = json_num(summary, "stddev", NAN);
	double percent = 100 * stddev / fabs(mean);

	if (isfinite(mean))
		(void)strbuf_addf(out, "%10.4g", mean);
	else
		(void)strbuf_addf(out, "%10s", "-");
	if (isfinite(percent) && percent > SHOWN_DEVIATION)
		(void)strbuf_addf(out, " ±%3.0f%%", percent);
	else
		(void)strbuf_adds(out, "      ");
}

static void row(const struct measured *m, struct strbuf *out)
{
	char change[48];

	format_percent(json_num(m->json, "change", NAN), change, sizeof(change));
	add_mean(json_get(m->json, "base"), out);
	(void)strbuf_addf(out, "%12s", change);
	add_mean(json_get(m->json, "patched"), out);
	(void)strbuf_addf(out, "  %s\n", m->metric);
}

static void tables(const cJSON *report, struct measured_list *list, struct strbuf *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < list->n && shown < MAX_METRICS; i++) {
		if (list->items[i].done)
			continue;
		axis(report, list, &list->items[i], out);
		heading(report, out);
		for (size_t k = i; k < list->n && shown < MAX_METRICS; k++) {
			if (list->items[k].done || !same_table(&list->items[k], &list->items[i]))
				continue;
			list->items[k].done = true;
			row(&list->items[k], out);
			shown++;
		}
	}
	if (shown == MAX_METRICS)
		(void)strbuf_adds(out, "\nThere are more, in the JSON.\n");
}

static void undecided(const struct measured_list *list, struct strbuf *out)
{
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < list->n; i++)
		n += streq(list->items[i].verdict, "inconclusive");
	if (n == list->n && n > 1) {
		(void)strbuf_adds(
			out, "\nNothing can be said of any of them: they vary too much.\n");
		return;
	}
	for (size_t i = 0; i < list->n && shown < MAX_CHANGES; i++) {
		const struct measured *m = &list->items[i];

		if (!streq(m->verdict, "inconclusive"))
			continue;
		if (!shown++)
			(void)strbuf_adds(
				out, "\nNothing can be said, for they vary too much, of:\n\n");
		(void)strbuf_addf(out, "  %s (%s)\n", m->metric, m->clock);
	}
}

void mail_performance(const cJSON *report, struct strbuf *out)
{
	AUTO_MEASURED struct measured_list list = measured_all(report);
	const cJSON *headline = mail_headline(report);
	size_t first = 0;

	if (!list.n)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (list.items[i].json == headline)
			first = i;
	opening(report, headline, out);
	commits(report, out);
	test_case(report, &list, &list.items[first], out);
	changes(&list, out);
	(void)strbuf_adds(out,
		"\nDetails, a table for each clock: means over fresh boots, and their\n"
		"standard deviation where it is above 2%.\n");
	tables(report, &list, out);
	undecided(&list, out);
}

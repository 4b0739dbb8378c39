/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/internal.h"

#define SUBJECT_COLUMNS 67

static void text_series(const cJSON *r, struct strbuf *out)
{
	const cJSON *series = json_get(r, "series");
	int64_t patches = json_int(series, "patches", 0);

	(void)strbuf_addf(out, "Series %lld: %s\n", (long long)json_int(series, "id", 0),
		json_str(series, "title", "(not read yet)"));
	(void)strbuf_addf(out, "v%lld, %lld patch%s, profile %s\n\n",
		(long long)json_int(series, "version", 1), (long long)patches,
		patches == 1 ? "" : "es", json_str(r, "profile", "?"));
}

static void text_comparison(const cJSON *r, struct strbuf *out)
{
	const cJSON *comparison = json_get(r, "comparison");
	const cJSON *patched = json_get(comparison, "patched");
	AUTO_FREE char *first =
		xasprintf("Comparison %lld: ", (long long)json_int(comparison, "id", 0));

	text_wrapped(out, first, "  ", json_str(comparison, "title", "?"));
	(void)strbuf_addf(out, "%s against %s of tree %s, profile %s\n\n",
		json_str(patched, "asked", "?"), json_str(json_get(r, "base"), "asked", "?"),
		json_str(json_get(r, "base"), "tree", "?"), json_str(r, "profile", "?"));
}

static void text_head(const cJSON *r, struct strbuf *out)
{
	const char *verdict = json_str(r, "verdict", NULL);
	const cJSON *reason;

	if (json_get(r, "comparison"))
		text_comparison(r, out);
	else
		text_series(r, out);
	(void)strbuf_addf(out, "Verdict: %s", verdict ? verdict : json_str(r, "state", "?"));
	if (!streq(json_str(r, "performance", "none"), "none"))
		(void)strbuf_addf(out, ", performance: %s", json_str(r, "performance", "none"));
	(void)strbuf_addc(out, '\n');
	json_for_each (reason, json_get(r, "reasons"))
		if (cJSON_IsString(reason))
			text_wrapped(out, "  - ", "    ", reason->valuestring);
}

static void text_base(const cJSON *r, struct strbuf *out)
{
	const cJSON *base = json_get(r, "base");
	const cJSON *need;
	const char *because;

	if (!json_str(base, "commit", NULL) || json_get(r, "comparison"))
		return;
	(void)strbuf_addf(out, "\nBase: %s %.12s (chosen by: %s)\n", json_str(base, "tree", "?"),
		json_str(base, "commit", ""), json_str(base, "chosen_by", "?"));
	if (json_str(base, "why", NULL))
		text_wrapped(out, "  ", "  ", json_str(base, "why", ""));
	json_for_each (need, json_get(base, "needs")) {
		because = json_str(need, "because", NULL);
		(void)strbuf_addf(out, "  with series %lld before it (%d commit%s)%s%s\n",
			(long long)json_int(need, "id", 0),
			cJSON_GetArraySize(json_get(need, "commits")),
			cJSON_GetArraySize(json_get(need, "commits")) == 1 ? "" : "s",
			because ? ": " : "", because ? because : "");
	}
	json_for_each (need, json_get(base, "candidates")) {
		AUTO_FREE char *line = xasprintf("%s %.12s: %s", json_str(need, "tree", "?"),
			json_str(need, "commit", ""), json_str(need, "why", ""));

		text_wrapped(out, "  not ", "      ", line);
	}
}

static void text_conflict(const cJSON *c, struct strbuf *out)
{
	AUTO_FREE char *place = conflict_place(c);

	(void)strbuf_addf(out, "      %s\n      the patch expects:\n", place);
	text_indented(out, "        | ", json_str(c, "expected", ""));
	(void)strbuf_adds(out, "      the file has:\n");
	text_indented(out, "        | ", json_str(c, "found", ""));
}

static void text_apply(const cJSON *r, struct strbuf *out)
{
	const cJSON *apply = json_get(r, "apply");
	const cJSON *patch;

	if (!json_str(apply, "status", NULL))
		return;
	(void)strbuf_adds(out, "\nApply\n");
	json_for_each (patch, json_get(apply, "patches")) {
		const cJSON *conflict = json_get(patch, "conflict");
		const char *how = json_str(patch, "how", conflict ? "conflict" : "-");
		const char *subject = json_str(patch, "subject", "");
		size_t fits = text_fit(subject, SUBJECT_COLUMNS);

		(void)strbuf_addf(out, "  %3lld  %-10s %.12s  %.*s%s\n",
			(long long)json_int(patch, "n", 0), how,
			json_str(patch, "commit", "            "), (int)fits, subject,
			subject[fits] ? "…" : "");
		if (conflict)
			text_conflict(conflict, out);
	}
}

static void count_findings(const cJSON *build, int *ret_errors, int *ret_warnings, int *ret_new)
{
	const cJSON *f;

	*ret_errors = *ret_warnings = *ret_new = 0;
	json_for_each (f, json_get(build, "findings")) {
		if (streq(json_str(f, "kind", ""), "error"))
			++*ret_errors;
		else
			++*ret_warnings;
		*ret_new += json_bool(f, "new", false) ? 1 : 0;
	}
}

/* What all builds have in common; the first one that came so far knows. */
static void text_build_tools(const cJSON *r, struct strbuf *out)
{
	const cJSON *build;

	json_for_each (build, json_get(r, "builds")) {
		if (!json_str(build, "compiler", NULL))
			continue;
		(void)strbuf_addf(out, ": %s, %s, config %.12s", json_str(build, "arch", "?"),
			json_str(build, "compiler", "?"), json_str(build, "config_sha256", "?"));
		return;
	}
}

static void text_build(const cJSON *build, bool is_comparison, struct strbuf *out)
{
	const char *status = json_str(build, "status", "?");
	int64_t patch = json_int(build, "patch", 0), cause = fails_because_of(build);
	int errors, warnings, news;
	char name[24] = "base";

	if (patch && is_comparison)
		(void)snprintf(name, sizeof(name), "patched");
	else if (patch)
		(void)snprintf(name, sizeof(name), "%lld", (long long)patch);
	count_findings(build, &errors, &warnings, &news);
	(void)strbuf_addf(out, "  %*s  %-9s %8.1f s", is_comparison ? 7 : 4, name, status,
		json_num(build, "seconds", 0));
	if (cause)
		(void)strbuf_addf(out, "  the errors of patch %lld", (long long)cause);
	else if (errors || warnings)
		(void)strbuf_addf(out, "  %d error%s, %d warning%s (%d new)", errors,
			errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s", news);
	if (json_str(build, "same_code_as", NULL))
		(void)strbuf_addf(out, "  same code as %.12s", json_str(build, "same_code_as", ""));
	if (streq(status, "fail") || streq(status, "error"))
		(void)strbuf_addf(out, "  (job %lld)", (long long)json_int(build, "job", 0));
	(void)strbuf_addc(out, '\n');
	/* Errors are shown in the compiler's own words below. */
	if (json_str(build, "reason", NULL) && !errors)
		text_wrapped(out, "        ", "        ", json_str(build, "reason", ""));
}

static void text_builds(const cJSON *r, struct strbuf *out)
{
	const cJSON *build;

	if (cJSON_GetArraySize(json_get(r, "builds")) == 0)
		return;
	(void)strbuf_adds(out, "\nBuild");
	text_build_tools(r, out);
	(void)strbuf_addc(out, '\n');
	json_for_each (build, json_get(r, "builds"))
		text_build(build, json_get(r, "comparison") != NULL, out);
}

static void text_stage(const char *name, double seconds, double lab, struct strbuf *out)
{
	(void)strbuf_addf(out, "  %-8s %9.1f s %9.1f s", name, seconds, lab);
}

static void text_timeline(const cJSON *r, struct strbuf *out)
{
	const cJSON *stage;
	double seconds = 0, lab = 0;

	(void)strbuf_adds(out, "\nTime                    the lab's own\n");
	json_for_each (stage, json_get(r, "timeline")) {
		double s = json_num(stage, "seconds", 0), l = json_num(stage, "lab_seconds", 0);

		seconds += s;
		lab += l;
		text_stage(json_str(stage, "stage", "?"), s, l, out);
		(void)strbuf_addc(out, '\n');
	}
	text_stage("all", seconds, lab, out);
	if (seconds > 0)
		(void)strbuf_addf(out, " (%.1f %%)", 100 * lab / seconds);
	(void)strbuf_addc(out, '\n');
}

void report_text(const cJSON *report, struct strbuf *out)
{
	text_head(report, out);
	text_base(report, out);
	text_versions(report, out);
	text_apply(report, out);
	text_builds(report, out);
	text_diagnostics(report, out);
	text_boots(report, out);
	text_comparisons(report, out);
	text_timeline(report, out);
}

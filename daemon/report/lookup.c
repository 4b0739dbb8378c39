/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report is about, found in it and named. */
#include "daemon/report/internal.h"

const cJSON *build_of(const cJSON *report, int64_t patch)
{
	const cJSON *build;

	json_for_each (build, json_get(report, "builds"))
		if (json_int(build, "patch", -1) == patch)
			return build;
	return NULL;
}

const cJSON *patch_of(const cJSON *report, int64_t n)
{
	const cJSON *patch;

	json_for_each (patch, json_get(json_get(report, "apply"), "patches"))
		if (json_int(patch, "n", -1) == n)
			return patch;
	return NULL;
}

const cJSON *subject_of(const cJSON *report)
{
	const cJSON *series = json_get(report, "series");

	return series ? series : json_get(report, "comparison");
}

const char *revision_subject(const cJSON *report, int64_t patch)
{
	const cJSON *patched = json_get(json_get(report, "comparison"), "patched");

	return json_str(patch_of(report, patch), "subject",
		patch ? json_str(patched, "subject", NULL) : NULL);
}

char *revision_name(const cJSON *report, int64_t patch)
{
	if (patch == 0)
		return xstrdup("the base");
	if (json_get(report, "comparison"))
		return xstrdup("the patched side");
	return xasprintf("patch %lld", (long long)patch);
}

char *conflict_place(const cJSON *conflict)
{
	int64_t line = json_int(conflict, "line", 0);
	AUTO_FREE char *behind = line > 0 ? xasprintf(", line %lld", (long long)line) : xstrdup("");

	return xasprintf("%s, hunk %lld%s", json_str(conflict, "file", "?"),
		(long long)json_int(conflict, "hunk", 0), behind);
}

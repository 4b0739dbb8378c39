/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/internal.h"

#define SHOWN_LINES 60 /* of one patch's difference; the JSON report has more */

static void text_interdiff(const char *text, struct strbuf *out)
{
	if (text_lines(out, "      | ", text, SHOWN_LINES))
		(void)strbuf_adds(out, "      | ... (all of it: --format json)\n");
}

static void text_previous(const cJSON *previous, struct strbuf *out)
{
	const cJSON *change;
	int64_t id = json_int(previous, "id", 0);

	if (!cJSON_IsObject(previous))
		return;
	(void)strbuf_addf(out, "\nSince version %lld", (long long)json_int(previous, "version", 0));
	if (id)
		(void)strbuf_addf(out, " (series %lld)", (long long)id);
	(void)strbuf_adds(out, "\n");
	if (json_bool(previous, "rough", false))
		text_wrapped(out, "  ", "  ",
			"There are too many patches to look for those that are alike under another "
			"subject.");
	json_for_each (change, json_get(previous, "changes")) {
		text_wrapped(out, "  - ", "    ", json_str(change, "text", "?"));
		text_interdiff(json_str(change, "interdiff", ""), out);
	}
}

static void text_trailer(const cJSON *t, struct strbuf *out)
{
	const char *refused = json_str(t, "refused", NULL);
	int64_t patch = json_int(t, "patch", 0);
	AUTO_FREE char *place =
		patch ? xasprintf("patch %lld", (long long)patch) : xstrdup("the series");
	AUTO_FREE char *line =
		xasprintf("%s: %s (%s)%s%s", json_str(t, "name", "?"), json_str(t, "value", "?"),
			place, refused ? " does not count: " : "", refused ? refused : "");

	text_wrapped(out, "  ", "    ", line);
}

void text_versions(const cJSON *report, struct strbuf *out)
{
	const cJSON *t;
	bool any = false;

	text_previous(json_get(report, "previous"), out);
	json_for_each (t, json_get(report, "trailers")) {
		if (!json_bool(t, "reply", false))
			continue;
		if (!any)
			(void)strbuf_adds(out, "\nSaid in replies\n");
		any = true;
		text_trailer(t, out);
	}
}

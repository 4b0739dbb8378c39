/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics as the kernel build robot prints them, and what boots complained of. */
#include "daemon/report/internal.h"

#define MAX_SHOWN 20 /* diagnostics of a build */
#define MAX_EXCERPT_LINES 30 /* of a kernel's report */

/* The diagnostic as printed, its head behind ">> " where it is new. */
static void text_diagnostic(const cJSON *finding, struct strbuf *out)
{
	const char *excerpt = json_str(finding, "excerpt", NULL);
	const char *message = json_str(finding, "message", "");
	bool is_new = json_bool(finding, "new", false);
	bool marked = false;

	if (!excerpt) {
		(void)strbuf_addf(out, "%s%s:%lld: %s: %s\n", is_new ? ">> " : "   ",
			json_str(finding, "file", "build"), (long long)json_int(finding, "line", 0),
			json_str(finding, "kind", "?"), message);
		return;
	}
	while (*excerpt) {
		size_t n = strcspn(excerpt, "\n");
		bool head = !marked && memmem(excerpt, n, message, strlen(message));

		(void)strbuf_addf(out, "%s%.*s\n", head && is_new ? ">> " : "   ", (int)n, excerpt);
		marked = marked || head;
		excerpt += n + (excerpt[n] == '\n');
	}
}

static bool is_shown(const cJSON *build, const cJSON *finding)
{
	return json_bool(finding, "new", false) || streq(json_str(finding, "kind", ""), "error") ||
	       (streq(json_str(build, "status", ""), "fail") && json_int(build, "patch", 0) == 0);
}

static void text_build_diagnostics(const cJSON *build, struct strbuf *out)
{
	int64_t patch = json_int(build, "patch", 0);
	int shown = 0, left = 0;
	const cJSON *f;

	json_for_each (f, json_get(build, "findings")) {
		if (!is_shown(build, f))
			continue;
		if (shown == MAX_SHOWN) {
			left++;
			continue;
		}
		if (!shown++) {
			if (patch)
				(void)strbuf_addf(out, "\nErrors and warnings of patch %lld",
					(long long)patch);
			else
				(void)strbuf_adds(out, "\nErrors and warnings of the base");
			(void)strbuf_adds(out, " (new ones prefixed by >>):\n\n");
		}
		text_diagnostic(f, out);
	}
	if (left)
		(void)strbuf_addf(out, "   … and %d more\n", left);
}

void text_diagnostics(const cJSON *report, struct strbuf *out)
{
	const cJSON *build;

	json_for_each (build, json_get(report, "builds"))
		text_build_diagnostics(build, out);
}

static void count_boots(
	const cJSON *boots, const char *side, int *ret_passed, int *ret_all, const cJSON **ret_any)
{
	const cJSON *b;

	json_for_each (b, boots) {
		if (!streq(json_str(b, "side", ""), side))
			continue;
		++*ret_all;
		*ret_passed += streq(json_str(b, "status", ""), "pass") ? 1 : 0;
		*ret_any = b;
	}
}

static void text_side(const cJSON *report, const char *side, struct strbuf *out)
{
	const cJSON *any = NULL;
	int passed = 0, all = 0;

	count_boots(json_get(report, "boots"), side, &passed, &all, &any);
	count_boots(json_get(report, "extra_boots"), side, &passed, &all, &any);
	if (all)
		(void)strbuf_addf(out, "  %-8s %d of %d passed, on %s (%s)\n", side, passed, all,
			json_str(any, "machine", "?"), json_str(any, "accel", "not run"));
}

static void text_kernel_finding(const cJSON *finding, struct strbuf *out)
{
	const char *excerpt = json_str(finding, "excerpt", "");
	bool is_new = json_bool(finding, "new", false);
	size_t n = 0;

	(void)strbuf_addf(out, "%s%s%s\n", is_new ? ">> " : "   ",
		json_str(finding, "signature", "?"),
		json_bool(finding, "confirmed", true) ? "" : " (unconfirmed)");
	for (int lines = 0; excerpt[n] && lines < MAX_EXCERPT_LINES; lines++) {
		n += strcspn(excerpt + n, "\n");
		n += excerpt[n] ? 1 : 0;
	}
	if (n) {
		AUTO_FREE char *part = xstrndup(excerpt, n);

		text_indented(out, "     | ", part);
		if (excerpt[n])
			(void)strbuf_adds(out, "     | …\n");
	}
}

static bool was_shown(const cJSON *seen, const char *signature)
{
	return cJSON_GetObjectItemCaseSensitive(seen, signature) != NULL;
}

static void text_boot(const cJSON *boot, cJSON *seen, struct strbuf *out)
{
	const cJSON *f;

	if (streq(json_str(boot, "status", ""), "fail") ||
		streq(json_str(boot, "status", ""), "error")) {
		AUTO_FREE char *head = xasprintf("\n  %s boot %lld: %s after %.1f s: ",
			json_str(boot, "side", "?"), (long long)json_int(boot, "pair", 0),
			json_str(boot, "status", "?"), json_num(boot, "seconds", 0));

		text_wrapped(out, head, "    ", json_str(boot, "reason", "see its console"));
		if (json_str(boot, "last_line", NULL))
			(void)strbuf_addf(
				out, "  last console line: %s\n", json_str(boot, "last_line", ""));
	}
	json_for_each (f, json_get(boot, "findings")) {
		const char *signature = json_str(f, "signature", "");

		if (was_shown(seen, signature))
			continue;
		json_set_bool(seen, signature, true);
		(void)strbuf_addf(out, "\n  the %s kernel reports:\n", json_str(boot, "side", "?"));
		text_kernel_finding(f, out);
	}
}

void text_boots(const cJSON *report, struct strbuf *out)
{
	AUTO_JSON cJSON *seen = cJSON_CreateObject();
	const cJSON *boot;

	if (cJSON_GetArraySize(json_get(report, "boots")) == 0)
		return;
	(void)strbuf_adds(out, "\nBoot\n");
	text_side(report, "base", out);
	text_side(report, "patched", out);
	json_for_each (boot, json_get(report, "boots"))
		text_boot(boot, seen, out);
	json_for_each (boot, json_get(report, "extra_boots"))
		text_boot(boot, seen, out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics as the kernel build robot prints them, and what boots complained of. */
#include "daemon/report/internal.h"

void text_diagnostic(const cJSON *finding, struct strbuf *out)
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

bool is_shown(const cJSON *build, const cJSON *finding)
{
	int64_t patch = json_int(build, "patch", 0);
	bool error = streq(json_str(finding, "kind", ""), "error");

	if (patch == 0)
		return error || streq(json_str(build, "status", ""), "fail");
	return (error || json_bool(finding, "new", false)) &&
	       json_int(finding, "since_patch", patch) == patch;
}

int text_build_findings(const cJSON *build, struct strbuf *out)
{
	int shown = 0, left = 0;
	const cJSON *f;

	json_for_each (f, json_get(build, "findings")) {
		if (!is_shown(build, f))
			continue;
		if (shown == MAX_SHOWN) {
			left++;
			continue;
		}
		shown++;
		text_diagnostic(f, out);
	}
	if (left)
		(void)strbuf_addf(out, "   … and %d more\n", left);
	return shown + left;
}

int64_t fails_because_of(const cJSON *build)
{
	int64_t patch = json_int(build, "patch", 0), cause = 0;
	const cJSON *f;

	if (!streq(json_str(build, "status", ""), "fail"))
		return 0;
	json_for_each (f, json_get(build, "findings")) {
		int64_t since = json_int(f, "since_patch", patch);

		if (!streq(json_str(f, "kind", ""), "error"))
			continue;
		if (since == patch)
			return 0;
		if (since > 0 && !cause)
			cause = since;
	}
	return cause;
}

static void text_build_diagnostics(const cJSON *report, const cJSON *build, struct strbuf *out)
{
	AUTO_FREE char *whose = revision_name(report, json_int(build, "patch", 0));
	AUTO_STRBUF struct strbuf findings;

	strbuf_init(&findings, out->max);
	if (text_build_findings(build, &findings))
		(void)strbuf_addf(out,
			"\nErrors and warnings of %s (new ones prefixed by >>):\n\n%s", whose,
			findings.buf);
}

void text_diagnostics(const cJSON *report, struct strbuf *out)
{
	const cJSON *build;

	json_for_each (build, json_get(report, "builds"))
		text_build_diagnostics(report, build, out);
}

static void text_stream(
	const cJSON *report, const struct boot_list *boots, const cJSON *boot, struct strbuf *out)
{
	static const char *const sides[] = {"base", "patched"};
	AUTO_FREE char *stream = stream_words(boot);
	AUTO_FREE char *machine = machine_words(
		json_str(boot, "machine", "no machine yet"), stream_accel(report, boot));
	const char *comma = "";

	(void)strbuf_addf(out, "  %s, %s:", machine, stream);
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		struct boot_tally t = boots_tally(boots, sides[i], boot, NULL);

		if (!t.all)
			continue;
		(void)strbuf_addf(out, "%s %s %d of %d passed", comma, sides[i], t.passed, t.all);
		comma = ",";
	}
	(void)strbuf_addc(out, '\n');
}

static void text_kernel_finding(
	const struct boot_list *boots, const cJSON *finding, const char *side, struct strbuf *out)
{
	const char *signature = json_str(finding, "signature", "?");
	struct boot_tally base = boots_tally(boots, "base", NULL, signature);
	struct boot_tally patched = boots_tally(boots, "patched", NULL, signature);

	(void)strbuf_addf(out, "\n  the %s kernel reports, in %d of %d boots", side,
		streq(side, "base") ? base.shown : patched.shown,
		streq(side, "base") ? base.ended : patched.ended);
	if (!streq(side, "base"))
		(void)strbuf_addf(out, " (the base in %d of %d)", base.shown, base.ended);
	(void)strbuf_addf(out, ":\n%s%s%s\n", json_bool(finding, "new", false) ? ">> " : "   ",
		signature, json_bool(finding, "confirmed", true) ? "" : " (unconfirmed)");
	text_excerpt(out, "     | ", json_str(finding, "excerpt", ""), MAX_EXCERPT_LINES);
}

static void text_failure(const struct boot_list *boots, size_t i, struct strbuf *out)
{
	const cJSON *boot = boots->items[i];
	AUTO_FREE char *name = boot_name(boots, i);
	AUTO_FREE char *head = NULL;
	int more = 0;

	if (!boot_failed(boot) || is_repeated_failure(boots, i, &more))
		return;
	head = xasprintf("\n  %s, job %lld: %s after %.1f s: ", name,
		(long long)json_int(boot, "job", 0), json_str(boot, "status", "?"),
		json_num(boot, "seconds", 0));
	text_wrapped(out, head, "    ", json_str(boot, "reason", "see its console"));
	if (more)
		(void)strbuf_addf(
			out, "    and %d more boot%s the same way\n", more, more == 1 ? "" : "s");
	if (json_str(boot, "last_line", NULL))
		(void)strbuf_addf(
			out, "    last console line: %s\n", json_str(boot, "last_line", ""));
}

void text_boots(const cJSON *report, struct strbuf *out)
{
	AUTO_JSON cJSON *seen = cJSON_CreateObject();
	AUTO_BOOTS struct boot_list boots = boots_all(report);
	int shown = 0;
	const cJSON *f;

	if (!boots.n)
		return;
	(void)strbuf_adds(out, "\nBoot\n");
	for (size_t i = 0; i < boots.n; i++)
		if (is_first_of_stream(&boots, i))
			text_stream(report, &boots, boots.items[i], out);
	for (size_t i = 0; i < boots.n; i++)
		text_failure(&boots, i, out);
	for (size_t i = 0; i < boots.n; i++) {
		json_for_each (f, json_get(boots.items[i], "findings")) {
			const char *signature = json_str(f, "signature", "?");

			if (cJSON_GetObjectItemCaseSensitive(seen, signature))
				continue;
			json_set_bool(seen, signature, true);
			if (++shown > MAX_SHOWN)
				continue;
			text_kernel_finding(&boots, f, json_str(boots.items[i], "side", "?"), out);
		}
	}
	if (shown > MAX_SHOWN)
		(void)strbuf_addf(out, "\n  … and %d more\n", shown - MAX_SHOWN);
}

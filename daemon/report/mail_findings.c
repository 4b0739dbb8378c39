/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What compilers and kernels said, one block for each patch, with the fields that kernel developers
 * know from the mails of the kernel build robot, so that a block can be quoted alone.
 */
#include "daemon/report/internal.h"

#define MAX_REPORTS 10

static void field(struct strbuf *out, const char *name, const char *value)
{
	AUTO_FREE char *label = xasprintf("%s:", name);

	if (value)
		(void)strbuf_addf(out, "%-11s %s\n", label, value);
}

static void field_base(const cJSON *report, struct strbuf *out)
{
	const cJSON *base = json_get(report, "base"), *need;

	field(out, "tree", json_str(base, "tree", NULL));
	field(out, "base", json_str(base, "commit", NULL));
	json_for_each (need, json_get(base, "needs")) {
		AUTO_FREE char *which =
			xasprintf("series %lld before it", (long long)json_int(need, "id", 0));

		field(out, "needs", which);
	}
}

static void field_reproduce(int64_t job, struct strbuf *out)
{
	AUTO_FREE char *command =
		xasprintf("patchbay job reproduce %lld >again.sh; sh again.sh", (long long)job);

	field(out, "reproduce", command);
}

/* The config and the compiler: those of this build, or of another where it did not come so far. */
static void field_config(const cJSON *report, const cJSON *build, struct strbuf *out)
{
	const char *config = json_str(build, "config_sha256", NULL);
	AUTO_FREE char *words = xasprintf("%s, profile %s%s%s", json_str(build, "arch", "?"),
		json_str(report, "profile", "?"), config ? ", sha256 " : "", config ? config : "");

	field(out, "config", words);
	field(out, "compiler", json_str(build, "compiler", NULL));
}

static bool has_errors(const cJSON *build)
{
	const cJSON *f;

	json_for_each (f, json_get(build, "findings"))
		if (is_shown(build, f) && streq(json_str(f, "kind", ""), "error"))
			return true;
	return streq(json_str(build, "status", ""), "fail");
}

/* "patch 1/3", "the base"; heap. */
static char *whose_build(const cJSON *report, int64_t n)
{
	AUTO_FREE char *name = revision_name(report, n);
	int64_t of = n ? json_int(json_get(report, "series"), "patches", 0) : 0;

	return of ? xasprintf("%s/%lld", name, (long long)of) : steal_ptr(name);
}

static void build_head(const cJSON *report, const cJSON *build, struct strbuf *out)
{
	int64_t n = json_int(build, "patch", 0);
	const char *id = json_str(patch_of(report, n), "message_id", NULL);
	AUTO_FREE char *message = id ? xasprintf("<%s>", id) : NULL;
	AUTO_FREE char *who = whose_build(report, n);

	(void)strbuf_addf(out, "\n[build test %s of %s on %s]\n\n",
		has_errors(build) ? "ERROR" : "WARNING", who,
		json_str(json_get(report, "base"), "tree", "?"));
	field_base(report, out);
	field(out, "patch", revision_subject(report, n));
	field(out, "message-id", message);
	field(out, "commit", json_str(build, "commit", NULL));
	field_config(report, build, out);
	field_reproduce(json_int(build, "job", 0), out);
}

static void mail_build(const cJSON *report, const cJSON *build, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf findings;

	strbuf_init(&findings, out->max);
	(void)text_build_findings(build, &findings);
	if (!findings.len && !streq(json_str(build, "status", ""), "fail"))
		return;
	build_head(report, build, out);
	if (findings.len)
		(void)strbuf_addf(out, "\nAll errors and warnings (new ones prefixed by >>):\n\n%s",
			findings.buf);
	else
		(void)strbuf_addf(out, "\n   %s\n", json_str(build, "reason", "its log says why"));
}

void mail_builds(const cJSON *report, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf still;
	const cJSON *build;

	strbuf_init(&still, 4096);
	json_for_each (build, json_get(report, "builds")) {
		int64_t n = json_int(build, "patch", 0), cause = fails_because_of(build);

		if (cause)
			(void)strbuf_addf(&still, "%s %lld (the errors of %lld)",
				still.len ? "," : "", (long long)n, (long long)cause);
		else if (n > 0 || streq(json_str(build, "status", ""), "fail"))
			mail_build(report, build, out);
	}
	if (still.len) {
		(void)strbuf_addc(out, '\n');
		text_wrapped_to(out, MAIL_COLUMNS, "Nor do these patches build:", "  ", still.buf);
	}
}

static void boot_head(const cJSON *report, const cJSON *boot, struct strbuf *out)
{
	AUTO_FREE char *stream = stream_words(boot);
	AUTO_FREE char *machine =
		machine_words(json_str(boot, "machine", "?"), json_str(boot, "accel", NULL));
	AUTO_FREE char *where = xasprintf("%s, %s", machine, stream);

	(void)strbuf_addf(out, "\n[boot test on %s]\n\n", json_str(boot, "machine", "?"));
	field_base(report, out);
	field(out, "commit", json_str(boot, "commit", NULL));
	field_config(report, build_of(report, json_int(boot, "patch", 0)), out);
	field(out, "machine", where);
	field(out, "cmdline", json_str(boot, "cmdline", NULL));
	field_reproduce(json_int(boot, "job", 0), out);
}

static void mail_report(const cJSON *report, const struct boot_list *boots, const cJSON *finding,
	struct strbuf *out)
{
	bool is_series = json_get(report, "series") != NULL;
	const char *signature = json_str(finding, "signature", "?");
	const char *excerpt = json_str(finding, "excerpt", signature);
	struct boot_tally base = boots_tally(boots, "base", NULL, signature);
	struct boot_tally patched = boots_tally(boots, "patched", NULL, signature);
	bool is_new = json_bool(finding, "new", false);
	size_t head = strcspn(excerpt, "\n");
	AUTO_FREE char *words = xasprintf("The kernel reports \"%s\" in %d of %d boots %s, and "
					  "in %d of %d %s%s:",
		signature, patched.shown, patched.ended,
		is_series ? "with the series" : "of the patched side", base.shown, base.ended,
		is_series ? "without it" : "of the base",
		is_new ? "" : ", which is not enough to tell whose it is");

	(void)strbuf_addc(out, '\n');
	text_wrapped_to(out, MAIL_COLUMNS, "", "", words);
	(void)strbuf_addf(out, "\n%s%.*s\n", is_new ? ">> " : "   ", (int)head, excerpt);
	text_excerpt(out, "   ", excerpt + head + (excerpt[head] == '\n'), MAX_EXCERPT_LINES);
}

static void mail_failure(const struct boot_list *boots, size_t i, int more, struct strbuf *out)
{
	const cJSON *boot = boots->items[i];
	AUTO_FREE char *name = boot_name(boots, i);
	AUTO_FREE char *others = more ? xasprintf(", and %d more like it", more) : xstrdup("");
	AUTO_FREE char *words = xasprintf("The %s fails after %.1f s%s: %s", name,
		json_num(boot, "seconds", 0), others, json_str(boot, "reason", "see its console"));

	(void)strbuf_addc(out, '\n');
	text_wrapped_to(out, MAIL_COLUMNS, "", "", words);
	if (json_str(boot, "last_line", NULL))
		(void)strbuf_addf(out, "\nThe last line of its console:\n\n   %s\n",
			json_str(boot, "last_line", ""));
}

/* What both sides show is nobody's news. */
static bool is_worth_a_report(const struct boot_list *boots, const cJSON *boot, const cJSON *f)
{
	return streq(json_str(boot, "side", ""), "patched") &&
	       (json_bool(f, "new", false) ||
		       boots_tally(boots, "base", NULL, json_str(f, "signature", "?")).shown == 0);
}

/* What this boot shows first, of all boots. */
static void mail_boot(const cJSON *report, const struct boot_list *boots, size_t i, cJSON *seen,
	struct strbuf *out)
{
	const cJSON *boot = boots->items[i], *f;
	bool begun = false;
	int more = 0;

	if (streq(json_str(boot, "status", ""), "fail") && !is_repeated_failure(boots, i, &more)) {
		boot_head(report, boot, out);
		mail_failure(boots, i, more, out);
		begun = true;
	}
	json_for_each (f, json_get(boot, "findings")) {
		const char *signature = json_str(f, "signature", "?");

		if (cJSON_GetArraySize(seen) == MAX_REPORTS ||
			cJSON_GetObjectItemCaseSensitive(seen, signature) ||
			!is_worth_a_report(boots, boot, f))
			continue;
		json_set_bool(seen, signature, true);
		if (!begun)
			boot_head(report, boot, out);
		begun = true;
		mail_report(report, boots, f, out);
	}
}

void mail_kernel(const cJSON *report, struct strbuf *out)
{
	AUTO_JSON cJSON *seen = cJSON_CreateObject();
	AUTO_BOOTS struct boot_list boots = boots_all(report);

	for (size_t i = 0; i < boots.n; i++)
		mail_boot(report, &boots, i, seen, out);
	if (cJSON_GetArraySize(seen) == MAX_REPORTS)
		(void)strbuf_addf(
			out, "\nThese are the first %d reports of the kernel.\n", MAX_REPORTS);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as a mail: what kernel developers know from the robots that build and measure for
 * them. docs/internals/reports.md says who gets it and what is left to the sender.
 */
#include "daemon/report/internal.h"

#include <math.h>

static const cJSON *first_conflict(const cJSON *report)
{
	const cJSON *patch;

	json_for_each (patch, json_get(json_get(report, "apply"), "patches"))
		if (json_get(patch, "conflict"))
			return patch;
	return NULL;
}

static const cJSON *first_failed_build(const cJSON *report)
{
	const cJSON *build;

	json_for_each (build, json_get(report, "builds"))
		if (streq(json_str(build, "status", ""), "fail") && json_int(build, "patch", 0) > 0)
			return build;
	return NULL;
}

static const cJSON *first_new_report(const struct boot_list *boots)
{
	const cJSON *f;

	for (size_t i = 0; i < boots->n; i++)
		json_for_each (f, json_get(boots->items[i], "findings"))
			if (json_bool(f, "new", false))
				return f;
	return NULL;
}

/* Something has to be zero and is not. */
static const cJSON *first_count(const cJSON *report)
{
	const cJSON *c;

	json_for_each (c, json_get(report, "comparisons"))
		if (streq(json_str(c, "better", ""), "zero") &&
			streq(json_str(c, "verdict", ""), "regression"))
			return c;
	return NULL;
}

/* What failed, in a few words; NULL: none of these. Heap. */
static char *failure_words(const cJSON *report)
{
	AUTO_BOOTS struct boot_list boots = boots_all(report);
	const cJSON *conflict = first_conflict(report), *build = first_failed_build(report);
	const cJSON *said = first_new_report(&boots), *count = first_count(report);
	AUTO_FREE char *whose = revision_name(report, json_int(build, "patch", 0));

	if (conflict)
		return xasprintf(
			"patch %lld does not apply", (long long)json_int(conflict, "n", 0));
	if (build)
		return xasprintf("%s does not build", whose);
	if (said)
		return xstrdup(json_str(said, "signature", "the kernel complains"));
	if (count)
		return xasprintf("%s is not zero", json_str(count, "metric", "?"));
	return NULL;
}

/* "dma-map.hugetlbfs.unmap_seconds 12.3% regression"; heap. */
static char *change_words(const cJSON *c)
{
	char percent[48];
	const char *shown = percent;

	format_percent(json_num(c, "change", NAN), percent, sizeof(percent));
	shown += *percent == '+' || *percent == '-';
	return xasprintf("%s %s%s%s", json_str(c, "metric", "?"), shown, *shown ? " " : "",
		json_str(c, "verdict", "?"));
}

struct verdict_words {
	const char *verdict, *subject, *sentence;
};

static const struct verdict_words *verdict_words(const cJSON *report)
{
	static const struct verdict_words all[] = {
		{"pass", "tested, nothing new", "It passes:"},
		{"fail", "it fails", "It fails:"},
		{"regression", "regression", "It makes something slower:"},
		{"error", "the lab could not judge it",
			"The lab could not judge it, for reasons of its own:"},
		{"held", "held, not tested", "It is held, and nothing was judged:"},
		{"cancelled", "cancelled", "The tests were cancelled:"},
	};
	static const struct verdict_words none = {
		NULL, "still being tested", "The tests have not ended; so far:"};
	const char *verdict = json_str(report, "verdict", NULL);

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (streq(verdict, all[i].verdict))
			return &all[i];
	return &none;
}

static char *subject_words(const cJSON *report)
{
	const char *verdict = json_str(report, "verdict", NULL);
	const cJSON *headline = mail_headline(report);
	bool judged = streq(verdict, "pass") || streq(verdict, "regression") || !verdict;
	char *failure = failure_words(report);

	if (failure)
		return failure;
	return headline && judged ? change_words(headline)
				  : xstrdup(verdict_words(report)->subject);
}

static void mail_headers(const cJSON *report, struct strbuf *out)
{
	const cJSON *about = subject_of(report), *first = patch_of(report, 1);
	const char *id = json_str(about, "message_id", json_str(first, "message_id", NULL));
	AUTO_FREE char *words = subject_words(report);
	AUTO_FREE char *subject =
		xasprintf("[%s] %s: %s", json_str(json_get(report, "base"), "tree", "?"),
			json_str(about, "title", "a series without patches"), words);

	mail_header(out, "Subject", subject);
	mail_header_date(out, json_str(report, "finished", json_str(report, "created", NULL)));
	mail_header_id(out, "In-Reply-To", id);
	mail_header_id(out, "References", id);
	(void)strbuf_adds(out, "MIME-Version: 1.0\n"
			       "Content-Type: text/plain; charset=utf-8\n"
			       "Content-Transfer-Encoding: 8bit\n\n");
}

static void mail_greeting(const cJSON *report, struct strbuf *out)
{
	const cJSON *about = subject_of(report);
	int64_t patches = json_int(about, "patches", 0);
	const char *tree = json_str(json_get(report, "base"), "tree", "?");
	AUTO_FREE char *what = NULL;
	const cJSON *reason;

	if (json_get(report, "series"))
		what = xasprintf("Patchbay took your series \"%s\" (v%lld, %lld patch%s) to %s. %s",
			json_str(about, "title", "?"), (long long)json_int(about, "version", 1),
			(long long)patches, patches == 1 ? "" : "es", tree,
			verdict_words(report)->sentence);
	else
		what = xasprintf("Patchbay compared two commits of %s: %s. %s", tree,
			json_str(about, "title", "?"), verdict_words(report)->sentence);
	(void)strbuf_adds(out, "Hello,\n\n");
	text_wrapped_to(out, MAIL_COLUMNS, "", "", what);
	(void)strbuf_addc(out, '\n');
	if (!cJSON_GetArraySize(json_get(report, "reasons")))
		(void)strbuf_adds(out, "  - nothing new was found\n");
	json_for_each (reason, json_get(report, "reasons"))
		if (cJSON_IsString(reason))
			text_wrapped_to(out, MAIL_COLUMNS, "  - ", "    ", reason->valuestring);
}

static void mail_conflicts(const cJSON *report, struct strbuf *out)
{
	const cJSON *patch;

	json_for_each (patch, json_get(json_get(report, "apply"), "patches")) {
		const cJSON *c = json_get(patch, "conflict");
		AUTO_FREE char *place = NULL;

		if (!c)
			continue;
		(void)strbuf_addf(out, "\n[cannot apply patch %lld to %s]\n\n",
			(long long)json_int(patch, "n", 0),
			json_str(json_get(report, "base"), "tree", "?"));
		place = conflict_place(c);
		(void)strbuf_addf(out,
			"patch:      %s\nbase:       %s\nplace:      %s\n\nThe patch expects\n\n",
			json_str(patch, "subject", "?"),
			json_str(json_get(report, "base"), "commit", "?"), place);
		text_indented(out, "   | ", json_str(c, "expected", ""));
		(void)strbuf_adds(out, "\nwhere the file has\n\n");
		text_indented(out, "   | ", json_str(c, "found", ""));
	}
}

static void tested_apply(const cJSON *report, struct strbuf *out)
{
	static const char *const ways[] = {"exact", "offset", "merge", "already-in"};
	const cJSON *patches = json_get(json_get(report, "apply"), "patches"), *patch;
	const char *before = "";

	if (!json_str(json_get(report, "apply"), "status", NULL))
		return;
	(void)strbuf_adds(out, "apply:      ");
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		int n = 0;

		json_for_each (patch, patches)
			n += streq(json_str(patch, "how", ""), ways[i]);
		if (!n)
			continue;
		(void)strbuf_addf(out, "%s%d %s", before, n, ways[i]);
		before = ", ";
	}
	if (first_conflict(report))
		(void)strbuf_addf(out, "%sconflict", before);
	(void)strbuf_addc(out, '\n');
}

static void tested_builds(const cJSON *report, struct strbuf *out)
{
	const cJSON *build, *any = NULL;
	int n = 0, passed = 0;

	json_for_each (build, json_get(report, "builds")) {
		n++;
		passed += streq(json_str(build, "status", ""), "pass");
		any = json_str(build, "compiler", NULL) ? build : any;
	}
	if (!n)
		return;
	(void)strbuf_addf(out, "build:      %d of %d commits build, %s\n", passed, n,
		json_str(build_of(report, 0) ? build_of(report, 0) : any, "arch", "?"));
	if (!any)
		return;
	(void)strbuf_addf(out, "compiler:   %s\nconfig:     profile %s, sha256 %s\n",
		json_str(any, "compiler", "?"), json_str(report, "profile", "?"),
		json_str(any, "config_sha256", "?"));
}

static void tested_boots(const cJSON *report, struct strbuf *out)
{
	AUTO_BOOTS struct boot_list boots = boots_all(report);

	for (size_t i = 0; i < boots.n; i++) {
		const cJSON *boot = boots.items[i];
		struct boot_tally base = boots_tally(&boots, "base", boot, NULL);
		struct boot_tally patched = boots_tally(&boots, "patched", boot, NULL);
		const char *accel = stream_accel(report, boot);
		AUTO_FREE char *machine = machine_words(
			json_str(boot, "machine", "no machine"), accel ? accel : "not run");
		AUTO_FREE char *stream = stream_words(boot);

		if (is_first_of_stream(&boots, i))
			(void)strbuf_addf(out,
				"boot:       %s, %s:\n"
				"            base %d of %d passed, patched %d of %d\n",
				machine, stream, base.passed, base.all, patched.passed,
				patched.all);
	}
}

/* What a reader needs to believe a pass, and to repeat it. */
static void mail_tested(const cJSON *report, struct strbuf *out)
{
	const cJSON *base = json_get(report, "base"), *need;

	(void)strbuf_adds(out, "\nWhat was done:\n\n");
	if (json_str(base, "commit", NULL))
		(void)strbuf_addf(out, "base:       %s %s\n", json_str(base, "tree", "?"),
			json_str(base, "commit", ""));
	json_for_each (need, json_get(base, "needs"))
		(void)strbuf_addf(out, "needs:      series %lld, on both sides\n",
			(long long)json_int(need, "id", 0));
	tested_apply(report, out);
	tested_builds(report, out);
	tested_boots(report, out);
}

static void mail_end(const cJSON *report, struct strbuf *out)
{
	const char *noun = json_get(report, "series") ? "series" : "comparison";
	long long id = json_int(subject_of(report), "id", 0);

	(void)strbuf_addf(out,
		"\nAll figures, and those of each boot: patchbay %s report %lld --json\n"
		"\n-- \nPatchbay, %s %lld, run %lld\n",
		noun, id, noun, id, (long long)json_int(report, "run", 1));
}

void report_mail(const cJSON *report, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf body;

	strbuf_init(&body, out->max);
	mail_greeting(report, &body);
	mail_conflicts(report, &body);
	mail_builds(report, &body);
	mail_kernel(report, &body);
	mail_performance(report, &body);
	mail_tested(report, &body);
	mail_end(report, &body);
	mail_headers(report, out);
	mail_add_body(out, body.buf);
	out->overflow = out->overflow || body.overflow;
}

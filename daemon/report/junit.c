/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as JUnit XML, for what reads test results: suites of builds, boots and comparisons,
 * and one of the verdict, so that nothing that keeps a series from passing is missing from it.
 *
 *   pass                                     a test that passed
 *   fail, a new kernel report, regression    failure
 *   error, held                              error: nobody's fault
 *   skip, cancelled, queued, running,
 *   inconclusive                             skipped
 */
#include "daemon/report/internal.h"
#include "base/utf8.h"

#include <math.h>

#define MAX_TEXT (64 * 1024) /* of one element */

struct suite {
	const char *name;
	struct strbuf cases;
	int tests, failures, errors, skipped;
	double seconds;
};

struct test {
	char *name; /* heap, with those below */
	double seconds; /* negative: none */
	const char *result; /* failure error skipped; NULL: passed */
	char *message;
	struct strbuf said; /* inside the result, or as system-out */
};

static void test_init(struct test *t, char *name, double seconds)
{
	*t = (struct test){.name = name, .seconds = seconds};
	strbuf_init(&t->said, MAX_TEXT);
}

static void test_done(struct test *t)
{
	free(t->name);
	free(t->message);
	strbuf_done(&t->said);
}

static void test_ends(struct test *t, const char *result, const char *message)
{
	t->result = result;
	free(t->message);
	t->message = xstrdup(message);
}

/* XML 1.0 has no way to say most control characters, U+FFFE and U+FFFF. */
static bool is_xml(const char *s, size_t n)
{
	if (n == 1)
		return (unsigned char)*s >= 0x20 || *s == '\t' || *s == '\n' || *s == '\r';
	return n != 3 || (memcmp(s, "\xef\xbf\xbe", 3) != 0 && memcmp(s, "\xef\xbf\xbf", 3) != 0);
}

static const char *reference(char c)
{
	static const struct {
		char c;
		const char *reference;
	} all[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\t', "&#9;"},
		{'\n', "&#10;"}, {'\r', "&#13;"}};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].c == c)
			return all[i].reference;
	return NULL;
}

/* Good between tags and between quotes: what must not stand there is a reference, or U+FFFD. */
static void add_escaped(struct strbuf *out, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t n = utf8_len(text, left);
		const char *other = n == 1 ? reference(*text) : NULL;

		if (!n || !is_xml(text, n))
			(void)strbuf_adds(out, UTF8_REPLACEMENT);
		else if (other)
			(void)strbuf_adds(out, other);
		else
			(void)strbuf_add(out, text, n);
		n = n ? n : 1;
		text += n;
		left -= n;
	}
}

/* Text between tags, where lines and tabs may stay what they are. */
static void add_text(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t plain = strcspn(text, "\n\t");
		AUTO_FREE char *part = xstrndup(text, plain);

		add_escaped(out, part);
		text += plain;
		if (*text)
			(void)strbuf_addc(out, *text++);
	}
}

static void add_attribute(struct strbuf *out, const char *name, const char *value)
{
	(void)strbuf_addf(out, " %s=\"", name);
	add_escaped(out, value);
	(void)strbuf_addc(out, '"');
}

/* Ends the test and adds it to its suite. */
static void suite_add(struct suite *s, struct test *t)
{
	static const char cut[] = "\n[cut]\n";
	struct strbuf *out = &s->cases;
	const char *element = t->result ? t->result : "system-out";

	if (t->said.overflow) {
		strbuf_truncate(&t->said, MAX_TEXT - sizeof(cut));
		(void)strbuf_adds(&t->said, cut);
	}
	(void)strbuf_adds(out, "    <testcase");
	add_attribute(out, "classname", s->name);
	add_attribute(out, "name", t->name);
	if (t->seconds >= 0)
		(void)strbuf_addf(out, " time=\"%.3f\"", t->seconds);
	(void)strbuf_addc(out, '>');
	if (t->result || t->said.len) {
		(void)strbuf_addf(out, "\n      <%s", element);
		if (t->result)
			add_attribute(out, "message", t->message);
		(void)strbuf_addc(out, '>');
		add_text(out, t->said.buf);
		(void)strbuf_addf(out, "</%s>\n    ", element);
	}
	(void)strbuf_adds(out, "</testcase>\n");
	s->tests++;
	s->failures += streq(t->result, "failure");
	s->errors += streq(t->result, "error");
	s->skipped += streq(t->result, "skipped");
	s->seconds += fmax(t->seconds, 0);
}

/* What a status says of a job; message is its reason. */
static void test_status(struct test *t, const cJSON *job)
{
	const char *status = json_str(job, "status", "?");
	const char *reason = json_str(job, "reason", NULL);

	if (streq(status, "pass"))
		return;
	if (streq(status, "fail") || streq(status, "error"))
		test_ends(t, streq(status, "fail") ? "failure" : "error",
			reason ? reason : "its log says why");
	else
		test_ends(t, "skipped", reason ? reason : status);
}

static void add_build(struct suite *s, const cJSON *report, const cJSON *build)
{
	int64_t n = json_int(build, "patch", 0);
	const char *subject = revision_subject(report, n);
	AUTO_FREE char *name = revision_name(report, n);
	struct test t;

	test_init(&t, n ? xasprintf("%s: %s", name, subject ? subject : "?") : xstrdup("base"),
		json_num(build, "seconds", 0));
	test_status(&t, build);
	(void)strbuf_addf(&t.said, "commit %s\n", json_str(build, "commit", "?"));
	(void)text_build_findings(build, &t.said);
	if (fails_because_of(build))
		(void)strbuf_addf(&t.said, "what patch %lld broke is still broken\n",
			(long long)fails_because_of(build));
	suite_add(s, &t);
	test_done(&t);
}

/* A patch that does not apply is never built; nor is one behind it. */
static void add_unbuilt(struct suite *s, const cJSON *report, const cJSON *patch)
{
	const cJSON *conflict = json_get(patch, "conflict");
	int64_t n = json_int(patch, "n", 0);
	struct test t;

	if (build_of(report, n))
		return;
	test_init(
		&t, xasprintf("patch %lld: %s", (long long)n, json_str(patch, "subject", "")), -1);
	test_ends(&t, conflict ? "failure" : "skipped",
		conflict ? "it does not apply" : "it was not built");
	if (conflict) {
		AUTO_FREE char *place = conflict_place(conflict);

		(void)strbuf_addf(&t.said, "%s\nthe patch expects:\n", place);
		text_indented(&t.said, "| ", json_str(conflict, "expected", ""));
		(void)strbuf_adds(&t.said, "the file has:\n");
		text_indented(&t.said, "| ", json_str(conflict, "found", ""));
	}
	suite_add(s, &t);
	test_done(&t);
}

static void add_builds(struct suite *s, const cJSON *report)
{
	const cJSON *item;

	json_for_each (item, json_get(report, "builds"))
		add_build(s, report, item);
	json_for_each (item, json_get(json_get(report, "apply"), "patches"))
		add_unbuilt(s, report, item);
}

static void add_boot(struct suite *s, const struct boot_list *boots, size_t i)
{
	const cJSON *boot = boots->items[i];
	AUTO_FREE char *name = boot_name(boots, i);
	int shown = 0;
	const cJSON *f;
	struct test t;

	test_init(&t, xasprintf("%s on %s", name, json_str(boot, "machine", "?")),
		json_num(boot, "seconds", 0));
	test_status(&t, boot);
	if (json_str(boot, "last_line", NULL) && boot_failed(boot))
		(void)strbuf_addf(
			&t.said, "last console line: %s\n", json_str(boot, "last_line", ""));
	json_for_each (f, json_get(boot, "findings")) {
		bool is_new = json_bool(f, "new", false);
		const char *signature = json_str(f, "signature", "?");

		if (is_new && !t.result)
			test_ends(&t, "failure", signature);
		if (shown++ >= MAX_SHOWN)
			continue;
		(void)strbuf_addf(&t.said, "%s%s\n", is_new ? ">> " : "   ", signature);
		text_excerpt(&t.said, "   ", json_str(f, "excerpt", ""), MAX_EXCERPT_LINES);
	}
	suite_add(s, &t);
	test_done(&t);
}

static void add_boots(struct suite *s, const cJSON *report)
{
	AUTO_BOOTS struct boot_list boots = boots_all(report);

	for (size_t i = 0; i < boots.n; i++)
		add_boot(s, &boots, i);
}

static void add_side(struct strbuf *out, const cJSON *c, const char *side)
{
	const cJSON *s = json_get(c, side);
	double median = json_num(s, "median", NAN);
	char value[64];

	format_value(json_str(c, "metric", ""), median, median, value, sizeof(value));
	(void)strbuf_addf(
		out, "%s %s over %lld boots\n", side, value, (long long)json_int(s, "n", 0));
}

static void add_comparison(struct suite *s, const cJSON *c)
{
	const char *verdict = json_str(c, "verdict", "?");
	bool zero = streq(json_str(c, "better", ""), "zero");
	bool decides = json_bool(c, "primary", false) || zero;
	AUTO_FREE char *stream = stream_words(c);
	AUTO_FREE char *message = NULL;
	char change[128];
	struct test t;

	format_change(c, change, sizeof(change));
	message = xasprintf("%s, %s", verdict, change);
	test_init(&t,
		xasprintf("%s (%s) on %s", json_str(c, "metric", "?"), stream,
			json_str(c, "machine", "?")),
		-1);
	if (streq(verdict, "regression") && decides)
		test_ends(&t, "failure", message);
	else if (streq(verdict, "inconclusive"))
		test_ends(&t, "skipped", message);
	(void)strbuf_addf(&t.said, "%s%s\n", message, decides ? "" : "; it does not decide");
	add_side(&t.said, c, "base");
	add_side(&t.said, c, "patched");
	suite_add(s, &t);
	test_done(&t);
}

static void add_comparisons(struct suite *s, const cJSON *report)
{
	const cJSON *c;

	json_for_each (c, json_get(report, "comparisons"))
		add_comparison(s, c);
}

static void add_verdict(struct suite *s, const cJSON *report)
{
	const char *verdict = json_str(report, "verdict", NULL);
	const cJSON *reasons = json_get(report, "reasons"), *reason;
	struct test t;

	test_init(&t, xstrdup("verdict"), -1);
	if (streq(verdict, "fail") || streq(verdict, "regression"))
		test_ends(&t, "failure", verdict);
	else if (streq(verdict, "error") || streq(verdict, "held"))
		test_ends(&t, "error", verdict);
	else if (!streq(verdict, "pass"))
		test_ends(&t, "skipped", verdict ? verdict : "the tests have not ended");
	json_for_each (reason, reasons)
		if (cJSON_IsString(reason))
			(void)strbuf_addf(&t.said, "%s\n", reason->valuestring);
	suite_add(s, &t);
	test_done(&t);
}

static void add_counts(struct strbuf *out, const struct suite *s)
{
	(void)strbuf_addf(out,
		" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\"",
		s->tests, s->failures, s->errors, s->skipped, s->seconds);
}

static void add_suite(struct strbuf *out, const struct suite *s, const cJSON *report)
{
	const char *created = json_str(report, "created", NULL);

	(void)strbuf_adds(out, "  <testsuite");
	add_attribute(out, "name", s->name);
	add_counts(out, s);
	if (created) {
		AUTO_FREE char *seconds = xstrndup(created, strlen("2026-12-01T00:00:00"));

		add_attribute(out, "timestamp", seconds);
	}
	(void)strbuf_addf(out, ">\n%s  </testsuite>\n", s->cases.buf);
}

void report_junit(const cJSON *report, struct strbuf *out)
{
	static const struct {
		const char *name;
		void (*add)(struct suite *s, const cJSON *report);
	} kinds[] = {
		{"verdict", add_verdict},
		{"builds", add_builds},
		{"boots", add_boots},
		{"comparisons", add_comparisons},
	};
	struct suite all = {0}, suites[ARRAY_SIZE(kinds)] = {0};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct suite *s = &suites[i];

		s->name = kinds[i].name;
		strbuf_init(&s->cases, out->max);
		kinds[i].add(s, report);
		all.tests += s->tests;
		all.failures += s->failures;
		all.errors += s->errors;
		all.skipped += s->skipped;
		all.seconds += s->seconds;
	}
	(void)strbuf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	add_attribute(out, "name", json_str(subject_of(report), "title", "patchbay"));
	add_counts(out, &all);
	(void)strbuf_adds(out, ">\n");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		add_suite(out, &suites[i], report);
		out->overflow = out->overflow || suites[i].cases.overflow;
		strbuf_done(&suites[i].cases);
	}
	(void)strbuf_adds(out, "</testsuites>\n");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report_fixture.h"

#define XML "/tmp/patchbay-junit-XXXXXX"

static void real_runs_as_junit(void **state)
{
	static const char *const names[] = {
		"unbuildable", "conflict", "measured", "complaint", "panic", "clocks"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_fixture(names[i], "junit", "xml");
}

/* What a real parser says of it: what xmllint prints for the XPath expression; heap. */
static char *xpath(const char *xml, const char *expression)
{
	char path[] = XML;
	AUTO_CLOSE int fd = mkstemp(path);
	AUTO_FREE char *command = xasprintf("xmllint --xpath '%s' %s 2>&1", expression, path);
	char *out = xcalloc(1, 4096);
	FILE *p;
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, xml, strlen(xml)), strlen(xml));
	p = popen(command, "r");
	assert_non_null(p);
	out[fread(out, 1, 4095, p)] = '\0';
	rc = pclose(p);
	(void)unlink(path);
	if (rc != 0)
		fail_msg("xmllint: %s", out);
	out[strcspn(out, "\n")] = '\0';
	return out;
}

static void assert_xpath(const char *xml, const char *expression, const char *wanted)
{
	AUTO_FREE char *got = xpath(xml, expression);

	if (strcmp(got, wanted) != 0)
		fail_msg("%s is %s, not %s, in\n%s", expression, got, wanted, xml);
}

static cJSON *parsed(const char *text)
{
	struct error e = ERROR_INIT;
	cJSON *report = NULL;

	if (json_parse(text, strlen(text), &report, &e) < 0)
		fail_msg("%s", e.msg);
	return report;
}

/* Which element each of our words becomes. */
static void words(void **state)
{
	static const struct {
		const char *report; /* what differs from an empty report */
		const char *suite, *passed, *failures, *errors, *skipped;
	} rows[] = {
		{"'verdict':'pass'", "verdict", "1", "0", "0", "0"},
		{"'verdict':'fail'", "verdict", "0", "1", "0", "0"},
		{"'verdict':'regression'", "verdict", "0", "1", "0", "0"},
		{"'verdict':'error'", "verdict", "0", "0", "1", "0"},
		{"'verdict':'held'", "verdict", "0", "0", "1", "0"},
		{"'verdict':'cancelled'", "verdict", "0", "0", "0", "1"},
		{"'verdict':null", "verdict", "0", "0", "0", "1"},
		{"'builds':[{'patch':0,'status':'pass'},{'patch':1,'status':'fail'},"
		 "{'patch':2,'status':'error'},{'patch':3,'status':'skip'},"
		 "{'patch':4,'status':'running'},{'patch':5,'status':'cancelled'},"
		 "{'patch':6,'status':'queued'}]",
			"builds", "1", "1", "1", "4"},
		{"'apply':{'patches':[{'n':1,'conflict':{'file':'a'}},{'n':2}]}", "builds", "0",
			"1", "0", "1"},
		{"'apply':{'patches':[{'n':1}]},'builds':[{'patch':1,'status':'pass'}]", "builds",
			"1", "0", "0", "0"},
		{"'boots':[{'status':'pass'},{'status':'fail'}],'extra_boots':[{'status':'pass'}]",
			"boots", "2", "1", "0", "0"},
		/* A boot that ends well and has the kernel complain. */
		{"'boots':[{'status':'pass','side':'patched','findings':["
		 "{'signature':'BUG','new':true}]}]",
			"boots", "0", "1", "0", "0"},
		{"'boots':[{'status':'pass','side':'base','findings':[{'signature':'BUG'}]}]",
			"boots", "1", "0", "0", "0"},
		{"'comparisons':[{'verdict':'improvement','primary':true},{'verdict':'no-change'},"
		 "{'verdict':'regression','primary':true},{'verdict':'regression'},"
		 "{'verdict':'regression','better':'zero'},{'verdict':'inconclusive'}]",
			"comparisons", "3", "2", "0", "1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *text = xasprintf("{%s}", rows[i].report);
		AUTO_FREE char *xml = NULL;
		AUTO_FREE char *suite = xasprintf("//testsuite[@name=\"%s\"]", rows[i].suite);
		AUTO_JSON cJSON *report = NULL;
		const struct {
			const char *path, *wanted;
		} counts[] = {
			{"count(%s/testcase[not(failure|error|skipped)])", rows[i].passed},
			{"count(%s/testcase/failure)", rows[i].failures},
			{"count(%s/testcase/error)", rows[i].errors},
			{"count(%s/testcase/skipped)", rows[i].skipped},
			{"string(%s/@failures)", rows[i].failures},
			{"string(%s/@errors)", rows[i].errors},
			{"string(%s/@skipped)", rows[i].skipped},
		};

		for (char *c = text; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		report = parsed(text);
		xml = written_as("junit", report);
		for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
			const char *rest = strstr(counts[k].path, "%s") + 2;
			AUTO_FREE char *path = xasprintf("%.*s%s%s",
				(int)(rest - 2 - counts[k].path), counts[k].path, suite, rest);

			assert_xpath(xml, path, counts[k].wanted);
		}
	}
}

/* Whatever stands in a message, the file parses and the message is in it. */
static void hostile_bytes(void **state)
{
	static const struct {
		const char *text, *read;
	} rows[] = {
		{"<b> & \"c\" 'd'", "<b> & \"c\" 'd'"},
		{"]]>", "]]>"},
		{"<![CDATA[x]]>", "<![CDATA[x]]>"},
		{"-->&#0;&amp;", "-->&#0;&amp;"},
		{"a\x01"
		 "b\x1b[31m",
			"a\xef\xbf\xbd"
			"b\xef\xbf\xbd[31m"},
		{"\xff\xfe bad \xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd bad "
					      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf0\x9f\x90\xa7 caf\xc3\xa9", "\xf0\x9f\x90\xa7 caf\xc3\xa9"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_JSON cJSON *report =
			parsed("{\"series\":{},\"verdict\":\"fail\",\"reasons\":[\"\"],"
			       "\"builds\":[{\"patch\":1,\"status\":\"fail\",\"findings\":[]}]}");
		AUTO_FREE char *xml = NULL;
		cJSON *build =
			cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(report, "builds"), 0);

		/* Past json_set_str(), which mends what is no UTF-8. */
		cJSON_AddItemToObject(build, "reason", cJSON_CreateString(rows[i].text));
		cJSON_ReplaceItemInArray(cJSON_GetObjectItemCaseSensitive(report, "reasons"), 0,
			cJSON_CreateString(rows[i].text));
		cJSON_AddItemToObject(cJSON_GetObjectItemCaseSensitive(report, "series"), "title",
			cJSON_CreateString(rows[i].text));
		xml = written_as("junit", report);
		assert_xpath(xml, "string(//failure[@message!=\"fail\"]/@message)", rows[i].read);
		assert_xpath(xml, "string(/testsuites/@name)", rows[i].read);
		assert_xpath(xml, "string(//testsuite[@name=\"verdict\"]//failure)", rows[i].read);
	}
}

/* At the limit of one test's text, whole; one past it, cut and still XML. */
static void long_texts(void **state)
{
	static const size_t limit = (size_t)64 * 1024;

	for (size_t len = limit - 2; len <= limit + 2; len++) {
		AUTO_JSON cJSON *report = parsed("{\"verdict\":\"fail\",\"reasons\":[\"\"]}");
		AUTO_FREE char *reason = xcalloc(len, 1);
		AUTO_FREE char *xml = NULL;

		memset(reason, 'a', len - 1); /* a line end comes behind it */
		cJSON_ReplaceItemInArray(cJSON_GetObjectItemCaseSensitive(report, "reasons"), 0,
			cJSON_CreateString(reason));
		xml = written_as("junit", report);
		assert_int_equal(strstr(xml, "[cut]") != NULL, len > limit);
		assert_xpath(xml, "count(//testcase)", "1");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_runs_as_junit),
		cmocka_unit_test(words),
		cmocka_unit_test(hostile_bytes),
		cmocka_unit_test(long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

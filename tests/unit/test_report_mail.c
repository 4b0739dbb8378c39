/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report_fixture.h"
#include "daemon/report/internal.h"

#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void real_runs_as_mail(void **state)
{
	static const char *const names[] = {
		"unbuildable", "conflict", "measured", "complaint", "panic", "clocks"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_fixture(names[i], "mail", "eml");
}

static void headers(void **state)
{
	static const struct {
		const char *text, *header;
	} rows[] = {
		{"plain", "Subject: plain\n"},
		{"", "Subject: \n"},
		{"[debian-6.12] vfio/type1: optimize vfio_unpin_pages_remote() for large folio: "
		 "patch 1 does not build",
			"Subject: [debian-6.12] vfio/type1: optimize vfio_unpin_pages_remote() "
			"for\n"
			" large folio: patch 1 does not build\n"},
		/* Nothing of a title becomes a header. */
		{"a\r\nBcc: b@example.org\r\n\r\nbody", "Subject: a Bcc: b@example.org body\n"},
		{"a\nX: y", "Subject: a X: y\n"},
		{"tab\tbell\a\x7f.", "Subject: tab bell .\n"},
		{"\xc2\x85next\xc2\x9bline", "Subject: next line\n"},
		/* What is not ASCII, or only looks encoded. */
		{"Gr\xc3\xb6\xc3\x9f"
		 "e",
			"Subject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=\n"},
		{"=?utf-8?q?Bcc:?=", "Subject: =?utf-8?q?=3D=3Futf-8=3Fq=3FBcc=3A=3F=3D?=\n"},
		{"bad \xff byte", "Subject: =?utf-8?q?bad_=EF=BF=BD_byte?=\n"},
		/* A word too long to fold. */
		{HUNDRED, "Subject: =?utf-8?q?" TEN TEN TEN TEN TEN "aaaaa?=\n"
			  " =?utf-8?q?" TEN TEN TEN TEN "aaaaa?=\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_STRBUF struct strbuf out;

		strbuf_init(&out, 4096);
		mail_header(&out, "Subject", rows[i].text);
		assert_string_equal(out.buf, rows[i].header);
	}
}

/* No line of a header passes 78 columns, no sequence of UTF-8 is cut in two, and it ends. */
static void long_headers(void **state)
{
	for (size_t n = 1; n < 600; n += 7) {
		AUTO_STRBUF struct strbuf title, out;
		size_t column = 0;

		strbuf_init(&title, 4096);
		strbuf_init(&out, 8192);
		for (size_t i = 0; i < n; i++)
			(void)strbuf_adds(&title, i % 3 ? "\xe2\x82\xac" : "x");
		mail_header(&out, "Subject", title.buf);
		assert_false(out.overflow);
		for (const char *s = out.buf; *s; s++) {
			column = *s == '\n' ? 0 : column + 1;
			assert_true(column <= 78);
			assert_true((unsigned char)*s < 0x80);
			if (strncmp(s, "=?utf-8?q?", 10) == 0)
				assert_false(strncmp(s + 10, "=82", 3) == 0 ||
					     strncmp(s + 10, "=AC", 3) == 0);
		}
		assert_true(ends_with(out.buf, "\n"));
		assert_null(strstr(out.buf, "\n\n"));
	}
}

static void message_ids(void **state)
{
	static const struct {
		const char *id, *header;
	} rows[] = {
		{"20250620032344.13382-1-lizhe@example.org",
			"References: <20250620032344.13382-1-lizhe@example.org>\n"},
		{"a@b", "References: <a@b>\n"},
		{NULL, ""},
		{"", ""},
		{"@b", ""},
		{"a@", ""},
		{"a", ""},
		{"a@b@c", ""},
		{"a b@c", ""},
		{"a@b>\nBcc: <c@d", ""},
		{"a@b\r", ""},
		{"\xc3\xa4@b", ""},
		{"\"a\"@b", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_STRBUF struct strbuf out;

		strbuf_init(&out, 4096);
		mail_header_id(&out, "References", rows[i].id);
		assert_string_equal(out.buf, rows[i].header);
	}
}

static void message_ids_have_an_end(void **state)
{
	for (size_t len = 249; len <= 251; len++) {
		AUTO_FREE char *id = xcalloc(len + 1, 1);
		AUTO_STRBUF struct strbuf out;

		memset(id, 'a', len);
		id[10] = '@';
		strbuf_init(&out, 4096);
		mail_header_id(&out, "References", id);
		assert_int_equal(out.len > 0, len <= 250);
	}
}

static void dates(void **state)
{
	static const struct {
		const char *iso, *header;
	} rows[] = {
		{"2026-12-01T00:35:41.123Z", "Date: Tue, 1 Dec 2026 00:35:41 +0000\n"},
		{"1970-01-01T00:00:00.000Z", "Date: Thu, 1 Jan 1970 00:00:00 +0000\n"},
		{"2028-02-29T23:59:59.999Z", "Date: Tue, 29 Feb 2028 23:59:59 +0000\n"},
		{NULL, ""},
		{"yesterday", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_STRBUF struct strbuf out;

		strbuf_init(&out, 4096);
		mail_header_date(&out, rows[i].iso);
		assert_string_equal(out.buf, rows[i].header);
	}
}

static void bodies(void **state)
{
	static const struct {
		const char *text, *body;
	} rows[] = {
		{"two\nlines\n", "two\nlines\n"},
		{"a tab\tand \xc2\xb1\n", "a tab\tand \xc2\xb1\n"},
		{"\x1b[31mred\x1b[0m\r\n", "?[31mred?[0m?\n"},
		{"\xc2\x9b"
		 "1m\n",
			"?1m\n"},
		{"bad \xff\n", "bad ?\n"},
		/* What would end the mail, or begin another. */
		{"From a\n.\nFrom b\n.", " From a\n .\n From b\n ."},
		{"From\n..\n.a\n", "From\n..\n.a\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_STRBUF struct strbuf out;

		strbuf_init(&out, 4096);
		mail_add_body(&out, rows[i].text);
		assert_string_equal(out.buf, rows[i].body);
	}
}

static void lines_have_an_end(void **state)
{
	for (size_t len = 980; len < 1020; len++) {
		AUTO_FREE char *line = xcalloc(len + 2, 1);
		AUTO_STRBUF struct strbuf out;

		memset(line, 'a', len);
		line[len] = '\n';
		strbuf_init(&out, 4096);
		mail_add_body(&out, line);
		assert_true(out.len <= 991);
		assert_int_equal(ends_with(out.buf, "[...]\n"), len > 984);
	}
}

/* A report about a series whose every word is out to get into the header. */
static void a_hostile_series(void **state)
{
	AUTO_JSON cJSON *report = fixture_report("unbuildable");
	cJSON *series = cJSON_GetObjectItemCaseSensitive(report, "series");
	cJSON *patch = cJSON_GetArrayItem(
		cJSON_GetObjectItemCaseSensitive(
			cJSON_GetObjectItemCaseSensitive(report, "apply"), "patches"),
		0);
	AUTO_FREE char *mail = NULL;
	size_t head;

	cJSON_DeleteItemFromObject(series, "title");
	json_set_str(series, "title", "x\nTo: victim@example.org\n\nbody");
	cJSON_DeleteItemFromObject(series, "message_id");
	json_set_str(series, "message_id", "a@b>\nTo: <victim@example.org");
	cJSON_DeleteItemFromObject(patch, "subject");
	json_set_str(patch, "subject", "x\nFrom here\n.\nto there");
	mail = written_as("mail", report);
	head = (size_t)(strstr(mail, "\n\n") - mail);
	mail[head] = '\0';
	assert_null(strstr(mail, "\nTo:"));
	assert_null(strstr(mail, "\nIn-Reply-To:"));
	assert_non_null(strstr(mail, "Subject: [debian-6.12] x To: victim@example.org body: "));
	assert_null(strstr(mail + head + 1, "\n.\n"));
	assert_null(strstr(mail + head + 1, "\nFrom "));
}

/* Without a cover letter's id, the first patch's. */
static void the_first_patch_is_answered(void **state)
{
	AUTO_JSON cJSON *report = fixture_report("unbuildable");
	AUTO_FREE char *mail = NULL;
	AUTO_FREE char *wanted = NULL;

	cJSON_DeleteItemFromObject(
		cJSON_GetObjectItemCaseSensitive(report, "series"), "message_id");
	wanted = xasprintf(
		"\nIn-Reply-To: <%s>\n", json_str(patch_of(report, 1), "message_id", "?"));
	mail = written_as("mail", report);
	assert_non_null(strstr(mail, wanted));
}

/* Neither is a series, and neither has patches. */
static void two_commits_are_no_patches(void **state)
{
	static const char text[] =
		"{\"comparison\":{\"id\":3,\"title\":\"a against b\","
		"\"patched\":{\"subject\":\"vfio: a step\"}},\"base\":{\"tree\":\"small\"},"
		"\"verdict\":\"fail\",\"builds\":[{\"patch\":0,\"status\":\"pass\"},"
		"{\"patch\":1,\"status\":\"fail\"}],\"boots\":["
		"{\"side\":\"base\",\"status\":\"pass\"},"
		"{\"side\":\"patched\",\"status\":\"pass\",\"patch\":1,\"findings\":["
		"{\"signature\":\"BUG: x\",\"new\":true}]}]}";
	AUTO_JSON cJSON *report = cJSON_Parse(text);
	AUTO_FREE char *mail = NULL, *xml = NULL;

	assert_non_null(report);
	mail = written_as("mail", report);
	xml = written_as("junit", report);
	assert_non_null(
		strstr(mail, "Subject: [small] a against b: the patched side does not build\n"));
	assert_non_null(strstr(mail, "\n[build test ERROR of the patched side on small]\n"));
	assert_non_null(
		strstr(mail, "\nThe kernel reports \"BUG: x\" in 1 of 1 boots of the patched "
			     "side, and in 0 of\n1 of the base:\n"));
	assert_null(strstr(mail, "series"));
	assert_null(strstr(mail, "patch 1"));
	assert_non_null(strstr(xml, "name=\"the patched side: vfio: a step\""));
	assert_null(strstr(xml, "patch 1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_runs_as_mail),
		cmocka_unit_test(headers),
		cmocka_unit_test(long_headers),
		cmocka_unit_test(message_ids),
		cmocka_unit_test(message_ids_have_an_end),
		cmocka_unit_test(dates),
		cmocka_unit_test(bodies),
		cmocka_unit_test(lines_have_an_end),
		cmocka_unit_test(a_hostile_series),
		cmocka_unit_test(the_first_patch_is_answered),
		cmocka_unit_test(two_commits_are_no_patches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

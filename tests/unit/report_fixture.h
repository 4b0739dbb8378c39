/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of real runs, and what they look like in each format: tests/fixtures/report. */
#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include "base/file.h"
#include "daemon/report/report.h"

#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define FIXTURES TEST_SOURCE_DIR "/tests/fixtures/report/"
#define FIXTURE_MAX ((size_t)4 * 1024 * 1024)

static inline cJSON *fixture_report(const char *name)
{
	AUTO_FREE char *path = xasprintf(FIXTURES "%s.json", name);
	struct error e = ERROR_INIT;
	cJSON *report = NULL;

	if (json_read_file(path, FIXTURE_MAX, &report, &e) < 0)
		fail_msg("%s", e.msg);
	return report;
}

static inline char *written_as(const char *format, const cJSON *report)
{
	struct strbuf sb;

	strbuf_init(&sb, FIXTURE_MAX);
	report_format_named(format)->write(report, &sb);
	assert_false(sb.overflow);
	return strbuf_detach(&sb, NULL);
}

/* Where two texts part: the line, and both versions of it. */
static inline void assert_same_text(const char *name, const char *got, const char *wanted)
{
	size_t line = 1, at = 0;

	if (strcmp(got, wanted) == 0)
		return;
	for (size_t i = 0; got[i] && got[i] == wanted[i]; i++) {
		if (got[i] == '\n') {
			line++;
			at = i + 1;
		}
	}
	fail_msg("%s differs in line %zu:\n  is     |%.*s|\n  wanted |%.*s|", name, line,
		(int)strcspn(got + at, "\n"), got + at, (int)strcspn(wanted + at, "\n"),
		wanted + at);
}

/* The report NAME.json in a format is what NAME.SUFFIX has, byte for byte. */
static inline void assert_fixture(const char *name, const char *format, const char *suffix)
{
	AUTO_FREE char *path = xasprintf(FIXTURES "%s.%s", name, suffix);
	AUTO_JSON cJSON *report = fixture_report(name);
	AUTO_FREE char *got = written_as(format, report);
	AUTO_FREE char *wanted = NULL;
	struct error e = ERROR_INIT;
	size_t len;

	if (file_read(path, FIXTURE_MAX, &wanted, &len, &e) < 0)
		fail_msg("%s", e.msg);
	assert_same_text(path, got, wanted);
}

#endif

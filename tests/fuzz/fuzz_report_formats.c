/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any JSON document as a report. Whatever it holds, a mail has the headers that it should have and
 * no others, and lines that mail may carry; XML holds no character that XML has not.
 */
#include "base/utf8.h"
#include "daemon/report/report.h"

#define TEXT_MAX (1 << 20)
#define LINE_MAX_BYTES 998

static bool is_our_header(const char *line)
{
	static const char *const ours[] = {" ", "Subject:", "Date: ", "In-Reply-To: <",
		"References: <", "MIME-Version: 1.0\n", "Content-Type: text/plain; charset=utf-8\n",
		"Content-Transfer-Encoding: 8bit\n"};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (starts_with(line, ours[i]))
			return true;
	return false;
}

static void check_mail(const char *mail)
{
	bool head = true;

	for (const char *line = mail; *line;) {
		size_t n = strcspn(line, "\n");

		if (head && n == 0)
			head = false;
		else if (head && !is_our_header(line))
			abort();
		if (n > LINE_MAX_BYTES)
			abort();
		if (!head && (starts_with(line, "From ") || (n == 1 && *line == '.')))
			abort();
		line += n + (line[n] == '\n');
	}
	if (head || !utf8_is_valid(mail, strlen(mail)))
		abort();
	for (; *mail; mail++)
		if ((unsigned char)*mail < 0x20 && *mail != '\n' && *mail != '\t')
			abort();
}

/* Tags open and close in turn, and what stands between them is text. */
static void check_xml(const char *xml)
{
	int depth = 0;

	if (!utf8_is_valid(xml, strlen(xml)))
		abort();
	for (const char *s = strstr(xml, "?>") + 2; *s; s++) {
		if ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t')
			abort();
		if (*s == '<')
			depth += s[1] == '/' ? -1 : 1;
		if (depth < 0)
			abort();
	}
	if (depth != 0)
		abort();
}

static char *written(const char *format, const cJSON *report)
{
	struct strbuf sb;

	strbuf_init(&sb, TEXT_MAX);
	report_format_named(format)->write(report, &sb);
	if (!sb.overflow)
		return strbuf_detach(&sb, NULL);
	strbuf_done(&sb);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_JSON cJSON *report = NULL;
	AUTO_FREE char *text = NULL, *mail = NULL, *xml = NULL;

	if (size > TEXT_MAX || json_parse((const char *)data, size, &report, NULL) < 0)
		return 0;
	text = written("text", report);
	mail = written("mail", report);
	if (mail)
		check_mail(mail);
	xml = written("junit", report);
	if (xml)
		check_xml(xml);
	return 0;
}

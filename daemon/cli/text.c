/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/text.h"
#include <time.h>

#define COLUMNS_MAX 16

static bool continues(char byte)
{
	return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += !continues(*text);
	return width;
}

size_t text_cut(const char *text, size_t width)
{
	size_t n = 0;

	while (text[n]) {
		if (!continues(text[n]) && width-- == 0)
			break;
		n++;
	}
	return n;
}

void text_safe(FILE *to, const char *text, size_t len, bool multi_line)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char b = (unsigned char)text[i];

		if (b == 0xC2 && i + 1 < len && (unsigned char)text[i + 1] < 0xA0) {
			/* U+0080 to U+009F, which terminals obey too */
			(void)fputc('?', to);
			i++;
		} else if (multi_line && (b == '\n' || b == '\t')) {
			(void)fputc(b, to);
		} else if (multi_line && b == '\r') {
			continue;
		} else if (b < 0x20 || b == 0x7F) {
			(void)fputc(b == '\n' || b == '\t' ? ' ' : '?', to);
		} else {
			(void)fputc(b, to);
		}
	}
}

void text_out(FILE *to, const char *text, size_t len)
{
	if (isatty(fileno(to)))
		text_safe(to, text, len, true);
	else
		(void)fwrite(text, 1, len, to);
}

const char *text_elapsed(int64_t ms, char *buf, size_t size)
{
	long s = (long)(MAX_OF(ms, 0) / 1000);

	if (s >= 3600)
		(void)snprintf(buf, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else
		(void)snprintf(buf, size, "%ld:%02ld", s / 60, s % 60);
	return buf;
}

static char *time_text(const cJSON *value)
{
	char buf[64];
	struct tm tm;
	time_t t;

	if (cJSON_IsString(value))
		return xstrdup(value->valuestring);
	if (!cJSON_IsNumber(value) || value->valuedouble <= 0)
		return xstrdup("");
	t = (time_t)(value->valuedouble / 1000);
	if (!localtime_r(&t, &tm) || strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return xstrdup("");
	return xstrdup(buf);
}

static char *list_text(const cJSON *value)
{
	AUTO_STRBUF struct strbuf sb;
	const cJSON *item;

	strbuf_init(&sb, 4096);
	json_for_each (item, value) {
		if (cJSON_IsString(item))
			(void)strbuf_addf(&sb, "%s%s", sb.len ? "," : "", item->valuestring);
	}
	return strbuf_detach(&sb, NULL);
}

static char *cell(const cJSON *item, const struct column *column)
{
	const cJSON *value = json_get(item, column->key);

	if (!value)
		return xstrdup("");
	if (column->kind == COLUMN_TIME)
		return time_text(value);
	if (column->kind == COLUMN_LIST)
		return list_text(value);
	if (cJSON_IsString(value))
		return xstrndup(value->valuestring,
			column->kind == COLUMN_COMMIT ? 12 : strlen(value->valuestring));
	if (cJSON_IsBool(value))
		return xstrdup(cJSON_IsTrue(value) ? "yes" : "no");
	return cJSON_IsNumber(value) ? xasprintf("%.15g", value->valuedouble) : xstrdup("");
}

static void pad(FILE *to, const char *text, size_t width)
{
	text_safe(to, text, strlen(text), false);
	for (size_t w = text_width(text); w < width; w++)
		(void)fputc(' ', to);
}

void text_table(FILE *to, const cJSON *items, const struct column *columns)
{
	size_t width[COLUMNS_MAX] = {0};
	size_t n = 0;
	const cJSON *item;

	for (; columns[n].title && n < COLUMNS_MAX; n++)
		width[n] = strlen(columns[n].title);
	json_for_each (item, items) {
		for (size_t i = 0; i < n; i++) {
			AUTO_FREE char *text = cell(item, &columns[i]);

			width[i] = MAX_OF(width[i], text_width(text));
		}
	}
	for (size_t i = 0; i < n; i++)
		pad(to, columns[i].title, i + 1 < n ? width[i] + 2 : 0);
	(void)fputc('\n', to);
	json_for_each (item, items) {
		for (size_t i = 0; i < n; i++) {
			AUTO_FREE char *text = cell(item, &columns[i]);

			pad(to, text, i + 1 < n ? width[i] + 2 : 0);
		}
		(void)fputc('\n', to);
	}
}

void text_record(FILE *to, const cJSON *item, const struct column *columns)
{
	size_t width = 0;

	for (size_t i = 0; columns[i].title; i++)
		width = MAX_OF(width, strlen(columns[i].title));
	for (size_t i = 0; columns[i].title; i++) {
		AUTO_FREE char *text = cell(item, &columns[i]);

		if (!*text)
			continue;
		(void)fprintf(to, "%s:%*s", columns[i].title,
			(int)(width - strlen(columns[i].title) + 1), "");
		text_safe(to, text, strlen(text), false);
		(void)fputc('\n', to);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scan/internal.h"

#include <ctype.h>

void scan_finding_done(struct scan_finding *f)
{
	free(f->file);
	free(f->function);
	free(f->message);
	free(f->option);
	free(f->signature);
	free(f->excerpt);
	*f = (struct scan_finding){0};
}

void scan_findings_done(struct scan_findings *fs)
{
	if (!fs)
		return;
	for (size_t i = 0; i < fs->n; i++)
		scan_finding_done(&fs->items[i]);
	free(fs->items);
	*fs = (struct scan_findings){0};
}

void scan_findings_push(struct scan_findings *fs, struct scan_finding *f, size_t max)
{
	/* The last tenth is for what is fatal, however many warnings came before. */
	if (fs->n >= (f->fatal ? max : max - max / 10)) {
		fs->dropped++;
		scan_finding_done(f);
		return;
	}
	/* Powers of two, so that the array grows only when n reaches one. */
	if ((fs->n & (fs->n - 1)) == 0)
		fs->items = xreallocarray(fs->items, fs->n ? 2 * fs->n : 1, sizeof(*fs->items));
	fs->items[fs->n++] = *f;
	*f = (struct scan_finding){0};
}

bool scan_is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

bool scan_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of a suffix that the compiler made up (".isra.0", ".cold"), or 0. */
static size_t suffix_length(const char *s)
{
	static const char *const made_up[] = {
		".isra", ".constprop", ".part", ".cold", ".llvm", ".lto_priv"};

	for (size_t i = 0; i < ARRAY_SIZE(made_up); i++) {
		size_t n = strlen(made_up[i]);

		if (strncmp(s, made_up[i], n) != 0 || scan_is_name(s[n]))
			continue;
		if (s[n] == '.' && isdigit((unsigned char)s[n + 1])) {
			n++;
			while (isdigit((unsigned char)s[n]))
				n++;
		}
		return n;
	}
	return 0;
}

/* The length of a quotation mark that is written as ' in signatures, or 0. */
static size_t quote_length(const char *s)
{
	static const char *const quotes[] = {"\u2018", "\u2019", "\u201c", "\u201d", "`", "\""};

	for (size_t i = 0; i < ARRAY_SIZE(quotes); i++)
		if (starts_with(s, quotes[i]))
			return strlen(quotes[i]);
	return 0;
}

char *scan_normalize(const char *text)
{
	struct strbuf sb;

	strbuf_init(&sb, SCAN_MAX_LINE);
	while (*text) {
		size_t n = quote_length(text);

		if (n) {
			(void)strbuf_addc(&sb, '\'');
		} else if (isdigit((unsigned char)*text)) {
			while (scan_is_name(text[n]))
				n++;
			(void)strbuf_addc(&sb, '#');
		} else if (scan_is_name(*text)) {
			while (scan_is_name(text[n]))
				n++;
			(void)strbuf_add(&sb, text, n);
			for (size_t more; (more = suffix_length(text + n)) > 0;)
				n += more;
		} else {
			n = 1;
			(void)strbuf_addc(&sb, *text);
		}
		text += n;
	}
	return strbuf_detach(&sb, NULL);
}

char *scan_function_name(const char *text)
{
	size_t n = 0;

	if (!scan_is_name_start(*text))
		return NULL;
	while (scan_is_name(text[n]))
		n++;
	return xstrndup(text, n);
}

void scan_copy_line(char *to, const char *from, size_t len)
{
	len = MIN_OF(len, (size_t)SCAN_MAX_LINE);
	for (size_t i = 0; i < len; i++)
		to[i] = (char)(from[i] ? from[i] : '?');
	to[len] = '\0';
}

void scan_excerpt_init(struct scan_excerpt *x, size_t max, size_t max_lines)
{
	strbuf_init(&x->text, max);
	x->lines = 0;
	x->max_lines = max_lines;
}

void scan_excerpt_add(struct scan_excerpt *x, const char *line)
{
	bool fits = x->lines < x->max_lines &&
		    x->text.len + strlen(line) + 1 + strlen("...\n") <= x->text.max;

	if (fits) {
		(void)strbuf_addf(&x->text, "%s\n", line);
		x->lines++;
	} else if (!ends_with(x->text.buf, "\n...\n")) {
		(void)strbuf_adds(&x->text, "...\n");
		x->lines = x->max_lines;
	}
}

char *scan_excerpt_take(struct scan_excerpt *x)
{
	x->lines = 0;
	return x->text.len ? strbuf_detach(&x->text, NULL) : NULL;
}

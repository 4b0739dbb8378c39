/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compiler output, line by line. A diagnostic is its head line ("a.c:7:3: error: …") and what
 * belongs to it: before it the include chain and "In function 'f':", after it the source lines,
 * the carets and the notes. The formats are those that gcc, clang and GNU binutils print; both
 * compilers are recognised at once, since a build may use either.
 */
#include "scan/compiler_internal.h"

#include <ctype.h>

#define MAX_BLIND_LINES 2 /* lines without any mark that may follow a head: clang's source line */

struct compiler_scan {
	struct scan_findings *out;
	struct scan_finding open; /* the diagnostic whose lines are being collected */
	bool is_open;
	int blind_lines;
	char *function; /* from the last "In function" */
	struct scan_excerpt pending; /* context before a head */
	struct scan_excerpt excerpt; /* of the open one */
	struct scan_finding weak; /* "make: *** … Error 1", "collect2: …": only if nothing else */
	bool has_weak;
};

/* The finding's signature, from its other fields. */
static char *signature_of(const struct scan_finding *f)
{
	AUTO_FREE char *message = scan_normalize(f->message);
	AUTO_FREE char *file = f->file ? xasprintf(" %s", f->file) : xstrdup("");
	AUTO_FREE char *function = f->function ? xasprintf("%s: ", f->function) : xstrdup("");
	AUTO_FREE char *option = f->option ? xasprintf(" [%s]", f->option) : xstrdup("");

	return xasprintf("%s%s: %s%s%s", f->kind, file, function, message, option);
}

static bool same_place(const struct scan_finding *a, const struct scan_finding *b)
{
	return a->line == b->line && a->column == b->column && strcmp(a->kind, b->kind) == 0 &&
	       strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0 &&
	       strcmp(a->message, b->message) == 0;
}

static void keep(struct compiler_scan *s, struct scan_finding *f)
{
	for (size_t i = 0; i < s->out->n; i++) {
		if (same_place(&s->out->items[i], f)) {
			scan_finding_done(f);
			return;
		}
	}
	f->signature = signature_of(f);
	scan_findings_push(s->out, f, SCAN_MAX_FINDINGS);
}

static void close_open(struct compiler_scan *s)
{
	if (!s->is_open)
		return;
	s->is_open = false;
	s->open.excerpt = scan_excerpt_take(&s->excerpt);
	keep(s, &s->open);
}

/* Split " [-Wunused]" off a message. gcc writes [-Werror=unused], clang [-Werror,-Wunused]. */
static void take_option(char *message, char **ret_option)
{
	char *bracket = NULL, *option;
	size_t len = strlen(message);

	*ret_option = NULL;
	if (len < 4 || message[len - 1] != ']')
		return;
	for (char *p = message; (p = strstr(p, " [-W")) != NULL; p++)
		bracket = p;
	if (!bracket || strchr(bracket + 2, '['))
		return;
	message[len - 1] = '\0';
	option = bracket + 2;
	*bracket = '\0';
	if (starts_with(option, "-Werror="))
		*ret_option = xasprintf("-W%s", option + strlen("-Werror="));
	else if (starts_with(option, "-Werror,"))
		*ret_option = xstrdup(option + strlen("-Werror,"));
	else
		*ret_option = xstrdup(option);
	len = strlen(*ret_option);
	if (len && (*ret_option)[len - 1] == '=')
		(*ret_option)[len - 1] = '\0';
}

static void open_diagnostic(
	struct compiler_scan *s, const struct diagnostic_head *h, const char *line)
{
	AUTO_FREE char *context = NULL;
	struct scan_finding *f = &s->open;

	close_open(s);
	f->kind = h->severity == SEVERITY_WARNING ? "warning" : "error";
	f->fatal = h->severity == SEVERITY_ERROR;
	f->file = h->path_len ? scan_tree_path(h->path, h->path_len) : NULL;
	f->line = h->line;
	f->column = h->column;
	f->function = h->in_function ? xstrdup_null(s->function) : NULL;
	f->message = xstrdup(h->message);
	take_option(f->message, &f->option);
	s->is_open = true;
	s->blind_lines = 0;
	context = scan_excerpt_take(&s->pending);
	if (context) {
		context[strlen(context) - 1] = '\0';
		scan_excerpt_add(&s->excerpt, context);
	}
	scan_excerpt_add(&s->excerpt, line);
}

/* "In function 'f':" sets, "At top level:" clears; both are context of the next head. */
static bool take_context(struct compiler_scan *s, const char *line)
{
	const char *at;
	AUTO_FREE char *name = NULL;

	if (starts_with(line, "In file included from ") ||
		starts_with(line, "                 from ")) {
		scan_excerpt_add(&s->pending, line);
		return true;
	}
	if (strstr(line, ": At top level:")) {
		free(steal_ptr(s->function));
		scan_excerpt_add(&s->pending, line);
		return true;
	}
	at = strstr(line, ": In function ");
	if (starts_with(line, "In function ")) {
		at = line + strlen("In function "); /* inlined: more lines say into what */
	} else if (at) {
		at += strlen(": In function ");
	} else if ((at = strstr(line, ": in function ")) != NULL) {
		at += strlen(": in function "); /* GNU ld */
	} else if (starts_with(line, "    inlined from ") && s->pending.lines) {
		scan_excerpt_add(&s->pending, line);
		return true;
	}
	if (!at)
		return false;
	while (*at && !scan_is_name_start(*at))
		at++;
	name = scan_function_name(at);
	free(s->function);
	s->function = steal_ptr(name);
	scan_excerpt_add(&s->pending, line);
	return true;
}

static void take_weak(struct compiler_scan *s, const char *line)
{
	if (s->has_weak)
		return;
	s->has_weak = true;
	s->weak.kind = "error";
	s->weak.fatal = true;
	s->weak.message = xstrdup(line);
	s->weak.excerpt = xasprintf("%s\n", line);
}

/* A line without a head: part of the open diagnostic, or noise. */
static void take_other(struct compiler_scan *s, const char *line)
{
	bool indented = isspace((unsigned char)*line) || starts_with(line, ">>>");

	if (scan_is_build_step(line)) {
		free(scan_excerpt_take(&s->pending));
		free(steal_ptr(s->function));
	}
	if (!s->is_open || !*line)
		return;
	if (scan_is_build_step(line) || (!indented && s->blind_lines >= MAX_BLIND_LINES)) {
		close_open(s);
		return;
	}
	s->blind_lines += indented ? 0 : 1;
	scan_excerpt_add(&s->excerpt, line);
}

static void take_line(struct compiler_scan *s, const char *raw)
{
	AUTO_FREE char *line = scan_tidy_line(raw);
	struct diagnostic_head h;

	if (scan_parse_head(line, &h)) {
		if (h.severity == SEVERITY_WEAK) {
			close_open(s);
			take_weak(s, line);
		} else if (h.severity != SEVERITY_NOTE) {
			open_diagnostic(s, &h, line);
		} else if (s->is_open) {
			AUTO_FREE char *context = scan_excerpt_take(&s->pending);

			if (context) {
				context[strlen(context) - 1] = '\0';
				scan_excerpt_add(&s->excerpt, context);
			}
			scan_excerpt_add(&s->excerpt, line);
			s->blind_lines = 0;
		}
		return;
	}
	if (!take_context(s, line))
		take_other(s, line);
}

static bool has_error(const struct scan_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->items[i].kind, "error") == 0)
			return true;
	return false;
}

void scan_compiler(const char *text, size_t len, struct scan_findings *findings)
{
	struct compiler_scan s = {.out = findings};
	char line[SCAN_MAX_LINE + 1];

	scan_excerpt_init(&s.pending, SCAN_MAX_CONTEXT, SCAN_MAX_CONTEXT_LINES);
	scan_excerpt_init(&s.excerpt, SCAN_MAX_CONTEXT, SCAN_MAX_CONTEXT_LINES);
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		size_t shown = n && text[n - 1] == '\r' ? n - 1 : n;

		scan_copy_line(line, text, shown);
		take_line(&s, line);
		n += end ? 1 : 0;
		text += n;
		len -= n;
	}
	close_open(&s);
	if (s.has_weak && !has_error(findings))
		keep(&s, &s.weak);
	scan_finding_done(&s.weak);
	free(s.function);
	strbuf_done(&s.pending.text);
	strbuf_done(&s.excerpt.text);
}

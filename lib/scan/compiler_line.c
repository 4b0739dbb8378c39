/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scan/compiler_internal.h"

#include <ctype.h>

#define MAX_COMPONENTS 128

char *scan_tree_path(const char *path, size_t len)
{
	struct {
		const char *s;
		size_t n;
	} parts[MAX_COMPONENTS];
	size_t n_parts = 0;
	struct strbuf sb;
	bool absolute = len && path[0] == '/';

	if (len >= 5 && memcmp(path, "/src/", 5) == 0) {
		path += 5;
		len -= 5;
		absolute = false;
	}
	for (size_t i = 0, n; i < len; i += n + 1) {
		for (n = 0; i + n < len && path[i + n] != '/';)
			n++;
		if (n == 0 || (n == 1 && path[i] == '.'))
			continue;
		if (n == 2 && path[i] == '.' && path[i + 1] == '.') {
			/* The build runs one folder below the tree, so one that climbs out of
			 * its start has reached the top of the tree. */
			n_parts -= n_parts ? 1 : 0;
			continue;
		}
		if (n_parts == MAX_COMPONENTS)
			return xstrndup(path, len);
		parts[n_parts].s = path + i;
		parts[n_parts++].n = n;
	}
	strbuf_init(&sb, SCAN_MAX_LINE);
	for (size_t i = 0; i < n_parts; i++) {
		if (i || absolute)
			(void)strbuf_addc(&sb, '/');
		(void)strbuf_add(&sb, parts[i].s, parts[i].n);
	}
	return strbuf_detach(&sb, NULL);
}

/* Is what starts here, up to a colon or a comma, a path that needs tidying? */
static size_t odd_path_length(const char *s)
{
	size_t n = strcspn(s, ":, ");

	if (s[n] != ':' && s[n] != ',')
		return 0;
	return starts_with(s, "/src/") || starts_with(s, "../") || starts_with(s, "./") ? n : 0;
}

char *scan_tidy_line(const char *line)
{
	const char *start = line, *from;
	AUTO_FREE char *path = NULL;
	size_t n;

	if (starts_with(line, "In file included from ") ||
		starts_with(line, "                 from ") ||
		starts_with(line, "    inlined from ")) {
		from = starts_with(line, "    inlined") ? strstr(line, " at ")
							: strstr(line, "from ");
		if (from)
			start = strchr(from + 1, ' ') + 1;
	}
	n = odd_path_length(start);
	if (!n)
		return xstrdup(line);
	path = scan_tree_path(start, n);
	return xasprintf("%.*s%s%s", (int)(start - line), line, path, start + n);
}

bool scan_is_build_step(const char *line)
{
	const char *p = line;

	if (starts_with(line, "make[") || starts_with(line, "make:") ||
		starts_with(line, "cc1: all warnings") || starts_with(line, "cc1: some warnings"))
		return true;
	if (isdigit((unsigned char)*p)) {
		while (isdigit((unsigned char)*p))
			p++;
		return starts_with(p, " warning") || starts_with(p, " error");
	}
	if (!starts_with(p, "  ") || !isupper((unsigned char)p[2]))
		return false;
	p += 2;
	while (isupper((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_' || *p == '-')
		p++;
	return *p == ' ';
}

/* "error: …" and its like at s; sets severity and message. */
static bool take_severity(const char *s, struct diagnostic_head *h)
{
	static const struct {
		const char *word;
		enum severity severity;
		bool whole; /* the word is part of the message */
	} words[] = {
		{"error: ", SEVERITY_ERROR, false},
		{"fatal error: ", SEVERITY_ERROR, false},
		{"warning: ", SEVERITY_WARNING, false},
		{"note: ", SEVERITY_NOTE, false},
		{"Error: ", SEVERITY_ERROR, false},
		{"Warning: ", SEVERITY_WARNING, false},
		{"Info: ", SEVERITY_NOTE, false},
		{"internal compiler error: ", SEVERITY_ERROR, true},
		{"sorry, unimplemented: ", SEVERITY_ERROR, true},
		{"syntax error", SEVERITY_ERROR, true},
		{"*** ", SEVERITY_ERROR, false},
	};

	while (*s == ' ')
		s++;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!starts_with(s, words[i].word))
			continue;
		h->severity = words[i].severity;
		h->message = words[i].whole ? s : s + strlen(words[i].word);
		return *h->message != '\0';
	}
	return false;
}

/* Decimal digits at *s; false where there are none or too many. */
static bool take_number(const char **s, int *ret_n)
{
	const char *p = *s;
	int n = 0;

	while (isdigit((unsigned char)*p)) {
		if (n > 99999999)
			return false;
		n = 10 * n + (*p++ - '0');
	}
	if (p == *s)
		return false;
	*s = p;
	*ret_n = n;
	return true;
}

/* "path:7:3: error: …", "path:7: error: …", "Kconfig:7:warning: …" */
static bool take_located(const char *line, struct diagnostic_head *h)
{
	if (isspace((unsigned char)*line))
		return false;
	for (const char *colon = line; (colon = strchr(colon, ':')) != NULL; colon++) {
		const char *p = colon + 1;

		h->column = 0;
		h->in_function = false;
		if (colon == line || !take_number(&p, &h->line) || *p != ':')
			continue;
		p++;
		if (isdigit((unsigned char)*p)) {
			const char *after = p;

			if (take_number(&after, &h->column) && *after == ':')
				p = after + 1;
			else
				h->column = 0;
			h->in_function = h->column > 0;
		}
		if (!take_severity(p, h))
			continue;
		h->path = line;
		h->path_len = (size_t)(colon - line);
		return true;
	}
	return false;
}

/* A name that looks like a file of the tree or of its output, not like a program. */
static bool is_file(const char *s, size_t len)
{
	static const char *const endings[] = {".c", ".h", ".o", ".S", ".s", ".a", ".ko", ".lds"};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && memcmp(s + len - n, endings[i], n) == 0)
			return true;
	}
	return false;
}

/* "cc1: error: …", "vmlinux.o: warning: objtool: …", "ld.lld: error: …" */
static bool take_program(const char *line, struct diagnostic_head *h)
{
	size_t n = strcspn(line, ": ");

	if (n == 0 || n > 256 || line[n] != ':' || line[n + 1] != ' ' ||
		starts_with(line, "make") || !take_severity(line + n + 2, h))
		return false;
	if (is_file(line, n)) {
		h->path = line;
		h->path_len = n;
	}
	if (starts_with(line, "collect2: error: ld returned") ||
		starts_with(line, "clang: error: linker command failed")) {
		h->severity = SEVERITY_WEAK;
		h->message = line;
	}
	return true;
}

/* make's own words. "[target] Error 2" says only that something failed before. */
static bool take_make(const char *line, struct diagnostic_head *h)
{
	const char *stars;

	if (!starts_with(line, "make: ") && !starts_with(line, "make["))
		return false;
	stars = strstr(line, ": *** ");
	if (!stars)
		return false;
	h->message = stars + strlen(": *** ");
	if (starts_with(h->message, "Waiting for unfinished jobs"))
		return false;
	h->severity = SEVERITY_ERROR;
	if (*h->message == '[') {
		h->severity = SEVERITY_WEAK;
		h->message = line;
	}
	return true;
}

/* `ERROR: modpost: "f" [drivers/a.ko] undefined!` */
static bool take_modpost(const char *line, struct diagnostic_head *h)
{
	static const struct {
		const char *start;
		enum severity severity;
	} starts[] = {
		{"ERROR: modpost: ", SEVERITY_ERROR},
		{"FATAL: modpost: ", SEVERITY_ERROR},
		{"WARNING: modpost: ", SEVERITY_WARNING},
	};

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		if (!starts_with(line, starts[i].start))
			continue;
		h->severity = starts[i].severity;
		h->message = strstr(line, "modpost: ");
		return true;
	}
	return false;
}

/* GNU ld: "ld: a.o: in function `f':" is context; "a.c:(.text+0x5): undefined reference to `g'". */
static bool take_linker(const char *line, struct diagnostic_head *h)
{
	static const char *const words[] = {
		": undefined reference to ", ": multiple definition of "};
	const char *start = line, *ld = strstr(line, "ld: ");

	if (ld && (ld == line || ld[-1] == '/' || ld[-1] == '-'))
		start = ld + strlen("ld: ");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(start, words[i]);
		size_t n = strcspn(start, ": ");

		if (!at)
			continue;
		h->severity = SEVERITY_ERROR;
		h->message = at + 2;
		h->path = start;
		h->path_len = is_file(start, n) ? n : 0;
		h->in_function = true;
		return true;
	}
	if (start == line || strstr(start, ": in function "))
		return false;
	if (strstr(start, "warning: ")) {
		h->severity = SEVERITY_WARNING;
		h->message = strstr(start, "warning: ") + strlen("warning: ");
	} else {
		h->severity = SEVERITY_ERROR;
		h->message = start;
	}
	return *h->message != '\0';
}

bool scan_parse_head(const char *line, struct diagnostic_head *ret_head)
{
	struct diagnostic_head h = {0};
	bool found = take_located(line, &h);

	if (!found) {
		h = (struct diagnostic_head){0};
		found = take_make(line, &h) || take_modpost(line, &h) || take_linker(line, &h) ||
			take_program(line, &h);
	}
	if (found)
		*ret_head = h;
	return found;
}

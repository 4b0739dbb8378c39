/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A kernel console as it comes. At most one report is open at a time; it is closed by its own end
 * marker, by the beginning of another, or by the end of the console. Lines of a report are those
 * that follow its head: the kernel prints a report in one go, and what little is mixed into it
 * does no harm in an excerpt.
 */
#include "scan/console_internal.h"

#define CUT_HERE "------------[ cut here ]------------"
#define MAX_NAMES 2

struct scan_console {
	struct scan_findings findings;
	char line[SCAN_MAX_LINE + 1];
	size_t line_len;
	char *last_line;
	enum scan_stage stage;
	enum scan_life life;
	unsigned said;
	bool after_ruler;

	/* The open report. */
	bool cut_here; /* a "cut here" was seen and no head yet; its lines are in excerpt */
	bool is_open;
	struct scan_excerpt excerpt;
	char *head; /* its first line */
	struct report_start start; /* points into head */
	char *where, *on_stack;
	char *names[MAX_NAMES]; /* NAME_LOCKS */
	size_t n_names;
	bool names_over; /* what follows lists other locks */
	bool die_seen, in_stack, in_task;
};

struct scan_console *scan_console_new(void)
{
	struct scan_console *c = xcalloc(1, sizeof(*c));

	c->last_line = xstrdup("");
	scan_excerpt_init(&c->excerpt, SCAN_MAX_EXCERPT, SCAN_MAX_EXCERPT_LINES);
	return c;
}

static void forget_report(struct scan_console *c)
{
	free(scan_excerpt_take(&c->excerpt));
	free(steal_ptr(c->head));
	free(steal_ptr(c->where));
	free(steal_ptr(c->on_stack));
	for (size_t i = 0; i < c->n_names; i++)
		free(steal_ptr(c->names[i]));
	c->n_names = 0;
	c->names_over = c->die_seen = c->in_stack = c->in_task = false;
	c->is_open = c->cut_here = false;
}

struct scan_console *scan_console_free(struct scan_console *c)
{
	if (!c)
		return NULL;
	forget_report(c);
	scan_findings_done(&c->findings);
	strbuf_done(&c->excerpt.text);
	free(c->last_line);
	free(c);
	return NULL;
}

/* "drivers/vfio/a.c:731" behind " at " of a WARNING's head. */
static void take_file(struct scan_finding *f, const char *head)
{
	const char *at = strstr(head, " at ");
	const char *s, *colon;

	if (!starts_with(head, "WARNING: "))
		return;
	s = starts_with(head, "WARNING: CPU: ") && at ? at + strlen(" at ")
						      : head + strlen("WARNING: ");
	colon = strpbrk(s, ": ");
	if (!colon || *colon != ':')
		return;
	f->file = scan_tree_path(s, (size_t)(colon - s));
	f->line = (int)strtol(colon + 1, NULL, 10);
	f->line = f->line > 0 ? f->line : 0;
}

/* "f+0x1/0x2 / g+0x3/0x4" as "f / g"; NULL where it does not start with a name. */
static char *first_line_names(const char *s)
{
	AUTO_FREE char *first = s ? scan_function_name(s) : NULL;
	const char *slash = s ? strstr(s, " / ") : NULL;
	AUTO_FREE char *second = slash ? scan_function_name(slash + strlen(" / ")) : NULL;

	if (first && second)
		return xasprintf("%s / %s", first, second);
	return steal_ptr(first);
}

/* The name or names that go into the signature; NULL: none. */
static char *report_names(const struct scan_console *c)
{
	const char *fallback = c->where ? c->where : c->on_stack;
	char *names;

	switch (c->start.name) {
	case NAME_NONE:
		return NULL;
	case NAME_FIRST:
		names = first_line_names(c->start.function);
		return names ? names : xstrdup_null(fallback);
	case NAME_WHERE:
		return xstrdup_null(fallback);
	case NAME_STACK:
		return xstrdup_null(c->on_stack ? c->on_stack : c->where);
	case NAME_LOCKS:
		if (!c->n_names)
			return xstrdup_null(c->on_stack);
		if (c->n_names == 1)
			return xstrdup(c->names[0]);
		/* Which of the two orders is met first differs from boot to boot. */
		if (strcmp(c->names[0], c->names[1]) < 0)
			return xasprintf("%s, %s", c->names[0], c->names[1]);
		return xasprintf("%s, %s", c->names[1], c->names[0]);
	}
	return NULL;
}

static char *report_signature(const struct scan_console *c, const char *names)
{
	AUTO_FREE char *raw = xstrndup(c->start.words, c->start.words_len);
	AUTO_FREE char *words = NULL;

	if (c->start.panic) {
		char *text = raw + strlen("Kernel panic - not syncing: ");
		char *exit_code = strstr(text, " exitcode=");

		if (exit_code)
			*exit_code = '\0';
		for (size_t n = strlen(text); n && strchr("! :", text[n - 1]); n--)
			text[n - 1] = '\0';
		words = scan_normalize(text);
		return xasprintf("panic: %s", words);
	}
	for (size_t n = strlen(raw); n && raw[n - 1] == ' '; n--)
		raw[n - 1] = '\0';
	words = scan_normalize(raw);
	return xasprintf("%s%s%s%s", c->start.name == NAME_LOCKS ? "lockdep: " : "", words,
		names ? c->start.joint : "", names ? names : "");
}

static void keep(struct scan_console *c, struct scan_finding *f)
{
	for (size_t i = 0; i < c->findings.n; i++) {
		if (strcmp(c->findings.items[i].signature, f->signature) == 0) {
			scan_finding_done(f);
			return;
		}
	}
	scan_findings_push(&c->findings, f, SCAN_MAX_REPORTS);
}

static void close_report(struct scan_console *c)
{
	struct scan_finding f = {.kind = "kernel"};
	AUTO_FREE char *names = NULL;

	if (c->is_open) {
		names = report_names(c);
		f.signature = report_signature(c, names);
		f.function = names ? scan_function_name(names) : NULL;
		f.message = xstrdup(c->head);
		f.excerpt = scan_excerpt_take(&c->excerpt);
		f.fatal = c->start.fatal;
		take_file(&f, c->head);
		keep(c, &f);
	}
	forget_report(c);
}

static void open_report(struct scan_console *c, const char *line, bool after_ruler)
{
	if (!c->cut_here)
		close_report(c);
	c->cut_here = false;
	c->is_open = true;
	c->head = xstrdup(line);
	/* Once more, so that it points into the copy. */
	(void)scan_report_start(c->head, after_ruler, &c->start);
	c->die_seen = scan_is_die_line(line);
	if (c->start.panic)
		c->life = SCAN_DYING;
	scan_excerpt_add(&c->excerpt, line);
	if (c->start.end == END_LINE)
		close_report(c);
}

static void take_lock_name(struct scan_console *c, const char *line)
{
	const char *at = strstr(line, ", at: ");
	char *name;

	if (starts_with(line, "other info that might help"))
		c->names_over = true;
	if (!at || c->names_over || c->n_names == MAX_NAMES)
		return;
	name = scan_function_name(at + strlen(", at: "));
	if (!name)
		return;
	if (c->n_names && strcmp(c->names[0], name) == 0)
		free(name);
	else
		c->names[c->n_names++] = name;
}

/* Does this line end the call trace? Without <TASK> (not x86) the first other line does. */
static bool ends_stack(struct scan_console *c, const char *line)
{
	if (strstr(line, "Call Trace:") || strstr(line, "Call trace:")) {
		c->in_stack = true;
		return false;
	}
	if (!c->in_stack)
		return false;
	if (strstr(line, "<TASK>"))
		c->in_task = true;
	return strstr(line, "</TASK>") != NULL;
}

static bool is_stack_line(const char *line)
{
	return line[0] == ' ' || line[0] == '\t' || strstr(line, "Call ") != NULL;
}

/* A line of the open report. Returns false where it is none of it. */
static bool take_report_line(struct scan_console *c, const char *line)
{
	const char *function;
	bool over = false;

	if (c->in_stack && !c->in_task && c->start.end == END_STACK && !is_stack_line(line)) {
		close_report(c);
		return false;
	}
	scan_excerpt_add(&c->excerpt, line);
	c->die_seen = c->die_seen || scan_is_die_line(line);
	function = scan_where(line);
	if (function && !c->where)
		c->where = scan_function_name(function);
	function = scan_stack_function(line);
	if (function && c->in_stack && !c->on_stack && !scan_is_bystander(function))
		c->on_stack = scan_function_name(function);
	if (c->start.name == NAME_LOCKS)
		take_lock_name(c, line);

	switch (c->start.end) {
	case END_LINE:
		over = true;
		break;
	case END_STACK:
		over = ends_stack(c, line);
		break;
	case END_TRACE:
		(void)ends_stack(c, line);
		over = starts_with(line, "---[ end trace") || scan_is_ruler(line);
		break;
	case END_RULER:
		(void)ends_stack(c, line);
		over = scan_is_ruler(line);
		break;
	case END_PANIC:
		over = starts_with(line, "---[ end Kernel panic") ||
		       starts_with(line, "Rebooting in ");
		if (over)
			c->life = SCAN_DEAD;
		break;
	}
	if (over)
		close_report(c);
	return true;
}

/* The second head of one report ("Oops: 0002 [#1]" after "BUG: …") opens no other. */
static bool continues(const struct scan_console *c, const char *line)
{
	if (!c->is_open)
		return false;
	return c->start.panic ||
	       (c->start.name == NAME_WHERE && !c->die_seen && scan_is_die_line(line));
}

/* The first may stand behind a word of the firmware that ended in no line feed. A second kernel on
 * the same console: the first fell over without a word. */
static void take_banner(struct scan_console *c, const char *line)
{
	struct scan_finding f = {.kind = "kernel", .fatal = true};

	if (c->stage == SCAN_STAGE_NOTHING) {
		c->stage = SCAN_STAGE_KERNEL;
		return;
	}
	close_report(c);
	if (c->life == SCAN_ALIVE) {
		f.message = xstrdup(line);
		f.signature = xstrdup("reboot: the kernel started again by itself");
		f.excerpt = xasprintf("%s\n%s\n", c->last_line, line);
		keep(c, &f);
	}
	c->life = SCAN_DEAD;
}

static void take_clean_line(struct scan_console *c, const char *line)
{
	struct report_start start;
	bool after_ruler = c->after_ruler;

	c->after_ruler = scan_is_ruler(line);
	c->said |= scan_said(line);
	if (starts_with(line, "Linux version ") ||
		(c->stage == SCAN_STAGE_NOTHING && strstr(line, "Linux version "))) {
		take_banner(c, line);
	} else if (starts_with(line, "Run ") && ends_with(line, " as init process")) {
		c->stage = MAX_OF(c->stage, SCAN_STAGE_INIT);
	} else if (strcmp(line, CUT_HERE) == 0 && !(c->is_open && c->start.panic)) {
		close_report(c);
		c->cut_here = true;
	} else if (!continues(c, line) && scan_report_start(line, after_ruler, &start)) {
		open_report(c, line, after_ruler);
	} else if (c->is_open) {
		(void)take_report_line(c, line);
	} else if (c->cut_here) {
		/* WARN() with words of its own: they stand between "cut here" and the head. */
		scan_excerpt_add(&c->excerpt, line);
	}
	if (*line) {
		free(c->last_line);
		c->last_line = xstrdup(line);
	}
}

static void take_line(struct scan_console *c, char *line)
{
	bool stamped;
	char *glued = scan_glued_stamp(line);

	while (glued) {
		char first = *glued;

		*glued = '\0';
		take_clean_line(c, scan_clean_console_line(line, &stamped));
		*glued = first;
		line = glued;
		glued = scan_glued_stamp(line);
	}
	take_clean_line(c, scan_clean_console_line(line, &stamped));
}

static void end_line(struct scan_console *c)
{
	c->line[c->line_len] = '\0';
	c->line_len = 0;
	take_line(c, c->line);
}

void scan_console_feed(struct scan_console *c, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n')
			end_line(c);
		else if (c->line_len < SCAN_MAX_LINE)
			c->line[c->line_len++] = (char)(data[i] ? data[i] : '?');
	}
}

void scan_console_end(struct scan_console *c)
{
	if (c->line_len)
		end_line(c);
	close_report(c);
}

const struct scan_findings *scan_console_findings(const struct scan_console *c)
{
	return &c->findings;
}

enum scan_life scan_console_life(const struct scan_console *c)
{
	return c->life;
}

enum scan_stage scan_console_stage(const struct scan_console *c)
{
	return c->stage;
}

unsigned scan_console_said(const struct scan_console *c)
{
	return c->said;
}

const char *scan_console_last_line(const struct scan_console *c)
{
	return c->last_line;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the compiler said of each object, from the files that the wrapper left beside them, and
 * what others said from the log.
 */
#include "agents/host/build.h"
#include "agents/host/folder.h"
#include "agents/host/wrapper.h"

#include "base/file.h"

#include <fcntl.h>

/* JSON may need six bytes for one: this fits a frame in any case. */
#define MAX_TEXT 40000
#define MAX_OBJECTS 20000
#define MAX_LINE 4096
#define MAX_TAIL 8192

/* Where one of these is in a line of a failed build, the host is to blame. */
static const char *const host_trouble[] = {"Killed signal terminated program",
	"internal compiler error: Killed", "virtual memory exhausted", "out of memory allocating",
	"Cannot allocate memory", "No space left on device", "Disk quota exceeded",
	"Input/output error", "Resource temporarily unavailable", "terminated with signal 9",
	"Bus error", "Too many open files", "Stale file handle", "Structure needs cleaning",
	"ld: final link failed: No space"};

/* Starts of lines by which tools other than the compiler complain. */
static const char *const complaint_starts[] = {"make: ***", "make[",
	"ERROR: modpost:", "WARNING: modpost:", "ld: ", "/usr/bin/ld: ", "ld.lld: ", "collect2: ",
	"/bin/sh: ", "sh: ", "FAILED", "error: "};

/* And what is in them. */
static const char *const complaint_parts[] = {
	": *** ", "undefined reference to", ": objtool: ", ": not found", "ld: "};

static bool is_complaint(const char *line)
{
	if (starts_with(line, "make["))
		return strstr(line, ": *** ") != NULL;
	for (size_t i = 0; i < ARRAY_SIZE(complaint_starts); i++)
		if (starts_with(line, complaint_starts[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(complaint_parts); i++)
		if (strstr(line, complaint_parts[i]))
			return true;
	/* drivers/x/Kconfig:12: syntax error */
	return strstr(line, "Kconfig") && strstr(line, ": ") && strchr(line, ':') &&
	       strspn(strchr(line, ':') + 1, "0123456789") > 0;
}

/* "make[3]: *** [scripts/Makefile.build:229: a.o] Killed", or what a shell says of 128 + 9. */
static bool says_killed(const char *line)
{
	return starts_with(line, "make") && strstr(line, "*** [") &&
	       (ends_with(line, "] Killed") || ends_with(line, "] Error 137"));
}

static void take_line(struct build *b)
{
	const char *line = b->line.buf;
	bool trouble = says_killed(line);

	for (size_t i = 0; i < ARRAY_SIZE(host_trouble) && !trouble; i++)
		trouble = strstr(line, host_trouble[i]) != NULL;
	if (trouble && !*b->killed)
		snprintf(b->killed, sizeof(b->killed), "%s", line);
	if (ends_with(line, ": not found") || ends_with(line, ": command not found"))
		snprintf(b->not_found, sizeof(b->not_found), "%s", line);
	b->lacks_program =
		b->lacks_program || (starts_with(line, "make") && strstr(line, "*** [") &&
					    ends_with(line, "] Error 127"));
	diag_attach(b, line);
	if (is_complaint(line))
		strbuf_addf(&b->errors, "%s\n", line);
	if (b->tail.len + b->line.len + 1 > MAX_TAIL)
		strbuf_consume(&b->tail, MIN_OF(b->tail.len, b->line.len + 1));
	strbuf_addf(&b->tail, "%s\n", line);
	strbuf_truncate(&b->line, 0);
}

void diag_log(struct build *b, const char *buf, size_t len)
{
	while (len) {
		const char *nl = memchr(buf, '\n', len);
		size_t part = nl ? (size_t)(nl - buf) : len;

		/* A line without end is looked at as far as it fits. */
		(void)strbuf_add(&b->line, buf, part);
		if (nl)
			take_line(b);
		part += nl != NULL;
		buf += part;
		len -= part;
	}
}

static void send_text(struct build *b, const char *object, bool fresh, const char *text, size_t len)
{
	AUTO_STRBUF struct strbuf ev;
	size_t shown = len;

	if (len > MAX_TEXT) {
		shown = MAX_TEXT;
		while (shown && text[shown - 1] != '\n')
			shown--;
		if (!shown)
			shown = MAX_TEXT;
	}
	strbuf_init(&ev, FRAME_MAX);
	event_begin(&ev, "diagnostics");
	jsonw_str(&ev, "object", object);
	jsonw_bool(&ev, "fresh", fresh);
	jsonw_strn(&ev, "text", text, shown);
	if (shown < len)
		jsonw_int(&ev, "left_out_bytes", (int64_t)(len - shown));
	event_send(&b->a->link, &ev);
}

char *diag_object(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	size_t len = strlen(base);

	if (*base != '.' || !ends_with(base, ".diag") || len < 7)
		return NULL;
	return xasprintf("%.*s%.*s", (int)(base - name), name, (int)(len - 6), base + 1);
}

struct header {
	char build[33];
	char status[8];
	char source[1024];
	const char *text;
};

static bool parse_header(const char *all, struct header *ret_h)
{
	const char *nl = strchr(all, '\n');
	int used = -1;

	if (!nl ||
		sscanf(all, "patchbay-diag 1 %32s %7s %n", ret_h->build, ret_h->status, &used) !=
			2 ||
		used < 0 || all + used > nl || (size_t)(nl - all - used) >= sizeof(ret_h->source))
		return false;
	snprintf(ret_h->source, sizeof(ret_h->source), "%.*s", (int)(nl - all - used), all + used);
	ret_h->text = nl + 1;
	return true;
}

/* Whether the file that an object was made from is in the tree, or was generated. */
static bool has_source(const struct build *b, const char *source)
{
	if (starts_with(source, "/src/"))
		return folder_has(b->src, source + strlen("/src/"));
	if (starts_with(source, "/out/"))
		return folder_has(b->obj, source + strlen("/out/"));
	return true;
}

struct sending {
	struct build *b;
	bool failed; /* the build did: objects that could not be made count as well */
	size_t objects;
	int64_t left_out; /* past MAX_OBJECTS */
};

/* Objects of other commits are in the folder too; of those that could not be made, only what this
 * run tried counts. */
static bool is_meant(
	const struct sending *s, const char *object, const struct header *h, bool fresh)
{
	if (!streq(h->status, "ok"))
		return s->failed && fresh;
	return folder_has(s->b->obj, object) && has_source(s->b, h->source) &&
	       object_is_live(s->b, object);
}

static int send_diag(void *data, const char *name, const struct stat *st, struct error *e)
{
	struct sending *s = data;
	AUTO_FREE char *object = S_ISREG(st->st_mode) ? diag_object(name) : NULL;
	AUTO_FREE char *text = NULL;
	struct header h;
	bool fresh;
	size_t len;

	if (!object || folder_read(s->b->obj, name, WRAPPER_MAX + 4096, &text, &len, NULL) ||
		!parse_header(text, &h))
		return 0;
	fresh = streq(h.build, s->b->nonce);
	if (!is_meant(s, object, &h, fresh))
		return 0;
	if (s->objects == MAX_OBJECTS) {
		s->left_out++;
		return 0;
	}
	s->objects++;
	send_text(s->b, object, fresh, h.text, len - (size_t)(h.text - text));
	return s->b->a->link.lost ? error_set(e, ERR_LINK, "%s", s->b->a->link.lost_reason) : 0;
}

static void send_left_out(struct build *b, int64_t objects)
{
	AUTO_STRBUF struct strbuf ev;

	strbuf_init(&ev, FRAME_MAX);
	event_begin(&ev, "diagnostics");
	jsonw_int(&ev, "left_out_objects", objects);
	event_send(&b->a->link, &ev);
}

int diag_send(struct build *b, enum build_result result, struct error *e)
{
	struct sending s = {.b = b, .failed = result == BUILD_FAIL};
	int r = folder_walk(b->obj, send_diag, &s, e);

	if (s.left_out && !r)
		send_left_out(b, s.left_out);
	if (b->line.len)
		take_line(b);
	/* Of a build that passed, what make and the linker said is no finding. */
	if (!r && s.failed) {
		const struct strbuf *said = b->errors.len ? &b->errors : &b->tail;

		send_text(b, "build", true, said->buf, said->len);
	}
	return r;
}

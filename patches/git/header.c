/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The headers that stand before a file's hunks: git's own, and plain "--- a" / "+++ b". */
#include "patches/git/diff_internal.h"

#define DEV_NULL "/dev/null"

/* One line without its newline; may be NUL-terminated by xstrndup() only. */
struct text {
	const char *p;
	size_t len;
};

static struct text line_text(const struct scan *s, size_t skip)
{
	size_t len = scan_line(s);

	if (len && s->p[len - 1] == '\n')
		len--;
	return (struct text){s->p + skip, len > skip ? len - skip : 0};
}

static bool is_dev_null(struct text t)
{
	size_t n = strlen(DEV_NULL);

	return t.len >= n && memcmp(t.p, DEV_NULL, n) == 0 &&
	       (t.len == n || t.p[n] == ' ' || t.p[n] == '\t');
}

/* One escape of a quoted name at p[1]; *ret_used counts what follows the backslash. */
static int unescape(const char *p, size_t left, size_t *ret_used)
{
	static const char letters[] = "abtnvfr\"\\";
	static const char values[] = "\a\b\t\n\v\f\r\"\\";
	const char *at = left ? memchr(letters, *p, sizeof(letters) - 1) : NULL;
	int v = 0;

	*ret_used = 1;
	if (at)
		return (unsigned char)values[at - letters];
	if (left < 3)
		return -1;
	for (size_t i = 0; i < 3; i++) {
		if (p[i] < '0' || p[i] > '7')
			return -1;
		v = v * 8 + (p[i] - '0');
	}
	*ret_used = 3;
	return v > 0 && v < 256 ? v : -1;
}

/* A name in double quotes, as git writes odd ones; heap, or NULL. *ret_used: with its quotes. */
static char *unquote(struct text t, size_t *ret_used)
{
	AUTO_FREE char *out = xmalloc(t.len + 1);
	size_t n = 0;

	for (size_t i = 1; i < t.len; i++) {
		size_t used;
		int c;

		if (t.p[i] == '"') {
			out[n] = '\0';
			*ret_used = i + 1;
			return steal_ptr(out);
		}
		if (t.p[i] != '\\') {
			out[n++] = t.p[i];
			continue;
		}
		c = unescape(t.p + i + 1, t.len - i - 1, &used);
		if (c < 0)
			return NULL;
		out[n++] = (char)c;
		i += used;
	}
	return NULL;
}

/* Without the first `strip` folders; NULL where it has not so many or nothing is left. */
static char *strip_folders(const char *name, int strip)
{
	while (strip--) {
		name = strchr(name, '/');
		if (!name)
			return NULL;
		name++;
	}
	return *name ? xstrdup(name) : NULL;
}

/* The name at the start of t, up to a tab; heap, or NULL. */
static char *find_name(struct text t, int strip)
{
	AUTO_FREE char *name = NULL;
	const char *tab = memchr(t.p, '\t', t.len);
	size_t used;

	if (t.len && *t.p == '"')
		name = unquote(t, &used);
	else
		name = xstrndup(t.p, tab ? (size_t)(tab - t.p) : t.len);
	return name ? strip_folders(name, strip) : NULL;
}

/* "a/X b/X" without quotes: the split where both halves agree but for their first folders. */
static char *twice_plain(struct text t)
{
	const char *end = t.p + t.len;

	if (t.len > 2 * DIFF_MAX_PATH + 16)
		return NULL;
	for (const char *split = t.p; split < end; split++) {
		const char *left = memchr(t.p, '/', (size_t)(split - t.p));
		const char *right = memchr(split + 1, '/', (size_t)(end - split - 1));
		size_t n = left ? (size_t)(split - left) - 1 : 0;

		if ((*split == ' ' || *split == '\t') && n && right &&
			(size_t)(end - right) - 1 == n && memcmp(left + 1, right + 1, n) == 0)
			return xstrndup(left + 1, n);
	}
	return NULL;
}

/*
 * The name of "diff --git a/NAME b/NAME", where nothing else names the file: it stands there
 * twice, which is how an end is found in names with spaces. Heap, or NULL.
 */
static char *twice_name(struct text t)
{
	AUTO_FREE char *first = NULL;
	AUTO_FREE char *second = NULL;
	size_t used;

	if (t.len && *t.p == '"') {
		first = unquote(t, &used);
		if (!first || used + 1 >= t.len || t.p[used] != ' ')
			return NULL;
		t = (struct text){t.p + used + 1, t.len - used - 1};
		second = *t.p == '"' ? unquote(t, &used) : xstrndup(t.p, t.len);
	} else if (t.len && t.p[t.len - 1] == '"') {
		const char *open = memmem(t.p, t.len, " \"", 2);
		struct text rest;

		if (!open)
			return NULL;
		first = xstrndup(t.p, (size_t)(open - t.p));
		rest = (struct text){open + 1, t.len - (size_t)(open + 1 - t.p)};
		second = unquote(rest, &used);
	} else {
		return twice_plain(t);
	}
	if (first && second) {
		AUTO_FREE char *left = strip_folders(first, 1);
		AUTO_FREE char *right = strip_folders(second, 1);

		if (streq(left, right))
			return steal_ptr(left);
	}
	return NULL;
}

/* An octal mode; 0 where it is none. */
static unsigned parse_mode(struct text t)
{
	unsigned mode = 0;
	size_t i = 0;

	for (; i < t.len && i < 7 && t.p[i] >= '0' && t.p[i] <= '7'; i++)
		mode = mode * 8 + (unsigned)(t.p[i] - '0');
	if (!i || (i < t.len && t.p[i] != ' ' && t.p[i] != '\t' && t.p[i] != '\r'))
		return 0;
	return mode;
}

/* "OLD..NEW MODE"; anything else is ignored, as git does. */
static void parse_index(struct text t, struct diff_file *f)
{
	const char *dots = memmem(t.p, t.len, "..", 2);
	const char *end = t.p + t.len;
	const char *space;
	size_t n;

	if (!dots || (size_t)(dots - t.p) > 64)
		return;
	n = (size_t)(dots - t.p);
	memcpy(f->old_id, t.p, n);
	f->old_id[n] = '\0';
	dots += 2;
	space = memchr(dots, ' ', (size_t)(end - dots));
	n = (size_t)((space ? space : end) - dots);
	if (n > 64)
		return;
	memcpy(f->new_id, dots, n);
	f->new_id[n] = '\0';
	if (strspn(f->old_id, "0123456789abcdef") != strlen(f->old_id) ||
		strspn(f->new_id, "0123456789abcdef") != n)
		f->old_id[0] = f->new_id[0] = '\0';
	if (space)
		f->old_mode = parse_mode((struct text){space + 1, (size_t)(end - space) - 1});
}

/* "--- NAME" or "+++ NAME" in git's header: it must agree with what is known. */
static int take_name(struct text t, char **name, bool absent, struct error *e)
{
	AUTO_FREE char *found = is_dev_null(t) ? NULL : find_name(t, 1);

	if (absent || *name) {
		if (absent ? !is_dev_null(t) : !streq(found, *name))
			return error_set(e, ERR_SYNTAX,
				"the header names \"%.*s\" where \"%.200s\" is expected",
				(int)MIN_OF(t.len, 200), t.p, absent ? DEV_NULL : *name);
		return 0;
	}
	*name = steal_ptr(found);
	return 0;
}

static void set_name(char **name, char *value)
{
	free(*name);
	*name = value;
}

enum header_line { HEADER_END, HEADER_MORE };

/* Which line of git's extended header this is, and where its value begins; 0: it is none. */
static int header_word(const struct scan *s, struct text *ret_value)
{
	static const struct {
		const char *prefix;
		int what;
	} lines[] = {
		{"--- ", 'a'},
		{"+++ ", 'b'},
		{"old mode ", 'o'},
		{"new mode ", 'n'},
		{"deleted file mode ", 'd'},
		{"new file mode ", 'N'},
		{"copy from ", 'c'},
		{"copy to ", 'C'},
		{"rename from ", 'r'},
		{"rename to ", 'R'},
		{"rename old ", 'r'},
		{"rename new ", 'R'},
		{"similarity index ", 's'},
		{"dissimilarity index ", 's'},
		{"index ", 'i'},
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!scan_starts(s, lines[i].prefix))
			continue;
		*ret_value = line_text(s, strlen(lines[i].prefix));
		return lines[i].what;
	}
	return 0;
}

/* The modes before and after, and whether the file comes or goes. def: the name said twice. */
static int take_mode(const struct scan *s, struct diff_file *f, int what, struct text t,
	const char *def, struct error *e)
{
	unsigned mode = parse_mode(t);

	if (!mode)
		return error_set(e, ERR_SYNTAX, "line %d of the patch has no valid mode", s->line);
	if (what == 'o' || what == 'd')
		f->old_mode = mode;
	else
		f->new_mode = mode;
	if (what == 'd') {
		f->is_delete = YES;
		set_name(&f->old_name, xstrdup_null(def));
	} else if (what == 'N') {
		f->is_new = YES;
		set_name(&f->new_name, xstrdup_null(def));
	}
	return HEADER_MORE;
}

/* One line of git's extended header; HEADER_END where it is none. */
static int extended_line(struct scan *s, struct diff_file *f, const char *def, struct error *e)
{
	struct text t;
	int what = header_word(s, &t);

	switch (what) {
	case 0:
		return HEADER_END;
	case 'a':
		return take_name(t, &f->old_name, f->is_new == YES, e) ?: HEADER_MORE;
	case 'b':
		return take_name(t, &f->new_name, f->is_delete == YES, e) ?: HEADER_MORE;
	case 'o':
	case 'n':
	case 'd':
	case 'N':
		return take_mode(s, f, what, t, def, e);
	case 'c':
	case 'r':
		f->is_copy |= what == 'c';
		f->is_rename |= what == 'r';
		set_name(&f->old_name, find_name(t, 0));
		return HEADER_MORE;
	case 'C':
	case 'R':
		f->is_copy |= what == 'C';
		f->is_rename |= what == 'R';
		set_name(&f->new_name, find_name(t, 0));
		return HEADER_MORE;
	case 'i':
		parse_index(t, f);
		return HEADER_MORE;
	default: /* how alike they are is git's to know */
		return HEADER_MORE;
	}
}

static int git_header(struct scan *s, struct diff_file *f, struct error *e)
{
	AUTO_FREE char *def = twice_name(line_text(s, strlen("diff --git ")));
	int at = s->line;
	int r;

	/* In git's own headers only these words make a file new or deleted. */
	f->is_new = f->is_delete = NO;
	do {
		scan_skip(s);
		r = s->p < s->end ? extended_line(s, f, def, e) : HEADER_END;
	} while (r == HEADER_MORE);
	if (r < 0)
		return r;
	if (!f->old_name && !f->new_name && def && f->is_new == NO && f->is_delete == NO) {
		f->old_name = xstrdup(def);
		f->new_name = xstrdup(def);
	}
	if (f->is_new == YES && f->is_delete == YES)
		return error_set(e, ERR_SYNTAX,
			"the git header at line %d of the patch says of a file that it is new and "
			"that it is deleted",
			at);
	if ((!f->new_name && f->is_delete == NO) || (!f->old_name && f->is_new == NO) ||
		(!f->new_name && !f->old_name))
		return error_set(e, ERR_SYNTAX,
			"the git header at line %d of the patch does not say which file it is "
			"about",
			at);
	/* Two names without a word about it are a rename. */
	if (f->old_name && f->new_name && !f->is_copy && !streq(f->old_name, f->new_name))
		f->is_rename = true;
	return 1;
}

/* The time stamp that diff writes for a file that is not there: the epoch, in any zone. */
static bool has_epoch(struct text t)
{
	const char *tab = memchr(t.p, '\t', t.len);
	size_t left = tab ? t.len - (size_t)(tab + 1 - t.p) : 0;

	return left >= 19 &&
	       (memcmp(tab + 1, "1970-01-01 ", 11) == 0 ||
		       memcmp(tab + 1, "1969-12-31 ", 11) == 0) &&
	       memcmp(tab + 1 + 14, ":00:00", 5) == 0;
}

static int plain_header(struct scan *s, struct diff_file *f, struct error *e)
{
	struct text first = line_text(s, 4);
	struct text second;
	AUTO_FREE char *old_name = NULL;
	AUTO_FREE char *new_name = NULL;
	int at = s->line;
	bool folders = memchr(first.p, '/', first.len) != NULL;

	scan_skip(s);
	second = line_text(s, 4);
	scan_skip(s);
	folders |= memchr(second.p, '/', second.len) != NULL;
	old_name = is_dev_null(first) ? NULL : find_name(first, folders);
	new_name = is_dev_null(second) ? NULL : find_name(second, folders);
	if (!old_name && !new_name)
		return error_set(
			e, ERR_SYNTAX, "line %d of the patch does not say which file it is", at);
	/* "file.orig" against "file": the shorter one is meant. */
	if (old_name && new_name && strlen(old_name) < strlen(new_name) &&
		starts_with(new_name, old_name))
		set_name(&new_name, xstrdup(old_name));
	if (is_dev_null(first) || (!is_dev_null(second) && has_epoch(first))) {
		f->is_new = YES;
		f->is_delete = NO;
		f->new_name = steal_ptr(new_name);
	} else if (is_dev_null(second) || has_epoch(second)) {
		f->is_new = NO;
		f->is_delete = YES;
		f->old_name = new_name ? steal_ptr(new_name) : steal_ptr(old_name);
	} else if (new_name) {
		f->old_name = xstrdup(new_name);
		f->new_name = steal_ptr(new_name);
	}
	if (!f->old_name && !f->new_name)
		return error_set(
			e, ERR_SYNTAX, "line %d of the patch does not say which file it is", at);
	return 1;
}

int header_parse(struct scan *s, struct diff_file *f, struct error *e)
{
	struct scan next = *s;
	struct hunk hunk;

	if (scan_starts(s, "diff --git "))
		return git_header(s, f, e);
	if (!scan_starts(s, "--- "))
		return 0;
	scan_skip(&next);
	if (!scan_starts(&next, "+++ "))
		return 0;
	scan_skip(&next);
	return hunk_header(&next, &hunk) ? plain_header(s, f, e) : 0;
}

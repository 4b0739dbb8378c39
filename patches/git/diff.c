/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/diff.h"

#include "patches/git/diff_internal.h"

struct diff *diff_free(struct diff *d)
{
	if (!d)
		return NULL;
	for (size_t i = 0; i < d->n_files; i++) {
		free(d->files[i].old_name);
		free(d->files[i].new_name);
		free(d->files[i].hunks);
		free(d->files[i].packed);
	}
	free(d->files);
	free(d);
	return NULL;
}

const char *diff_file_name(const struct diff_file *f)
{
	return f->new_name ? f->new_name : f->old_name ? f->old_name : "?";
}

size_t scan_line(const struct scan *s)
{
	const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));

	return nl ? (size_t)(nl + 1 - s->p) : (size_t)(s->end - s->p);
}

bool scan_starts(const struct scan *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(s->end - s->p) >= n && memcmp(s->p, prefix, n) == 0;
}

void scan_skip(struct scan *s)
{
	s->p += scan_line(s);
	s->line++;
}

static bool number(const char **p, const char *end, size_t *ret_n)
{
	const char *start = *p;
	size_t n = 0;

	while (*p < end && **p >= '0' && **p <= '9' && *p - start < 10)
		n = n * 10 + (size_t)(*(*p)++ - '0');
	*ret_n = n;
	return *p > start;
}

static bool word(const char **p, const char *end, const char *expected)
{
	size_t n = strlen(expected);

	if ((size_t)(end - *p) < n || memcmp(*p, expected, n) != 0)
		return false;
	*p += n;
	return true;
}

/* "START,COUNT" or "START", which means one line. */
static bool range(const char **p, const char *end, size_t *ret_start, size_t *ret_count)
{
	*ret_count = 1;
	if (!number(p, end, ret_start))
		return false;
	if (*p < end && **p == ',') {
		(*p)++;
		return number(p, end, ret_count);
	}
	return true;
}

bool hunk_header(const struct scan *s, struct hunk *ret_hunk)
{
	const char *p = s->p;
	const char *end = s->p + scan_line(s);

	return word(&p, end, "@@ -") &&
	       range(&p, end, &ret_hunk->old_start, &ret_hunk->old_count) && word(&p, end, " +") &&
	       range(&p, end, &ret_hunk->new_start, &ret_hunk->new_count) && word(&p, end, " @@");
}

/* "\ No newline at end of file", in whatever language. */
static bool is_marker(const struct scan *s)
{
	return scan_starts(s, "\\ ") && scan_line(s) >= 12;
}

/* The lines of one hunk, as many as its header says. */
static int parse_hunk(struct scan *s, struct hunk *h, struct error *e)
{
	size_t old_left;
	size_t new_left;
	bool changed = false;
	int at = s->line;

	if (!hunk_header(s, h))
		goto corrupt;
	h->at_line = at;
	scan_skip(s);
	h->text = s->p;
	h->leading = h->trailing = 0;
	old_left = h->old_count;
	new_left = h->new_count;
	while (old_left || new_left) {
		char sign = s->p < s->end ? *s->p : '\0';

		if (sign == '\n')
			sign = ' '; /* some mail programs strip the space of an empty line */
		if ((sign == ' ' && (!old_left || !new_left)) || (sign == '-' && !old_left) ||
			(sign == '+' && !new_left))
			goto corrupt;
		if (sign == ' ') {
			h->leading += !changed;
			h->trailing++;
		} else if (sign == '-' || sign == '+') {
			changed = true;
			h->trailing = 0;
		} else if (!is_marker(s)) {
			goto corrupt;
		}
		old_left -= sign == ' ' || sign == '-';
		new_left -= sign == ' ' || sign == '+';
		scan_skip(s);
	}
	if (!changed)
		goto corrupt;
	if (is_marker(s))
		scan_skip(s);
	h->len = (size_t)(s->p - h->text);
	return 0;
corrupt:
	return error_set(e, ERR_SYNTAX,
		"the patch is corrupt at its line %d: what follows is not the %zu and %zu lines "
		"that "
		"the hunk at line %d announces (a mail program may have wrapped or cut it)",
		s->line, h->old_count, h->new_count, at);
}

/* All hunks of a file, and what they say of it being new or deleted. */
static int parse_hunks(struct scan *s, struct diff_file *f, struct error *e)
{
	size_t old_lines = 0;
	size_t new_lines = 0;

	while (scan_starts(s, "@@ -")) {
		struct hunk *h;
		int r;

		f->hunks = xgrow(f->hunks, f->n_hunks, sizeof(*f->hunks));
		h = &f->hunks[f->n_hunks];
		*h = (struct hunk){.number = (int)f->n_hunks + 1};
		r = parse_hunk(s, h, e);
		if (r)
			return r;
		f->n_hunks++;
		old_lines += h->old_count;
		new_lines += h->new_count;
	}
	if (f->is_new == MAYBE && (old_lines || f->n_hunks > 1))
		f->is_new = NO;
	if (f->is_delete == MAYBE && (new_lines || f->n_hunks > 1))
		f->is_delete = NO;
	if (f->is_new == YES && old_lines)
		return error_set(e, ERR_SYNTAX, "the new file \"%s\" has lines taken away",
			diff_file_name(f));
	if (f->is_delete == YES && new_lines)
		return error_set(
			e, ERR_SYNTAX, "the deleted file \"%s\" has lines left", diff_file_name(f));
	return 0;
}

static bool changes_metadata(const struct diff_file *f)
{
	return f->is_rename || f->is_copy || f->is_new == YES || f->is_delete == YES ||
	       (f->old_mode && f->new_mode && f->old_mode != f->new_mode);
}

/* "Binary files a/x and b/x differ" */
static bool is_binary_notice(const struct scan *s)
{
	size_t len = scan_line(s);

	return len > 8 && memcmp(s->p + len - 8, " differ\n", 8) == 0 &&
	       (scan_starts(s, "Binary files ") || scan_starts(s, "Files "));
}

/* What follows a header: hunks, a binary patch, or nothing where the header says it all. */
static int parse_content(struct scan *s, struct diff_file *f, struct error *e)
{
	int at = s->line;
	int r = parse_hunks(s, f, e);

	if (r || f->n_hunks)
		return r;
	if (scan_starts(s, "GIT binary patch\n")) {
		scan_skip(s);
		return binary_parse(s, f, e);
	}
	if (is_binary_notice(s)) {
		f->binary = BINARY_MISSING;
		scan_skip(s);
		return 0;
	}
	if (changes_metadata(f))
		return 0;
	return error_set(e, ERR_SYNTAX,
		"nothing follows the header of \"%s\" before line %d of the patch",
		diff_file_name(f), at);
}

static int check_names(const struct diff_file *f, struct error *e)
{
	int r = f->old_name ? path_check(f->old_name, e) : 0;

	if (!r && f->new_name)
		r = path_check(f->new_name, e);
	if (!r && ((f->old_mode & DIFF_MODE_TYPE) == 0160000 ||
			  (f->new_mode & DIFF_MODE_TYPE) == 0160000))
		r = error_set(e, ERR_SYNTAX, "\"%s\" is a submodule, which the lab does not follow",
			diff_file_name(f));
	return r;
}

int diff_parse(const char *text, size_t len, struct diff **ret_diff, struct error *e)
{
	AUTO_DIFF struct diff *d = xcalloc(1, sizeof(*d));
	struct scan s = {.p = text, .end = text + len, .line = 1};

	while (s.p < s.end) {
		struct diff_file f = {.is_new = MAYBE, .is_delete = MAYBE};
		struct hunk stray;
		int r;

		if (scan_starts(&s, "@@ -") && hunk_header(&s, &stray))
			return error_set(e, ERR_SYNTAX,
				"the hunk at line %d of the patch belongs to no file", s.line);
		r = header_parse(&s, &f, e);
		if (r == 0) {
			scan_skip(&s);
			continue;
		}
		if (d->n_files == DIFF_MAX_FILES && r > 0) {
			r = error_set(e, ERR_LIMIT, "the patch touches more than %d files",
				DIFF_MAX_FILES);
		}
		if (r > 0)
			r = check_names(&f, e);
		if (r == 0)
			r = parse_content(&s, &f, e);
		d->files = xgrow(d->files, d->n_files, sizeof(*d->files));
		d->files[d->n_files++] = f;
		if (r < 0)
			return r;
	}
	if (!d->n_files)
		return error_set(e, ERR_SYNTAX, "there is no diff in it");
	*ret_diff = steal_ptr(d);
	return 0;
}

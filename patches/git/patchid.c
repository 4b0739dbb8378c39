/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/patchid.h"

#include "patches/git/sha1.h"

struct state {
	struct sha1 hash; /* of the file so far */
	uint8_t sum[20]; /* of the files before it, little end first */
	char old_id[65], new_id[65];
	bool stable;
	bool binary;
	bool started; /* something was hashed */
	/* Lines of the hunk to come on either side; -1: in a header. */
	long before, after;
};

static void flush(struct state *s)
{
	uint8_t digest[20];
	unsigned carry = 0;

	sha1_end(&s->hash, digest);
	sha1_init(&s->hash);
	for (size_t i = 0; i < sizeof(digest); i++) {
		carry += (unsigned)s->sum[i] + digest[i];
		s->sum[i] = (uint8_t)carry;
		carry >>= 8;
	}
}

static bool begins(const char *line, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && memcmp(line, prefix, n) == 0;
}

static bool is_object_id(const char *p, size_t len)
{
	if (len < 40)
		return false;
	for (size_t i = 0; i < 40; i++)
		if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f') ||
			    (p[i] >= 'A' && p[i] <= 'F')))
			return false;
	return true;
}

/* "index OLD..NEW MODE": what a binary patch is told by. */
static void note_index(struct state *s, const char *line, size_t len)
{
	const char *end = line + len;
	const char *old = line + 6;
	const char *dots = memmem(line, len, "..", 2);
	const char *stop = dots ? memchr(dots, ' ', (size_t)(end - dots)) : NULL;

	if (!dots || dots < old)
		return;
	if (!stop)
		stop = end - 1;
	(void)snprintf(s->old_id, sizeof(s->old_id), "%.*s", (int)(dots - old), old);
	(void)snprintf(s->new_id, sizeof(s->new_id), "%.*s",
		(int)MAX_OF(stop - dots - 2, (ptrdiff_t)0), dots + 2);
}

/* A range's count; one line where it is not said. */
static bool read_count(const char **p, const char *end, long *ret_count)
{
	long n = 0;
	bool digits = false;

	*ret_count = 1;
	for (int part = 0; part < 2; part++) {
		digits = false;
		for (n = 0; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
			n = n < 100000000 ? n * 10 + (**p - '0') : n;
			digits = true;
		}
		if (part == 1)
			*ret_count = n;
		if (part == 1 || *p == end || **p != ',')
			break;
		(*p)++;
	}
	return digits;
}

static void read_hunk(struct state *s, const char *line, size_t len)
{
	const char *p = line + 4;
	const char *end = line + len;
	long before;
	long after;

	if (!read_count(&p, end, &before) || end - p < 2 || p[0] != ' ' || p[1] != '+')
		return;
	p += 2;
	if (!read_count(&p, end, &after))
		return;
	s->before = before;
	s->after = after;
}

static void hash_line(struct state *s, const char *line, size_t len)
{
	const char *end = line + len;

	s->before -= *line == '-' || *line == ' ';
	s->after -= *line == '+' || *line == ' ';
	while (line < end && *line) {
		const char *p = line;

		while (p < end && *p && *p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
			p++;
		sha1_add(&s->hash, line, (size_t)(p - line));
		s->started |= p > line;
		for (line = p; line < end &&
			       (*line == ' ' || *line == '\t' || *line == '\n' || *line == '\r');
			line++)
			;
	}
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* One line. False: the patch has ended before it. */
static bool add_line(struct state *s, const char *line, size_t len)
{
	const char *id = line;

	if (begins(line, len, "commit "))
		id = line + 7;
	else if (begins(line, len, "From "))
		id = line + 5;
	else if (begins(line, len, "\\ ") && len > 12)
		return true;
	if (is_object_id(id, len - (size_t)(id - line)))
		return false;
	if (!s->started && !begins(line, len, "diff "))
		return true;
	if (s->before == -1) {
		if (begins(line, len, "GIT binary patch") || begins(line, len, "Binary files")) {
			s->binary = true;
			s->before = 0;
			sha1_add(&s->hash, s->old_id, strlen(s->old_id));
			sha1_add(&s->hash, s->new_id, strlen(s->new_id));
			if (s->stable)
				flush(s);
			return true;
		}
		if (begins(line, len, "index ")) {
			note_index(s, line, len);
			return true;
		}
		if (begins(line, len, "--- "))
			s->before = s->after = 1;
		else if (!is_alpha(*line))
			return false;
	}
	if (s->binary) {
		if (begins(line, len, "diff ")) {
			s->binary = false;
			s->before = -1;
		}
		return true;
	}
	if (s->before == 0 && s->after == 0) {
		if (begins(line, len, "@@ -")) {
			read_hunk(s, line, len);
			return true;
		}
		if (!begins(line, len, "diff "))
			return false;
		if (s->stable)
			flush(s);
		s->before = s->after = -1;
	}
	hash_line(s, line, len);
	return true;
}

bool patch_id(const char *text, size_t len, bool stable, char hex[PATCH_ID_HEX])
{
	struct state s = {.stable = stable, .before = -1, .after = -1};
	const char *end = text + len;

	sha1_init(&s.hash);
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = nl ? (size_t)(nl + 1 - text) : (size_t)(end - text);

		if (!add_line(&s, text, n))
			break;
		text += n;
	}
	if (!s.started)
		return false;
	flush(&s);
	for (size_t i = 0; i < sizeof(s.sum); i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", s.sum[i]);
	return true;
}

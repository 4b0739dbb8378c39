/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/tags.h"

#include "patches/mail/text.h"

static const char *const reply_marks[] = {"re:", "aw:", "sv:", "fwd:", "fw:", "antw:"};

/* Decimal digits within end; false where there are none or too many. */
static bool take_number(const char **p, const char *end, int *ret_n)
{
	const char *start = *p;
	int n = 0;

	while (*p < end && **p >= '0' && **p <= '9' && *p - start < 6)
		n = n * 10 + (*(*p)++ - '0');
	if (*p == start)
		return false;
	*ret_n = n;
	return true;
}

static bool take_word(const char **p, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *p) < len || !text_istarts(*p, word))
		return false;
	*p += len;
	return true;
}

/* "v2", "v2.1" */
static bool take_version(const char **p, const char *end, struct tags *t)
{
	const char *at = *p;
	int version;
	int minor = 0;

	if (at == end || text_lower(*at) != 'v')
		return false;
	at++;
	if (!take_number(&at, end, &version))
		return false;
	if (at < end && *at == '.') {
		at++;
		(void)take_number(&at, end, &minor);
	}
	t->version = version;
	t->minor = minor;
	t->patch = true;
	*p = at;
	return true;
}

/* "2/7", "2 of 7" */
static bool take_position(const char **p, const char *end, struct tags *t)
{
	const char *at = *p;
	int n;
	int total;

	if (!take_number(&at, end, &n))
		return false;
	if (at < end && *at == '/') {
		at++;
	} else {
		while (at < end && *at == ' ')
			at++;
		if (!take_word(&at, end, "of "))
			return false;
	}
	if (!take_number(&at, end, &total) || total < 1 || total > TAGS_MAX_TOTAL)
		return false;
	t->numbered = true;
	t->n = n;
	t->total = total;
	t->patch = true;
	*p = at;
	return true;
}

static bool is_alpha(char c)
{
	c = text_lower(c);
	return c >= 'a' && c <= 'z';
}

/* What stands between one pair of brackets. */
static void parse_group(const char *p, const char *end, struct tags *t)
{
	while (p < end) {
		if (take_word(&p, end, "patchset") || take_word(&p, end, "patches") ||
			take_word(&p, end, "patch")) {
			t->patch = true;
		} else if (take_word(&p, end, "rfc")) {
			t->patch = true;
			t->rfc = true;
		} else if (take_word(&p, end, "resend") || take_word(&p, end, "repost")) {
			t->resend = true;
		} else if (take_word(&p, end, "git pull")) {
			t->pull = true;
		} else if (!take_version(&p, end, t) && !take_position(&p, end, t)) {
			/* Another word, such as a tree's name: to its end. */
			bool word = is_alpha(*p);

			p++;
			while (word && p < end && (is_alpha(*p) || (*p >= '0' && *p <= '9')))
				p++;
		}
	}
}

void tags_parse(const char *subject, struct tags *ret_tags)
{
	struct tags t = {0};
	const char *p = subject;

	for (;;) {
		const char *close;
		size_t mark = 0;

		while (text_is_space(*p) || *p == ':')
			p++;
		while (mark < ARRAY_SIZE(reply_marks) && !text_istarts(p, reply_marks[mark]))
			mark++;
		if (mark < ARRAY_SIZE(reply_marks)) {
			t.reply = true;
			p += strlen(reply_marks[mark]);
			continue;
		}
		if (*p != '[' || !(close = strchr(p, ']')))
			break;
		parse_group(p + 1, close, &t);
		p = close + 1;
	}
	*ret_tags = t;
}

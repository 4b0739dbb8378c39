/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/commit.h"

#include "base/strbuf.h"
#include "patches/git/repo_internal.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char *message_strip(const char *text, size_t len, size_t *ret_len)
{
	struct strbuf out;
	const char *end = text + len;
	bool blank = false;

	strbuf_init(&out, len + 2);
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *next = nl ? nl + 1 : end;
		size_t n = (size_t)(next - text);

		while (n && is_space(text[n - 1]))
			n--;
		if (n) {
			if (blank && out.len)
				(void)strbuf_addc(&out, '\n');
			(void)strbuf_add(&out, text, n);
			(void)strbuf_addc(&out, '\n');
		}
		blank = !n;
		text = next;
	}
	return strbuf_detach(&out, ret_len);
}

/* What git takes off the ends of a name. */
static bool is_crud(char c)
{
	return (unsigned char)c <= ' ' || strchr(".,:;<>\"\\'", c) != NULL;
}

/* A name or address without what would break the commit's header. */
static void add_ident(struct strbuf *out, const char *s)
{
	const char *end = s + strlen(s);

	while (s < end && is_crud(*s))
		s++;
	while (end > s && is_crud(end[-1]))
		end--;
	for (; s < end; s++)
		if (*s != '\n' && *s != '<' && *s != '>')
			(void)strbuf_addc(out, *s);
}

int commit_write(struct repo *r, const struct commit_info *info, const struct oid *tree,
	const struct oid *parent, struct oid *ret_commit, struct error *e)
{
	AUTO_STRBUF struct strbuf text;
	AUTO_STRBUF struct strbuf draft;
	AUTO_FREE char *message = NULL;
	char hex[OID_HEX];
	char when[64];
	size_t start;
	size_t len;
	int offset = info->author_offset_min;

	strbuf_init(&text, info->body_len + 64 * 1024 + strlen(info->subject));
	strbuf_init(&draft, info->body_len + strlen(info->subject) + 2);
	(void)snprintf(when, sizeof(when), "%lld %c%02d%02d", (long long)info->author_s,
		offset < 0 ? '-' : '+', abs(offset) / 60, abs(offset) % 60);
	(void)strbuf_addf(&text, "tree %s\n", oid_hex(tree, hex));
	if (parent)
		(void)strbuf_addf(&text, "parent %s\n", oid_hex(parent, hex));
	(void)strbuf_adds(&text, "author ");
	start = text.len;
	add_ident(&text, info->author_name);
	if (text.len == start)
		return error_set(
			e, ERR_SYNTAX, "its author has no name: \"%.100s\"", info->author_name);
	(void)strbuf_adds(&text, " <");
	add_ident(&text, info->author_email);
	(void)strbuf_addf(&text, "> %s\ncommitter " COMMIT_COMMITTER " %s\n\n", when, when);
	(void)strbuf_adds(&draft, info->subject);
	(void)strbuf_adds(&draft, "\n\n");
	(void)strbuf_add(&draft, info->body, info->body_len);
	message = message_strip(draft.buf, draft.len, &len);
	/* Git refuses to read a message past a NUL. */
	if (memchr(message, '\0', len))
		return error_set(e, ERR_SYNTAX, "its log message holds a NUL byte");
	(void)strbuf_add(&text, message, len);
	if (text.overflow)
		return error_set(e, ERR_LIMIT, "its author or message is too long");
	return repo_write_commit(r, text.buf, text.len, ret_commit, e);
}

void commit_says_done(struct commit_says *c)
{
	free(c->subject);
	free(c->author_name);
	free(c->author_email);
	*c = (struct commit_says){0};
}

int commit_read(
	struct repo *r, const struct oid *commit, struct commit_says *ret_says, struct error *e)
{
	git_oid id = to_git(commit);
	const git_signature *author;
	const char *subject;
	git_commit *c = NULL;
	char hex[OID_HEX];

	if (git_commit_lookup(&c, r->git, &id) < 0)
		return repo_error(e, ERR_MISSING, "commit %s cannot be read", oid_hex(commit, hex));
	subject = git_commit_summary(c);
	author = git_commit_author(c);
	ret_says->subject = xstrndup(subject ? subject : "", COMMIT_MAX_SUBJECT);
	ret_says->author_name = xstrdup(author->name);
	ret_says->author_email = xstrdup(author->email);
	git_commit_free(c);
	return 0;
}

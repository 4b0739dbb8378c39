/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/authres.h"

#include "patches/mail/mime.h"

#define MAX_WORD 256

struct finding {
	bool said; /* a trusted server has spoken of it */
	bool pass; /* for the domain */
	char result[32];
	char server[MAX_WORD];
};

struct reading {
	char domain[MAX_WORD]; /* of the sender */
	size_t n_from; /* addresses */
	struct finding dmarc, dkim;
};

/* White space and comments, which nest. */
static const char *skip_blank(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')' && depth)
			depth--;
		else if (*p == '\\' && depth && p[1])
			p++;
		else if (!depth && !text_is_space(*p))
			break;
	}
	return p;
}

/* A word or a quoted string, lower case; longer ones are cut, and then equal nothing. */
static const char *take_word(const char *p, const char *stop, char *word)
{
	bool quoted = *p == '"';
	size_t n = 0;

	if (quoted)
		p++;
	while (*p && (quoted ? *p != '"' : !text_is_space(*p) && !strchr(stop, *p))) {
		if (quoted && *p == '\\' && p[1])
			p++;
		if (n < MAX_WORD - 1)
			word[n++] = text_lower(*p);
		p++;
	}
	word[n] = '\0';
	return quoted && *p ? p + 1 : p;
}

/* The same domain, or one below it. */
static bool is_within(const char *domain, const char *parent)
{
	size_t n = strlen(domain), m = strlen(parent);

	if (!m || !strchr(parent, '.') || n < m)
		return false;
	return streq(domain + n - m, parent) && (n == m || domain[n - m - 1] == '.');
}

/* One statement, "method=result key=value …", up to its semicolon. */
struct statement {
	char method[MAX_WORD], result[MAX_WORD];
	char from[MAX_WORD]; /* header.from */
	char signer[MAX_WORD]; /* header.d, or the domain of header.i */
};

static const char *take_statement(const char *p, struct statement *s)
{
	*s = (struct statement){0};
	while (*(p = skip_blank(p)) && *p != ';') {
		char key[MAX_WORD], value[MAX_WORD] = "";
		const char *at = p;

		p = skip_blank(take_word(p, "=;(", key));
		if (*p == '=')
			p = take_word(skip_blank(p + 1), ";(", value);
		if (p == at)
			p++; /* nothing a word can start with */
		if (!s->method[0]) {
			(void)strcpy(s->method, key);
			(void)strcpy(s->result, value);
			s->method[strcspn(s->method, "/")] = '\0'; /* its version */
		} else if (streq(key, "header.from")) {
			(void)strcpy(s->from, value);
		} else if (streq(key, "header.d")) {
			(void)strcpy(s->signer, value);
		} else if (streq(key, "header.i") && !s->signer[0] && strchr(value, '@')) {
			(void)strcpy(s->signer, strchr(value, '@') + 1);
		}
	}
	return *p ? p + 1 : p;
}

static void take_finding(
	struct finding *f, const struct statement *s, const char *server, bool pass)
{
	/* Several signatures are several statements of one header: one good one is enough. */
	if (f->said && (f->pass || !pass))
		return;
	f->said = true;
	f->pass = pass;
	(void)snprintf(f->result, sizeof(f->result), "%.31s", s->result);
	(void)snprintf(f->server, sizeof(f->server), "%s", server);
}

static void read_results(
	struct reading *r, const char *value, const char *const *trusted, size_t n_trusted)
{
	bool dmarc_done = r->dmarc.said, dkim_done = r->dkim.said;
	char server[MAX_WORD];
	const char *p = take_word(skip_blank(value), ";(", server);
	bool trust = false;

	for (size_t i = 0; i < n_trusted; i++)
		trust |= server[0] && strcasecmp(server, trusted[i]) == 0;
	if (!trust)
		return;
	p = skip_blank(p);
	p += strcspn(p, ";"); /* a version may stand here */
	while (*p) {
		struct statement s;

		p = take_statement(*p == ';' ? p + 1 : p, &s);
		if (streq(s.method, "dmarc") && !dmarc_done)
			take_finding(&r->dmarc, &s, server,
				streq(s.result, "pass") && streq(s.from, r->domain));
		else if (streq(s.method, "dkim") && !dkim_done)
			take_finding(&r->dkim, &s, server,
				streq(s.result, "pass") && is_within(r->domain, s.signer));
	}
}

/* Of which address do servers speak, where there are two? */
static void read_from(struct reading *r, const char *value)
{
	const char *at = strchr(value, '@');

	r->n_from += at && !strchr(at + 1, '@') ? 1 : 2;
}

static void set_domain(struct reading *r, const char *email)
{
	const char *at = strrchr(email, '@');

	if (!at || strlen(at) >= MAX_WORD)
		return;
	for (size_t i = 0; at[i]; i++)
		r->domain[i] = text_lower(at[i + 1]);
}

typedef void (*header_fn)(struct reading *r, const char *line, void *data);

/* Headers in order; false where they cannot be read to their end. */
static bool each_header(
	const char *mail, size_t len, header_fn fn, struct reading *reading, void *data)
{
	AUTO_STRBUF struct strbuf line;
	struct mime m;
	int r;

	strbuf_init(&line, MESSAGE_MAX_HEADER);
	mime_init(&m, mail, len);
	while ((r = mime_header(&m, &line, NULL)) > 0)
		fn(reading, line.buf, data);
	mime_done(&m);
	return r == 0;
}

static void on_from(struct reading *r, const char *line, void *data)
{
	const char *value = header_value(line, "From");

	(void)data;
	if (value)
		read_from(r, value);
}

struct trust {
	const char *const *servers;
	size_t n;
};

static void on_results(struct reading *r, const char *line, void *data)
{
	const struct trust *trust = data;
	const char *value = header_value(line, "Authentication-Results");

	if (value)
		read_results(r, value, trust->servers, trust->n);
}

bool authres_is_authentic(const char *mail, size_t len, const char *email,
	const char *const *trusted, size_t n_trusted, char **ret_why)
{
	struct trust trust = {trusted, n_trusted};
	struct reading r = {0};
	const struct finding *f;

	if (!n_trusted) {
		*ret_why = xstrdup("cannot be authentic: no server is trusted to say so");
		return false;
	}
	set_domain(&r, email);
	if (!each_header(mail, len, on_from, &r, NULL) || r.n_from != 1 || !r.domain[0]) {
		*ret_why = xstrdup("has no single From address that could be authentic");
		return false;
	}
	(void)each_header(mail, len, on_results, &r, &trust);
	f = r.dmarc.said ? &r.dmarc : &r.dkim;
	if (!f->said)
		*ret_why = xstrdup("has no word about it from a trusted server");
	else
		*ret_why = xasprintf("has %s=%s %s %s from %s", f == &r.dmarc ? "dmarc" : "dkim",
			f->result, f->pass ? "for" : "and nothing for", r.domain, f->server);
	return f->said && f->pass;
}

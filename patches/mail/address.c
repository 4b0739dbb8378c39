/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/address.h"

#include "patches/mail/text.h"

/*
 * Quotes and backslashes taken off; comments keep their (innermost) parentheses. `depth` counts
 * open parentheses, so that nesting costs no stack.
 */
static char *unquote(const char *in)
{
	char *out = xmalloc(strlen(in) + 1);
	char *p = out;
	size_t depth = 0;
	bool quoted = false;

	for (; *in; in++) {
		bool escaped = *in == '\\' && (quoted || depth);

		if (escaped && !in[1])
			break;
		if (escaped) {
			*p++ = *++in;
			continue;
		}
		if (*in == '"' && !depth) {
			quoted = !quoted;
			continue;
		}
		if (!quoted && *in == '(')
			depth++;
		else if (!quoted && *in == ')' && depth)
			depth--;
		*p++ = *in;
	}
	*p = '\0';
	return out;
}

/* A name that is missing, longer than 60 bytes, or itself an address gives way to the address. */
static char *sane_name(const char *name, const char *email)
{
	size_t len = strlen(name);

	return xstrdup(!len || len > 60 || strpbrk(name, "@<>") ? email : name);
}

/* "John Doe <johndoe>": no '@' in it. */
static void parse_local(const char *from, char **ret_name, char **ret_email)
{
	const char *open = strchr(from, '<');
	const char *close = open ? strchr(open, '>') : NULL;
	AUTO_FREE char *name = NULL;

	if (!close) {
		*ret_name = xstrdup("");
		*ret_email = xstrdup("");
		return;
	}
	*ret_email = xstrndup(open + 1, (size_t)(close - open) - 1);
	name = xstrndup(from, (size_t)(open - from));
	text_trim(name);
	*ret_name = sane_name(name, *ret_email);
}

void address_parse(const char *from, char **ret_name, char **ret_email)
{
	AUTO_FREE char *text = unquote(from);
	char *at = strchr(text, '@');
	size_t len;

	if (!at) {
		parse_local(from, ret_name, ret_email);
		return;
	}
	/* The word around '@' is the address, with < > around it or without. */
	while (at > text && !text_is_space(at[-1]) && at[-1] != '<')
		at--;
	if (at > text && at[-1] == '<')
		at[-1] = ' ';
	len = strcspn(at, " \n\t\r\v\f>");
	*ret_email = xstrndup(at, len);
	if (at[len])
		len++;
	memmove(at, at + len, strlen(at + len) + 1);
	/* What is left is the name: "John (zzz) Doe", or "(John Doe)". */
	text_collapse(text);
	text_trim(text);
	len = strlen(text);
	if (len && text[0] == '(' && text[len - 1] == ')') {
		text[len - 1] = '\0';
		*ret_name = sane_name(text + 1, *ret_email);
		return;
	}
	*ret_name = sane_name(text, *ret_email);
}

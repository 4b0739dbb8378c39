/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/script.h"

#include "base/jsonw.h"

#define SAFE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%"

void script_begin(struct strbuf *s, const char *name)
{
	strbuf_init(s, SCRIPT_MAX);
	strbuf_addf(s, "set -eu\ndir=$(realpath -m \"${1:-%s}\")\nmkdir -p \"$dir\"\n", name);
}

void script_word(struct strbuf *s, const char *word)
{
	if (*word == *SCRIPT_DIR) {
		strbuf_adds(s, "\"$dir\"");
		if (!*++word)
			return;
	}
	if (*word && strspn(word, SAFE) == strlen(word))
		strbuf_adds(s, word);
	else
		strbuf_add_quoted(s, word);
}

void script_sandboxed(struct strbuf *s, const struct argv *cmd)
{
	size_t i = 0;

	while (i < cmd->n && !streq(cmd->v[i], "bwrap"))
		i++;
	for (size_t first = i; i < cmd->n; i++) {
		if (i > first)
			strbuf_addc(s, ' ');
		script_word(s, cmd->v[i]);
	}
}

void script_send(struct link *link, const struct strbuf *s)
{
	AUTO_STRBUF struct strbuf ev;

	strbuf_init(&ev, FRAME_MAX);
	if (s->overflow)
		return;
	event_begin(&ev, "script");
	jsonw_str(&ev, "text", s->buf);
	if (!ev.overflow)
		event_send(link, &ev);
}

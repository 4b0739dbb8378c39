/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mailboxes for the tests of series, from tables. Included by one file of a program. */
#ifndef TEST_SERIES_MAILS_H
#define TEST_SERIES_MAILS_H

#include "base/strbuf.h"

/* A mailbox that is being written. */
static struct strbuf box;

struct mail {
	const char *subject;
	const char *id;
	const char *parent; /* or NULL */
	const char *sender; /* NULL: a@example.org */
	int minute; /* when it was sent */
	const char *text; /* NULL: a patch of its own */
};

static void add_mail(const struct mail *m)
{
	(void)strbuf_addf(&box,
		"From 1 Mon Sep 17 00:00:00 2001\nFrom: <%s>\nSubject: %s\nMessage-ID: <%s>\n"
		"Date: Mon, 30 Nov 2026 %02d:%02d:00 +0000\n",
		m->sender ? m->sender : "a@example.org", m->subject, m->id, m->minute / 60,
		m->minute % 60);
	if (m->parent)
		(void)strbuf_addf(&box, "In-Reply-To: <%s>\n", m->parent);
	if (m->text)
		(void)strbuf_addf(&box, "\n%s\n", m->text);
	else
		(void)strbuf_addf(&box,
			"\nText.\n---\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 "
			"@@\n-a\n+%s\n",
			m->id);
}

#endif

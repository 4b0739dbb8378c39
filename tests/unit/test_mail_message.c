/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/message.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HEADERS                                   \
	"From: A U Thor <a@example.org>\n"        \
	"Date: Mon, 30 Nov 2026 15:57:08 +0000\n" \
	"Message-ID: <one@example.org>\n"
#define DIFF "---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"

static struct message *parse(const char *text)
{
	struct message *m = NULL;
	struct error e = ERROR_INIT;

	if (message_parse(text, strlen(text), &m, &e))
		fail_msg("%s", e.msg);
	return m;
}

static void assert_refused(const char *text, size_t len, int code, const char *words)
{
	struct message *m = NULL;
	struct error e = ERROR_INIT;

	assert_int_equal(message_parse(text, len, &m, &e), code);
	assert_null(m);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, words);
}

static void cleans_subjects(void **state)
{
	static const struct {
		const char *header;
		const char *subject;
	} cases[] = {
		{"[PATCH] fix it", "fix it"},
		{"[PATCH v2 1/2] mm: fix   it ", "mm: fix it"},
		{"Re: [PATCH]: [RFC] : fix", "fix"},
		{"[PATCH] fix [that] thing", "fix [that] thing"},
		{"[PATCH] folded\n over\n\ttwo", "folded over two"},
		{"[PATCH] =?utf-8?q?=C3=A4ndern?= now", "\xc3\xa4ndern now"},
		{"=?utf-8?B?W1BBVENIXSDDpA==?=\n =?iso-8859-1?Q?_=FCber?=", "\xc3\xa4 \xc3\xbc"
									    "ber"},
		{"[PATCH", "[PATCH"},
		{"remove it", "remove it"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = xasprintf("Subject: %s\n\n", cases[i].header);
		AUTO_MESSAGE struct message *m = parse(text);

		assert_string_equal(m->subject, cases[i].subject);
	}
}

static void takes_addresses_apart(void **state)
{
	static const struct {
		const char *header;
		const char *name;
		const char *email;
	} cases[] = {
		{"A U Thor <a@example.org>", "A U Thor", "a@example.org"},
		{"a@example.org (A Thor)", "A Thor", "a@example.org"},
		{"a@example.org", "a@example.org", "a@example.org"},
		{"\"Thor, \\\"A\\\"\" <a@example.org>", "Thor, \"A\"", "a@example.org"},
		{"=?utf-8?q?J=C3=B6rg?= <j@example.org>", "J\xc3\xb6rg", "j@example.org"},
		{"A (zzz) Thor <a@example.org> (Comment)", "A (zzz) Thor (Comment)",
			"a@example.org"},
		{"A Thor <local>", "A Thor", "local"},
		{"nobody", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = xasprintf("From: %s\n\n", cases[i].header);
		AUTO_MESSAGE struct message *m = parse(text);

		assert_string_equal(m->author_name, cases[i].name);
		assert_string_equal(m->author_email, cases[i].email);
	}
}

static void splits_body_and_diff(void **state)
{
	AUTO_MESSAGE struct message *m =
		parse(HEADERS "Subject: [PATCH] x\n\nA body.\n\nSigned-off-by: A\n" DIFF);

	(void)state;
	assert_string_equal(m->body, "A body.\n\nSigned-off-by: A\n");
	assert_string_equal(m->diff, DIFF);
	assert_string_equal(m->message_id, "one@example.org");
	assert_int_equal(m->sent_s, 1796054228);
	assert_null(m->refused);
}

static void in_body_headers_count_where_a_diff_follows(void **state)
{
	static const char inner[] = "From: In Ner <i@example.org>\nSubject: [PATCH] inner\n more\n"
				    "Date: yesterday\n\nText.\n";
	AUTO_FREE char *with = xasprintf(HEADERS "Subject: outer\n\n%s" DIFF, inner);
	AUTO_FREE char *without = xasprintf(HEADERS "Subject: outer\n\n%s", inner);
	AUTO_MESSAGE struct message *m = parse(with);
	AUTO_MESSAGE struct message *n = parse(without);

	(void)state;
	assert_string_equal(m->author_name, "In Ner");
	assert_string_equal(m->subject, "inner more");
	assert_string_equal(m->date, "yesterday "); /* as git mailinfo says it */
	assert_string_equal(m->body, "Text.\n");
	assert_string_equal(m->sender_email, "a@example.org");
	assert_string_equal(m->full_subject, "outer");
	assert_string_equal(n->author_name, "A U Thor");
	assert_string_equal(n->subject, "outer");
}

static void undoes_encodings(void **state)
{
	static const char *const mails[] = {
		"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
		"R3LDvMOfZQotLS0KZGlmZiAtLWdpdCBhL2YgYi9mCg==\n",
		"Content-Type: text/plain; charset=utf-8\n"
		"Content-Transfer-Encoding: quoted-printable\n\n"
		"Gr=C3=BC=\n=C3=9Fe\n---\ndiff --git a/f b/f\n",
		"Content-Type: text/plain; charset=\"iso-8859-1\"\n\n"
		"Gr\xfc\xdf"
		"e\n---\ndiff --git a/f b/f\n",
		"Content-Type: multipart/mixed; boundary=\"b\"\n\npreamble\n--b\n"
		"Content-Type: text/plain; charset=utf-8\n\nGr\xc3\xbc\xc3\x9f"
		"e\n--b\n"
		"Content-Type: text/x-patch; name=x\nContent-Transfer-Encoding: base64\n\n"
		"LS0tCmRpZmYgLS1naXQgYS9mIGIvZgo=\n--b--\nepilogue\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mails); i++) {
		AUTO_FREE char *text = xasprintf("%s%s", HEADERS, mails[i]);
		AUTO_MESSAGE struct message *m = parse(text);

		assert_string_equal(m->body, "Gr\xc3\xbc\xc3\x9f"
					     "e\n");
		assert_true(starts_with(m->diff, "---\ndiff --git a/f b/f\n"));
	}
}

static void refuses_a_flowed_diff_only(void **state)
{
	AUTO_MESSAGE struct message *diff =
		parse(HEADERS "Content-Type: text/plain; format=flowed\n\nText.\n" DIFF);
	AUTO_MESSAGE struct message *text =
		parse(HEADERS "Content-Type: text/plain; format=flowed\n\nOne \nline.\n");

	(void)state;
	assert_non_null(diff->refused);
	assert_non_null(strstr(diff->refused, "format=flowed"));
	assert_null(text->refused);
	assert_string_equal(text->body, "One line.\n");
}

static void names_parents_nearest_first(void **state)
{
	AUTO_MESSAGE struct message *m = parse("In-Reply-To: <c@x>\nReferences: <a@x>\n <b@x>\n"
					       "\t<c@x>\nSubject: x\n\n");

	(void)state;
	assert_int_equal(m->n_references, 4);
	assert_string_equal(m->references[0], "c@x");
	assert_string_equal(m->references[1], "c@x");
	assert_string_equal(m->references[2], "b@x");
	assert_string_equal(m->references[3], "a@x");
}

static void says_why_a_mail_cannot_be_read(void **state)
{
	static const char nul[] = "Subject: a\0b\n\n";
	static const struct {
		const char *text;
		int code;
		const char *words;
	} cases[] = {
		{"Subject: =?utf-8?x?y?=\n\n", ERR_SYNTAX, "encoded word"},
		{"Subject: =?no-such-charset?q?y?=\n\n", ERR_SYNTAX, "charset"},
		{"Content-Type: text/plain; charset=us-ascii\n\n\xc3\xa4\n", ERR_SYNTAX, "charset"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_refused(cases[i].text, strlen(cases[i].text), cases[i].code, cases[i].words);
	assert_refused(nul, sizeof(nul) - 1, ERR_SYNTAX, "NUL");
}

/* `text` n times between two others. */
static char *repeat(const char *before, const char *text, size_t n, const char *after)
{
	struct strbuf sb;

	strbuf_init(&sb, (size_t)1 << 26);
	(void)strbuf_adds(&sb, before);
	for (size_t i = 0; i < n; i++)
		(void)strbuf_adds(&sb, text);
	(void)strbuf_adds(&sb, after);
	return strbuf_detach(&sb, NULL);
}

static void assert_limit(
	const char *before, const char *text, size_t at, const char *after, const char *words)
{
	AUTO_FREE char *good = repeat(before, text, at, after);
	AUTO_FREE char *bad = repeat(before, text, at + 1, after);
	AUTO_MESSAGE struct message *m = parse(good);

	assert_non_null(m);
	assert_refused(bad, strlen(bad), ERR_LIMIT, words);
}

static void keeps_its_limits(void **state)
{
	(void)state;
	assert_limit("Subject: ", "x", MESSAGE_MAX_HEADER - 9, "\n\n", "longer than");
	/* 16 bytes each */
	assert_limit("", "X-Header-X: 123\n", MESSAGE_MAX_HEADERS / 16, "\n", "headers");
	assert_limit("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\nx\n",
		MESSAGE_MAX_PARTS, "--b--\n", "parts");
	assert_limit("", "Content-Type: multipart/mixed; boundary=b\n", MESSAGE_MAX_DEPTH, "\n",
		"nested");
}

/* Each line begins anew, whatever the one before was, and whether it could be read. */
static void converts_lines_one_by_one(void **state)
{
	static const char japanese[] = "Content-Type: text/plain; charset=iso-2022-jp\n\n%s";
	AUTO_FREE char *open_ended = xasprintf(japanese, "\033$B$3\nab\n");
	AUTO_FREE char *cut = xasprintf(japanese, "\033$B$");
	AUTO_FREE char *whole = xasprintf(japanese, "ab \033$B$3\033(B\n");
	AUTO_MESSAGE struct message *m = parse(open_ended);
	AUTO_MESSAGE struct message *latin =
		parse("Content-Type: text/plain; charset=iso-8859-1\n\n\xe4\n");
	AUTO_MESSAGE struct message *n = NULL;

	(void)state;
	assert_string_equal(m->body, "\xe3\x81\x93\nab\n");
	assert_string_equal(latin->body, "\xc3\xa4\n");
	assert_refused(cut, strlen(cut), ERR_SYNTAX, "iso-2022-jp");
	n = parse(whole);
	assert_string_equal(n->body, "ab \xe3\x81\x93\n");
}

static void ends_with_what_is_cut(void **state)
{
	static const char *const mails[] = {"", "Subject: x", "Subject: x\n",
		"Content-Type: multipart/mixed; boundary=b\n\n--b",
		"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain",
		"Content-Type: multipart/mixed; boundary=b\n\nno boundary ever\n",
		"Content-Transfer-Encoding: base64\n\nR3", "From: \"open\n\n", "From: (((\n\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mails); i++) {
		AUTO_MESSAGE struct message *m = parse(mails[i]);

		assert_int_equal(m->diff_len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cleans_subjects),
		cmocka_unit_test(takes_addresses_apart),
		cmocka_unit_test(splits_body_and_diff),
		cmocka_unit_test(in_body_headers_count_where_a_diff_follows),
		cmocka_unit_test(undoes_encodings),
		cmocka_unit_test(refuses_a_flowed_diff_only),
		cmocka_unit_test(names_parents_nearest_first),
		cmocka_unit_test(says_why_a_mail_cannot_be_read),
		cmocka_unit_test(keeps_its_limits),
		cmocka_unit_test(converts_lines_one_by_one),
		cmocka_unit_test(ends_with_what_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/mbox.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SEPARATOR "From 0123456789 Mon Sep 17 00:00:00 2001\n"

/* All messages, joined by "|". */
static char *split(const char *data, size_t max_messages, int *ret_status, struct error *e)
{
	struct strbuf message;
	struct strbuf all;
	struct mbox m;
	int r;

	strbuf_init(&message, 10000);
	strbuf_init(&all, 100000);
	r = mbox_init(&m, data, strlen(data), 1000, max_messages, e);
	while (r >= 0 && (r = mbox_next(&m, &message, e)) > 0)
		(void)strbuf_addf(&all, "%s|", message.buf);
	strbuf_done(&message);
	*ret_status = r;
	return strbuf_detach(&all, NULL);
}

static void splits_where_git_does(void **state)
{
	static const struct {
		const char *data;
		const char *parts;
	} cases[] = {
		{SEPARATOR "A: b\n\nx\n" SEPARATOR "C: d\n\ny\n",
			SEPARATOR "A: b\n\nx\n|" SEPARATOR "C: d\n\ny\n|"},
		/* a "From " without a date is text */
		{SEPARATOR "A: b\n\nFrom here on\nFrom x at 12:00\n",
			SEPARATOR "A: b\n\nFrom here on\nFrom x at 12:00\n|"},
		/* a lone mail is not split at all */
		{"A: b\n\n" SEPARATOR "x\n", "A: b\n\n" SEPARATOR "x\n|"},
		{"\n\n" SEPARATOR "A: b\n", SEPARATOR "A: b\n|"},
		{"From 1 Mon Sep 17 00:00:00 2001\r\nA: b\r\n\r\nx\r y\r\n",
			"From 1 Mon Sep 17 00:00:00 2001\nA: b\n\nx\r y\n|"},
		/* quotes are taken off in mboxrd only */
		{SEPARATOR "A: b\n\n>From x\n", SEPARATOR "A: b\n\n>From x\n|"},
		{"From mboxrd@z Thu Jan  1 00:00:00 1970\nA: b\n\n>From x\n>>From y\n> From z\n",
			"From mboxrd@z Thu Jan  1 00:00:00 1970\nA: b\n\nFrom x\n>From y\n> From "
			"z\n|"},
		{SEPARATOR "A: b\n\nno newline", SEPARATOR "A: b\n\nno newline|"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error e = ERROR_INIT;
		int status;
		AUTO_FREE char *parts = split(cases[i].data, 10, &status, &e);

		assert_int_equal(status, 0);
		assert_string_equal(parts, cases[i].parts);
	}
}

static void says_what_is_no_mailbox(void **state)
{
	static const struct {
		const char *data;
		const char *words;
	} cases[] = {
		{"", "empty"},
		{" \n\t\n", "empty"},
		{"not a mail\n", "not an mbox"},
		{"diff --git a/x b/x\n", "not an mbox"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error e = ERROR_INIT;
		int status;

		free(split(cases[i].data, 10, &status, &e));
		assert_int_equal(status, ERR_SYNTAX);
		assert_non_null(strstr(e.msg, cases[i].words));
	}
}

static void keeps_its_limits(void **state)
{
	static const char two[] = SEPARATOR "A: b\n" SEPARATOR "C: d\n";
	struct error e = ERROR_INIT;
	int status;
	char *data = xcalloc(1, 1002);

	(void)state;
	free(split(two, 2, &status, &e));
	assert_int_equal(status, 0);
	free(split(two, 1, &status, &e));
	assert_int_equal(status, ERR_LIMIT);
	assert_non_null(strstr(e.msg, "more than 1 messages"));
	memset(data, 'x', 1000);
	memcpy(data, "A: b", 4);
	free(split(data, 2, &status, &e));
	assert_int_equal(status, 0);
	data[1000] = 'x';
	free(split(data, 2, &status, &e));
	assert_int_equal(status, ERR_LIMIT);
	assert_non_null(strstr(e.msg, "1001 bytes, the limit is 1000"));
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_where_git_does),
		cmocka_unit_test(says_what_is_no_mailbox),
		cmocka_unit_test(keeps_its_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

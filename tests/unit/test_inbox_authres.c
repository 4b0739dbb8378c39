/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/authres.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define FROM "From: A Developer <dev@example.org>\n"
#define RESULTS "Authentication-Results: mx.example.net; "

struct check {
	const char *headers;
	bool good;
};

static void is(const char *headers, bool wanted)
{
	static const char *const trusted[] = {"MX.example.net", "other.example.net"};
	AUTO_FREE char *mail = xasprintf("%sSubject: x\n\nbody\n" RESULTS "dmarc=pass", headers);
	AUTO_FREE char *why = NULL;
	bool good = authres_is_authentic(mail, strlen(mail), "dev@Example.org", trusted, 2, &why);

	assert_non_null(why);
	if (good != wanted)
		fail_msg("%s\nis %d: it %s", headers, good, why);
}

static void what_trusted_servers_say_counts(void **state)
{
	static const struct check checks[] = {
		{FROM, false},
		{FROM RESULTS "dmarc=pass (p=none dis=none) header.from=example.org\n", true},
		{FROM RESULTS "spf=pass smtp.mailfrom=x@y;\n\tdmarc=pass header.from=Example.ORG\n",
			true},
		{FROM "Authentication-Results: \"mx.example.net\" 1; DMARC = pass\n"
		      " header.from = example.org\n",
			true},
		{FROM RESULTS "dmarc=fail header.from=example.org\n", false},
		{FROM RESULTS "dmarc=pass header.from=evil.org\n", false},
		{FROM RESULTS "dmarc=pass header.from=evilexample.org\n", false},
		{FROM RESULTS "dmarc=pass\n", false},
		{FROM RESULTS "none\n", false},
		/* Nobody's, and somebody else's. */
		{FROM "Authentication-Results: evil.org; dmarc=pass header.from=example.org\n",
			false},
		{FROM "Authentication-Results: mx.example.net.evil.org; dmarc=pass "
		      "header.from=example.org\n",
			false},
		{FROM "Authentication-Results: ; dmarc=pass header.from=example.org\n", false},
		/* In a comment, in a reason. */
		{FROM RESULTS "dmarc=fail (dmarc=pass header.from=example.org)\n", false},
		{FROM RESULTS "dmarc=fail reason=\"; dmarc=pass header.from=example.org\"\n",
			false},
		{FROM RESULTS "x=y (a (nested) comment; dmarc=pass header.from=example.org\n",
			false},
		/* The topmost statement decides. */
		{FROM RESULTS "dmarc=fail header.from=example.org\n" RESULTS
			      "dmarc=pass header.from=example.org\n",
			false},
		{FROM RESULTS "dmarc=fail\n" RESULTS "dkim=pass header.d=example.org\n", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		is(checks[i].headers, checks[i].good);
}

static void a_signature_will_do_where_nobody_speaks_of_dmarc(void **state)
{
	static const struct check checks[] = {
		{FROM RESULTS "dkim=pass (2048-bit key) header.d=example.org header.b=\"x/y=\"\n",
			true},
		{FROM RESULTS "dkim=pass header.i=@example.org\n", true},
		{FROM RESULTS "dkim/1=pass header.d=example.org\n", true},
		{FROM RESULTS "dkim=pass header.d=list.org; dkim=pass header.d=example.org\n",
			true},
		{FROM RESULTS "dkim=fail header.d=example.org; dkim=pass header.d=list.org\n",
			false},
		{FROM RESULTS "dkim=pass header.d=list.org\n" RESULTS
			      "dkim=pass header.d=example.org\n",
			false},
		{FROM RESULTS "dkim=pass header.d=org\n", false},
		{FROM RESULTS "dkim=pass header.d=sub.example.org\n", false},
		{FROM RESULTS "dkim=pass header.d=ample.org\n", false},
		{FROM RESULTS "dkim=pass header.d=\n", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		is(checks[i].headers, checks[i].good);
}

static void one_sender_only(void **state)
{
#define GOOD RESULTS "dmarc=pass header.from=example.org\n"
	(void)state;
	is(GOOD, false);
	is(GOOD FROM FROM, false);
	is(GOOD "From: dev@example.org, eve@evil.org\n", false);
	is(GOOD "From: \"dev@example.org\" <eve@evil.org>\n", false);
	is(GOOD "From: nobody\n", false);
	is(GOOD FROM, true);
}

static void nobody_is_trusted(void **state)
{
	AUTO_FREE char *why = NULL;
	const char mail[] = GOOD FROM "\n";

	(void)state;
	assert_false(
		authres_is_authentic(mail, sizeof(mail) - 1, "dev@example.org", NULL, 0, &why));
	assert_non_null(strstr(why, "no server is trusted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_trusted_servers_say_counts),
		cmocka_unit_test(a_signature_will_do_where_nobody_speaks_of_dmarc),
		cmocka_unit_test(one_sender_only),
		cmocka_unit_test(nobody_is_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/tags.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void reads_every_spelling(void **state)
{
	static const struct {
		const char *subject;
		bool reply, patch;
		int version, n, total;
	} cases[] = {
		{"[PATCH] x", false, true, 0, 0, 0},
		{"[PATCH 1/2] x", false, true, 0, 1, 2},
		{"[PATCH v2 01/12] x", false, true, 2, 1, 12},
		{"[PATCH v2 0/2] x", false, true, 2, 0, 2},
		{"[Patch 2/2]: x", false, true, 0, 2, 2},
		{"[net,v2,1/2] x", false, true, 2, 1, 2},
		{"[PATCH net-next v3 0/4] x", false, true, 3, 0, 4},
		{"[RFC PATCH 3/4] x", false, true, 0, 3, 4},
		{"[PATCH RESEND v7 3/4] x", false, true, 7, 3, 4},
		{"[PATCHv4 1/3] x", false, true, 4, 1, 3},
		{"[PATCH-v4 1/3] x", false, true, 4, 1, 3},
		{"[PATCH1/8] x", false, true, 0, 1, 8},
		{"[PATCH V5 1/8] x", false, true, 5, 1, 8},
		{"[PATCH v2.1 1/8] x", false, true, 2, 1, 8},
		{"[PATCH 1 of 8] x", false, true, 0, 1, 8},
		{"[linux-mm] [PATCH 1/8] x", false, true, 0, 1, 8},
		{"[PATCH][v3] x", false, true, 3, 0, 0},
		{"[RFCv2 1/2] x", false, true, 2, 1, 2},
		{"Re: [PATCH v2 1/2] x", true, true, 2, 1, 2},
		{"[list] AW: Re: [PATCH v2 1/2] x", true, true, 2, 1, 2},
		{"x: [PATCH] y", false, false, 0, 0, 0},
		{"[bug 123] x", false, false, 0, 0, 0},
		{"[vfio] x", false, false, 0, 0, 0},
		{"[PATCH 1/0] x", false, true, 0, 0, 0},
		{"[PATCH 1/999999] x", false, true, 0, 0, 0},
		{"[PATCH v2 1/2", false, false, 0, 0, 0},
		{"", false, false, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tags t;

		tags_parse(cases[i].subject, &t);
		if (t.reply != cases[i].reply || t.patch != cases[i].patch ||
			t.version != cases[i].version || t.n != cases[i].n ||
			t.total != cases[i].total || t.numbered != (cases[i].total > 0))
			fail_msg("\"%s\": reply %d, patch %d, v%d, %d/%d", cases[i].subject,
				t.reply, t.patch, t.version, t.n, t.total);
	}
}

static void knows_the_other_words(void **state)
{
	struct tags t;

	(void)state;
	tags_parse("[RFC PATCH RESEND] x", &t);
	assert_true(t.rfc && t.resend && !t.pull);
	tags_parse("[GIT PULL] x", &t);
	assert_true(t.pull && !t.rfc && !t.resend);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_spelling),
		cmocka_unit_test(knows_the_other_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

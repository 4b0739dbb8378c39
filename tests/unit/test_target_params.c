/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/params.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static int parse(struct params *p, struct error *e, const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return params_parse(n, (char *const *)words, p, e);
}

#define PARSE(p, e, ...) parse(p, e, (const char *const[]){__VA_ARGS__, NULL})

static void test_as_the_kernel_hands_over(void **state)
{
	AUTO_PARAMS struct params p;
	struct error e = ERROR_INIT;
	int64_t n;

	assert_int_equal(PARSE(&p, &e, "nokaslr", "seed=7", "clock=wall",
				 "run=dma-map,size_mib=1024,iterations=3", "run=x", "single"),
		0);
	assert_int_equal(p.seed, 7);
	assert_string_equal(p.foreign, "nokaslr single");
	assert_int_equal(p.n_runs, 2);
	assert_string_equal(p.runs[0].name, "dma-map");
	assert_string_equal(run_option(&p.runs[0], "size_mib"), "1024");
	assert_null(run_option(&p.runs[0], "warmup"));
	assert_int_equal(run_option_int(&p.runs[0], "iterations", 1, 9, 5, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(run_option_int(&p.runs[0], "warmup", 0, 9, 5, &n, NULL), 0);
	assert_int_equal(n, 5);
	assert_string_equal(p.runs[1].name, "x");
	assert_int_equal(p.runs[1].n_options, 0);
	assert_int_equal(p.clock, TARGET_WALL);
}

static void test_every_run_has_the_clock(void **state)
{
	AUTO_PARAMS struct params p;

	assert_int_equal(PARSE(&p, NULL, "run=a", "clock=counted", "run=b"), 0);
	assert_int_equal(p.clock, TARGET_COUNTED);
	assert_int_equal(p.runs[0].clock, TARGET_COUNTED);
	assert_int_equal(p.runs[1].clock, TARGET_COUNTED);
}

static void test_nothing(void **state)
{
	AUTO_PARAMS struct params p;

	assert_int_equal(params_parse(0, NULL, &p, NULL), 0);
	assert_int_equal(p.n_runs, 0);
	assert_int_equal(p.seed, 0);
	assert_null(p.foreign);
}

static void refused(const char *word, int code, const char *says)
{
	AUTO_PARAMS struct params p;
	struct error e = ERROR_INIT;

	assert_int_equal(PARSE(&p, &e, "seed=3", word), code);
	assert_int_equal(p.seed, 3); /* what came before is kept */
	if (!strstr(e.msg, says))
		fail_msg("'%s' does not say '%s'", e.msg, says);
}

static void test_refused(void **state)
{
	refused("sed=1", ERR_SYNTAX, "'sed=1'");
	refused("seed=-1", ERR_SYNTAX, "seed");
	refused("seed=1000000001", ERR_SYNTAX, "1000000000");
	refused("seed=7x", ERR_SYNTAX, "seed");
	refused("clock=sun", ERR_SYNTAX, "clock=wall");
	refused("clock=", ERR_SYNTAX, "clock=counted");
	refused("clock=countedx", ERR_SYNTAX, "clock=counted");
	refused("run=", ERR_SYNTAX, "no benchmark");
	refused("run=a,b", ERR_SYNTAX, "'b'");
	refused("run=a,=b", ERR_SYNTAX, "NAME=VALUE");
	refused("run=a,b=", ERR_SYNTAX, "NAME=VALUE");
	refused("run=a,b=1,b=2", ERR_SYNTAX, "twice");
}

static void test_limits(void **state)
{
	char word[PARAMS_MAX_WORD + 2];
	char many[512] = "run=a";

	memset(word, 'x', sizeof(word));
	word[PARAMS_MAX_WORD] = '\0';
	{
		AUTO_PARAMS struct params p;

		assert_int_equal(PARSE(&p, NULL, word), 0);
	}
	word[PARAMS_MAX_WORD] = 'x';
	word[PARAMS_MAX_WORD + 1] = '\0';
	refused(word, ERR_LIMIT, "1024");
	for (int i = 0; i < PARAMS_MAX_OPTIONS; i++)
		(void)snprintf(many + strlen(many), sizeof(many) - strlen(many), ",o%d=1", i);
	{
		AUTO_PARAMS struct params p;

		assert_int_equal(PARSE(&p, NULL, many), 0);
		assert_int_equal(p.runs[0].n_options, PARAMS_MAX_OPTIONS);
	}
	(void)snprintf(many + strlen(many), sizeof(many) - strlen(many), ",one=more");
	refused(many, ERR_LIMIT, "16 options");
}

static void test_too_many_runs(void **state)
{
	const char *words[PARAMS_MAX_RUNS + 2] = {NULL};
	struct error e = ERROR_INIT;

	for (int i = 0; i < PARAMS_MAX_RUNS; i++)
		words[i] = "run=a";
	{
		AUTO_PARAMS struct params p;

		assert_int_equal(parse(&p, &e, words), 0);
	}
	words[PARAMS_MAX_RUNS] = "run=a";
	{
		AUTO_PARAMS struct params p;

		assert_int_equal(parse(&p, &e, words), ERR_LIMIT);
	}
}

static void test_options(void **state)
{
	static const char *const known[] = {"size_mib", "warmup", NULL};
	AUTO_PARAMS struct params p;
	struct error e = ERROR_INIT;
	int64_t n = 42;

	assert_int_equal(PARSE(&p, &e, "run=b,size_mib=5", "run=b,sizemib=5"), 0);
	assert_int_equal(run_options_known(&p.runs[0], known, &e), 0);
	assert_int_equal(run_options_known(&p.runs[1], known, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "'sizemib'"));
	assert_int_equal(run_option_int(&p.runs[0], "size_mib", 5, 5, 1, &n, NULL), 0);
	assert_int_equal(n, 5);
	assert_int_equal(run_option_int(&p.runs[0], "size_mib", 6, 9, 1, &n, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "size_mib=5"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_kernel_hands_over),
		cmocka_unit_test(test_every_run_has_the_clock),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_too_many_runs),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agents/host/request.h"
#include "base/strbuf.h"

#define PARSE(text, req, e) request_parse(text, sizeof(text) - 1, req, e)

static void parses_names_and_repeats(void **state)
{
	struct request req;

	assert_int_equal(PARSE("command=build\0fragment=a\0fragment=b=c\0empty=\0", &req, NULL), 0);
	assert_string_equal(request_get(&req, "command", "x"), "build");
	assert_string_equal(request_nth(&req, "fragment", 0), "a");
	assert_string_equal(request_nth(&req, "fragment", 1), "b=c");
	assert_null(request_nth(&req, "fragment", 2));
	assert_string_equal(request_get(&req, "empty", "default"), "default");
	request_done(&req);
}

static void refuses_what_is_no_request(void **state)
{
	struct request req;

	assert_int_equal(request_parse("", 0, &req, NULL), ERR_SYNTAX);
	assert_int_equal(PARSE("command=build", &req, NULL), ERR_SYNTAX);
	assert_int_equal(PARSE("command\0", &req, NULL), ERR_SYNTAX);
	assert_int_equal(PARSE("=build\0", &req, NULL), ERR_SYNTAX);
	assert_int_equal(PARSE("a=b\0\0", &req, NULL), ERR_SYNTAX);
}

static void limits_the_number_of_parameters(void **state)
{
	AUTO_STRBUF struct strbuf text;
	struct request req;

	strbuf_init(&text, 65536);
	for (int i = 0; i < REQUEST_MAX_PARAMS; i++)
		strbuf_add(&text, "a=1", 4);
	assert_int_equal(request_parse(text.buf, text.len, &req, NULL), 0);
	request_done(&req);
	strbuf_add(&text, "a=1", 4);
	assert_int_equal(request_parse(text.buf, text.len, &req, NULL), ERR_LIMIT);
}

static void checks_values(void **state)
{
	struct error e = ERROR_INIT;
	struct request req;
	const char *s;
	int64_t n;

	assert_int_equal(PARSE("up=../x\0dot=.git\0ok=debian-6.12\0n=12\0bad=12x\0big=101\0"
			       "hex=0a1f\0upper=0A1F\0",
				 &req, NULL),
		0);
	assert_int_equal(request_name(&req, "up", &s, &e), ERR_SYNTAX);
	assert_non_null(strstr(e.msg, "\"up\""));
	assert_int_equal(request_name(&req, "dot", &s, NULL), ERR_SYNTAX);
	assert_int_equal(request_name(&req, "none", &s, NULL), ERR_SYNTAX);
	assert_int_equal(request_name(&req, "ok", &s, NULL), 0);
	assert_string_equal(s, "debian-6.12");
	assert_int_equal(request_int(&req, "n", 0, 100, 7, &n, NULL), 0);
	assert_int_equal(n, 12);
	assert_int_equal(request_int(&req, "none", 0, 100, 7, &n, NULL), 0);
	assert_int_equal(n, 7);
	assert_int_equal(request_int(&req, "bad", 0, 100, 7, &n, NULL), ERR_SYNTAX);
	assert_int_equal(request_int(&req, "big", 0, 100, 7, &n, NULL), ERR_SYNTAX);
	assert_int_equal(request_hex(&req, "hex", 4, &s, NULL), 0);
	assert_int_equal(request_hex(&req, "hex", 5, &s, NULL), ERR_SYNTAX);
	assert_int_equal(request_hex(&req, "upper", 4, &s, NULL), ERR_SYNTAX);
	request_done(&req);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_names_and_repeats),
		cmocka_unit_test(refuses_what_is_no_request),
		cmocka_unit_test(limits_the_number_of_parameters),
		cmocka_unit_test(checks_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

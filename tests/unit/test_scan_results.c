/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sha256.h"
#include "scan/scan.h"

#include <setjmp.h>
#include <cmocka.h>

static char *line_of(int seq, const char *data)
{
	return xasprintf("{\"seq\":%d,\"crc\":\"%08x\",\"data\":%s}\n", seq,
		crc32_add(0, data, strlen(data)), data);
}

static void add(struct strbuf *sb, int seq, const char *data)
{
	AUTO_FREE char *line = line_of(seq, data);

	(void)strbuf_adds(sb, line);
}

#define HELLO                                                                                \
	"{\"type\":\"hello\",\"boot_id\":\"b3b1\",\"kernel\":\"6.12\",\"seed\":7,\"clock\":" \
	"\"wall\"}"
#define SAMPLE                                                                                  \
	"{\"type\":\"sample\",\"metric\":\"dma-map.hugetlbfs.unmap_seconds\",\"value\":0.0531," \
	"\"params\":{\"size_mib\":1024,\"why\":\"} and \\\"\"}}"

struct seen {
	int n;
	double value;
	int64_t seed;
	char metric[64];
};

static void take(const struct scan_record *r, void *data)
{
	struct seen *s = data;

	s->n++;
	if (r->type == SCAN_HELLO)
		s->seed = r->seed;
	if (r->type == SCAN_SAMPLE) {
		s->value = r->value;
		(void)snprintf(s->metric, sizeof(s->metric), "%s", r->metric);
		assert_int_equal(json_int(r->params, "size_mib", 0), 1024);
	}
}

struct program {
	char text[64], how[64];
	int64_t status;
};

static void take_program(const struct scan_record *r, void *data)
{
	struct program *p = data;

	if (r->type == SCAN_OUTPUT)
		(void)snprintf(p->text, sizeof(p->text), "%s|%s", r->test, r->text);
	if (r->type == SCAN_EXIT) {
		(void)snprintf(p->how, sizeof(p->how), "%s|%s", r->test, r->how);
		p->status = r->status;
	}
}

static void a_program_of_the_labs_own(void **state)
{
	struct program p = {"", "", 0};
	struct scan_results *r = scan_results_new(take_program, &p);
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	add(&sb, 1, HELLO);
	add(&sb, 2, "{\"type\":\"output\",\"test\":\"k/a\",\"text\":\"ok 1 x\\n\"}");
	add(&sb, 3, "{\"type\":\"exit\",\"test\":\"k/a\",\"status\":-1,\"how\":\"killed\"}");
	add(&sb, 4, "{\"type\":\"end\",\"lines\":3}");
	assert_int_equal(scan_results_feed(r, sb.buf, sb.len, NULL), 0);
	assert_int_equal(scan_results_end(r, NULL), 0);
	assert_string_equal(p.text, "k/a|ok 1 x\n");
	assert_string_equal(p.how, "k/a|killed");
	assert_int_equal(p.status, -1);
	scan_results_free(r);
	strbuf_done(&sb);
}

static int run(const char *text, struct seen *ret_seen, struct error *e)
{
	struct scan_results *r = scan_results_new(take, ret_seen);
	int rc, fed;

	*ret_seen = (struct seen){0};
	fed = scan_results_feed(r, text, strlen(text), e);
	rc = scan_results_end(r, e);
	assert_true(fed == 0 || fed == rc);
	assert_int_equal(scan_results_complete(r), rc == 0);
	scan_results_free(r);
	return rc;
}

static void a_good_run(void **state)
{
	struct strbuf sb;
	struct seen s;
	struct error e = ERROR_INIT;

	strbuf_init(&sb, 1 << 20);
	add(&sb, 1, HELLO);
	add(&sb, 2, SAMPLE);
	add(&sb, 3, "{\"type\":\"fact\",\"name\":\"thp\",\"value\":[1]}");
	add(&sb, 4, "{\"type\":\"problem\",\"kind\":\"lab\",\"message\":\"no huge pages\"}");
	add(&sb, 5, "{\"type\":\"end\",\"lines\":4}");
	assert_int_equal(run(sb.buf, &s, &e), 0);
	assert_int_equal(s.n, 5);
	assert_int_equal(s.seed, 7);
	assert_true(s.value == 0.0531);
	assert_string_equal(s.metric, "dma-map.hugetlbfs.unmap_seconds");
	strbuf_done(&sb);
}

/* Every way to be broken has a sentence of its own. */
static void broken_runs(void **state)
{
	AUTO_FREE char *hello = line_of(1, HELLO);
	AUTO_FREE char *sample = line_of(2, SAMPLE);
	AUTO_FREE char *third = line_of(3, SAMPLE);
	AUTO_FREE char *first = line_of(1, SAMPLE);
	AUTO_FREE char *end = line_of(3, "{\"type\":\"end\",\"lines\":2}");
	AUTO_FREE char *bad_end = line_of(3, "{\"type\":\"end\",\"lines\":3}");
	AUTO_FREE char *odd = line_of(2, "{\"type\":\"odd\"}");
	AUTO_FREE char *no_value = line_of(2, "{\"type\":\"sample\",\"metric\":\"m\"}");
	AUTO_FREE char *infinite =
		line_of(2, "{\"type\":\"sample\",\"metric\":\"m\",\"value\":1e999}");
	AUTO_FREE char *bad_kind =
		line_of(2, "{\"type\":\"problem\",\"kind\":\"patch\",\"message\":\"m\"}");
	AUTO_FREE char *no_test = line_of(2, "{\"type\":\"output\",\"text\":\"ok 1\"}");
	AUTO_FREE char *no_how = line_of(2, "{\"type\":\"exit\",\"test\":\"t\",\"status\":0}");
	AUTO_FREE char *bad_json = line_of(2, "{\"type\":}");
	AUTO_FREE char *after = line_of(4, SAMPLE);
	const struct {
		const char *parts[4];
		const char *sentence;
	} cases[] = {
		{{""}, "no result line came at all"},
		{{hello, sample}, "the results stop after line 2 (a sample of dma-map.hugetlbfs"},
		{{hello, "{\"seq\":2,\"crc\""}, "the results stop in the middle of line 2"},
		{{hello, third}, "result lines are missing: line 3 came where line 2 was due"},
		{{hello, hello}, "result lines are missing: line 1 came where line 2 was due"},
		{{hello, "Segmentation fault\n"},
			"line 2 of the result channel is no result line: \"Segmentation fault\""},
		{{hello, "\033[31m\n"}, "is no result line: \"?[31m\""},
		{{hello, "\n"}, "line 2 of the result channel is no result line: \"\""},
		{{hello, sample, bad_end},
			"the end line says that 3 result lines came before it, but 2 did"},
		{{hello, sample, end, after}, "a result line came after the end line"},
		{{first}, "the first result line is not the greeting"},
		{{hello, odd}, "result line 2 has no known type"},
		{{hello, no_value}, "result line 2: a \"sample\" line without a proper \"value\""},
		{{hello, infinite}, "result line 2: a \"sample\" line without a proper \"value\""},
		{{hello, bad_kind}, "result line 2: a \"problem\" line without a proper \"kind\""},
		{{hello, no_test}, "result line 2: a \"output\" line without a proper \"test\""},
		{{hello, no_how}, "result line 2: a \"exit\" line without a proper \"how\""},
		{{hello, bad_json}, "result line 2: "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb;
		struct seen s;
		struct error e = ERROR_INIT;

		strbuf_init(&sb, 1 << 20);
		for (size_t k = 0; k < 4 && cases[i].parts[k]; k++)
			(void)strbuf_adds(&sb, cases[i].parts[k]);
		assert_true(run(sb.buf, &s, &e) < 0);
		if (!strstr(e.msg, cases[i].sentence)) {
			print_error("case %zu: %s\n", i, e.msg);
			fail();
		}
		strbuf_done(&sb);
	}
}

static void a_flipped_bit_is_seen(void **state)
{
	AUTO_FREE char *hello = line_of(1, HELLO);
	size_t len = strlen(hello) - 1;

	for (size_t i = 0; i < 8 * len; i++) {
		AUTO_FREE char *damaged = xstrdup(hello);
		struct scan_results *r = scan_results_new(NULL, NULL);
		struct error e = ERROR_INIT;

		damaged[i / 8] = (char)(damaged[i / 8] ^ (1 << i % 8));
		(void)scan_results_feed(r, damaged, len + 1, &e);
		/* A flip into a line feed cuts the line, which is seen as well. */
		assert_true(scan_results_end(r, &e) < 0);
		assert_null(strstr(e.msg, "stop after line 1"));
		scan_results_free(r);
	}
}

static void a_long_line_is_refused(void **state)
{
	struct error e = ERROR_INIT;

	for (int over = 0; over <= 1; over++) {
		struct scan_results *r = scan_results_new(NULL, NULL);
		AUTO_FREE char *line = xcalloc(1, SCAN_RESULT_MAX_LINE + 1);

		memset(line, 'x', SCAN_RESULT_MAX_LINE + 1);
		assert_int_equal(
			scan_results_feed(r, line, SCAN_RESULT_MAX_LINE + (size_t)over, &e) < 0,
			over);
		scan_results_free(r);
	}
	assert_non_null(strstr(e.msg, "result line 1 is longer than 65536 bytes"));
}

static void endless_lines_are_refused(void **state)
{
	struct scan_results *r = scan_results_new(NULL, NULL);
	struct error e = ERROR_INIT;
	int rc = 0;

	for (int i = 1; i <= SCAN_RESULT_MAX_LINES; i++) {
		AUTO_FREE char *line = line_of(i, i == 1 ? HELLO : SAMPLE);

		assert_int_equal(scan_results_feed(r, line, strlen(line), &e), 0);
	}
	AUTO_FREE char *line = line_of(SCAN_RESULT_MAX_LINES + 1, SAMPLE);
	rc = scan_results_feed(r, line, strlen(line), &e);
	assert_int_equal(rc, ERR_LIMIT);
	scan_results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_run),
		cmocka_unit_test(a_program_of_the_labs_own),
		cmocka_unit_test(broken_runs),
		cmocka_unit_test(a_flipped_bit_is_seen),
		cmocka_unit_test(a_long_line_is_refused),
		cmocka_unit_test(endless_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

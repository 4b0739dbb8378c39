/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/channel.h"
#include "base/file.h"
#include "base/sha256.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/mman.h>

struct capture {
	int fd;
	struct channel ch;
};

static void capture_start(struct capture *c, bool numbered)
{
	c->fd = memfd_create("results", MFD_CLOEXEC);
	assert_true(c->fd >= 0);
	channel_init(&c->ch, c->fd, numbered);
}

/* Everything that was written, heap; closes. */
static char *capture_text(struct capture *c)
{
	char *text = NULL;

	assert_int_equal(lseek(c->fd, 0, SEEK_SET), 0);
	assert_int_equal(file_read_fd(c->fd, "results", 1 << 20, &text, NULL, NULL), 0);
	close(c->fd);
	return text;
}

/* The record of a line, after its number and sum were checked; heap. */
static char *record_of(const char *line, uint64_t seq)
{
	const char *nl = strchr(line, '\n');
	unsigned long long n;
	unsigned crc;
	int at = 0;
	char *record;

	assert_non_null(nl);
	assert_int_equal(
		sscanf(line, "{\"seq\":%llu,\"crc\":\"%8x\",\"data\":%n", &n, &crc, &at), 2);
	assert_true(at > 0);
	assert_int_equal(n, seq);
	assert_true(nl[-1] == '}' && nl[-2] == '}');
	record = xstrndup(line + at, (size_t)(nl - 1 - (line + at)));
	assert_int_equal(crc32_add(0, record, strlen(record)), crc);
	return record;
}

static void test_lines(void **state)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *first = NULL;
	AUTO_FREE char *second = NULL;
	AUTO_FREE char *third = NULL;
	AUTO_FREE char *last = NULL;
	struct capture c;
	char *line;

	capture_start(&c, true);
	channel_hello(&c.ch, &(struct hello){"id", "6.12 #1", "a=\"b\"", 7, "wall"});
	channel_sample(&c.ch, "dma-map.x.map_seconds", 0.25, "{\"size_mib\":4}");
	channel_problem(&c.ch, "dma-map", NULL, PROBLEM_KERNEL, "no\nway %d", 3);
	channel_end(&c.ch);
	assert_int_equal(c.ch.lines, 4);
	assert_int_equal(c.ch.problems, 1);
	text = capture_text(&c);
	first = record_of(line = text, 1);
	second = record_of(line = strchr(line, '\n') + 1, 2);
	third = record_of(line = strchr(line, '\n') + 1, 3);
	last = record_of(line = strchr(line, '\n') + 1, 4);
	assert_string_equal(strchr(line, '\n'), "\n");
	assert_string_equal(first, "{\"type\":\"hello\",\"boot_id\":\"id\",\"kernel\":\"6.12 #1\","
				   "\"cmdline\":\"a=\\\"b\\\"\",\"seed\":7,\"clock\":\"wall\"}");
	assert_string_equal(second, "{\"type\":\"sample\",\"metric\":\"dma-map.x.map_seconds\","
				    "\"value\":0.25,\"params\":{\"size_mib\":4}}");
	assert_string_equal(third, "{\"type\":\"problem\",\"benchmark\":\"dma-map\",\"case\":null,"
				   "\"kind\":\"kernel\",\"message\":\"no\\nway 3\"}");
	assert_string_equal(last, "{\"type\":\"end\",\"lines\":3}");
}

static void test_forward(void **state)
{
	AUTO_FREE char *text = NULL;
	AUTO_STRBUF struct strbuf in;
	struct capture c;

	capture_start(&c, true);
	strbuf_init(&in, 4096);
	strbuf_adds(&in, "{\"type\":\"fact\"}\n{\"type\":\"problem\",\"k\":1}\n{\"type\":\"sam");
	channel_forward(&c.ch, &in);
	assert_string_equal(in.buf, "{\"type\":\"sam");
	assert_int_equal(c.ch.lines, 2);
	assert_int_equal(c.ch.problems, 1);
	text = capture_text(&c);
	free(record_of(text, 1));
	free(record_of(strchr(text, '\n') + 1, 2));
}

static void test_bare(void **state)
{
	AUTO_FREE char *text = NULL;
	struct capture c;

	capture_start(&c, false);
	channel_fact_int(&c.ch, "cpus", 2);
	channel_fact(&c.ch, "thp", "madvise");
	text = capture_text(&c);
	assert_string_equal(text, "{\"type\":\"fact\",\"name\":\"cpus\",\"value\":2}\n"
				  "{\"type\":\"fact\",\"name\":\"thp\",\"value\":\"madvise\"}\n");
}

static void test_record_limit(void **state)
{
	AUTO_FREE char *record = xmalloc(CHANNEL_MAX_RECORD + 1);
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *kept = NULL;
	AUTO_FREE char *dropped = NULL;
	struct capture c;

	memset(record, 'x', CHANNEL_MAX_RECORD + 1);
	record[CHANNEL_MAX_RECORD - 1] = '}';
	capture_start(&c, true);
	channel_put(&c.ch, record, CHANNEL_MAX_RECORD);
	assert_int_equal(c.ch.problems, 0);
	channel_put(&c.ch, record, CHANNEL_MAX_RECORD + 1);
	assert_int_equal(c.ch.problems, 1);
	text = capture_text(&c);
	kept = record_of(text, 1);
	assert_int_equal(strlen(kept), CHANNEL_MAX_RECORD);
	assert_true(strchr(text, '\n') - text < CHANNEL_MAX_LINE);
	dropped = record_of(strchr(text, '\n') + 1, 2);
	assert_true(starts_with(dropped, "{\"type\":\"problem\""));
}

/* A record grown past its limit by one of the builders is dropped in the same way. */
static void test_builder_overflow(void **state)
{
	AUTO_FREE char *value = xmalloc(CHANNEL_MAX_LINE + 1);
	AUTO_FREE char *text = NULL;
	struct capture c;

	memset(value, 'x', CHANNEL_MAX_LINE);
	value[CHANNEL_MAX_LINE] = '\0';
	capture_start(&c, true);
	channel_fact(&c.ch, "huge", value);
	assert_int_equal(c.ch.problems, 1);
	text = capture_text(&c);
	free(record_of(text, 1));
}

static void test_first_error_stays(void **state)
{
	struct channel ch;

	channel_init(&ch, -1, true);
	channel_fact_int(&ch, "a", 1);
	assert_int_equal(ch.error, -EBADF);
	channel_end(&ch);
	assert_int_equal(ch.error, -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_forward),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_record_limit),
		cmocka_unit_test(test_builder_overflow),
		cmocka_unit_test(test_first_error_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

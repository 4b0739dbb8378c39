/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result lines: see docs/internals/result-lines.md for the format. */
#include "scan/scan.h"
#include "base/sha256.h"

#include <ctype.h>

struct scan_results {
	scan_record_fn fn;
	void *data;
	struct strbuf line;
	int64_t lines; /* good ones so far */
	bool complete;
	char *last; /* what the last good line was, for sentences */
	struct error failed;
};

struct scan_results *scan_results_new(scan_record_fn fn, void *data)
{
	struct scan_results *r = xcalloc(1, sizeof(*r));

	r->fn = fn;
	r->data = data;
	strbuf_init(&r->line, SCAN_RESULT_MAX_LINE);
	return r;
}

struct scan_results *scan_results_free(struct scan_results *r)
{
	if (!r)
		return NULL;
	strbuf_done(&r->line);
	free(r->last);
	free(r);
	return NULL;
}

bool scan_results_complete(const struct scan_results *r)
{
	return r->complete && !r->failed.code;
}

/* What of a hostile line may stand in a sentence: up to 60 printable bytes. */
static const char *quoted(const char *line, size_t len, char *buf, size_t size)
{
	size_t n = MIN_OF(MIN_OF(len, size - 1), (size_t)60);

	for (size_t i = 0; i < n; i++)
		buf[i] = (char)(isprint((unsigned char)line[i]) ? line[i] : '?');
	buf[n] = '\0';
	return buf;
}

/* The envelope: {"seq":N,"crc":"xxxxxxxx","data":{…}}. */
struct envelope {
	int64_t seq;
	uint32_t crc;
	const char *payload;
	size_t payload_len;
};

static bool take_literal(const char **s, const char *end, const char *literal)
{
	size_t n = strlen(literal);

	if ((size_t)(end - *s) < n || memcmp(*s, literal, n) != 0)
		return false;
	*s += n;
	return true;
}

/* Eight lower-case hex digits, and nothing else that a number parser would take. */
static bool take_hex(const char **s, const char *end, uint32_t *ret_n)
{
	uint32_t n = 0;

	if (end - *s < 8)
		return false;
	for (int i = 0; i < 8; i++) {
		char c = (*s)[i];

		if (c >= '0' && c <= '9')
			n = n << 4 | (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (uint32_t)(c - 'a' + 10);
		else
			return false;
	}
	*s += 8;
	*ret_n = n;
	return true;
}

static bool parse_envelope(const char *line, size_t len, struct envelope *ret)
{
	const char *s = line, *end = line + len, *digits;
	struct envelope v = {0};

	if (!take_literal(&s, end, "{\"seq\":"))
		return false;
	for (digits = s; s < end && isdigit((unsigned char)*s) && s - digits < 12; s++)
		v.seq = 10 * v.seq + (*s - '0');
	if (s == digits || *digits == '0' || !take_literal(&s, end, ",\"crc\":\"") ||
		!take_hex(&s, end, &v.crc) || !take_literal(&s, end, "\",\"data\":"))
		return false;
	if (end - s < 3 || *s != '{' || end[-1] != '}' || end[-2] != '}')
		return false;
	v.payload = s;
	v.payload_len = (size_t)(end - 1 - s);
	*ret = v;
	return true;
}

static int missing(struct error *e, int64_t seq, const char *type, const char *member)
{
	return error_set(e, ERR_SYNTAX, "result line %lld: a \"%s\" line without a proper \"%s\"",
		(long long)seq, type, member);
}

static int read_sample(const cJSON *o, struct scan_record *rec, struct error *e)
{
	const cJSON *value = json_get(o, "value");

	rec->metric = json_str(o, "metric", NULL);
	if (!rec->metric || !*rec->metric)
		return missing(e, rec->seq, "sample", "metric");
	if (!cJSON_IsNumber(value) || !(value->valuedouble - value->valuedouble == 0))
		return missing(e, rec->seq, "sample", "value");
	rec->value = value->valuedouble;
	rec->params = json_get(o, "params");
	if (rec->params && !cJSON_IsObject(rec->params))
		return missing(e, rec->seq, "sample", "params");
	return 0;
}

static int read_problem(const cJSON *o, struct scan_record *rec, struct error *e)
{
	rec->benchmark = json_str(o, "benchmark", NULL);
	rec->case_name = json_str(o, "case", NULL);
	rec->kind = json_str(o, "kind", NULL);
	rec->message = json_str(o, "message", NULL);
	if (!streq(rec->kind, "lab") && !streq(rec->kind, "kernel"))
		return missing(e, rec->seq, "problem", "kind");
	if (!rec->message)
		return missing(e, rec->seq, "problem", "message");
	return 0;
}

static int read_test(const cJSON *o, struct scan_record *rec, const char *type, struct error *e)
{
	bool ended = streq(type, "exit");

	rec->type = ended ? SCAN_EXIT : SCAN_OUTPUT;
	rec->test = json_str(o, "test", NULL);
	rec->text = json_str(o, "text", NULL);
	rec->how = json_str(o, "how", NULL);
	rec->status = json_int(o, "status", -1);
	if (!rec->test || !*rec->test)
		return missing(e, rec->seq, type, "test");
	if (ended ? !rec->how : !rec->text)
		return missing(e, rec->seq, type, ended ? "how" : "text");
	return 0;
}

static int read_record(const cJSON *o, struct scan_record *rec, struct error *e)
{
	const char *type = json_str(o, "type", "");

	if (streq(type, "hello")) {
		rec->type = SCAN_HELLO;
		rec->boot_id = json_str(o, "boot_id", NULL);
		rec->kernel = json_str(o, "kernel", NULL);
		rec->cmdline = json_str(o, "cmdline", NULL);
		rec->clock = json_str(o, "clock", NULL);
		rec->seed = json_int(o, "seed", 0);
		return rec->boot_id ? 0 : missing(e, rec->seq, type, "boot_id");
	}
	if (streq(type, "sample")) {
		rec->type = SCAN_SAMPLE;
		return read_sample(o, rec, e);
	}
	if (streq(type, "fact")) {
		rec->type = SCAN_FACT;
		rec->name = json_str(o, "name", NULL);
		rec->fact = json_get(o, "value");
		return rec->name ? 0 : missing(e, rec->seq, type, "name");
	}
	if (streq(type, "problem")) {
		rec->type = SCAN_PROBLEM;
		return read_problem(o, rec, e);
	}
	if (streq(type, "output") || streq(type, "exit"))
		return read_test(o, rec, type, e);
	if (streq(type, "end")) {
		rec->type = SCAN_END;
		return 0;
	}
	return error_set(e, ERR_SYNTAX, "result line %lld has no known type", (long long)rec->seq);
}

static char *describe(const struct scan_record *rec)
{
	switch (rec->type) {
	case SCAN_HELLO:
		return xstrdup("the greeting");
	case SCAN_SAMPLE:
		return xasprintf("a sample of %.80s", rec->metric);
	case SCAN_FACT:
		return xasprintf("the fact %.80s", rec->name);
	case SCAN_PROBLEM:
		return xasprintf("a problem: %.200s", rec->message);
	case SCAN_OUTPUT:
		return xasprintf("output of test %.80s", rec->test);
	case SCAN_EXIT:
		return xasprintf("the end of test %.80s", rec->test);
	case SCAN_END:
		break;
	}
	return xstrdup("the end");
}

static int check_end(const struct scan_results *r, const cJSON *o, struct error *e)
{
	int64_t said = json_int(o, "lines", -1);

	if (said == r->lines)
		return 0;
	return error_set(e, ERR_SYNTAX,
		"the end line says that %lld result lines came before it, but %lld did",
		(long long)said, (long long)r->lines);
}

static int take_line(struct scan_results *r, const char *line, size_t len, struct error *e)
{
	AUTO_JSON cJSON *o = NULL;
	struct scan_record rec = {0};
	struct envelope v;
	char buf[64];
	uint32_t crc;
	int rc;

	if (r->complete)
		return error_set(e, ERR_SYNTAX, "a result line came after the end line: \"%s\"",
			quoted(line, len, buf, sizeof(buf)));
	if (!parse_envelope(line, len, &v))
		return error_set(e, ERR_SYNTAX,
			"line %lld of the result channel is no result line: \"%s\"",
			(long long)r->lines + 1, quoted(line, len, buf, sizeof(buf)));
	crc = crc32_add(0, v.payload, v.payload_len);
	if (crc != v.crc)
		return error_set(e, ERR_SYNTAX,
			"result line %lld is damaged: its checksum is %08x, its bytes give %08x",
			(long long)v.seq, v.crc, crc);
	if (v.seq != r->lines + 1)
		return error_set(e, ERR_SYNTAX,
			"result lines are missing: line %lld came where line %lld was due",
			(long long)v.seq, (long long)r->lines + 1);
	if (r->lines == SCAN_RESULT_MAX_LINES)
		return error_set(e, ERR_LIMIT, "more than %d result lines", SCAN_RESULT_MAX_LINES);
	rc = json_parse(v.payload, v.payload_len, &o, e);
	if (rc < 0)
		return error_prefix(e, "result line %lld", (long long)v.seq);
	rec.seq = v.seq;
	rc = read_record(o, &rec, e);
	if (rc < 0)
		return rc;
	if (rec.type == SCAN_END) {
		rc = check_end(r, o, e);
		if (rc < 0)
			return rc;
		r->complete = true;
	}
	if (r->lines == 0 && rec.type != SCAN_HELLO)
		return error_set(e, ERR_SYNTAX, "the first result line is not the greeting");
	r->lines++;
	free(r->last);
	r->last = describe(&rec);
	if (r->fn)
		r->fn(&rec, r->data);
	return 0;
}

static int fail_again(const struct scan_results *r, struct error *e)
{
	return error_set(e, r->failed.code, "%s", r->failed.msg);
}

int scan_results_feed(struct scan_results *r, const char *data, size_t len, struct error *e)
{
	while (len && !r->failed.code) {
		const char *newline = memchr(data, '\n', len);
		size_t n = newline ? (size_t)(newline - data) : len;

		if (strbuf_add(&r->line, data, n) < 0)
			(void)error_set(&r->failed, ERR_LIMIT,
				"result line %lld is longer than %d bytes", (long long)r->lines + 1,
				SCAN_RESULT_MAX_LINE);
		else if (newline)
			(void)take_line(r, r->line.buf, r->line.len, &r->failed);
		if (newline)
			strbuf_truncate(&r->line, 0);
		n += newline ? 1 : 0;
		data += n;
		len -= n;
	}
	return r->failed.code ? fail_again(r, e) : 0;
}

int scan_results_end(struct scan_results *r, struct error *e)
{
	if (!r->failed.code && r->line.len)
		(void)error_set(&r->failed, ERR_SYNTAX,
			"the results stop in the middle of line %lld: the channel was cut",
			(long long)r->lines + 1);
	else if (!r->failed.code && !r->lines)
		(void)error_set(&r->failed, ERR_SYNTAX, "no result line came at all");
	else if (!r->failed.code && !r->complete)
		(void)error_set(&r->failed, ERR_SYNTAX,
			"the results stop after line %lld (%s) without an end line: the benchmark "
			"was "
			"killed or the channel was cut",
			(long long)r->lines, r->last);
	return r->failed.code ? fail_again(r, e) : 0;
}

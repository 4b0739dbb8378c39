/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/channel.h"
#include "base/file.h"
#include "base/jsonw.h"
#include "base/sha256.h"

void channel_init(struct channel *ch, int fd, bool numbered)
{
	*ch = (struct channel){.fd = fd, .numbered = numbered};
}

static void put_line(struct channel *ch, const char *record, size_t len)
{
	AUTO_STRBUF struct strbuf line;

	strbuf_init(&line, CHANNEL_MAX_LINE);
	if (ch->error)
		return;
	if (ch->numbered)
		strbuf_addf(&line, "{\"seq\":%llu,\"crc\":\"%08x\",\"data\":",
			(unsigned long long)ch->lines + 1, crc32_add(0, record, len));
	strbuf_add(&line, record, len);
	strbuf_adds(&line, ch->numbered ? "}\n" : "\n");
	ch->error = write_all(ch->fd, line.buf, line.len);
	ch->lines++;
}

static void begin(struct strbuf *sb, const char *type)
{
	/* One byte more than a record may have, so that an overflow is one for channel_put. */
	strbuf_init(sb, CHANNEL_MAX_RECORD + 1);
	jsonw_begin(sb, NULL, '{');
	jsonw_str(sb, "type", type);
}

static void put_problem(struct channel *ch, const char *benchmark, const char *what,
	enum problem_kind kind, const char *message)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "problem");
	jsonw_str(&sb, "benchmark", benchmark);
	jsonw_str(&sb, "case", what);
	jsonw_str(&sb, "kind", kind == PROBLEM_KERNEL ? "kernel" : "lab");
	jsonw_str(&sb, "message", message);
	jsonw_end(&sb, '}');
	ch->problems++;
	put_line(ch, sb.buf, sb.len);
}

static void put_dropped(struct channel *ch, size_t len)
{
	char message[128];

	(void)snprintf(message, sizeof(message),
		"a result of %zu bytes was dropped: the limit is %d", len, CHANNEL_MAX_RECORD);
	put_problem(ch, NULL, NULL, PROBLEM_LAB, message);
}

void channel_put(struct channel *ch, const char *record, size_t len)
{
	static const char problem[] = "{\"type\":\"problem\"";

	if (len > CHANNEL_MAX_RECORD) {
		put_dropped(ch, len);
		return;
	}
	if (len >= strlen(problem) && memcmp(record, problem, strlen(problem)) == 0)
		ch->problems++;
	put_line(ch, record, len);
}

static void finish(struct channel *ch, struct strbuf *sb)
{
	jsonw_end(sb, '}');
	channel_put(ch, sb->buf, sb->len);
}

void channel_hello(struct channel *ch, const struct hello *hello)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "hello");
	jsonw_str(&sb, "boot_id", hello->boot_id);
	jsonw_str(&sb, "kernel", hello->kernel);
	jsonw_str(&sb, "cmdline", hello->cmdline);
	jsonw_int(&sb, "seed", hello->seed);
	jsonw_str(&sb, "clock", hello->clock);
	finish(ch, &sb);
}

void channel_sample(struct channel *ch, const char *metric, double value, const char *params)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "sample");
	jsonw_str(&sb, "metric", metric);
	jsonw_num(&sb, "value", value);
	jsonw_raw(&sb, "params", params);
	finish(ch, &sb);
}

void channel_fact(struct channel *ch, const char *name, const char *value)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "fact");
	jsonw_str(&sb, "name", name);
	jsonw_str(&sb, "value", value);
	finish(ch, &sb);
}

void channel_fact_int(struct channel *ch, const char *name, int64_t value)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "fact");
	jsonw_str(&sb, "name", name);
	jsonw_int(&sb, "value", value);
	finish(ch, &sb);
}

void channel_problem(struct channel *ch, const char *benchmark, const char *what,
	enum problem_kind kind, const char *fmt, ...)
{
	char message[2048];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	put_problem(ch, benchmark, what, kind, message);
}

void channel_end(struct channel *ch)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "end");
	jsonw_int(&sb, "lines", (int64_t)ch->lines);
	finish(ch, &sb);
}

void channel_forward(struct channel *ch, struct strbuf *in)
{
	size_t done = 0;
	const char *nl;

	while ((nl = memchr(in->buf + done, '\n', in->len - done))) {
		size_t len = (size_t)(nl - (in->buf + done));

		channel_put(ch, in->buf + done, len);
		done += len + 1;
	}
	strbuf_consume(in, done);
}

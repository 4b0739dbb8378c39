/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/worker/boot_job.h"
#include "base/sha256.h"

#include <errno.h>

static int read_machine(struct boot_job *b, const cJSON *machine, struct error *e)
{
	const char *kind;
	int err;

	if ((err = json_need_str(machine, "name", &b->machine_name, e)) ||
		(err = json_need_str(machine, "kind", &kind, e)) ||
		(err = json_need_str(machine, "model", &b->model, e)) ||
		(err = json_need_int(machine, "memory_mib", 64, 1 << 24, &b->memory_mib, e)) ||
		(err = json_need_int(machine, "cpus", 1, 1024, &b->cpus, e)))
		return err;
	if (!streq(kind, "qemu"))
		return error_set(e, -ENOTSUP,
			"machine %s is of kind %s: only qemu machines can be booted",
			b->machine_name, kind);
	b->accel = json_str(machine, "accel", "");
	return 0;
}

static int read_limits(struct boot_job *b, const cJSON *limits, struct error *e)
{
	int err = json_need_int(limits, "boot_seconds", 1, 86400, &b->boot_seconds, e);

	if (!err)
		err = json_need_int(limits, "silence_seconds", 1, 86400, &b->silence_seconds, e);
	if (!err)
		err = json_need_int(limits, "total_seconds", 1, 7 * 86400, &b->total_seconds, e);
	return err;
}

static int read_image(struct boot_job *b, const cJSON *doc, struct error *e)
{
	int err = json_need_str(doc, "image", &b->image, e);

	if (!err)
		err = json_need_str(doc, "image_sha256", &b->image_sha256, e);
	if (!err && !is_sha256(b->image_sha256))
		err = error_set(e, ERR_SYNTAX, "\"%.80s\" is no SHA-256", b->image_sha256);
	return err;
}

static int read_tests(struct boot_job *b, const cJSON *tests, struct error *e)
{
	const cJSON *test;

	json_for_each (test, tests) {
		const char *sha256, *path;

		int err = json_need_str(test, "sha256", &sha256, e);

		if (!err)
			err = json_need_str(test, "path", &path, e);
		if (err)
			return error_prefix(e, "tests");
	}
	b->tests = tests;
	return 0;
}

/* One benchmark as the target takes it: run=NAME,option=value… What is no scalar is for us. */
static int add_benchmark(struct boot_job *b, const cJSON *benchmark, struct error *e)
{
	const char *name;
	const cJSON *item;
	int err = json_need_str(benchmark, "run", &name, e);

	if (err)
		return err;
	strbuf_addf(&b->init_args, " run=%s", name);
	json_for_each (item, benchmark) {
		if (streq(item->string, "run"))
			continue;
		if (cJSON_IsString(item))
			strbuf_addf(&b->init_args, ",%s=%s", item->string, item->valuestring);
		else if (cJSON_IsNumber(item))
			strbuf_addf(&b->init_args, ",%s=%.15g", item->string, item->valuedouble);
		else if (cJSON_IsBool(item))
			strbuf_addf(&b->init_args, ",%s=%d", item->string, cJSON_IsTrue(item));
	}
	return 0;
}

/* What patchbay-target is to do. */
static int add_init_args(struct boot_job *b, const cJSON *benchmarks, struct error *e)
{
	const cJSON *benchmark;

	strbuf_addf(&b->init_args, "seed=%lld clock=%s", (long long)b->seed, b->clock);
	if (b->checker)
		strbuf_addf(&b->init_args, " checker=%s", b->checker);
	json_for_each (benchmark, benchmarks) {
		if (add_benchmark(b, benchmark, e))
			return error_prefix(e, "the boot job's benchmarks");
	}
	if (b->init_args.overflow)
		return error_set(e, ERR_LIMIT,
			"the boot job's benchmarks need more than %d bytes of kernel command line",
			BOOT_MAX_INIT_ARGS);
	return 0;
}

int boot_job_read(struct boot_job *b, const cJSON *doc, struct error *e)
{
	*b = (struct boot_job){
		.clock = json_str(doc, "clock", "wall"), .checker = json_str(doc, "checker", NULL)};
	strbuf_init(&b->init_args, BOOT_MAX_INIT_ARGS);
	if (read_machine(b, json_get(doc, "machine"), e) ||
		read_limits(b, json_get(doc, "limits"), e) || read_image(b, doc, e) ||
		read_tests(b, json_get(doc, "tests"), e) ||
		json_need_str(doc, "cmdline", &b->cmdline, e) ||
		json_need_int(doc, "seed", 0, INT32_MAX, &b->seed, e))
		return error_prefix(e, "the boot job");
	return add_init_args(b, json_get(doc, "benchmarks"), e);
}

void boot_job_done(struct boot_job *b)
{
	strbuf_done(&b->init_args);
}

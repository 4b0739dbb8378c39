/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Boot one image on a host's virtual machine: put image and target there, let the agent run the
 * guest, keep its console from the first byte, listen to console and results as they come, end it
 * when it is beyond rescue, and judge (boot_judge.h).
 */
#include "daemon/worker/boot_job.h"
#include "daemon/worker/boot_judge.h"
#include "daemon/worker/boot_tests.h"
#include "daemon/worker/remote.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>

#define TARGET_NAME "patchbay-target"
#define GRACE_MS 1000 /* for the rest of a panic's trace */
#define POWER_OFF_MS 10000 /* from the last result to the guest's end */
#define SLACK_MS (120 * 1000) /* what the agent may take outside the guest */
#define MAX_RESULTS (64 * 1024 * 1024) /* bytes kept of the result channel */

struct sample {
	char *metric;
	double value;
	cJSON *params;
};

struct boot {
	struct job *job;
	struct boot_job ask;

	struct scan_console *console;
	struct scan_results *results;
	struct boot_tests *tests; /* the lab's own */
	int results_fd; /* artifacts/results */
	size_t results_size;
	size_t told; /* findings that have been sent */
	enum boot_reached reached;
	bool grace; /* a panic's trace is coming */
	struct error broken; /* the first thing wrong with the result lines */
	char *boot_id, *guest_cmdline, *kernel_problem, *lab_problem;
	cJSON *facts;
	struct sample *samples; /* told only when all of them are known to be whole */
	size_t n_samples;
};

/* Tells every stage, also those that were passed within one piece of the console. */
static void reach(struct boot *b, enum boot_reached reached)
{
	while (b->reached < reached) {
		b->reached++;
		if (b->reached != REACHED_DONE)
			worker_stage(b->job, boot_reached_name(b->reached));
	}
}

static void add_sample(const char *metric, double value, cJSON *params, void *data)
{
	struct boot *b = data;

	b->samples = xgrow(b->samples, b->n_samples, sizeof(*b->samples));
	b->samples[b->n_samples++] = (struct sample){xstrdup(metric), value, params};
}

static void add_test_finding(const struct scan_finding *f, void *data)
{
	struct boot *b = data;

	worker_finding(b->job, f);
}

static void add_problem(struct boot *b, const struct scan_record *r)
{
	char **slot = streq(r->kind, "kernel") ? &b->kernel_problem : &b->lab_problem;

	if (*slot)
		return;
	*slot = xasprintf("%s%s%s%s%s", r->benchmark ? r->benchmark : "the target",
		r->case_name ? ", case " : "", r->case_name ? r->case_name : "", ": ", r->message);
}

static void on_record(const struct scan_record *r, void *data)
{
	struct boot *b = data;

	switch (r->type) {
	case SCAN_HELLO:
		reach(b, REACHED_BENCH);
		free(b->boot_id);
		free(b->guest_cmdline);
		b->boot_id = xstrdup_null(r->boot_id);
		b->guest_cmdline = xstrdup_null(r->cmdline);
		json_set_str(b->facts, "kernel", r->kernel);
		if (r->seed != b->ask.seed && !b->lab_problem)
			b->lab_problem = xasprintf("the guest ran with seed %lld instead of %lld",
				(long long)r->seed, (long long)b->ask.seed);
		if (!streq(r->clock, b->ask.clock) && !b->lab_problem)
			b->lab_problem = xasprintf("the guest read the %s clock instead of the %s",
				r->clock ? r->clock : "unknown", b->ask.clock);
		break;
	case SCAN_SAMPLE:
		add_sample(r->metric, r->value, r->params ? cJSON_Duplicate(r->params, true) : NULL,
			b);
		break;
	case SCAN_FACT:
		json_set(b->facts, r->name, r->fact ? cJSON_Duplicate(r->fact, true) : NULL);
		break;
	case SCAN_PROBLEM:
		add_problem(b, r);
		break;
	case SCAN_OUTPUT:
	case SCAN_EXIT:
		boot_tests_take(b->tests, r);
		break;
	case SCAN_END:
		reach(b, REACHED_DONE);
		break;
	}
}

/* The raw lines are evidence too. */
static int keep_results(struct boot *b, const char *bytes, size_t len, struct error *e)
{
	AUTO_FREE char *path = worker_path(b->job, "results");
	int r;

	if (b->results_fd < 0) {
		b->results_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		if (b->results_fd < 0)
			return error_errno(e, "cannot open %s", path);
	}
	if (len > MAX_RESULTS - b->results_size)
		return error_set(e, ERR_LIMIT,
			"the guest's result lines are over the limit of %d MiB",
			MAX_RESULTS / (1024 * 1024));
	b->results_size += len;
	r = write_all(b->results_fd, bytes, len);
	return r ? error_set(e, r, "cannot write %s: %s", path, strerror(-r)) : 0;
}

static int on_results(
	struct boot *b, struct remote_call *call, const char *bytes, size_t len, struct error *e)
{
	int err = keep_results(b, bytes, len, e);

	if (err || b->broken.code)
		return err;
	if (scan_results_feed(b->results, bytes, len, &b->broken))
		return remote_stop(call, "the result lines are broken", e);
	if (scan_results_complete(b->results) && call->timer_ms < 0)
		call->timer_ms = clock_mono_ms() + POWER_OFF_MS;
	return 0;
}

static void tell_findings(struct boot *b)
{
	const struct scan_findings *f = scan_console_findings(b->console);

	for (; b->told < f->n; b->told++)
		worker_finding(b->job, &f->items[b->told]);
}

static int on_console(
	struct boot *b, struct remote_call *call, const char *bytes, size_t len, struct error *e)
{
	int err = worker_log(b->job, bytes, len, e);

	if (err)
		return err;
	scan_console_feed(b->console, bytes, len);
	switch (scan_console_stage(b->console)) {
	case SCAN_STAGE_NOTHING:
		break;
	case SCAN_STAGE_KERNEL:
		reach(b, REACHED_KERNEL);
		break;
	case SCAN_STAGE_INIT:
		reach(b, REACHED_INIT);
		break;
	}
	switch (scan_console_life(b->console)) {
	case SCAN_ALIVE:
		return 0;
	case SCAN_DYING:
		if (!b->grace)
			call->timer_ms = clock_mono_ms() + GRACE_MS;
		b->grace = true;
		return 0;
	case SCAN_DEAD:
		return remote_stop(call, "the kernel has panicked", e);
	}
	return 0;
}

static int on_bytes(struct remote_call *call, enum frame_type type, const char *bytes, size_t len,
	struct error *e)
{
	if (type == FRAME_CONSOLE)
		return on_console(call->data, call, bytes, len, e);
	if (type == FRAME_RESULT)
		return on_results(call->data, call, bytes, len, e);
	return 0;
}

static int on_batch(struct remote_call *call, struct error *e)
{
	struct boot *b = call->data;

	worker_log_tell(b->job);
	tell_findings(b);
	return 0;
}

static int on_timer(struct remote_call *call, struct error *e)
{
	const struct boot *b = call->data;

	return remote_stop(
		call, b->grace ? "the kernel has panicked" : "the results are complete", e);
}

static int put_tests(struct boot *b, struct remote *r, struct error *e)
{
	const cJSON *test;

	json_for_each (test, b->ask.tests) {
		int err =
			remote_blob(r, json_str(test, "sha256", ""), json_str(test, "path", ""), e);

		if (err)
			return error_prefix(e, "the boot job's tests");
	}
	return 0;
}

static int put_blobs(struct boot *b, struct remote *r, char *target_sha256, struct error *e)
{
	AUTO_FREE char *dir = path_self_dir();
	AUTO_FREE char *target = path_join(dir, TARGET_NAME);
	int err;

	err = sha256_file(target, target_sha256, e);
	if (err)
		return error_prefix(e, "the target for guests belongs beside patchbay-worker");
	err = remote_blob(r, target_sha256, target, e);
	if (!err)
		err = remote_blob(r, b->ask.image_sha256, b->ask.image, e);
	return err ? err : put_tests(b, r, e);
}

static int boot_there(struct boot *b, struct remote *r, const char *target_sha256, cJSON **ret_end,
	struct error *e)
{
	const cJSON *test;
	struct remote_handlers handlers = {.bytes = on_bytes,
		.batch = on_batch,
		.timer = on_timer,
		.budget_ms = b->ask.total_seconds * 1000 + SLACK_MS};
	AUTO_STRBUF struct strbuf request;

	request_begin(&request, r, "boot");
	request_add(&request, "image", b->ask.image_sha256);
	request_add(&request, "target", target_sha256);
	json_for_each (test, b->ask.tests)
		request_add(&request, "extra", json_str(test, "sha256", ""));
	request_add(&request, "model", b->ask.model);
	request_add_int(&request, "memory_mib", b->ask.memory_mib);
	request_add_int(&request, "cpus", b->ask.cpus);
	request_add(&request, "cmdline", b->ask.cmdline);
	request_add(&request, "init_args", b->ask.init_args.buf);
	request_add(&request, "accel", b->ask.accel);
	request_add(&request, "clock", b->ask.clock);
	request_add_int(&request, "boot_seconds", b->ask.boot_seconds);
	request_add_int(&request, "silence_seconds", b->ask.silence_seconds);
	request_add_int(&request, "total_seconds", b->ask.total_seconds);
	return remote_call(r, &request, &handlers, b, ret_end, e);
}

static const char *first_fatal(const struct scan_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].fatal)
			return f->items[i].signature;
	return NULL;
}

/* That something does not go on, by the kernel's own word. */
static const char *first_stall(const struct scan_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].fatal || starts_with(f->items[i].signature, "RCU stall") ||
			starts_with(f->items[i].signature, "hung task"))
			return f->items[i].signature;
	return NULL;
}

static bool has_lockdep_report(const struct scan_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (starts_with(f->items[i].signature, "lockdep: "))
			return true;
	return false;
}

/* "exit" of the agent's end event: QEMU's exit status as a number, or a sentence. */
static void read_exit(const cJSON *end, struct boot_facts *f, char *text, size_t size)
{
	const cJSON *item = json_get(end, "exit");

	f->exit_clean = cJSON_IsNumber(item) && item->valuedouble == 0;
	if (cJSON_IsNumber(item))
		snprintf(text, size, "exit status %d", item->valueint);
	else
		snprintf(text, size, "%s", json_str(end, "exit", "no exit status"));
	f->exit = text;
}

static void judge(struct boot *b, const cJSON *end, struct boot_judgement *j)
{
	const struct scan_findings *findings;
	struct boot_facts f = {.how = json_str(end, "how", "?"),
		.boot_seconds = b->ask.boot_seconds,
		.silence_seconds = b->ask.silence_seconds,
		.total_seconds = b->ask.total_seconds};
	const char *tests_problem = boot_tests_end(b->tests);
	char exit_text[200];

	scan_console_end(b->console);
	tell_findings(b);
	if (!b->broken.code)
		f.cut = scan_results_end(b->results, &b->broken) != 0;
	findings = scan_console_findings(b->console);
	read_exit(end, &f, exit_text, sizeof(exit_text));
	f.reached = b->reached;
	f.empty = !b->job->log_size;
	f.fatal = first_fatal(findings);
	f.stalled = first_stall(findings);
	f.broken = b->broken.code ? b->broken.msg : NULL;
	f.kernel_problem = b->kernel_problem;
	f.lab_problem = b->lab_problem ? b->lab_problem : tests_problem;
	f.checker = b->ask.checker;
	f.checker_said = scan_console_said(b->console);
	f.checker_at_start = json_str(b->facts, "checker_at_start", NULL);
	f.checker_at_end = json_str(b->facts, "checker_at_end", NULL);
	f.lockdep_reported = has_lockdep_report(findings);
	f.last_line = scan_console_last_line(b->console);
	boot_judge(&f, j);
}

static void fill_result(struct boot *b, const cJSON *end, cJSON *result)
{
	static const char *const members[] = {"accel", "seconds", "started_ms"};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const cJSON *item = json_get(end, members[i]);

		json_set(result, members[i], item ? cJSON_Duplicate(item, true) : NULL);
	}
	json_set_int(result, "findings_dropped",
		(int64_t)(scan_console_findings(b->console)->dropped +
			  boot_tests_dropped(b->tests)));
	json_set_str(result, "boot_id", b->boot_id);
	json_set_str(result, "cmdline",
		b->guest_cmdline ? b->guest_cmdline : json_str(end, "cmdline", NULL));
	json_set_str(result, "image_sha256", b->ask.image_sha256);
	json_set_str(result, "reached", boot_reached_name(b->reached));
	json_set_str(result, "last_line", scan_console_last_line(b->console));
	json_set_str(b->facts, "name", b->ask.machine_name);
	json_set_str(b->facts, "model", b->ask.model);
	json_set_int(b->facts, "memory_mib", b->ask.memory_mib);
	json_set_int(b->facts, "cpus", b->ask.cpus);
	if (json_get(end, "host"))
		json_set(b->facts, "host", cJSON_Duplicate(json_get(end, "host"), true));
	json_set_str(b->facts, "accel_why", json_str(end, "accel_why", NULL));
	json_set_str(json_add_object(result, "tools"), "qemu", json_str(end, "qemu", NULL));
	json_set(result, "machine", steal_ptr(b->facts));
}

static int tell(struct boot *b, const struct boot_judgement *j, struct error *e)
{
	if (j->has_finding) {
		struct scan_finding f = {.kind = "kernel",
			.message = (char *)j->message,
			.signature = (char *)j->signature,
			.fatal = true};

		worker_finding(b->job, &f);
	}
	/* Broken results are none; those of a kernel that broke afterwards are shown, not used. */
	for (size_t i = 0; i < b->n_samples && !b->broken.code; i++)
		worker_sample(
			b->job, b->samples[i].metric, b->samples[i].value, b->samples[i].params);
	if (j->status == BOOT_ERROR)
		return error_set(e, -EIO, "%s", j->reason);
	if (j->status == BOOT_FAIL)
		worker_fail(b->job, "%s", j->reason);
	return 0;
}

static int boot(struct boot *b, cJSON *result, struct error *e)
{
	AUTO_REMOTE struct remote remote;
	AUTO_JSON cJSON *end = NULL;
	struct boot_judgement j;
	char target[SHA256_HEX];
	int err;

	err = remote_open(&remote, b->job, e);
	if (!err)
		err = put_blobs(b, &remote, target, e);
	if (!err)
		err = boot_there(b, &remote, target, &end, e);
	if (err)
		return err;
	b->job->tool_ms = (int64_t)(json_num(end, "seconds", 0) * 1000);
	judge(b, end, &j);
	fill_result(b, end, result);
	return tell(b, &j, e);
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	struct boot b = {.job = job, .results_fd = -1};
	int err;

	b.console = scan_console_new();
	b.results = scan_results_new(on_record, &b);
	b.tests = boot_tests_new(&(struct boot_tests_out){add_test_finding, add_sample, &b});
	b.facts = cJSON_CreateObject();
	err = boot_job_read(&b.ask, job->doc, e);
	if (!err)
		err = boot(&b, result, e);
	/* Also of a boot that the lab lost: what the kernel said until then. */
	scan_console_end(b.console);
	tell_findings(&b);
	for (size_t i = 0; i < b.n_samples; i++) {
		free(b.samples[i].metric);
		cJSON_Delete(b.samples[i].params);
	}
	free(b.samples);
	free(b.boot_id);
	free(b.guest_cmdline);
	free(b.kernel_problem);
	free(b.lab_problem);
	cJSON_Delete(b.facts);
	boot_job_done(&b.ask);
	closep(&b.results_fd);
	scan_results_free(b.results);
	boot_tests_free(b.tests);
	scan_console_free(b.console);
	return err;
}

const struct worker_ops worker_boot = {.kind = "boot", .run = run};

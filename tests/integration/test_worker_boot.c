/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Boots through the real worker, sshd, agent and QEMU, of a "kernel" that says what it is told
 * to (guest.S).
 */
#include "tests/integration/worker_lab.h"

#include "base/jsonw.h"
#include "base/sha256.h"

#define BANNER "Linux version 6.12.0 (fake)\r\n"
#define INIT BANNER "Run /init as init process\r\n"
#define PANIC                                                                 \
	"[    1.000000] Kernel panic - not syncing: Attempted to kill init! " \
	"exitcode=0x00000009\r\n"                                             \
	"[    1.000000] CPU: 0 PID: 1 Comm: init Not tainted 6.12.0\r\n"      \
	"[    1.000000] Call Trace:\r\n[    1.000000]  panic+0x1/0x2\r\n"     \
	"[    1.000000] ---[ end Kernel panic - not syncing: Attempted to kill init! ]---\r\n"

enum guest_end { POWER_OFF, HANG, RESET, CHATTER };

static struct worker_lab *lab;

static int set_up(void **state)
{
	lab = lab_new();
	return 0;
}

static int tear_down(void **state)
{
	lab_free(lab);
	return 0;
}

struct lines {
	struct strbuf text;
	int seq;
};

static void add_line(struct lines *l, const char *data)
{
	strbuf_addf(&l->text, "{\"seq\":%d,\"crc\":\"%08x\",\"data\":%s}\n", ++l->seq,
		crc32_add(0, data, strlen(data)), data);
}

static void begin_lines(struct lines *l)
{
	l->seq = 0;
	strbuf_init(&l->text, 32768);
	add_line(l, "{\"type\":\"hello\",\"boot_id\":\"b-1\",\"kernel\":\"6.12.0 #1\","
		    "\"cmdline\":\"as the guest got it\",\"seed\":7,\"clock\":\"wall\"}");
	add_line(l, "{\"type\":\"fact\",\"name\":\"thp\",\"value\":\"always\"}");
	add_line(l, "{\"type\":\"sample\",\"metric\":\"dma-map.hugetlbfs.unmap_seconds\","
		    "\"value\":0.053125,\"params\":{\"size_mib\":256,\"iterations_ns\":[1,2,3]}}");
}

static void end_lines(struct lines *l)
{
	AUTO_FREE char *data = xasprintf("{\"type\":\"end\",\"lines\":%d}", l->seq);

	add_line(l, data);
}

static void sh_in(const char *dir, const char *script)
{
	const char *const argv[] = {"sh", "-ec", script, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_FREE char *output = NULL;
	int status = -1;

	spec.cwd = dir;
	assert_int_equal(
		child_run(&spec, 65536, clock_mono_ms() + 30000, &output, &status, NULL), 0);
	if (status)
		fail_msg("%s", output);
}

static cJSON *boot_job(const char *console, const char *results, enum guest_end end)
{
	cJSON *job = lab_job(lab, "boot"), *o;
	AUTO_FREE char *console_path = path_join(lab->artifacts, "console.txt");
	AUTO_FREE char *results_path = path_join(lab->artifacts, "results.txt");
	AUTO_FREE char *image = path_join(lab->artifacts, "kernel");
	AUTO_FREE char *script =
		xasprintf("as --32 -I . --defsym END=%d -o guest.o %s/tests/integration/guest.S && "
			  "ld -m elf_i386 -Ttext=0 -e 0 --oformat binary -o kernel guest.o",
			end, TEST_SOURCE_DIR);
	char hex[SHA256_HEX];

	assert_int_equal(file_write_atomic(console_path, console, strlen(console), 0600, NULL), 0);
	assert_int_equal(file_write_atomic(results_path, results, strlen(results), 0600, NULL), 0);
	sh_in(lab->artifacts, script);
	assert_int_equal(sha256_file(image, hex, NULL), 0);
	json_set_str(job, "image", image);
	json_set_str(job, "image_sha256", hex);
	json_set_str(job, "cmdline", "intel_iommu=on");
	json_set_int(job, "seed", 7);
	o = json_add_object(job, "machine");
	json_set_str(o, "name", "m");
	json_set_str(o, "kind", "qemu");
	json_set_str(o, "model", "q35-vtd");
	json_set_int(o, "memory_mib", 256);
	json_set_int(o, "cpus", 1);
	o = cJSON_CreateObject();
	json_set_str(o, "run", "dma-map");
	json_set_int(o, "size_mib", 256);
	json_add_array(o, "primary");
	cJSON_AddItemToArray(json_add_array(job, "benchmarks"), o);
	o = json_add_object(job, "limits");
	json_set_int(o, "boot_seconds", 30);
	json_set_int(o, "silence_seconds", 30);
	json_set_int(o, "total_seconds", 60);
	return job;
}

static void set_limit(cJSON *job, const char *name, int seconds)
{
	json_set_int(cJSON_GetObjectItemCaseSensitive(job, "limits"), name, seconds);
}

static void test_results_and_console_arrive(void **state)
{
	struct lines l;
	const cJSON *end, *sample, *result;
	AUTO_FREE char *log = NULL;
	AUTO_FREE char *raw = NULL;

	begin_lines(&l);
	end_lines(&l);
	end = lab_run(lab, boot_job(INIT "all quiet\r\n", l.text.buf, POWER_OFF));
	lab_expect(lab, end, "pass", "");
	assert_int_equal(lab_count(lab, "finding"), 0);
	assert_int_equal(lab_count(lab, "sample"), 1);
	sample = lab_event(lab, "sample", 0);
	assert_string_equal(json_str(sample, "metric", ""), "dma-map.hugetlbfs.unmap_seconds");
	assert_true(json_num(sample, "value", 0) == 0.053125);
	assert_int_equal(json_int(json_get(sample, "params"), "size_mib", 0), 256);
	result = json_get(end, "result");
	assert_string_equal(json_str(result, "boot_id", ""), "b-1");
	assert_string_equal(json_str(result, "reached", ""), "done");
	assert_string_equal(json_str(result, "cmdline", ""), "as the guest got it");
	assert_string_equal(json_str(result, "last_line", ""), "all quiet");
	assert_string_equal(json_str(json_get(result, "machine"), "thp", ""), "always");
	assert_true(json_num(result, "seconds", 0) > 0);
	assert_true(json_int(result, "started_ms", 0) > 1700000000000);
	log = lab_artifact(lab, "log");
	assert_non_null(strstr(log, BANNER));
	assert_int_equal(
		json_int(lab_event(lab, "log", lab_count(lab, "log") - 1), "size", 0), strlen(log));
	raw = lab_artifact(lab, "results");
	assert_string_equal(raw, l.text.buf);
	strbuf_done(&l.text);
}

static void test_stages(void **state)
{
	static const char *const stages[] = {"kernel", "init", "bench"};
	struct lines l;

	begin_lines(&l);
	end_lines(&l);
	lab_expect(lab, lab_run(lab, boot_job(INIT, l.text.buf, POWER_OFF)), "pass", "");
	assert_int_equal(lab_count(lab, "stage"), ARRAY_SIZE(stages));
	for (size_t i = 0; i < ARRAY_SIZE(stages); i++)
		assert_string_equal(
			json_str(lab_event(lab, "stage", (int)i), "name", ""), stages[i]);
	strbuf_done(&l.text);
}

static void test_panic_ends_the_boot_at_once(void **state)
{
	const cJSON *end = lab_run(lab, boot_job(INIT PANIC, "", HANG));

	lab_expect(lab, end, "fail", "panic");
	assert_non_null(lab_finding(lab, "panic"));
	assert_true(json_bool(lab_finding(lab, "panic"), "fatal", false));
	/* The guest hangs behind it: a deadline would have taken that long. */
	assert_true(json_num(json_get(end, "result"), "seconds", 30) < 30);
}

static void test_warning_is_a_finding_and_no_failure(void **state)
{
	static const char warning[] =
		INIT "[    1.000000] ------------[ cut here ]------------\r\n"
		     "[    1.000000] WARNING: CPU: 0 PID: 1 at drivers/vfio/a.c:12 "
		     "vfio_thing+0x1/0x2\r\n"
		     "[    1.000000] Modules linked in:\r\n"
		     "[    1.000000] RIP: 0010:vfio_thing+0x1/0x2\r\n"
		     "[    1.000000] Call Trace:\r\n[    1.000000]  do_it+0x1/0x2\r\n"
		     "[    1.000000] ---[ end trace 0000000000000000 ]---\r\n";
	struct lines l;

	begin_lines(&l);
	end_lines(&l);
	lab_expect(lab, lab_run(lab, boot_job(warning, l.text.buf, POWER_OFF)), "pass", "");
	assert_non_null(lab_finding(lab, "WARNING: vfio_thing"));
	assert_int_equal(lab_count(lab, "sample"), 1);
	strbuf_done(&l.text);
}

static void test_silent_hang(void **state)
{
	cJSON *job = boot_job(BANNER "calling the_bad_initcall\r\n", "", HANG);

	set_limit(job, "silence_seconds", 3);
	lab_expect(lab, lab_run(lab, job), "fail", "the_bad_initcall");
	assert_non_null(lab_finding(lab, "boot hang"));
}

static void test_never_up_but_talking(void **state)
{
	cJSON *job = boot_job(BANNER, "", CHATTER);

	set_limit(job, "boot_seconds", 4);
	lab_expect(lab, lab_run(lab, job), "fail", "not up after 4 seconds");
	assert_non_null(lab_finding(lab, "boot hang"));
}

static void test_reset_before_init(void **state)
{
	lab_expect(lab, lab_run(lab, boot_job(BANNER, "", RESET)), "fail", "reset");
	assert_non_null(lab_finding(lab, "reset during boot"));
}

/* The target is init: it ends behind an end line, or in a panic. */
static void test_missing_end_line(void **state)
{
	struct lines l;

	begin_lines(&l);
	lab_expect(lab, lab_run(lab, boot_job(INIT, l.text.buf, POWER_OFF)), "fail",
		"reset during benchmark");
	assert_non_null(lab_finding(lab, "reset during benchmark"));
	assert_int_equal(lab_count(lab, "sample"), 0);
	strbuf_done(&l.text);
}

/* In the middle of a line, and the machine went down in good order: nobody's kernel is to blame. */
static void test_channel_cut_in_the_middle(void **state)
{
	struct lines l;

	begin_lines(&l);
	strbuf_truncate(&l.text, l.text.len - 40);
	lab_expect(lab,
		lab_run(lab, boot_job(INIT "[    2.000000] reboot: Power down\r\n", l.text.buf,
				     POWER_OFF)),
		"error", "the results stop in the middle of line 3: the channel was cut");
	assert_int_equal(lab_count(lab, "sample"), 0);
	strbuf_done(&l.text);
}

/* A checker must have watched, by its own words and files. */
static void test_checker(void **state)
{
	static const char words[] =
		INIT "[    0.010000] Lock dependency validator: Copyright (c) 2006 Red Hat\r\n";
	struct lines l;
	cJSON *job;

	begin_lines(&l);
	add_line(&l, "{\"type\":\"fact\",\"name\":\"checker_at_start\",\"value\":\"active\"}");
	add_line(&l, "{\"type\":\"fact\",\"name\":\"checker_at_end\",\"value\":\"active\"}");
	end_lines(&l);
	job = boot_job(words, l.text.buf, POWER_OFF);
	json_set_str(job, "checker", "lockdep");
	lab_expect(lab, lab_run(lab, job), "pass", "");
	job = boot_job(INIT, l.text.buf, POWER_OFF);
	json_set_str(job, "checker", "lockdep");
	lab_expect(lab, lab_run(lab, job), "error", "lockdep's own words");
	strbuf_done(&l.text);
	begin_lines(&l);
	end_lines(&l);
	job = boot_job(words, l.text.buf, POWER_OFF);
	json_set_str(job, "checker", "lockdep");
	lab_expect(lab, lab_run(lab, job), "error", "lockdep was not active");
	strbuf_done(&l.text);
}

/* Its archive is uploaded, and what it printed becomes findings and samples. */
static void test_own_test(void **state)
{
	AUTO_FREE char *path = path_join(lab->artifacts, "own.cpio");
	char sha256[SHA256_HEX];
	struct lines l;
	const cJSON *end;
	cJSON *job, *test;

	begin_lines(&l);
	add_line(&l,
		"{\"type\":\"output\",\"test\":\"own\",\"text\":\"1..2\\nok 1 a\\nlap 2 ms\\nnot "
		"ok 2 b\\n\"}");
	add_line(&l, "{\"type\":\"exit\",\"test\":\"own\",\"status\":1,\"how\":\"exit status 1\"}");
	end_lines(&l);
	job = boot_job(INIT, l.text.buf, POWER_OFF);
	assert_int_equal(file_write_atomic(path, "archive", 7, 0600, NULL), 0);
	assert_int_equal(sha256_file(path, sha256, NULL), 0);
	test = cJSON_CreateObject();
	json_set_str(test, "name", "own");
	json_set_str(test, "sha256", sha256);
	json_set_str(test, "path", path);
	cJSON_AddItemToArray(json_add_array(job, "tests"), test);
	end = lab_run(lab, job);
	lab_expect(lab, end, "pass", "");
	assert_non_null(lab_finding(lab, "test own: not ok: b"));
	/* With ours: the time, and how many were ok, were not, and were skipped. */
	assert_int_equal(lab_count(lab, "sample"), 5);
	assert_string_equal(
		json_str(lab_event(lab, "sample", 1), "metric", ""), "test.own.lap_seconds");
	assert_true(json_num(lab_event(lab, "sample", 1), "value", 0) == 0.002);
	strbuf_done(&l.text);
}

static void test_rubbish_for_results(void **state)
{
	struct lines l;

	begin_lines(&l);
	strbuf_adds(&l.text, "Segmentation fault\n");
	end_lines(&l);
	lab_expect(lab, lab_run(lab, boot_job(INIT, l.text.buf, HANG)), "error", "results");
	assert_int_equal(lab_count(lab, "sample"), 0);
	strbuf_done(&l.text);
}

static void test_flipped_bit(void **state)
{
	struct lines l;

	begin_lines(&l);
	end_lines(&l);
	*strstr(l.text.buf, "0.053125") = '9';
	lab_expect(lab, lab_run(lab, boot_job(INIT, l.text.buf, POWER_OFF)), "error", "");
	assert_int_equal(lab_count(lab, "sample"), 0);
	strbuf_done(&l.text);
}

static void test_problem_of_the_lab(void **state)
{
	struct lines l;

	begin_lines(&l);
	add_line(&l, "{\"type\":\"problem\",\"benchmark\":\"dma-map\",\"case\":\"hugetlbfs\","
		     "\"kind\":\"lab\",\"message\":\"no huge pages\"}");
	end_lines(&l);
	lab_expect(lab, lab_run(lab, boot_job(INIT, l.text.buf, POWER_OFF)), "error",
		"dma-map, case hugetlbfs: no huge pages");
	strbuf_done(&l.text);
}

static void test_problem_of_the_kernel(void **state)
{
	struct lines l;

	begin_lines(&l);
	add_line(&l, "{\"type\":\"problem\",\"benchmark\":\"dma-map\",\"case\":\"hugetlbfs\","
		     "\"kind\":\"kernel\",\"message\":\"MAP answers EINVAL\"}");
	end_lines(&l);
	lab_expect(lab, lab_run(lab, boot_job(INIT, l.text.buf, POWER_OFF)), "fail",
		"MAP answers EINVAL");
	strbuf_done(&l.text);
}

static void test_done_but_never_off(void **state)
{
	struct lines l;

	begin_lines(&l);
	end_lines(&l);
	lab_expect(lab, lab_run(lab, boot_job(INIT, l.text.buf, HANG)), "pass", "");
	assert_int_equal(lab_count(lab, "sample"), 1);
	strbuf_done(&l.text);
}

static void test_damaged_image_here(void **state)
{
	cJSON *job = boot_job(BANNER "never uploaded\r\n", "", HANG);

	json_set_str(job, "image_sha256",
		"00000000000000000000000000000000000000000000000000000000000000aa");
	lab_expect(lab, lab_run(lab, job), "error", "damaged");
}

/* Errors of the lab within seconds, and nothing of the guest left. */
static void test_link_lost_in_the_middle(void **state)
{
	AUTO_FREE char *run_dir = path_join(lab->root, "run");

	lab->trigger = "\"kernel\"";
	lab->action = lab_kill_sshd;
	lab_expect(lab, lab_run(lab, boot_job(BANNER, "", HANG)), "error", "connection");
	assert_true(lab->acted_ms > 0);
	assert_in_range(lab->ended_ms - lab->acted_ms, 0, 5000);
	assert_int_equal(lab_processes_left(run_dir), 0);
	sshd_start(lab->sshd);
}

static void test_cancelled(void **state)
{
	AUTO_FREE char *run_dir = path_join(lab->root, "run");

	lab->trigger = "\"kernel\"";
	lab->action = lab_terminate;
	lab_expect(lab, lab_run(lab, boot_job(BANNER, "", HANG)), "error", "cancelled");
	assert_in_range(lab->ended_ms - lab->acted_ms, 0, 3000);
	assert_int_equal(lab_processes_left(run_dir), 0);
}

static void test_changed_host_key(void **state)
{
	cJSON *job = boot_job(BANNER, "", HANG);
	cJSON *host = cJSON_GetObjectItemCaseSensitive(job, "host");

	json_set_str(host, "host_key",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
	lab_expect(lab, lab_run(lab, job), "error", "CHANGED");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results_and_console_arrive),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_panic_ends_the_boot_at_once),
		cmocka_unit_test(test_warning_is_a_finding_and_no_failure),
		cmocka_unit_test(test_silent_hang),
		cmocka_unit_test(test_never_up_but_talking),
		cmocka_unit_test(test_reset_before_init),
		cmocka_unit_test(test_missing_end_line),
		cmocka_unit_test(test_channel_cut_in_the_middle),
		cmocka_unit_test(test_checker),
		cmocka_unit_test(test_own_test),
		cmocka_unit_test(test_rubbish_for_results),
		cmocka_unit_test(test_flipped_bit),
		cmocka_unit_test(test_problem_of_the_lab),
		cmocka_unit_test(test_problem_of_the_kernel),
		cmocka_unit_test(test_done_but_never_off),
		cmocka_unit_test(test_damaged_image_here),
		cmocka_unit_test(test_link_lost_in_the_middle),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_changed_host_key),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

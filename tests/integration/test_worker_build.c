/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds through the real worker, sshd, git and agent, of a source tree of a few lines. */
#include "tests/integration/worker_lab.h"

#include "base/sha256.h"

#define MAKEFILE                                       \
	"tinyconfig:\n"                                \
	"\t@printf 'CONFIG_BASE=y\\n' >$(O)/.config\n" \
	"olddefconfig:\n"                              \
	"\t@true\n"                                    \
	"bzImage:\n"                                   \
	"\t$(MAKE) -C $(O) -f /src/inner.mk all\n"

#define INNER                                         \
	"all: arch/x86/boot/bzImage\n"                \
	"arch/x86/boot/bzImage: main.o\n"             \
	"\tgcc -nostdlib -static -o vmlinux main.o\n" \
	"\tmkdir -p arch/x86/boot && cp vmlinux $@\n" \
	"%.o: /src/%.c\n"                             \
	"\t@echo '  CC      $@'\n"                    \
	"\tgcc -Wall -O2 -c -o $@ /src/$*.c\n"

static struct worker_lab *lab;
static char *repo, *work;

static char *sh(const char *script)
{
	const char *const argv[] = {"sh", "-ec", script, "sh", repo, work, NULL};
	const char *const env[] = {"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	char *output = NULL;
	int status = -1;

	spec.env = env;
	assert_int_equal(
		child_run(&spec, 1 << 20, clock_mono_ms() + 60000, &output, &status, NULL), 0);
	if (status)
		fail_msg("%s", output);
	output[strcspn(output, "\n")] = '\0';
	return output;
}

static int set_up(void **state)
{
	AUTO_FREE char *out = NULL;

	lab = lab_new();
	repo = sshd_file(lab->sshd, "repo.git");
	work = sshd_file(lab->sshd, "work");
	out = sh("git init -q --bare \"$1\" && git init -q -b main \"$2\"");
	return 0;
}

static int tear_down(void **state)
{
	lab_free(lab);
	free(repo);
	free(work);
	return 0;
}

/* A commit with this main.c and inner.mk, in the lab's repository; its id on the heap. */
static char *commit(const char *main_c, const char *inner)
{
	static const char script[] =
		"cd \"$2\" && git add -A && git commit -q --allow-empty -m x && "
		"git push -q -f \"$1\" HEAD:refs/heads/x && git rev-parse HEAD";
	const struct {
		const char *name, *text;
	} files[] = {{"Makefile", MAKEFILE}, {"inner.mk", inner}, {"main.c", main_c}};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_FREE char *path = path_join(work, files[i].name);

		assert_int_equal(
			file_write_atomic(path, files[i].text, strlen(files[i].text), 0644, NULL),
			0);
	}
	return sh(script);
}

static cJSON *build_job(const char *id)
{
	cJSON *job = lab_job(lab, "build"), *config, *fragment = cJSON_CreateObject(), *limits;

	json_set_str(job, "repo", repo);
	json_set_str(job, "tree", "t");
	json_set_str(job, "commit", id);
	json_set_str(job, "ref", "refs/patchbay/series/1/0");
	json_set_str(job, "arch", "x86_64");
	config = json_add_object(job, "config");
	json_set_str(config, "base", "tinyconfig");
	json_set_str(fragment, "name", "lab");
	json_set_str(fragment, "text", "CONFIG_MORE=y\n");
	cJSON_AddItemToArray(json_add_array(config, "fragments"), fragment);
	limits = json_add_object(job, "limits");
	json_set_int(limits, "seconds", 60);
	json_set_int(limits, "silence_seconds", 30);
	return job;
}

static void test_image_and_findings(void **state)
{
	AUTO_FREE char *id =
		commit("void _start(void);\nvoid _start(void)\n{ int never; }\n", INNER);
	const cJSON *end = lab_run(lab, build_job(id)), *result, *finding, *artifact;
	AUTO_FREE char *log = NULL;
	AUTO_FREE char *script = lab_artifact(lab, "reproduce.sh");
	char hex[SHA256_HEX];

	lab_expect(lab, end, "pass", "");
	assert_true(starts_with(script, "#!/bin/sh\n# Job "));
	assert_non_null(strstr(script, "sha256sum"));
	result = json_get(end, "result");
	artifact = lab_event(lab, "artifact", 0);
	assert_non_null(artifact);
	assert_int_equal(sha256_file(json_str(result, "image", ""), hex, NULL), 0);
	assert_string_equal(hex, json_str(result, "image_sha256", ""));
	assert_string_equal(hex, json_str(artifact, "sha256", ""));
	assert_int_equal(strlen(json_str(result, "code_sha256", "")), 64);
	assert_int_equal(strlen(json_str(result, "config_sha256", "")), 64);
	assert_non_null(strstr(json_str(result, "compiler", ""), "gcc"));
	assert_true(json_int(end, "tool_ms", 0) > 0);
	finding = lab_event(lab, "finding", 0);
	assert_non_null(finding);
	assert_string_equal(json_str(finding, "kind", ""), "warning");
	assert_string_equal(json_str(finding, "file", ""), "main.c");
	assert_int_equal(json_int(finding, "line", 0), 3);
	assert_string_equal(json_str(finding, "option", ""), "-Wunused-variable");
	log = lab_artifact(lab, "log");
	assert_non_null(strstr(log, "  CC      main.o"));
	assert_int_equal(
		json_int(lab_event(lab, "log", lab_count(lab, "log") - 1), "size", 0), strlen(log));
}

/* The second time: the commit is there, nothing is compiled, the old warning is still known. */
static void test_again(void **state)
{
	AUTO_FREE char *id =
		commit("void _start(void);\nvoid _start(void)\n{ int never; }\n", INNER);
	AUTO_FREE char *first = NULL;
	const cJSON *end = lab_run(lab, build_job(id));

	lab_expect(lab, end, "pass", "");
	first = xstrdup(json_str(json_get(end, "result"), "image_sha256", "?"));
	end = lab_run(lab, build_job(id));
	lab_expect(lab, end, "pass", "");
	assert_string_equal(first, json_str(json_get(end, "result"), "image_sha256", ""));
	assert_int_equal(lab_count(lab, "finding"), 1);
}

static void test_code_that_does_not_build(void **state)
{
	AUTO_FREE char *id = commit(
		"void _start(void);\nvoid _start(void)\n{ no_such(); }\nint x = y;\n", INNER);
	const cJSON *end = lab_run(lab, build_job(id)), *finding;

	lab_expect(lab, end, "fail", "main.c:4");
	finding = lab_finding(lab, "error main.c");
	assert_non_null(finding);
	assert_int_equal(json_int(finding, "line", 0), 4);
	assert_true(json_bool(finding, "fatal", false));
	assert_null(lab_event(lab, "artifact", 0));
}

static void test_makefile_that_fails(void **state)
{
	AUTO_FREE char *id = commit("", "all:\n\tfalse\n");
	const cJSON *end = lab_run(lab, build_job(id));

	lab_expect(lab, end, "fail", "does not build");
	assert_non_null(lab_event(lab, "finding", 0));
}

static void test_commit_that_is_not_there(void **state)
{
	lab_expect(lab, lab_run(lab, build_job("00000000000000000000000000000000000000aa")),
		"error", "00aa");
}

static void test_link_lost_in_the_middle(void **state)
{
	AUTO_FREE char *id =
		commit("", "all:\n\t@echo '  SLEEP   now'\n\tsleep 33 # very own\n\tfalse\n");

	lab->trigger = "SLEEP now";
	lab->action = lab_kill_sshd;
	lab_expect(lab, lab_run(lab, build_job(id)), "error", "connection");
	assert_true(lab->acted_ms > 0);
	assert_in_range(lab->ended_ms - lab->acted_ms, 0, 5000);
	assert_int_equal(lab_processes_left(lab->root), 0);
	sshd_start(lab->sshd);
}

static void test_killed_build_does_not_harm_the_next(void **state)
{
	AUTO_FREE char *id = commit("void _start(void);\nvoid _start(void)\n{ }\n", INNER);

	lab_expect(lab, lab_run(lab, build_job(id)), "pass", "");
	assert_int_equal(lab_count(lab, "finding"), 0);
}

/* A worker with an older epoch than the host has seen is one that was given up. */
static void test_old_lease_is_refused(void **state)
{
	AUTO_FREE char *id = commit("void _start(void);\nvoid _start(void)\n{ }\n", INNER);
	cJSON *job = build_job(id);

	json_set_int(job, "epoch", 0);
	lab_expect(lab, lab_run(lab, job), "error", "epoch");
}

static void test_host_that_is_off(void **state)
{
	AUTO_FREE char *id = commit("", INNER);
	cJSON *job = build_job(id);

	json_set_int(cJSON_GetObjectItemCaseSensitive(job, "host"), "port", sshd_free_port());
	lab_expect(lab, lab_run(lab, job), "error", "cannot connect to host loopback");
}

static void test_root_that_is_no_path(void **state)
{
	AUTO_FREE char *id = commit("void _start(void);\nvoid _start(void)\n{ }\n", INNER);
	cJSON *job = build_job(id);
	cJSON *host = cJSON_GetObjectItemCaseSensitive(job, "host");

	json_set_str(host, "root", "relative/path");
	lab_expect(lab, lab_run(lab, job), "error", "cannot use host loopback");
}

static void test_input_that_is_no_job(void **state)
{
	cJSON *job = lab_job(lab, "build");

	lab_expect(lab, lab_run(lab, job), "error", "\"repo\" is missing");
	job = lab_job(lab, "build");
	json_set_str(job, "artifacts", "/nowhere");
	lab_expect(lab, lab_run(lab, job), "error", "/nowhere");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image_and_findings),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_code_that_does_not_build),
		cmocka_unit_test(test_makefile_that_fails),
		cmocka_unit_test(test_commit_that_is_not_there),
		cmocka_unit_test(test_link_lost_in_the_middle),
		cmocka_unit_test(test_killed_build_does_not_harm_the_next),
		cmocka_unit_test(test_old_lease_is_refused),
		cmocka_unit_test(test_host_that_is_off),
		cmocka_unit_test(test_root_that_is_no_path),
		cmocka_unit_test(test_input_that_is_no_job),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

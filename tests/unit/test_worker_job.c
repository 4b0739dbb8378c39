/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job says on its event pipe. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "agents/host/build.h"
#include "daemon/worker/worker.h"

#include <fcntl.h>
#include <sys/mman.h>

static char *dir;
static cJSON *doc;
static struct job job;
static int events; /* a file in memory: a pipe would fill up */

static int set_up(void **state)
{
	char name[] = "/tmp/pb-job-XXXXXX";
	struct error e = ERROR_INIT;

	dir = xstrdup(mkdtemp(name));
	doc = cJSON_CreateObject();
	json_set_int(doc, "job", 17);
	json_set_str(doc, "kind", "build");
	json_set_int(doc, "attempt", 2);
	json_set_int(doc, "epoch", 3);
	json_set_str(doc, "lab", "l");
	json_set_str(doc, "artifacts", dir);
	events = memfd_create("events", MFD_CLOEXEC);
	if (worker_job_init(&job, doc, "build", events, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int tear_down(void **state)
{
	worker_job_done(&job);
	close(events);
	cJSON_Delete(doc);
	file_remove_tree(dir, NULL);
	free(dir);
	return 0;
}

/* All events so far, as an array. */
static cJSON *said(void)
{
	cJSON *list = cJSON_CreateArray();
	AUTO_FREE char *text = NULL;
	struct error e = ERROR_INIT;
	char *save = NULL;

	lseek(events, 0, SEEK_SET);
	if (file_read_fd(events, "events", 64 * 1024 * 1024, &text, NULL, &e))
		fail_msg("%s", e.msg);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		cJSON *event = NULL;

		assert_in_range(strlen(line), 1, WORKER_MAX_EVENT - 1);
		if (json_parse(line, strlen(line), &event, &e))
			fail_msg("%s: %s", e.msg, line);
		cJSON_AddItemToArray(list, event);
	}
	return list;
}

static const cJSON *last(const cJSON *list)
{
	return cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1);
}

static void test_ends(void **state)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *list = NULL;
	cJSON *result = cJSON_CreateObject();

	json_set_str(result, "x", "y");
	job.tool_ms = 55;
	worker_end(&job, 0, &e, result);
	list = said();
	assert_int_equal(cJSON_GetArraySize(list), 1);
	assert_string_equal(json_str(last(list), "event", ""), "end");
	assert_string_equal(json_str(last(list), "status", ""), "pass");
	assert_null(json_get(last(list), "reason"));
	assert_int_equal(json_int(last(list), "tool_ms", 0), 55);
	assert_string_equal(json_str(json_get(last(list), "result"), "x", ""), "y");
}

static void test_fail_keeps_the_first_reason(void **state)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *list = NULL;

	worker_fail(&job, "first %d", 1);
	worker_fail(&job, "second");
	worker_end(&job, 0, &e, NULL);
	list = said();
	assert_string_equal(json_str(last(list), "status", ""), "fail");
	assert_string_equal(json_str(last(list), "reason", ""), "first 1");
}

/* The lab's trouble comes before any blame: what was seen of the code may be its work. */
static void test_error_wins_over_fail(void **state)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *list = NULL;

	worker_fail(&job, "the code");
	error_set(&e, ERR_LINK, "the link");
	worker_end(&job, ERR_LINK, &e, NULL);
	list = said();
	assert_string_equal(json_str(last(list), "status", ""), "error");
	assert_string_equal(json_str(last(list), "reason", ""), "the link");
}

static void test_result_over_the_limit_is_an_error(void **state)
{
	AUTO_FREE char *big = xmalloc(WORKER_MAX_EVENT + 1);
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *list = NULL;
	cJSON *result = cJSON_CreateObject();

	memset(big, 'x', WORKER_MAX_EVENT);
	big[WORKER_MAX_EVENT] = '\0';
	json_set_str(result, "big", big);
	worker_end(&job, 0, &e, result);
	list = said();
	assert_int_equal(cJSON_GetArraySize(list), 1);
	assert_string_equal(json_str(last(list), "status", ""), "error");
	assert_non_null(strstr(json_str(last(list), "reason", ""), "limit"));
}

static void test_log(void **state)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *list = NULL;
	AUTO_FREE char *path = worker_path(&job, "log");
	AUTO_FREE char *text = NULL;

	worker_log_tell(&job);
	assert_int_equal(worker_log(&job, "one\n", 4, &e), 0);
	assert_int_equal(worker_log(&job, "two", 3, &e), 0);
	worker_log_tell(&job);
	worker_log_tell(&job);
	assert_int_equal(worker_log(&job, "!", 1, &e), 0);
	worker_end(&job, 0, &e, NULL);
	list = said();
	assert_int_equal(cJSON_GetArraySize(list), 3);
	assert_int_equal(json_int(cJSON_GetArrayItem(list, 0), "size", 0), 7);
	assert_int_equal(json_int(cJSON_GetArrayItem(list, 1), "size", 0), 8);
	assert_int_equal(file_read(path, 100, &text, NULL, NULL), 0);
	assert_string_equal(text, "one\ntwo!");
}

static void an_endless_build_meets_its_own_limit_first(void **state)
{
	assert_true(BUILD_MAX_LOG < WORKER_MAX_LOG);
}

static void test_log_limit(void **state)
{
	struct error e = ERROR_INIT;

	job.log_size = WORKER_MAX_LOG - 3;
	assert_int_equal(worker_log(&job, "123", 3, &e), 0);
	assert_int_equal(worker_log(&job, "4", 1, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "512 MiB"));
}

static void test_findings_have_a_limit(void **state)
{
	struct scan_finding f = {.kind = "warning", .signature = (char *)"s", .line = 3};
	AUTO_JSON cJSON *list = NULL;

	for (int i = 0; i < SCAN_MAX_FINDINGS + 1; i++)
		worker_finding(&job, &f);
	list = said();
	assert_int_equal(cJSON_GetArraySize(list), SCAN_MAX_FINDINGS);
	assert_int_equal(json_int(last(list), "line", 0), 3);
	assert_null(json_get(last(list), "file"));
}

static void test_bytes_that_are_no_text(void **state)
{
	struct scan_finding f = {
		.kind = "kernel", .signature = (char *)"s", .excerpt = (char *)"\xff\n"};
	AUTO_JSON cJSON *list = NULL;

	worker_finding(&job, &f);
	list = said();
	assert_string_equal(json_str(last(list), "excerpt", ""), "\xef\xbf\xbd\n");
}

static void test_progress_without_total(void **state)
{
	AUTO_JSON cJSON *list = NULL;

	worker_progress(&job, 5, -1, "CC %s", "a.o");
	list = said();
	assert_string_equal(json_str(last(list), "text", ""), "CC a.o");
	assert_int_equal(json_int(last(list), "done", 0), 5);
	assert_null(json_get(last(list), "total"));
}

static void test_jobs_that_are_none(void **state)
{
	static const char *const needed[] = {"job", "kind", "attempt", "epoch", "lab", "artifacts"};
	struct error e = ERROR_INIT;
	struct job other;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		AUTO_JSON cJSON *copy = cJSON_Duplicate(doc, true);

		cJSON_DeleteItemFromObjectCaseSensitive(copy, needed[i]);
		assert_int_equal(worker_job_init(&other, copy, "build", -1, &e), ERR_SYNTAX);
		assert_non_null(strstr(e.msg, needed[i]));
	}
	assert_true(worker_job_init(&other, doc, "boot", -1, &e) < 0);
	assert_non_null(strstr(e.msg, "build"));
}

#define WITH_JOB(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_endless_build_meets_its_own_limit_first),
		WITH_JOB(test_ends),
		WITH_JOB(test_fail_keeps_the_first_reason),
		WITH_JOB(test_error_wins_over_fail),
		WITH_JOB(test_result_over_the_limit_is_an_error),
		WITH_JOB(test_log),
		WITH_JOB(test_log_limit),
		WITH_JOB(test_findings_have_a_limit),
		WITH_JOB(test_bytes_that_are_no_text),
		WITH_JOB(test_progress_without_total),
		WITH_JOB(test_jobs_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

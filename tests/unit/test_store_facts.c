/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results go in as a worker says them, and come out as facts. */
#include "base/file.h"
#include "daemon/store/host.h"
#include "daemon/store/job.h"
#include "daemon/store/machine.h"
#include "daemon/store/result.h"
#include "daemon/store/series.h"
#include "daemon/store/tree.h"
#include <setjmp.h>
#include <cmocka.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TIP "1111111111111111111111111111111111111111"
#define ONE "2222222222222222222222222222222222222222"

struct lab {
	char dir[64];
	struct store *store;
	int64_t series;
	struct facts *facts;
};

static cJSON *parse(const char *text)
{
	cJSON *json = NULL;
	struct error e = ERROR_INIT;

	if (json_parse(text, strlen(text), &json, &e) < 0)
		fail_msg("%s: %s", e.msg, text);
	return json;
}

static int64_t add_series(struct lab *lab, const int64_t *needs, size_t n_needs)
{
	struct series_row row = {
		.mail_sha256 = (char *)SHA,
		.mail_size = 10,
		.dedup = (char *)"d",
		.tree = (char *)"t",
		.tip = (char *)TIP,
		.base_text = (char *)"v6.12",
		.profile_name = (char *)"dma",
		.until = (char *)"test",
		.no_inherit = true,
	};
	int64_t id = 0;

	row.profile = parse("{\"name\":\"dma\",\"arch\":\"x86_64\"}");
	assert_int_equal(series_insert(lab->store, &row, needs, n_needs, &id, NULL), 0);
	cJSON_Delete(row.profile);
	return id;
}

static int setup(void **state)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));
	struct tree_row tree = {.name = (char *)"t", .path = (char *)"/t"};
	struct host_row host = {
		.name = (char *)"h",
		.address = (char *)"a",
		.port = 22,
		.user = (char *)"u",
		.key = (char *)"/k",
		.host_key = (char *)"k",
	};
	struct machine_row machine = {
		.name = (char *)"m",
		.host = (char *)"h",
		.kind = (char *)"qemu",
		.model = (char *)"q",
		.arch = (char *)"x86_64",
		.memory_mib = 1,
		.cpus = 1,
	};
	int64_t id;

	(void)snprintf(lab->dir, sizeof(lab->dir), "/tmp/patchbay-facts-XXXXXX");
	assert_non_null(mkdtemp(lab->dir));
	assert_int_equal(store_open(lab->dir, &lab->store, NULL), 0);
	tree.source = parse("{}");
	machine.tags = parse("[]");
	assert_int_equal(tree_insert(lab->store, &tree, &id, NULL), 0);
	assert_int_equal(host_put(lab->store, &host, &id, NULL), 0);
	assert_int_equal(machine_put(lab->store, &machine, &id, NULL), 0);
	cJSON_Delete(tree.source);
	cJSON_Delete(machine.tags);
	lab->series = add_series(lab, NULL, 0);
	*state = lab;
	return 0;
}

static int teardown(void **state)
{
	struct lab *lab = *state;

	facts_free(lab->facts);
	store_close(lab->store);
	file_remove_tree(lab->dir, NULL);
	free(lab);
	return 0;
}

static const struct facts *load(struct lab *lab, int64_t series, int run)
{
	struct error e = ERROR_INIT;

	lab->facts = facts_free(lab->facts);
	if (facts_load(lab->store, series, run, FACTS_SHOWN, &lab->facts, &e) < 0)
		fail_msg("%s", e.msg);
	return lab->facts;
}

static void excerpts_are_read_where_they_are_shown(struct lab *lab)
{
	lab->facts = facts_free(lab->facts);
	assert_int_equal(
		facts_load(lab->store, lab->series, 0, FACTS_JUDGED, &lab->facts, NULL), 0);
	assert_string_equal(lab->facts->builds[0].findings[0].message, "m");
	assert_null(lab->facts->builds[0].findings[0].excerpt);
}

static void set_parsed(struct lab *lab, int64_t series, int run, const char *text)
{
	AUTO_JSON cJSON *json = parse(text);

	assert_int_equal(series_set_parsed(lab->store, series, run, json, NULL), 0);
}

static void set_applied(struct lab *lab, int64_t series, int run, const char *text)
{
	AUTO_JSON cJSON *json = parse(text);

	assert_int_equal(series_set_applied(lab->store, series, run, json, NULL), 0);
}

static const char two_patches[] =
	"{\"title\":\"T\",\"version\":5,\"cover\":{\"message_id\":\"c@x\"},\"patches\":["
	"{\"n\":1,\"subject\":\"one\",\"author\":{\"name\":\"A\",\"email\":\"a@x\"},\"message_id\":"
	"\"1@x\"},{\"n\":2,\"subject\":\"two\",\"author\":{\"name\":\"B\",\"email\":\"b@x\"}}]}";

static void a_fresh_series_has_what_was_sent(void **state)
{
	struct lab *lab = *state;
	const struct facts *f = load(lab, lab->series, 0);

	assert_int_equal(f->id, lab->series);
	assert_int_equal(f->run, 1);
	assert_string_equal(f->state, "received");
	assert_string_equal(f->tree, "t");
	assert_string_equal(f->base_text, "v6.12");
	assert_string_equal(f->until, "test");
	assert_true(f->no_inherit);
	assert_string_equal(json_str(f->profile, "arch", ""), "x86_64");
	assert_non_null(f->title);
	assert_null(f->verdict);
	assert_null(f->base_commit);
	assert_true(f->created_ms > 0);
	assert_int_equal(f->finished_ms, 0);
	assert_int_equal(f->n_patches + f->n_builds + f->n_boots + f->n_jobs + f->n_needs, 0);
	assert_int_equal(
		facts_load(lab->store, 99, 0, FACTS_JUDGED, &lab->facts, NULL), ERR_MISSING);
	assert_int_equal(facts_load(lab->store, lab->series, 2, FACTS_JUDGED, &lab->facts, NULL),
		ERR_MISSING);
}

static void parse_and_apply_come_back(void **state)
{
	struct lab *lab = *state;
	int64_t with = add_series(lab, &lab->series, 1);
	const struct facts *f;

	set_parsed(lab, with, 1, two_patches);
	set_applied(lab, with, 1,
		"{\"status\":\"conflict\",\"base\":\"" TIP
		"\",\"chosen_by\":\"option\",\"needs\":[{"
		"\"id\":1,\"commits\":[\"n1\",\"n2\"]}],\"patches\":[{\"n\":1,\"commit\":\"" ONE
		"\",\"how\":\"offset\"},{\"n\":2,\"conflict\":{\"file\":\"a.c\",\"hunk\":3,"
		"\"line\":"
		"805,\"expected\":\"x\\n\",\"found\":\"y\\n\",\"why\":\"differs\"}}]}");
	f = load(lab, with, 0);
	assert_string_equal(f->title, "T");
	assert_int_equal(f->version, 5);
	assert_string_equal(f->message_id, "c@x");
	assert_string_equal(f->base_commit, TIP);
	assert_string_equal(f->chosen_by, "option");
	assert_int_equal(f->n_needs, 1);
	assert_int_equal(f->needs[0].id, lab->series);
	assert_int_equal(f->needs[0].n_commits, 2);
	assert_string_equal(f->needs[0].commits[1], "n2");
	assert_int_equal(f->n_patches, 2);
	assert_string_equal(f->patches[0].subject, "one");
	assert_string_equal(f->patches[0].author_email, "a@x");
	assert_string_equal(f->patches[0].commit, ONE);
	assert_string_equal(f->patches[0].how, "offset");
	assert_null(f->patches[0].conflict);
	assert_null(f->patches[1].commit);
	assert_int_equal(f->patches[1].conflict->hunk, 3);
	assert_int_equal(f->patches[1].conflict->line, 805);
	assert_string_equal(f->patches[1].conflict->expected, "x\n");
	assert_string_equal(f->patches[1].conflict->found, "y\n");
	assert_string_equal(f->patches[1].conflict->why, "differs");
}

static int64_t add_job(struct lab *lab, struct job_row *job, int64_t series)
{
	int64_t id = 0;

	job->series_id = series;
	job->run = job->run ? job->run : 1;
	job->host = (char *)"h";
	job->commit = (char *)ONE;
	assert_int_equal(job_insert(lab->store, job, &id, NULL), 0);
	return id;
}

static void end_job(struct lab *lab, int64_t id, const char *result)
{
	AUTO_JSON cJSON *json = parse(result);
	struct job_row job = {0};

	assert_int_equal(job_get(lab->store, id, &job, NULL), 0);
	assert_int_equal(job_set_started(lab->store, &job, NULL), 0);
	assert_int_equal(job_set_ended(lab->store, id, STATUS_PASS, NULL, 70, 80, json, NULL), 0);
	if (streq(job.kind, "build"))
		assert_int_equal(build_set_result(lab->store, id, json, NULL), 0);
	else
		assert_int_equal(boot_set_result(lab->store, id, json, NULL), 0);
	job_done(&job);
}

static void builds_and_boots_come_back(void **state)
{
	struct lab *lab = *state;
	struct job_row build = {.kind = (char *)"build", .patch = 1, .arch = (char *)"x86_64"};
	struct job_row boot = {
		.kind = (char *)"boot",
		.machine = (char *)"m",
		.patch = 1,
		.side = (char *)"patched",
		.role = (char *)"extra",
		.clock = (char *)"counted",
		.part = (char *)"attach",
		.pair = 3,
		.seed = 7,
	};
	AUTO_JSON cJSON *finding =
		parse("{\"event\":\"finding\",\"kind\":\"warning\",\"file\":\"a.c\",\"line\":7,"
		      "\"column\":3,"
		      "\"function\":\"f\",\"message\":\"m\",\"option\":\"-Wx\",\"signature\":\"s\","
		      "\"excerpt\":\"e\",\"fatal\":true}");
	AUTO_JSON cJSON *bare = parse("{\"event\":\"finding\"}");
	AUTO_JSON cJSON *sample = parse("{\"metric\":\"dma-map.x\",\"value\":0.053,\"params\":{"
					"\"size_mib\":1024}}");
	int64_t build_id = add_job(lab, &build, lab->series);
	int64_t boot_id = add_job(lab, &boot, lab->series);
	const struct facts *f;

	end_job(lab, build_id,
		"{\"config_sha256\":\"c\",\"compiler\":\"gcc\",\"image_sha256\":\"i\",\"code_"
		"sha256\":"
		"\"k\",\"image\":\"/"
		"i\",\"findings_dropped\":3,\"seconds\":9.5,\"tools\":{\"gcc\":\"12\"}}");
	end_job(lab, boot_id,
		"{\"boot_id\":\"b\",\"findings_dropped\":4,\"accel\":\"tcg\",\"cmdline\":\"x=y\","
		"\"seconds\":14.25,"
		"\"started_ms\":1234,\"image_sha256\":\"i\",\"last_line\":\"l\",\"machine\":{"
		"\"name\":"
		"\"m\",\"cpus\":2}}");
	assert_int_equal(finding_insert(lab->store, build_id, 1, finding, NULL), 0);
	assert_int_equal(finding_insert(lab->store, boot_id, 1, bare, NULL), 0);
	assert_int_equal(sample_insert(lab->store, boot_id, 1, sample, NULL), 0);
	excerpts_are_read_where_they_are_shown(lab);
	f = load(lab, lab->series, 0);
	assert_int_equal(f->n_builds, 1);
	assert_int_equal(f->builds[0].status, STATUS_PASS);
	assert_int_equal(f->builds[0].patch, 1);
	assert_string_equal(f->builds[0].commit, ONE);
	assert_string_equal(f->builds[0].code_sha256, "k");
	assert_string_equal(f->builds[0].artifact, "/i");
	assert_true(f->builds[0].seconds == 9.5);
	assert_int_equal(f->builds[0].findings_dropped, 3);
	assert_int_equal(f->boots[0].findings_dropped, 4);
	assert_int_equal(f->builds[0].n_findings, 1);
	assert_string_equal(f->builds[0].findings[0].option, "-Wx");
	assert_string_equal(f->builds[0].findings[0].excerpt, "e");
	assert_int_equal(f->builds[0].findings[0].column, 3);
	assert_true(f->builds[0].findings[0].fatal);
	assert_int_equal(f->n_boots, 1);
	assert_int_equal(f->boots[0].side, SIDE_PATCHED);
	assert_int_equal(f->boots[0].role, BOOT_EXTRA);
	assert_int_equal(f->boots[0].clock, CLOCK_COUNTED);
	assert_string_equal(f->boots[0].part, "attach");
	assert_int_equal(f->boots[0].pair, 3);
	assert_int_equal(f->boots[0].seed, 7);
	assert_string_equal(f->boots[0].machine, "m");
	assert_int_equal(f->boots[0].started_ms, 1234);
	assert_string_equal(f->boots[0].last_line, "l");
	assert_null(f->boots[0].findings[0].file);
	assert_string_equal(f->boots[0].findings[0].message, "");
	assert_int_equal(f->boots[0].n_samples, 1);
	assert_true(f->boots[0].samples[0].value == 0.053);
	assert_int_equal(json_int(f->boots[0].samples[0].params, "size_mib", 0), 1024);
	assert_int_equal(f->n_jobs, 2);
	assert_int_equal(f->jobs[0].tool_ms, 70);
	assert_string_equal(json_str(json_get(f->environment, "tools"), "gcc", ""), "12");
	assert_int_equal(cJSON_GetArraySize(json_get(f->environment, "machines")), 1);
	assert_int_equal(f->busy_elsewhere_ms, 0);
}

static void a_rerun_starts_anew_beside_the_old_run(void **state)
{
	struct lab *lab = *state;
	struct job_row build = {.kind = (char *)"build", .arch = (char *)"x86_64"};
	const struct facts *f;
	int run = 0;

	set_parsed(lab, lab->series, 1, two_patches);
	add_job(lab, &build, lab->series);
	assert_int_equal(series_set_held(lab->store, lab->series, 1, "why", false, NULL), 0);
	assert_int_equal(series_add_run(lab->store, lab->series, 5, &run, NULL), 0);
	f = load(lab, lab->series, 0);
	assert_int_equal(f->run, 2);
	assert_string_equal(f->state, "received");
	assert_int_equal(f->n_patches + f->n_builds + f->n_jobs, 0);
	assert_null(f->held);
	set_parsed(lab, lab->series, 2, two_patches);
	f = load(lab, lab->series, 1);
	assert_string_equal(f->held, "why");
	assert_string_equal(f->verdict, "held");
	assert_int_equal(f->n_builds, 1);
}

static void time_others_took_is_told(void **state)
{
	struct lab *lab = *state;
	int64_t other = add_series(lab, NULL, 0);
	struct job_row theirs = {.kind = (char *)"build", .arch = (char *)"x86_64"};
	struct job_row ours = theirs, job = {0};
	int64_t id;

	/* Theirs runs while ours is queued. */
	id = add_job(lab, &theirs, other);
	assert_int_equal(job_get(lab->store, id, &job, NULL), 0);
	assert_int_equal(job_set_started(lab->store, &job, NULL), 0);
	job_done(&job);
	add_job(lab, &ours, lab->series);
	(void)usleep(30000);
	assert_true(load(lab, lab->series, 0)->busy_elsewhere_ms >= 30);
	assert_int_equal(load(lab, other, 0)->busy_elsewhere_ms, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(a_fresh_series_has_what_was_sent),
		T(parse_and_apply_come_back),
		T(builds_and_boots_come_back),
		T(a_rerun_starts_anew_beside_the_old_run),
		T(time_others_took_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

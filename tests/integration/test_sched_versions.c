/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of one series, sent one after the other: real mail, real trees. */
#include "tests/integration/sched_lab.h"

#include "daemon/report/report.h"
#include "daemon/store/archive.h"

#define WORKER(kind) "exec " TEST_BIN_DIR "/patchbay-worker " kind "\n"
/* Until it is cancelled. */
#define HANG "exec tail -f /dev/null\n"

/* A version of one patch; more: further headers. */
static char *mail_of(const char *sender, const char *version, const char *more, const char *line)
{
	return xasprintf("From: <%s@example.org>\nSubject: [PATCH %s] the one\nMessage-ID: "
			 "<%s@example.org>\nDate: Mon, 30 Nov 2026 10:00:00 +0000\n%s\nText.\n---\n"
			 "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n 1\n+%s\n 2\n",
		sender, version, version, more, line);
}

static int64_t send(struct lab *lab, const char *mail, const char *until, bool keep_older)
{
	const struct submit_opts o = {.tree = "t", .until = until, .keep_older = keep_older};
	struct error e = ERROR_INIT;
	int64_t id;
	bool created;

	if (submit_text(lab->sched, mail, o, &id, &created, &e) < 0)
		fail_msg("%s", e.msg);
	return id;
}

static int64_t parse_job(struct lab *lab, int64_t series)
{
	for (int64_t id = 1; id < 100; id++) {
		AUTO_JOB struct job_row job = {0};

		if (job_get(lab->store, id, &job, NULL) == 0 && job.series_id == series)
			return id;
	}
	fail_msg("series %d has no job", (int)series);
	return 0;
}

static const char *reason_of(const struct series_row *row)
{
	return cJSON_GetStringValue(cJSON_GetArrayItem(row->reasons, 0));
}

static void cancels_what_a_newer_one_replaces(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *v1 = mail_of("a", "v1", "", "a");
	AUTO_FREE char *v2 = mail_of("a", "v2", "", "b");
	AUTO_FREE char *v3 = mail_of("a", "v3", "", "c");
	AUTO_FREE char *foreign = mail_of("b", "v4", "", "d");
	AUTO_SERIES struct series_row row = {0};
	int64_t first, second, third;

	set_worker(lab, "parse", WORKER("parse"));
	set_worker(lab, "build", HANG);
	add_tree(lab);
	add_host(lab);
	first = send(lab, v1, "build", false);
	wait_for(lab, 0, parse_job(lab, first));
	/* somebody else's of that title replaces nothing */
	wait_for(lab, 0, parse_job(lab, send(lab, foreign, "build", false)));
	get(lab, first, &row);
	assert_int_equal(row.finished_ms, 0);
	/* one that lets it go on */
	second = send(lab, v2, "build", true);
	wait_for(lab, 0, parse_job(lab, second));
	get(lab, first, &row);
	assert_int_equal(row.finished_ms, 0);
	/* one that does not */
	third = send(lab, v3, "build", false);
	wait_for(lab, first, 0);
	wait_for(lab, second, 0);
	get(lab, first, &row);
	assert_string_equal(row.state, "cancelled");
	assert_string_equal(reason_of(&row), "It was superseded by version 3, series 4.");
	get(lab, second, &row);
	assert_string_equal(row.state, "cancelled");
	get(lab, third, &row);
	assert_int_equal(row.finished_ms, 0);
	/* an older one that comes late was asked for */
	wait_for(lab, 0, parse_job(lab, send(lab, v2, "build", false)));
	get(lab, third, &row);
	assert_int_equal(row.finished_ms, 0);
}

/* The newer one is read first: its older sister was still in the queue. */
static void gives_way_to_what_was_read_before(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *v1 = mail_of("a", "v1", "", "a");
	AUTO_FREE char *v2 = mail_of("a", "v2", "", "b");
	AUTO_SERIES struct series_row row = {0};
	int64_t first;

	/* The first worker waits until the second has read its series. */
	set_worker(lab, "parse",
		"cat >\"$0.$$\"\n"
		"if mkfifo \"$0.gate\" 2>/dev/null; then\n"
		"  cat \"$0.gate\"; exec " TEST_BIN_DIR "/patchbay-worker parse <\"$0.$$\"\n"
		"fi\n" TEST_BIN_DIR "/patchbay-worker parse <\"$0.$$\"; : >\"$0.gate\"\n");
	set_worker(lab, "build", HANG);
	add_tree(lab);
	add_host(lab);
	first = send(lab, v1, "build", false);
	(void)send(lab, v2, "build", false);
	wait_for(lab, first, 0);
	get(lab, first, &row);
	assert_string_equal(row.state, "cancelled");
	assert_string_equal(reason_of(&row), "It was superseded by version 2, series 2.");
}

/* As a visit to an archive takes one in that nobody vouches for. */
static int64_t find_in_archive(struct lab *lab, const char *mail)
{
	struct part_row part = {.open = false};
	AUTO_JSON cJSON *ids = cJSON_Parse("[\"v2@example.org\"]");
	const struct submit_found found = {.part = &part, .message_ids = ids, .waits = "forged?"};
	const struct submit_opts o = {.tree = "t", .until = "build", .found = &found};
	AUTO_ARCHIVE struct archive_row archive = {0};
	AUTO_FREE char *hash = xcalloc(1, SHA256_HEX);
	struct error e = ERROR_INIT;
	bool created;
	int64_t id;

	sha256_of(mail, strlen(mail), hash);
	part.mail_sha256 = hash;
	assert_int_equal(archive_put(lab->store, "list", "/list", 0, &e), 0);
	assert_int_equal(archive_get(lab->store, "list", &archive, &e), 0);
	part.archive_id = archive.id;
	if (submit_text(lab->sched, mail, o, &id, &created, &e) < 0)
		fail_msg("%s", e.msg);
	return id;
}

/* Mail can be forged: what waits for approval stops nothing, until somebody approves of it. */
static void stops_nothing_without_approval(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *v1 = mail_of("a", "v1", "", "a");
	AUTO_FREE char *v2 = mail_of("a", "v2", "", "b");
	AUTO_SERIES struct series_row row = {0};
	struct error e = ERROR_INIT;
	int64_t first, second;

	set_worker(lab, "parse", WORKER("parse"));
	set_worker(lab, "build", HANG);
	add_tree(lab);
	add_host(lab);
	first = send(lab, v1, "build", false);
	wait_for(lab, 0, parse_job(lab, first));
	second = find_in_archive(lab, v2);
	wait_for(lab, second, 0);
	get(lab, second, &row);
	assert_string_equal(row.state, "held");
	assert_string_equal(row.held, "forged?");
	get(lab, first, &row);
	assert_int_equal(row.finished_ms, 0);
	/* A first version that is read now does not give way to it, either. */
	wait_for(lab, 0, parse_job(lab, send(lab, v1, "apply", false)));
	series_done(&row);
	assert_int_equal(sched_approve(lab->sched, second, &row, &e), 0);
	wait_for(lab, first, 0);
	get(lab, first, &row);
	assert_string_equal(row.state, "cancelled");
	assert_string_equal(reason_of(&row), "It was superseded by version 2, series 2.");
	get(lab, second, &row);
	assert_int_equal(row.finished_ms, 0);
}

static void make_tree(struct lab *lab)
{
	AUTO_FREE char *command = xasprintf(
		"set -e; cd %s; export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null; "
		"git init -q -b main r; seq 1 9 >r/f; git -C r add f; git -C r -c "
		"user.name=A -c user.email=a@b commit -q -m base",
		lab->dir);
	AUTO_FREE char *path = path_join(lab->dir, "r");
	AUTO_TREE struct tree_row tree = {0};

	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
	set_worker(lab, "tree", WORKER("tree"));
	set_worker(lab, "parse", WORKER("parse"));
	set_worker(lab, "apply", WORKER("apply"));
	assert_int_equal(sched_tree_add(lab->sched, "t", NULL, path, &tree, NULL), 0);
	wait_for(lab, 0, tree.job_id);
}

static void reports_what_changed_since(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *v1 = mail_of("a", "v1", "", "a");
	AUTO_FREE char *v2 = mail_of("a", "v2", "In-Reply-To: <v1@example.org>\n", "b");
	AUTO_JSON cJSON *report = NULL;
	AUTO_STRBUF struct strbuf text;
	const cJSON *previous;
	int64_t id;

	make_tree(lab);
	wait_for(lab, send(lab, v1, "apply", false), 0);
	id = send(lab, v2, "apply", false);
	wait_for(lab, id, 0);
	assert_int_equal(sched_report(lab->sched, id, &report, NULL), 0);
	assert_string_equal(json_str(report, "verdict", ""), "pass");
	previous = json_get(report, "previous");
	assert_int_equal(json_int(previous, "id", 0), 1);
	assert_int_equal(json_int(previous, "version", 0), 1);
	strbuf_init(&text, 100000);
	report_text(report, &text);
	if (!strstr(text.buf, "Since version 1 (series 1)\n"
			      "  - Patch 1 is changed: 2 lines of its diff.\n"))
		fail_msg("%s", text.buf);
	assert_non_null(strstr(text.buf, "      | -+a\n      | ++b\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cancels_what_a_newer_one_replaces, setup, teardown),
		cmocka_unit_test_setup_teardown(gives_way_to_what_was_read_before, setup, teardown),
		cmocka_unit_test_setup_teardown(stops_nothing_without_approval, setup, teardown),
		cmocka_unit_test_setup_teardown(reports_what_changed_since, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

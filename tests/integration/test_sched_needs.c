/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mails name as going before them: real workers, real trees. */
#include "tests/integration/sched_lab.h"

#include "daemon/store/base.h"

#define WORKER(kind) "exec " TEST_BIN_DIR "/patchbay-worker " kind "\n"

/*
 * Two trees, and mails in files: `need` (a line in f), `top` (a line on that one), `far` (on top of
 * top), and their ids. `other` is a tree that no mail was made for.
 */
static const char make_things[] =
	"set -e; cd \"$1\"; export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null\n"
	"export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C\n"
	"export GIT_COMMITTER_EMAIL=c@example.org\n"
	"git init -q -b main t; git init -q -b main other; git init -q -b main work\n"
	"seq 1 30 >work/f; seq 51 90 >other/f\n"
	"for r in work other; do git -C $r add f; git -C $r commit -q -m base; done\n"
	"git -C t fetch -q ../work main:main --update-head-ok\n"
	"n=10; for name in need top far; do\n"
	"  sed -i \"s/^$n$/$name/\" work/f; n=$((n + 1)); git -C work commit -q -a -m \"the "
	"$name\"\n"
	"  git -C work format-patch --stdout HEAD~ | sed \"s/^Subject:/Message-Id: "
	"<$name@example.org>\\nSubject:/\" >$name\n"
	"  git -C work show | git patch-id --stable | cut -c 1-40 | tr -d '\\n' >$name.id\n"
	"done\n";

static int set_up(void **state)
{
	AUTO_FREE char *command = NULL;
	AUTO_FREE char *script = NULL;
	struct lab *lab;
	int r = setup(state);

	if (r)
		return r;
	lab = *state;
	set_worker(lab, "tree", WORKER("tree"));
	set_worker(lab, "parse", WORKER("parse"));
	set_worker(lab, "apply", WORKER("apply"));
	script = path_join(lab->dir, "things.sh");
	assert_int_equal(
		file_write_atomic(script, make_things, strlen(make_things), 0755, NULL), 0);
	command = xasprintf("/bin/sh %s %s", script, lab->dir);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
	return 0;
}

static void add_git_tree(struct lab *lab, const char *name)
{
	AUTO_FREE char *path = path_join(lab->dir, name);
	AUTO_TREE struct tree_row tree = {0};
	AUTO_JOB struct job_row job = {0};
	struct error e = ERROR_INIT;

	if (sched_tree_add(lab->sched, name, NULL, path, &tree, &e) < 0)
		fail_msg("%s", e.msg);
	wait_for(lab, 0, tree.job_id);
	assert_int_equal(job_get(lab->store, tree.job_id, &job, NULL), 0);
	if (job.status != STATUS_PASS)
		fail_msg("%s", job.reason);
}

static char *text_of(struct lab *lab, const char *name)
{
	AUTO_FREE char *path = path_join(lab->dir, name);
	char *text = NULL;
	size_t len;

	assert_int_equal(file_read(path, 1 << 20, &text, &len, NULL), 0);
	return text;
}

/* A mail with lines behind its patch, submitted and waited for. */
static int64_t send(
	struct lab *lab, const char *name, const char *tree, const char *more, const int64_t *need)
{
	AUTO_FREE char *mail = text_of(lab, name);
	AUTO_FREE char *whole = xasprintf("%s\n%s", mail, more);
	const struct submit_opts o = {
		.tree = tree, .until = "apply", .needs = need, .n_needs = need != NULL};
	struct error e = ERROR_INIT;
	int64_t id;
	bool created;

	if (submit_text(lab->sched, whole, o, &id, &created, &e) < 0)
		fail_msg("%s", e.msg);
	wait_for(lab, id, 0);
	return id;
}

/* "VERDICT base: need (because), …"; with why it is held. */
static char *told(struct lab *lab, int64_t id)
{
	AUTO_JSON cJSON *report = NULL;
	AUTO_STRBUF struct strbuf text;
	const cJSON *base, *need;

	strbuf_init(&text, 65536);
	assert_int_equal(sched_report(lab->sched, id, &report, NULL), 0);
	base = json_get(report, "base");
	(void)strbuf_addf(&text, "%s on %s by %s", json_str(report, "verdict", "?"),
		json_str(base, "tree", "?"), json_str(base, "chosen_by", "nothing"));
	json_for_each (need, json_get(base, "needs"))
		(void)strbuf_addf(&text, "; %lld: %s", (long long)json_int(need, "id", 0),
			json_str(need, "because", "asked"));
	if (streq(json_str(report, "verdict", ""), "held"))
		(void)strbuf_addf(&text, "; %s",
			cJSON_GetStringValue(cJSON_GetArrayItem(json_get(report, "reasons"), 0)));
	return strbuf_detach(&text, NULL);
}

static void expect(struct lab *lab, int64_t id, const char *wanted)
{
	AUTO_FREE char *text = told(lab, id);

	if (!strstr(text, wanted))
		fail_msg("series %lld: \"%s\" does not say \"%s\"", (long long)id, text, wanted);
}

static void what_is_named_is_found_whatever_names_it(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *id = NULL;
	AUTO_FREE char *by_patch = NULL;
	int64_t need, top;

	add_git_tree(lab, "t");
	id = text_of(lab, "need.id");
	by_patch = xasprintf("prerequisite-patch-id: %s\n", id);
	need = send(lab, "need", "t", "change-id: 2026-need\n", NULL);
	expect(lab, need, "pass on t by blobs");
	const char *const names[][2] = {
		{by_patch, "its mails name patch-id"},
		{"prerequisite-message-id: <need@example.org>\n",
			"its mails name message-id need@example.org"},
		{"prerequisite-change-id: 2026-need:v1\n", "name change-id 2026-need:v1"},
		{"prerequisite-change-id: 2026-need\n", "name change-id 2026-need"},
		{"Depends-on: https://lore.kernel.org/all/need@example.org/\n",
			"name message-id need@example.org"},
		{"Depends-on: [PATCH] the need <need@example.org>\n",
			"name message-id need@example.org"},
		{"Depends-on: [PATCH 1/1] the need\n", "name the need"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		top = send(lab, "top", "t", names[i][0], NULL);
		expect(lab, top, "pass on t by blobs; 1: ");
		expect(lab, top, names[i][1]);
	}
}

static void what_is_missing_holds_until_it_comes(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_FREE char *id = NULL;
	AUTO_FREE char *named = NULL;
	int64_t top, far, need;

	add_git_tree(lab, "t");
	id = text_of(lab, "need.id");
	named = xasprintf("prerequisite-patch-id: %s\n", id);
	top = send(lab, "top", "t", named, NULL);
	expect(lab, top, "held on t by nothing; its mails name the prerequisite patch-id ");
	expect(lab, top, "submit it");
	far = send(lab, "far", "t", "prerequisite-message-id: <top@example.org>\n", NULL);
	expect(lab, far, "series 1 has it but is held");
	/* Another patch does not do. */
	send(lab, "need", "t", "prerequisite-message-id: <nobody@example.org>\n", NULL);
	get(lab, top, &row);
	assert_int_equal(row.run, 1);
	need = send(lab, "need", "t", "", NULL);
	wait_for(lab, top, 0);
	expect(lab, top, "pass on t by blobs; 4: its mails name patch-id");
	wait_for(lab, far, 0);
	expect(lab, far,
		"pass on t by blobs; 4: series 1 needs it; 1: its mails name message-id top@");
	assert_int_equal(need, 4);
	get(lab, top, &row);
	assert_int_equal(row.run, 2);
}

static void what_was_asked_for_stands_for_what_is_missing(void **state)
{
	struct lab *lab = *state;
	AUTO_JSON cJSON *report = NULL;
	int64_t need, top;

	add_git_tree(lab, "t");
	need = send(lab, "need", "t", "", NULL);
	top = send(lab, "top", "t", "prerequisite-message-id: <nobody@example.org>\n", &need);
	expect(lab, top, "pass on t by blobs; 1: asked");
	assert_int_equal(sched_report(lab->sched, top, &report, NULL), 0);
	assert_string_equal(
		json_str(cJSON_GetArrayItem(json_get(json_get(report, "base"), "prerequisites"), 0),
			"found", NULL),
		"needs");
	/* A rerun finds the same. */
	AUTO_SERIES struct series_row row = {0};

	assert_int_equal(sched_rerun(lab->sched, top, &row, NULL), 0);
	wait_for(lab, top, 0);
	expect(lab, top, "pass on t by blobs; 1: asked");
}

static void circles_are_held(void **state)
{
	struct lab *lab = *state;
	int64_t one, two;

	add_git_tree(lab, "t");
	one = send(lab, "need", "t", "prerequisite-message-id: <top@example.org>\n", NULL);
	two = send(lab, "top", "t", "prerequisite-message-id: <need@example.org>\n", NULL);
	expect(lab, one, "held");
	expect(lab, two, "series 1 has it but is held");
}

static void without_a_tree_the_lab_finds_it(void **state)
{
	struct lab *lab = *state;
	AUTO_SERIES struct series_row row = {0};
	AUTO_JSON cJSON *report = NULL;
	int64_t need, again;

	add_git_tree(lab, "other");
	add_git_tree(lab, "t");
	need = send(lab, "need", NULL, "", NULL);
	expect(lab, need, "pass on t by blobs");
	assert_int_equal(sched_report(lab->sched, need, &report, NULL), 0);
	assert_int_equal(cJSON_GetArraySize(json_get(json_get(report, "base"), "candidates")), 1);
	get(lab, need, &row);
	assert_string_equal(row.tree, "t");
	again = send(lab, "need", NULL, "", NULL);
	assert_int_equal(again, need);
	series_done(&row);
	row = (struct series_row){0};
	assert_int_equal(sched_rerun(lab->sched, need, &row, NULL), 0);
	wait_for(lab, need, 0);
	expect(lab, need, "pass on t by blobs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, teardown)
		T(what_is_named_is_found_whatever_names_it),
		T(what_is_missing_holds_until_it_comes),
		T(what_was_asked_for_stands_for_what_is_missing),
		T(circles_are_held),
		T(without_a_tree_the_lab_finds_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A push from a real repository through a real sshd into another. */
#include "tests/integration/sshd.h"

#include "patches/git/push.h"

static struct sshd *sshd;
static struct ssh *session;
static char *here, *there;

/* A shell script with $here, $there as its arguments; its output without the last newline. */
static char *shell(const char *script)
{
	const char *const argv[] = {"sh", "-ec", script, "sh", here, there, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	struct error e = ERROR_INIT;
	char *output = NULL;
	int status;

	if (child_run(&spec, 1 << 20, clock_mono_ms() + 60000, &output, &status, &e))
		fail_msg("%s", e.msg);
	if (status)
		fail_msg("%s", output);
	output[strcspn(output, "\n")] = '\0';
	return output;
}

static int set_up(void **state)
{
	struct error e = ERROR_INIT;
	AUTO_FREE char *out = NULL;

	sshd = sshd_new();
	here = sshd_file(sshd, "here.git");
	there = sshd_file(sshd, "it's there.git");
	out = shell("export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
		    "GIT_COMMITTER_EMAIL=a@b\n"
		    "git init -q --bare \"$2\"\n"
		    "git init -q -b main \"$1.work\" && cd \"$1.work\"\n"
		    "for i in $(seq 200); do seq $i $((i * 7)) >f$i; done\n"
		    "git add . && git commit -qm one && git tag one\n"
		    "echo x >f1 && git commit -qam two && git tag two\n"
		    "git clone -q --bare . \"$1\"");
	if (ssh_connect(&sshd->target, clock_mono_ms() + 10000, &session, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int tear_down(void **state)
{
	session = ssh_close(session);
	sshd_free(sshd);
	free(here);
	free(there);
	return 0;
}

static int push(const char *commit, const char *ref, struct error *e)
{
	struct host_push p = {.repo = here,
		.commit = commit,
		.ref = ref,
		.remote_path = there,
		.deadline_ms = clock_mono_ms() + 30000};

	return push_to_host(&p, session, e);
}

static void assert_there(const char *ref, const char *commit)
{
	AUTO_FREE char *script =
		xasprintf("git --git-dir=\"$2\" fsck --connectivity-only >/dev/null 2>&1; "
			  "git --git-dir=\"$2\" rev-parse %s",
			ref);
	AUTO_FREE char *got = shell(script);

	assert_string_equal(got, commit);
}

static void test_first_and_next(void **state)
{
	AUTO_FREE char *one = shell("git --git-dir=\"$1\" rev-parse one");
	AUTO_FREE char *two = shell("git --git-dir=\"$1\" rev-parse two");
	struct error e = ERROR_INIT;

	if (push(one, "refs/patchbay/x", &e))
		fail_msg("%s", e.msg);
	assert_there("refs/patchbay/x", one);
	if (push(two, "refs/patchbay/y", &e))
		fail_msg("%s", e.msg);
	assert_there("refs/patchbay/y", two);
	/* Backwards too: it is forced. */
	if (push(one, "refs/patchbay/y", &e))
		fail_msg("%s", e.msg);
	assert_there("refs/patchbay/y", one);
}

/* The packs arrive as they are, and the push after them has nothing left to send but the ref. */
static void test_seed(void **state)
{
	AUTO_FREE char *two = shell("git --git-dir=\"$1\" repack -qad && "
				    "git --git-dir=\"$1\" rev-parse two");
	AUTO_FREE char *old = there;
	AUTO_FREE char *out = NULL;
	AUTO_FREE char *same = NULL;
	struct error e = ERROR_INIT;
	struct host_push p = {.repo = here,
		.commit = two,
		.ref = "refs/patchbay/seeded",
		.remote_path = NULL,
		.deadline_ms = clock_mono_ms() + 30000};

	there = sshd_file(sshd, "seeded.git");
	p.remote_path = there;
	out = shell("git init -q --bare \"$2\"");
	if (push_seed(&p, session, &e))
		fail_msg("%s", e.msg);
	if (push_to_host(&p, session, &e))
		fail_msg("%s", e.msg);
	assert_there("refs/patchbay/seeded", two);
	same = shell("cmp \"$1\"/objects/pack/*.pack \"$2\"/objects/pack/*.pack && echo same");
	assert_string_equal(same, "same");
	/* Again: what is there stays. */
	assert_int_equal(push_seed(&p, session, &e), 0);
	free(there);
	there = steal_ptr(old);
}

/* Packs without all that a commit needs give no ref: the push sends it whole. */
static void test_seed_that_is_not_whole(void **state)
{
	AUTO_FREE char *id = shell("cd \"$1.work\" && echo loose >f1 && "
				   "git -c user.name=a -c user.email=a@b commit -qam loose && "
				   "git push -q \"$1\" HEAD:refs/heads/main && git rev-parse HEAD");
	AUTO_FREE char *old = there;
	AUTO_FREE char *out = NULL;
	AUTO_FREE char *refs = NULL;
	struct error e = ERROR_INIT;
	struct host_push p = {.repo = here,
		.commit = id,
		.ref = "refs/patchbay/whole",
		.deadline_ms = clock_mono_ms() + 30000};

	there = sshd_file(sshd, "partly.git");
	p.remote_path = there;
	out = shell("git init -q --bare \"$2\"");
	assert_int_equal(push_seed(&p, session, &e), 0);
	refs = shell("git --git-dir=\"$2\" for-each-ref | wc -l");
	assert_string_equal(refs, "0");
	if (push_to_host(&p, session, &e))
		fail_msg("%s", e.msg);
	assert_there("refs/patchbay/whole", id);
	free(there);
	there = steal_ptr(old);
}

static void test_missing_commit(void **state)
{
	struct error e = ERROR_INIT;

	assert_int_equal(push("00000000000000000000000000000000000000aa", "refs/patchbay/z", &e),
		ERR_MISSING);
	assert_non_null(strstr(e.msg, "00aa"));
}

static void test_refused_ref(void **state)
{
	AUTO_FREE char *one = shell("git --git-dir=\"$1\" rev-parse one");
	AUTO_FREE char *hook = shell("printf '#!/bin/sh\\nexit 1\\n' >\"$2/hooks/update\" && "
				     "chmod +x \"$2/hooks/update\"");
	struct error e = ERROR_INIT;

	assert_int_equal(push(one, "refs/patchbay/no", &e), ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "refs/patchbay/no"));
	freep(&hook);
	hook = shell("rm \"$2/hooks/update\"");
}

static void test_no_repository_there(void **state)
{
	AUTO_FREE char *one = shell("git --git-dir=\"$1\" rev-parse one");
	struct error e = ERROR_INIT;
	struct host_push p = {.repo = here,
		.commit = one,
		.ref = "refs/patchbay/x",
		.remote_path = "/nowhere.git",
		.deadline_ms = clock_mono_ms() + 30000};

	assert_true(push_to_host(&p, session, &e) < 0);
	assert_non_null(strstr(e.msg, "/nowhere.git"));
	/* And the session goes on. */
	assert_int_equal(push(one, "refs/patchbay/x", &e), 0);
}

static void test_link_lost(void **state)
{
	AUTO_FREE char *one = shell("git --git-dir=\"$1\" rev-parse one");
	struct error e = ERROR_INIT;

	sshd_kill(sshd);
	assert_int_equal(push(one, "refs/patchbay/late", &e), ERR_LINK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_and_next),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_seed_that_is_not_whole),
		cmocka_unit_test(test_missing_commit),
		cmocka_unit_test(test_refused_ref),
		cmocka_unit_test(test_no_repository_there),
		cmocka_unit_test(test_link_lost),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

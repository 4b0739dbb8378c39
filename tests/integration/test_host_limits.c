/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hostile or unlucky builds come to, and that nothing of them survives. */
#include "host_tree.h"

#include <sys/mount.h>
#include <sys/resource.h>

/* extra.mk becomes this, as a commit. */
static void commit_rules(const struct tree *t, const char *rules, char *ret_commit)
{
	tree_write(t, "extra.mk", rules);
	tree_commit(t, ret_commit);
}

static void fork_bomb_fails_in_time(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run bomb, after;
	char commit[41];

	tree_make(&t);
	commit_rules(&t,
		"objs += bomb\n"
		"bomb:\n\tb() { b & b & sleep 4711471; }; b\n",
		commit);
	tree_build(&bomb, &t, commit, NULL);
	assert_has(driver_end(&bomb), "\"status\":\"fail\"");
	assert_has(driver_end(&bomb), "processes without end");
	assert_true(bomb.took_ms < 60000);
	assert_false(process_exists("sleep 4711471"));
	tree_build(&after, &t, t.base, NULL);
	assert_has(driver_end(&after), "\"status\":\"pass\"");
}

static void sandbox_shows_nothing_of_the_lab(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;
	AUTO_FREE char *rules = NULL;
	char commit[41];

	tree_make(&t);
	sh("echo lab-key >%s/secret", t.dir);
	rules = xasprintf(
		"objs += spy\n"
		"spy:\n\tcat %s/secret && echo READ-IT; true\n"
		"\tls %s && echo LISTED-IT; true\n"
		"\techo x >/src/planted && echo WROTE-SOURCES; true\n"
		"\tcat /etc/passwd && echo PASSWD; true\n"
		"\tls -A $$HOME; echo HOME=$$HOME; env\n"
		"\tgrep -c : /proc/net/dev | sed 's/^/INTERFACES=/'\n"
		"\tgrep CapEff /proc/self/status; unshare -Ur true && echo NESTED; true\n",
		t.dir, t.root);
	commit_rules(&t, rules, commit);
	setenv("LAB_TOKEN", "lab-key", 1);
	tree_build(&d, &t, commit, NULL);
	unsetenv("LAB_TOKEN");
	assert_has(d.log.buf, "HOME=/tmp\n");
	assert_has(d.log.buf, "INTERFACES=1\n");
	assert_has(d.log.buf, "CapEff:\t0000000000000000");
	assert_has_not(d.log.buf, "\nREAD-IT");
	assert_has_not(d.log.buf, "\nLISTED-IT");
	assert_has_not(d.log.buf, "\nWROTE-SOURCES");
	assert_has_not(d.log.buf, "\nPASSWD");
	assert_has_not(d.log.buf, "\nNESTED");
	assert_has_not(d.log.buf, "lab-key");
}

static void deadlines_are_errors(void **state)
{
	const char *const short_time[] = {"seconds=2", NULL};
	const char *const short_silence[] = {"silence_seconds=2", NULL};
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run total, silence;
	char commit[41];

	tree_make(&t);
	commit_rules(
		&t, "objs += wait\nwait:\n\twhile true; do echo on; sleep 0.3; done\n", commit);
	tree_build(&total, &t, commit, short_time);
	assert_has(driver_end(&total), "\"status\":\"error\"");
	assert_has(driver_end(&total), "did not end within 2 s");
	commit_rules(&t, "objs += wait\nwait:\n\tsleep 4711472\n", commit);
	tree_build(&silence, &t, commit, short_silence);
	assert_has(driver_end(&silence), "\"status\":\"error\"");
	assert_has(driver_end(&silence), "said nothing for 2 s");
	assert_false(process_exists("sleep 4711472"));
}

/* Half-written objects, then death: of the agent, of the link, by request. */
static void killed_build_does_no_harm(void **state)
{
	static const enum reaction reactions[] = {REACT_KILL, REACT_CLOSE, REACT_STOP};

	for (size_t i = 0; i < ARRAY_SIZE(reactions); i++) {
		AUTO_TREE struct tree t;
		AUTO_DRIVER struct agent_run base, killed, after;
		AUTO_FREE char *image1 = NULL, *image2 = NULL;
		char commit[41];

		tree_make(&t);
		tree_build(&base, &t, t.base, NULL);
		tree_write(
			&t, "util.c", "#include \"util.h\"\nint util(int a) { return a + 3; }\n");
		commit_rules(&t,
			"objs := half $(objs)\n"
			"half:\n\trm -f main.o util.o; : >main.o; echo trash >vmlinux\n"
			"\techo 'void _start(void) {}' | gcc -c -x c -o util.o -\n"
			"\ttouch -d 2035-01-01 main.o util.o vmlinux; echo HALF; sleep 4711473\n",
			commit);
		tree_start(&killed, &t, commit, NULL);
		killed.trigger = "HALF\n";
		killed.reaction = reactions[i];
		driver_listen(&killed);
		assert_true(killed.reacted);
		if (reactions[i] == REACT_STOP)
			assert_has(driver_end(&killed), "\"reason\":\"stopped: enough\"");
		else
			assert_string_equal(driver_end(&killed), "");
		tree_build(&after, &t, t.base, NULL);
		assert_false(process_exists("sleep 4711473"));
		assert_has(driver_end(&after), "\"status\":\"pass\"");
		image1 = driver_member(&base, "image_sha256");
		image2 = driver_member(&after, "image_sha256");
		assert_string_equal(image1, image2);
	}
}

/* Somebody's Makefile leaves objects of its own, newer than any source, forges what the compiler said
 * and puts folders where objects go: the next one's build knows nothing of it. */
static void poisoned_output_is_not_used(void **state)
{
	const char *const mine[] = {"owner=lab.series-1", NULL}, *const theirs[] = {
									 "owner=lab.series-2",
									 NULL};
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run base, hostile, back, again, other;
	AUTO_FREE char *image1 = NULL, *image2 = NULL, *d1 = NULL, *d2 = NULL, *left = NULL;
	char commit[41], next[41], command[256];

	tree_make(&t);
	tree_build(&base, &t, t.base, NULL);
	commit_rules(&t,
		"arch/x86/boot/bzImage: poison\n"
		"poison: vmlinux\n"
		"\techo 'void _start(void) {}' | gcc -c -x c -o main.o -\n"
		"\trm -f .main.o.diag util.o .config; mkdir util.o; chmod 700 util.o/..\n"
		"\tln -s / elsewhere; echo CONFIG_EVIL=y >.config; echo x >left.o\n"
		"\ttouch -d 2035-01-01 main.o\n",
		commit);
	tree_build(&hostile, &t, commit, mine);
	assert_has(driver_end(&hostile), "\"status\":\"pass\"");
	tree_build(&back, &t, t.base, NULL);
	assert_has(driver_end(&back), "\"status\":\"pass\"");
	image1 = driver_member(&base, "image_sha256");
	image2 = driver_member(&back, "image_sha256");
	assert_string_equal(image1, image2);
	d1 = tree_diagnostics(&base);
	d2 = tree_diagnostics(&back);
	assert_has(d1, "never_read");
	assert_string_equal(d1, d2);
	snprintf(command, sizeof(command),
		"cd %s/out/*/obj && grep -L EVIL .config && ls -d elsewhere left.o", t.root);
	left = sh_out(command);
	assert_string_equal(left, ".config");

	/* From one series to the next, without the base between them. */
	tree_build(&again, &t, commit, mine);
	tree_write(&t, "extra.mk", "");
	tree_write(&t, "other.c", "int other;\n");
	tree_commit(&t, next);
	tree_build(&other, &t, next, theirs);
	free(image2);
	image2 = driver_member(&other, "image_sha256");
	assert_string_equal(image1, image2);
}

static void silent_worker_ends_the_build(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;
	char commit[41];

	tree_make(&t);
	commit_rules(&t, "objs += wait\nwait:\n\tsleep 4711474\n", commit);
	tree_start(&d, &t, commit, NULL);
	d.silent = true;
	driver_listen(&d);
	assert_true(d.took_ms >= 19000 && d.took_ms < 30000);
	assert_false(process_exists("sleep 4711474"));
}

static void killed_compiler_is_an_error(void **state)
{
	static const char *const rules[] = {
		"objs += dead\ndead:\n\tkill -9 $$$$\n",
		"objs += dead\ndead:\n\techo 'Killed signal terminated program x'; exit 1\n",
		"objs += dead\ndead:\n\techo 'as: cannot write: No space left on device'; exit 1\n",
	};
	AUTO_TREE struct tree t;
	char commit[41];

	tree_make(&t);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		AUTO_DRIVER struct agent_run d;

		commit_rules(&t, rules[i], commit);
		tree_build(&d, &t, commit, NULL);
		assert_has(driver_end(&d), "\"status\":\"error\"");
		assert_has(driver_end(&d), "the host killed the build or had no room for it");
	}
}

/* A patch that needs a tool the host lacks is not to blame for that. */
static void missing_program_is_an_error(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;
	char commit[41];

	tree_make(&t);
	commit_rules(&t, "objs += packed\npacked:\n\tno-such-packer -9 x >$@\n", commit);
	tree_build(&d, &t, commit, NULL);
	assert_has(driver_end(&d), "\"status\":\"error\"");
	assert_has(driver_end(&d), "no-such-packer: not found): install it there");
}

static void full_disk_is_an_error(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;
	AUTO_FREE char *saved = NULL;

	tree_make(&t);
	saved = xasprintf("%s/saved", t.dir);
	sh("mv %s %s && mkdir %s", t.root, saved, t.root);
	if (mount("none", t.root, "tmpfs", 0, "size=64m")) {
		/* It takes root to make a disk full; skip() returns to nowhere near here. */
		free(steal_ptr(saved));
		tree_remove(&t);
		skip();
	}
	sh("cp -a %s/git %s/", saved, t.root);
	tree_build(&d, &t, t.base, NULL);
	assert_int_equal(umount2(t.root, MNT_DETACH), 0);
	assert_has(driver_end(&d), "\"status\":\"error\"");
	assert_has(driver_end(&d), "disk is full");
}

/* What a build plants in its output is not followed out of it. */
static void planted_links_lead_nowhere(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run diag, image;
	char commit[41];

	tree_make(&t);
	sh("printf 'patchbay-diag 1 x ok -\\nlab-key\\n' >%s/secret", t.dir);
	commit_rules(&t, "", commit);
	{
		AUTO_FREE char *rules =
			xasprintf("objs += plant\n"
				  "plant:\n\ttouch x.o; ln -sf %s/secret .x.o.diag\n"
				  "\tmkfifo .y.o.diag; touch y.o; rm -f plant; "
				  "echo 'int plant;' | gcc -c -x c -o plant -\n",
				t.dir);

		commit_rules(&t, rules, commit);
	}
	tree_build(&diag, &t, commit, NULL);
	assert_has(driver_end(&diag), "\"status\":\"pass\"");
	assert_has_not(diag.events.buf, "lab-key");
	commit_rules(&t,
		"all: plant\nplant: arch/x86/boot/bzImage\n"
		"\trm -rf arch/x86/boot && ln -s /etc arch/x86/boot && ln -sf passwd "
		"arch/x86/boot/bzImage; "
		"true\n",
		commit);
	tree_build(&image, &t, commit, NULL);
	assert_has(driver_end(&image), "\"status\":\"error\"");
}

static void one_at_a_time_and_the_newest_lease(void **state)
{
	const char *const older[] = {"lab=a", "epoch=3", NULL};
	const char *const newer[] = {"lab=a", "epoch=4", NULL};
	const char *const other[] = {"lab=b", "epoch=1", NULL};
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run holder, waiter, late;
	char commit[41];

	tree_make(&t);
	commit_rules(&t, "objs += wait\nwait:\n\techo HOLDING; sleep 4711475\n", commit);
	tree_start(&holder, &t, commit, newer);
	holder.trigger = "HOLDING\n";
	holder.reaction = REACT_RETURN;
	driver_listen(&holder);
	assert_true(holder.reacted);

	tree_build(&late, &t, t.base, older);
	assert_has(driver_end(&late), "\"status\":\"error\"");
	assert_has(driver_end(&late), "this lease is over");

	tree_start(&waiter, &t, t.base, other);
	/* Its wish is known to be heard once it says that it waits. */
	while (!strstr(waiter.events.buf, "\"waiting\"")) {
		char buf[4096];
		ssize_t n = read(waiter.out, buf, sizeof(buf));

		assert_true(n > 0);
		strbuf_add(&waiter.frames, buf, (size_t)n);
		driver_take(&waiter);
	}
	assert_has(waiter.events.buf, "lab a, epoch 4, build");
	close(steal_fd(&holder.in));
	driver_listen(&waiter);
	assert_has(driver_end(&waiter), "\"status\":\"pass\"");
	assert_false(process_exists("sleep 4711475"));
}

/* Hosts that cannot: said with the command that mends them, and nothing is built. */
static void host_without_a_sandbox_refuses(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run missing, forbidden;
	AUTO_FREE char *path = NULL;
	const char *old = getenv("PATH");
	AUTO_FREE char *saved = xstrdup(old ? old : "/usr/bin:/bin");

	tree_make(&t);
	path = xasprintf("%s/bin", t.dir);
	sh("mkdir %s; for t in git make gcc ld flex bison bc perl; do ln -s $(command -v $t) "
	   "%s/$t; "
	   "done",
		path, path);
	setenv("PATH", path, 1);
	tree_build(&missing, &t, t.base, NULL);
	setenv("PATH", saved, 1);
	assert_has(driver_end(&missing), "\"status\":\"error\"");
	assert_has(driver_end(&missing), "it lacks bwrap; run: apt install bubblewrap");

	sh("printf '#!/bin/sh\\necho bwrap: No permissions to create new namespace >&2; exit 1\\n' "
	   ">%s/bwrap && chmod +x %s/bwrap",
		path, path);
	setenv("PATH", path, 1);
	tree_build(&forbidden, &t, t.base, NULL);
	setenv("PATH", saved, 1);
	assert_has(driver_end(&forbidden), "\"status\":\"error\"");
	assert_has(driver_end(&forbidden), "run as root: sysctl -w user.max_user_namespaces");
	assert_string_equal(forbidden.log.buf, "");
}

static void endless_log_has_no_hold_on_memory(void **state)
{
	struct rusage usage;
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;
	char commit[41];

	tree_make(&t);
	commit_rules(&t, "objs += noise\nnoise:\n\tyes | tr -d '\\n'\n", commit);
	tree_build(&d, &t, commit, NULL);
	assert_has(driver_end(&d), "\"status\":\"fail\"");
	assert_has(driver_end(&d), "the build's log went over 256 MiB");
	/* Of the agent and all it started; the log is many times that. */
	assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
	assert_true(usage.ru_maxrss < 96 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_bomb_fails_in_time),
		cmocka_unit_test(sandbox_shows_nothing_of_the_lab),
		cmocka_unit_test(deadlines_are_errors),
		cmocka_unit_test(killed_build_does_no_harm),
		cmocka_unit_test(poisoned_output_is_not_used),
		cmocka_unit_test(silent_worker_ends_the_build),
		cmocka_unit_test(killed_compiler_is_an_error),
		cmocka_unit_test(missing_program_is_an_error),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(planted_links_lead_nowhere),
		cmocka_unit_test(one_at_a_time_and_the_newest_lease),
		cmocka_unit_test(host_without_a_sandbox_refuses),
		cmocka_unit_test(endless_log_has_no_hold_on_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

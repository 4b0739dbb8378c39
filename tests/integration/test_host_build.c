/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds through the real agent: what they give, and that a rebuild gives the same. */
#include "host_tree.h"

static void passes_and_repeats(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run first, again;
	AUTO_FREE char *image1 = NULL, *image2 = NULL, *path = NULL;

	tree_make(&t);
	tree_build(&first, &t, t.base, NULL);
	assert_has(driver_end(&first), "\"status\":\"pass\"");
	assert_has(first.events.buf, "{\"event\":\"stage\",\"name\":\"checkout\"}");
	assert_has(first.events.buf, "{\"event\":\"stage\",\"name\":\"config\"}");
	assert_has(first.events.buf, "\"object\":\"main.o\",\"fresh\":true");
	assert_has(first.events.buf, "never_read");
	assert_has(first.events.buf, "\"object\":\"util.o\",\"fresh\":true");
	assert_has(first.log.buf, "unused_in_util");
	path = driver_member(&first, "image");
	assert_true(file_exists(path));

	tree_build(&again, &t, t.base, NULL);
	assert_has(driver_end(&again), "\"status\":\"pass\"");
	assert_has_not(again.events.buf, "\"name\":\"config\"");
	assert_has(again.events.buf, "\"object\":\"main.o\",\"fresh\":false");
	image1 = driver_member(&first, "image_sha256");
	image2 = driver_member(&again, "image_sha256");
	assert_string_equal(image1, image2);
}

static void config_is_merged_and_losses_reported(void **state)
{
	const char *const extra[] = {"fragment=CONFIG_GONE=y\nCONFIG_MORE=m\n", NULL};
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;
	AUTO_FREE char *config = NULL;
	char command[256];

	tree_make(&t);
	tree_build(&d, &t, t.base, extra);
	assert_has(driver_end(&d), "\"dropped\":[\"CONFIG_GONE\"]");
	snprintf(command, sizeof(command), "sort %s/out/*/obj/.config | tr '\\n' ' '", t.root);
	config = sh_out(command);
	assert_string_equal(config, "CONFIG_BASE=y CONFIG_LESS=n CONFIG_MORE=m ");
}

/* base, a header changed, base, a patch that does not build, base: always the base's own. */
static void rebuilt_base_says_the_same(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run base, header, back, broken, last;
	AUTO_FREE char *d1 = NULL, *d2 = NULL, *d3 = NULL, *d4 = NULL;
	char changed[41], bad[41];

	tree_make(&t);
	tree_build(&base, &t, t.base, NULL);
	tree_write(&t, "util.h", "int util(int);\nint more(int);\n");
	tree_commit(&t, changed);
	tree_build(&header, &t, changed, NULL);
	tree_build(&back, &t, t.base, NULL);
	tree_write(&t, "main.c", "void _start(void) { nothing_like_it(); }\n");
	tree_write(&t, "added.c", "static int only_in_the_patch;\n");
	tree_write(&t, "extra.mk", "objs += added.o\n");
	tree_commit(&t, bad);
	tree_build(&broken, &t, bad, NULL);
	tree_build(&last, &t, t.base, NULL);

	assert_has(header.events.buf, "\"object\":\"util.o\",\"fresh\":true");
	assert_has(driver_end(&broken), "\"status\":\"fail\"");
	assert_has(broken.events.buf, "nothing_like_it");
	assert_has(broken.events.buf, "only_in_the_patch");
	assert_has(broken.events.buf, "\"object\":\"build\"");
	assert_has(driver_end(&last), "\"status\":\"pass\"");
	d1 = tree_diagnostics(&base);
	d2 = tree_diagnostics(&header);
	d3 = tree_diagnostics(&back);
	d4 = tree_diagnostics(&last);
	assert_has(d1, "never_read");
	assert_string_equal(d1, d2);
	assert_string_equal(d1, d3);
	assert_string_equal(d1, d4);
}

/* By hand, from nothing, in another folder: the same image. */
static void script_makes_the_same_image(void **state)
{
	const char *const extra[] = {"fragment=CONFIG_QUOTED=\"it's\"\n", NULL};
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;
	AUTO_FREE char *script = NULL, *command = NULL, *image = NULL, *by_hand = NULL;

	tree_make(&t);
	tree_build(&d, &t, t.base, extra);
	image = driver_member(&d, "image_sha256");
	script = path_join(t.dir, "reproduce.sh");
	driver_script(&d, script);
	command = xasprintf("sh %s '%s/by hand' 2>&1 | tail -n 1 | cut -d ' ' -f 1", script, t.dir);
	by_hand = sh_out(command);
	assert_string_equal(by_hand, image);
	free(steal_ptr(command));
	command = xasprintf("cat '%s/by hand/out/.config'", t.dir);
	free(steal_ptr(by_hand));
	by_hand = sh_out(command);
	assert_string_equal(by_hand, "CONFIG_BASE=y");
}

static void comment_is_the_same_code(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run base, comment, code;
	AUTO_FREE char *c1 = NULL, *c2 = NULL, *c3 = NULL;
	char commit[41];

	tree_make(&t);
	tree_build(&base, &t, t.base, NULL);
	tree_write(&t, "util.c",
		"/* more */\n\n#include \"util.h\"\nint util(int a) { return a + 1; }\n");
	tree_commit(&t, commit);
	tree_build(&comment, &t, commit, NULL);
	tree_write(&t, "util.c", "#include \"util.h\"\nint util(int a) { return a + 2; }\n");
	tree_commit(&t, commit);
	tree_build(&code, &t, commit, NULL);
	c1 = driver_member(&base, "code_sha256");
	c2 = driver_member(&comment, "code_sha256");
	c3 = driver_member(&code, "code_sha256");
	assert_string_equal(c1, c2);
	assert_string_not_equal(c1, c3);
}

static void errors_outside_the_compiler_are_diagnostics(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run no_rule, undefined, syntax;
	char commit[41];

	tree_make(&t);
	tree_write(&t, "extra.mk", "objs += nowhere.o\n");
	tree_commit(&t, commit);
	tree_build(&no_rule, &t, commit, NULL);
	assert_has(driver_end(&no_rule), "\"status\":\"fail\"");
	assert_has(no_rule.events.buf, "No rule to make target 'nowhere.o'");

	tree_write(&t, "extra.mk", "");
	tree_write(&t, "util.c", "extern int gone(int);\nint util(int a) { return gone(a); }\n");
	tree_commit(&t, commit);
	tree_build(&undefined, &t, commit, NULL);
	assert_has(driver_end(&undefined), "\"status\":\"fail\"");
	assert_has(undefined.events.buf, "undefined reference to `gone'");

	tree_write(&t, "extra.mk", "this is no make\n");
	tree_commit(&t, commit);
	tree_build(&syntax, &t, commit, NULL);
	assert_has(driver_end(&syntax), "\"status\":\"fail\"");
	assert_has(syntax.events.buf, "missing separator");
}

/* A backup that makes links and removes them again changes every inode, and no file. */
static void touched_inodes_are_no_change(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run base, next, unknown;
	AUTO_FREE char *touch = NULL, *forget = NULL, *done = NULL;
	char commit[41];

	tree_make(&t);
	touch = xasprintf("cp -al %s/src %s/copy && rm -r %s/copy", t.root, t.root, t.root);
	forget = xasprintf("rm %s/src/*.commit", t.root);
	tree_build(&base, &t, t.base, NULL);
	done = sh_out(touch);
	tree_write(&t, "util.c", "#include \"util.h\"\nint util(int a) { return a + 2; }\n");
	tree_commit(&t, commit);
	tree_build(&next, &t, commit, NULL);
	assert_has(next.events.buf, "\"object\":\"main.o\",\"fresh\":false");

	free(steal_ptr(done));
	done = sh_out(touch);
	free(steal_ptr(done));
	done = sh_out(forget);
	tree_build(&unknown, &t, commit, NULL);
	assert_has(unknown.events.buf, "\"object\":\"main.o\",\"fresh\":false");
}

static void commit_that_is_not_there(void **state)
{
	AUTO_TREE struct tree t;
	AUTO_DRIVER struct agent_run d;

	tree_make(&t);
	tree_build(&d, &t, "0123456789012345678901234567890123456789", NULL);
	assert_has(driver_end(&d), "\"status\":\"error\"");
	assert_has(driver_end(&d), "push it before it is built");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_and_repeats),
		cmocka_unit_test(config_is_merged_and_losses_reported),
		cmocka_unit_test(rebuilt_base_says_the_same),
		cmocka_unit_test(script_makes_the_same_image),
		cmocka_unit_test(comment_is_the_same_code),
		cmocka_unit_test(errors_outside_the_compiler_are_diagnostics),
		cmocka_unit_test(touched_inodes_are_no_change),
		cmocka_unit_test(commit_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

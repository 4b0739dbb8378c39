/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small source tree that obeys the targets a build asks for, in a root of its own. */
#ifndef TESTS_HOST_TREE_H
#define TESTS_HOST_TREE_H

#include "host_driver.h"

struct tree {
	char dir[64]; /* everything */
	char root[80]; /* the agent's */
	char work[80]; /* the sources, a git repository */
	char base[41]; /* the first commit */
};

static inline void tree_write(const struct tree *t, const char *name, const char *text)
{
	AUTO_FREE char *path = path_join(t->work, name);
	struct error e = ERROR_INIT;

	if (file_write_atomic(path, text, strlen(text), 0644, &e))
		fail_msg("%s", e.msg);
}

/* Commit what is there and push it to the host. */
static inline void tree_commit(const struct tree *t, char *ret_commit)
{
	AUTO_FREE char *command = xasprintf("git -C %s rev-parse HEAD", t->work);
	AUTO_FREE char *id = NULL;

	sh("cd %s && git add -A && git -c user.name=t -c user.email=t@t commit -q "
	   "--allow-empty -m x && git push -q -f %s/git/t.git HEAD:refs/heads/x",
		t->work, t->root);
	id = sh_out(command);
	assert_int_equal(strlen(id), 40);
	memcpy(ret_commit, id, 41);
}

#define TREE_MAKEFILE                                                  \
	"tinyconfig:\n"                                                \
	"\t@printf 'CONFIG_BASE=y\\nCONFIG_LESS=y\\n' >$(O)/.config\n" \
	"olddefconfig:\n"                                              \
	"\t@sed -i /CONFIG_GONE/d $(O)/.config\n"                      \
	"bzImage:\n"                                                   \
	"\t$(MAKE) -C $(O) -f /src/inner.mk all\n"

#define TREE_INNER                                     \
	"objs := main.o util.o\n"                      \
	"all: arch/x86/boot/bzImage\n"                 \
	"include /src/extra.mk\n"                      \
	"arch/x86/boot/bzImage: vmlinux\n"             \
	"\tmkdir -p arch/x86/boot && cp vmlinux $@\n"  \
	"vmlinux: $(objs)\n"                           \
	"\tgcc -nostdlib -static -o vmlinux $(objs)\n" \
	"%.o: /src/%.c /src/util.h\n"                  \
	"\tgcc -Wall -O2 -c -o $@ /src/$*.c\n"

static inline void tree_make(struct tree *t)
{
	snprintf(t->dir, sizeof(t->dir), "/tmp/patchbay-host-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	snprintf(t->root, sizeof(t->root), "%s/root", t->dir);
	snprintf(t->work, sizeof(t->work), "%s/work", t->dir);
	sh("mkdir -p %s/git %s && git init -q --bare %s/git/t.git && git init -q %s", t->root,
		t->work, t->root, t->work);
	tree_write(t, "Makefile", TREE_MAKEFILE);
	tree_write(t, "inner.mk", TREE_INNER);
	tree_write(t, "extra.mk", "");
	tree_write(t, "util.h", "int util(int);\n");
	tree_write(t, "util.c",
		"#include \"util.h\"\nstatic void unused_in_util(void) {}\n"
		"int util(int a) { return a + 1; }\n");
	tree_write(t, "main.c",
		"#include \"util.h\"\nvoid _start(void);\nvoid _start(void)\n"
		"{ int never_read; util(2); }\n");
	tree_commit(t, t->base);
}

static inline void tree_remove(struct tree *t)
{
	(void)file_remove_tree(t->dir, NULL);
}
#define AUTO_TREE CLEANUP(tree_remove)

/* Build a commit; extra: more parameters, NULL at the end, or NULL. */
static inline void tree_request(
	const struct tree *t, const char *commit, const char *const *extra, struct strbuf *req)
{
	AUTO_FREE char *root = xasprintf("root=%s", t->root);
	AUTO_FREE char *id = xasprintf("commit=%s", commit);
	const char *params[32] = {"command=build", root, id, "tree=t", "arch=x86_64",
		"config_base=tinyconfig", "fragment=CONFIG_MORE=y\n# CONFIG_LESS is not set\n"};
	size_t n = 7;

	while (extra && *extra)
		params[n++] = *extra++;
	driver_request(req, params);
}

static inline void tree_start(
	struct agent_run *d, const struct tree *t, const char *commit, const char *const *extra)
{
	AUTO_STRBUF struct strbuf req;

	tree_request(t, commit, extra, &req);
	driver_start(d);
	assert_int_equal(frame_write(d->in, FRAME_REQUEST, req.buf, req.len), 0);
}

static inline void tree_build(
	struct agent_run *d, const struct tree *t, const char *commit, const char *const *extra)
{
	tree_start(d, t, commit, extra);
	driver_listen(d);
}

/* The diagnostics events without `fresh`, one a line, in the order of objects; heap. */
static inline char *tree_diagnostics(const struct agent_run *d)
{
	AUTO_STRBUF struct strbuf all;
	const char *p = d->events.buf;

	strbuf_init(&all, DRIVER_MAX);
	while ((p = strstr(p, "{\"event\":\"diagnostics\""))) {
		size_t len = strcspn(p, "\n");
		const char *fresh = strstr(p, "\"fresh\":");

		assert_non_null(fresh);
		strbuf_add(&all, p, (size_t)(fresh - p));
		fresh += strcspn(fresh, ",");
		strbuf_add(&all, fresh, (size_t)(p + len - fresh));
		strbuf_addc(&all, '\n');
		p += len;
	}
	return strbuf_detach(&all, NULL);
}

#endif

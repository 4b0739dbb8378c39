/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/tools.h"

#include "agents/host/supervise.h"

#include <limits.h>
#include <sys/stat.h>

#define VERSION_MS 20000

const struct tool tools[] = {
	{"bwrap", "bubblewrap", true, true},
	{"git", "git", true, false},
	{"make", "make", true, false},
	{"gcc", "gcc", true, false},
	{"ld", "binutils", true, false},
	{"flex", "flex", true, false},
	{"bison", "bison", true, false},
	{"bc", "bc", true, false},
	{"perl", "perl", true, false},
	{"libelf.h", "libelf-dev", true, false}, /* objtool is built with it */
	{"qemu-system-x86_64", "qemu-system-x86", false, true},
	{NULL, NULL, false, false},
};

char *tool_find(const char *name)
{
	const char *path = getenv("PATH");

	if (ends_with(name, ".h"))
		path = "/usr/include:/usr/local/include";
	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path;) {
		size_t len = strcspn(path, ":");
		AUTO_FREE char *full = xasprintf("%.*s/%s", (int)len, path, name);
		struct stat st;

		if (len && !access(full, ends_with(name, ".h") ? R_OK : X_OK) && !stat(full, &st) &&
			S_ISREG(st.st_mode))
			return steal_ptr(full);
		path += len;
		path += *path == ':';
	}
	return NULL;
}

int tool_version(struct link *link, const char *name, char **ret_version, struct error *e)
{
	const char *const argv[] = {name, "--version", NULL};
	const char *const env[] = {"LC_ALL=C", NULL};
	AUTO_FREE char *text = NULL;
	const char *line;
	int r = supervise_tool(link, argv, env, VERSION_MS, 4096, &text, e);

	if (r)
		return r;
	/* perl begins with an empty one. */
	line = text + strspn(text, "\n");
	*ret_version = xstrndup(line, strcspn(line, "\n"));
	return 0;
}

int tools_need(bool for_boot, struct error *e)
{
	AUTO_STRBUF struct strbuf names, packages;

	strbuf_init(&names, 400);
	strbuf_init(&packages, 400);
	for (const struct tool *t = tools; t->name; t++) {
		AUTO_FREE char *path = NULL;

		if (!(for_boot ? t->for_boot : t->for_build))
			continue;
		path = tool_find(t->name);
		if (path)
			continue;
		strbuf_addf(&names, "%s%s", names.len ? ", " : "", t->name);
		strbuf_addf(&packages, " %s", t->package);
	}
	if (!names.len)
		return 0;
	return error_set(e, ERR_MISSING, "this host cannot %s: it lacks %s; run: apt install%s",
		for_boot ? "boot" : "build", names.buf, packages.buf);
}

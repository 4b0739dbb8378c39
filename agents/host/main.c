/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patchbay-agent: serves one request on standard input and output (docs/internals/
 * agent-protocol.md). The same program is two small helpers under other names: what a sandbox
 * is entered through (--confine), and, bound into the sandbox as gcc, the compiler wrapper.
 */
#include "agents/host/agent.h"
#include "agents/host/confine.h"
#include "agents/host/supervise.h"
#include "agents/host/wrapper.h"
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>

static const struct command {
	const char *name;
	bool leased; /* refused where the lab has gone on */
	int (*run)(struct agent *a, struct error *e);
} commands[] = {
	{"paths", false, agent_paths},
	{"probe", false, agent_probe},
	{"repo", true, agent_repo},
	{"have", true, agent_have},
	{"build", true, agent_build},
	{"boot", true, agent_boot},
};

void agent_end(struct agent *a, const char *status, const char *reason)
{
	AUTO_STRBUF struct strbuf ev;

	strbuf_init(&ev, 16384);
	event_begin(&ev, "end");
	jsonw_str(&ev, "status", status);
	jsonw_str(&ev, "reason", reason);
	event_send(&a->link, &ev);
}

static int find_root(struct agent *a, struct error *e)
{
	static const char *const folders[] = {
		"git", "src", "out", "blobs", "leases", "agent", "run"};
	const char *root = request_get(&a->req, "root", NULL);
	AUTO_FREE char *cache = NULL;
	int r;

	if (root && *root != '/')
		return error_set(e, ERR_SYNTAX, "\"root\" is %.200s, and must be absolute", root);
	if (!root)
		cache = path_cache();
	a->root = root ? xstrdup(root) : path_join(cache, "host");
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		AUTO_FREE char *dir = path_join(a->root, folders[i]);

		if ((r = file_mkdirs(dir, 0700, e)))
			return r;
	}
	return 0;
}

static int serve(struct agent *a, struct error *e)
{
	const char *name;
	int r = link_request(&a->link, &a->req, e);

	if (r || (r = request_need(&a->req, "command", &name, e)) || (r = find_root(a, e)))
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!streq(commands[i].name, name))
			continue;
		if (commands[i].leased && (r = lease_check(a, e)))
			return r;
		return commands[i].run(a, e);
	}
	return error_set(e, ERR_SYNTAX, "this agent knows no command \"%.100s\"", name);
}

int main(int argc, char **argv)
{
	struct agent a = {.lock_fd = -1};
	struct error e = ERROR_INIT;
	int r;

	if (wrapper_is_meant(argv[0]))
		return wrapper_main(argv);
	if (argc > 1 && streq(argv[1], "--confine"))
		return confine_main(argv + 2);
	if (argc > 1 && streq(argv[1], "--version")) {
		puts("patchbay-agent " PATCHBAY_VERSION);
		return 0;
	}
	if (argc > 1) {
		(void)fputs("patchbay-agent takes no arguments: it serves one request on its "
			    "standard input\n",
			stderr);
		return 2;
	}
	/* What is made here is nobody else's to read or change. */
	umask(077);
	supervise_init();
	link_init(&a.link, STDIN_FILENO, STDOUT_FILENO);
	r = serve(&a, &e);
	if (r && r != ERR_LINK)
		agent_end(&a, "error", e.msg);
	if (r == ERR_LINK)
		(void)fprintf(stderr, "patchbay-agent: %s\n", e.msg);
	link_flush(&a.link);
	request_done(&a.req);
	link_done(&a.link);
	free(a.root);
	return a.link.lost ? 1 : 0;
}

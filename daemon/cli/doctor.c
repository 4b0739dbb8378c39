/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/lab.h"
#include "daemon/cli/text.h"
#include "base/file.h"
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* What a lab, and a host that builds and boots, needs: a program or a header, and its package. */
struct need {
	const char *what; /* a name to look up in PATH, or an absolute path */
	const char *package;
	const char *why;
};

static const struct need needs[] = {
	{"git", "git", "trees and pushes"},
	{"sshd", "openssh-server", "the way to the local host"},
	{"ssh-keygen", "openssh-client", "the lab's keys"},
	{"dpkg-deb", "dpkg", "trees from Debian packages"},
	{"make", "make", "building kernels"},
	{"gcc", "gcc", "building kernels"},
	{"ld", "binutils", "building kernels"},
	{"flex", "flex", "building kernels"},
	{"bison", "bison", "building kernels"},
	{"bc", "bc", "building kernels"},
	{"cpio", "cpio", "building kernels"},
	{"rsync", "rsync", "building kernels"},
	{"xz", "xz-utils", "unpacking kernel sources"},
	{"/usr/include/gelf.h", "libelf-dev", "building kernels"},
	{"/usr/include/openssl/opensslv.h", "libssl-dev", "building kernels"},
	{"bwrap", "bubblewrap", "the sandbox that builds run in"},
	{"qemu-system-x86_64", "qemu-system-x86", "booting kernels"},
};

#define DISK_WANTED_MIB 8192

static void add_check(
	cJSON *checks, const char *name, bool good, const char *detail, const char *fix)
{
	cJSON *check = cJSON_CreateObject();

	json_set_str(check, "name", name);
	json_set_str(check, "status", good ? "ok" : "missing");
	json_set_str(check, "detail", detail);
	json_set_str(check, "fix", fix);
	cJSON_AddItemToArray(checks, check);
}

/* Debian keeps servers in sbin, which is not in everybody's PATH. */
static bool have(const char *what)
{
	static const char *const more[] = {"/usr/local/sbin", "/usr/sbin", "/sbin"};
	const char *path = getenv("PATH");
	AUTO_FREE char *dirs = xstrdup(path ? path : "/usr/bin:/bin");
	char *rest = dirs;
	char *dir;

	if (what[0] == '/')
		return file_exists(what);
	while ((dir = strsep(&rest, ":"))) {
		AUTO_FREE char *full = path_join(*dir ? dir : ".", what);

		if (access(full, X_OK) == 0)
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		AUTO_FREE char *full = path_join(more[i], what);

		if (access(full, X_OK) == 0)
			return true;
	}
	return false;
}

static void check_programs(cJSON *checks, struct strbuf *packages)
{
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		const struct need *n = &needs[i];
		bool there = have(n->what);
		AUTO_FREE char *fix = xasprintf("apt-get install %s", n->package);

		add_check(checks, n->what, there, n->why, there ? NULL : fix);
		if (!there)
			(void)strbuf_addf(packages, " %s", n->package);
	}
}

static void check_state(struct cli *c, cJSON *checks)
{
	struct statvfs fs;
	struct stat st;
	char detail[256];
	const char *where = c->state_dir;
	unsigned long long free_mib;

	if (stat(where, &st) == 0) {
		bool tight = (st.st_mode & 077) == 0;
		AUTO_FREE char *fix = xasprintf("chmod 700 %s", where);

		add_check(checks, "state folder", tight && access(where, W_OK) == 0,
			tight ? where : "others can read it", tight ? NULL : fix);
	} else {
		add_check(checks, "state folder", true, "not there yet; `patchbay up` makes it",
			NULL);
		where = "/";
	}
	if (statvfs(where, &fs) < 0)
		return;
	free_mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
	(void)snprintf(
		detail, sizeof(detail), "%llu MiB free, %d wanted", free_mib, DISK_WANTED_MIB);
	add_check(checks, "disk", free_mib >= DISK_WANTED_MIB, detail,
		free_mib >= DISK_WANTED_MIB ? NULL : "make room, or use --state DIR elsewhere");
}

/* What the lab's own probe of each host found. */
static void check_hosts(struct cli *c, cJSON *checks)
{
	AUTO_JSON cJSON *list = NULL;
	const cJSON *host;

	if (client_list(c->client, "/hosts", &list, NULL) < 0)
		return;
	json_for_each (host, json_get(list, "items")) {
		const cJSON *facts = json_get(host, "facts");
		const char *reason = json_str(host, "reason", NULL);
		AUTO_FREE char *name = xasprintf("host %s", json_str(host, "name", "?"));
		AUTO_FREE char *fix =
			xasprintf("patchbay host probe %s", json_str(host, "name", ""));
		AUTO_FREE char *detail =
			reason	? xstrdup(reason)
			: facts ? xasprintf(
					  "answers; %s", json_str(facts, "accel", "accel unknown"))
				: xstrdup("not probed yet");

		add_check(checks, name, !reason, detail, reason ? fix : NULL);
	}
}

static void check_lab(struct cli *c, cJSON *answer, cJSON *checks)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *health = NULL;
	AUTO_JSON cJSON *list = NULL;
	const char *up = "patchbay up --detach";

	if (!cli_client(c, &e)) {
		json_set_str(answer, "server", NULL);
		add_check(checks, "lab", false, e.msg, up);
		return;
	}
	json_set_str(answer, "server", client_server(c->client));
	if (client_get(c->client, "//healthz", &health, &e) < 0) {
		add_check(checks, "lab", false, e.msg, c->server ? NULL : up);
		return;
	}
	add_check(checks, "lab", true, client_server(c->client), NULL);
	if (client_get(c->client, "/trees", &list, &e) < 0) {
		add_check(checks, "token", false, e.msg,
			"--token-file FILE, with a token from `patchbay token create`");
		return;
	}
	add_check(checks, "token", true, "accepted", NULL);
	check_hosts(c, checks);
}

static void print_checks(const cJSON *checks)
{
	const cJSON *check;

	json_for_each (check, checks) {
		const char *detail = json_str(check, "detail", "");
		const char *fix = json_str(check, "fix", NULL);

		(void)printf(
			"%-8s %-34s ", json_str(check, "status", ""), json_str(check, "name", ""));
		text_safe(stdout, detail, strlen(detail), false);
		if (fix)
			(void)printf("\n         mend it: %s", fix);
		(void)fputc('\n', stdout);
	}
}

static int run_doctor(struct cli *c)
{
	AUTO_JSON cJSON *answer = cJSON_CreateObject();
	AUTO_STRBUF struct strbuf packages;
	AUTO_FREE char *install = NULL;
	const cJSON *check;
	cJSON *checks;
	bool good = true;

	strbuf_init(&packages, 4096);
	json_set_str(answer, "version", PATCHBAY_VERSION);
	json_set_str(answer, "state", c->state_dir);
	checks = cJSON_CreateArray();
	check_lab(c, answer, checks);
	check_programs(checks, &packages);
	check_state(c, checks);
	json_set(answer, "checks", checks);
	json_for_each (check, checks) {
		good &= streq(json_str(check, "status", ""), "ok");
	}
	json_set_bool(answer, "good", good);
	if (packages.len > 0)
		install = xasprintf(
			"%sapt-get install%s", geteuid() == 0 ? "" : "sudo ", packages.buf);
	json_set_str(answer, "install", install);
	if (c->json) {
		cli_print_json(c, answer);
	} else {
		print_checks(checks);
		if (install)
			(void)printf("\nEverything that is missing: %s\n", install);
	}
	return good ? CLI_GOOD : CLI_LAB;
}

const struct command doctor_commands[] = {
	{"doctor", "", "what is missing, and the command that mends it", NULL, NULL, 0, 0,
		run_doctor},
	{0},
};

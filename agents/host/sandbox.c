/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/sandbox.h"

#include "agents/host/supervise.h"

#include <sys/stat.h>

#define MAX_FILE_BYTES (8LL << 30)
#define MAX_TMP_BYTES (2LL << 30)
#define TRY_MS 20000

/* Below 0.8 it does not know the option; then a sandbox may nest user namespaces. */
static bool no_nesting = true;

void argv_add(struct argv *a, const char *s)
{
	a->v = xreallocarray(a->v, a->n + 2, sizeof(*a->v));
	a->v[a->n++] = xstrdup(s);
	a->v[a->n] = NULL;
}

void argv_addf(struct argv *a, const char *fmt, ...)
{
	char buf[4096];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	argv_add(a, buf);
}

void argv_adds(struct argv *a, const char *const *list)
{
	for (; *list; list++)
		argv_add(a, *list);
}

void argv_done(struct argv *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	free(a->v);
	*a = (struct argv){NULL, 0};
}

/* /bin and its like: a link into /usr on most systems, a folder on the others. */
static void add_system_folder(struct argv *a, const char *path)
{
	char target[256];
	struct stat st;
	ssize_t n;

	if (lstat(path, &st))
		return;
	if (!S_ISLNK(st.st_mode)) {
		argv_adds(a, (const char *const[]){"--ro-bind", path, path, NULL});
		return;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	argv_adds(a, (const char *const[]){"--symlink", target, path, NULL});
}

static void add_confinement(struct argv *a, const struct cage *cage)
{
	argv_adds(a, (const char *const[]){"/proc/self/exe", "--confine", NULL});
	if (cage) {
		for (size_t i = 0; i < ARRAY_SIZE(cage->dirs); i++)
			if (cage->dirs[i])
				argv_addf(a, "join=%s", cage->dirs[i]);
		/* For a normal user; above what is counted, since his other processes count here. */
		argv_addf(a, "processes=%lld", (long long)cage->max_processes + 1024);
		argv_addf(a, "data_bytes=%lld", (long long)cage->max_bytes);
		argv_addf(a, "file_bytes=%lld", MAX_FILE_BYTES);
	}
	argv_add(a, "--");
}

void sandbox_begin(struct argv *a, const struct cage *cage)
{
	static const char *const system_folders[] = {
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
	/* What compilers and interpreters look up in /etc, and nothing else of it. */
	static const char *const etc[] = {
		"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"};

	add_confinement(a, cage);
	argv_adds(a, (const char *const[]){"bwrap", "--unshare-all", "--unshare-user",
			     "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--uid",
			     "1000", "--gid", "1000", "--hostname", "patchbay", "--clearenv",
			     "--proc", "/proc", "--dev", "/dev", NULL});
	if (no_nesting)
		argv_add(a, "--disable-userns");
	argv_adds(a, (const char *const[]){"--ro-bind", "/usr", "/usr", NULL});
	for (size_t i = 0; i < ARRAY_SIZE(system_folders); i++)
		add_system_folder(a, system_folders[i]);
	for (size_t i = 0; i < ARRAY_SIZE(etc); i++)
		argv_adds(a, (const char *const[]){"--ro-bind-try", etc[i], etc[i], NULL});
	argv_add(a, "--size");
	argv_addf(a, "%lld", MAX_TMP_BYTES);
	argv_adds(a, (const char *const[]){"--tmpfs", "/tmp", "--size", "67108864", "--tmpfs",
			     "/dev/shm", "--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp",
			     "--setenv", "LC_ALL", "C", "--setenv", "TZ", "UTC", "--setenv", "PATH",
			     SANDBOX_PATH, "--chdir", "/", NULL});
	if (cage)
		argv_adds(a, (const char *const[]){"--sync-fd", "3", NULL});
}

static int try_once(struct link *link, struct error *e)
{
	AUTO_ARGV struct argv a = {NULL, 0};

	sandbox_begin(&a, NULL);
	argv_adds(&a, (const char *const[]){"--", "true", NULL});
	return supervise_tool(link, (const char *const *)a.v, NULL, TRY_MS, 2048, NULL, e);
}

/* Why it did not work, in the words of whoever is to mend it. */
static int explain(int r, struct error *e)
{
	struct error said = *e;

	if (strstr(said.msg, "cannot start bwrap"))
		return error_set(e, ERR_MISSING,
			"this host builds and boots in bubblewrap, and does not have it; run: apt "
			"install bubblewrap");
	if (strstr(said.msg, "user namespace") || strstr(said.msg, "setting up uid map") ||
		strstr(said.msg, "No permissions to creat"))
		return error_set(e, ERR_MISSING,
			"bubblewrap cannot make a user namespace here (%.300s); run as root: "
			"sysctl "
			"-w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1 "
			"kernel.apparmor_restrict_unprivileged_userns=0 (those that exist)",
			said.msg);
	if (r == ERR_CONFLICT || r == ERR_TIMEOUT)
		return error_set(e, ERR_MISSING,
			"bubblewrap does not work on this host, and nothing is built or booted "
			"without it: %.600s",
			said.msg);
	return r;
}

int sandbox_try(struct link *link, struct error *e)
{
	struct error tried = ERROR_INIT;
	int r;

	no_nesting = true;
	r = try_once(link, &tried);
	if (r == ERR_CONFLICT && strstr(tried.msg, "disable-userns")) {
		no_nesting = false;
		r = try_once(link, &tried);
	}
	if (!r)
		return 0;
	if (e)
		*e = tried;
	return explain(r, e ? e : &tried);
}

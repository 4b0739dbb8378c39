/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/cage.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#define CGROUPS "/sys/fs/cgroup"
#define PREFIX "patchbay-"

static bool write_file(const char *dir, const char *name, const char *text)
{
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && !write_all(fd, text, strlen(text));
}

static bool write_number(const char *dir, const char *name, int64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)n);
	return write_file(dir, name, text);
}

static char *read_small(const char *dir, const char *name)
{
	AUTO_FREE char *path = path_join(dir, name);
	char *text = NULL;
	size_t len;

	return file_read(path, 65536, &text, &len, NULL) ? NULL : text;
}

static bool has_word(const char *list, const char *word, const char *separators)
{
	size_t n = strlen(word);

	for (const char *p = list; p && *p;) {
		size_t len = strcspn(p, separators);

		if (len == n && !strncmp(p, word, n))
			return true;
		p += len;
		p += strspn(p, separators);
	}
	return false;
}

/* A killed agent leaves its cgroup behind. One of an agent that lives may be empty, too: for the
 * moment before its sandbox joins. */
static bool is_stale(const char *name)
{
	int64_t pid;

	return starts_with(name, PREFIX) &&
	       !parse_int64(name + strlen(PREFIX), 1, INT32_MAX, &pid) && kill((pid_t)pid, 0) &&
	       errno == ESRCH;
}

static void remove_stale(const char *parent)
{
	DIR *d = opendir(parent);
	struct dirent *de;

	while (d && (de = readdir(d)))
		if (is_stale(de->d_name))
			(void)unlinkat(dirfd(d), de->d_name, AT_REMOVEDIR);
	if (d)
		closedir(d);
}

static char *make_under(const char *parent)
{
	AUTO_FREE char *dir = xasprintf("%s/" PREFIX "%d", parent, getpid());

	remove_stale(parent);
	return mkdir(dir, 0755) ? NULL : steal_ptr(dir);
}

/* Version 1: a hierarchy for each controller, below our own place in it. */
static char *make_v1(const char *controllers, const char *own)
{
	AUTO_FREE char *parent = xasprintf(CGROUPS "/%s%s", controllers, own);

	return make_under(parent);
}

/* Version 2: below the nearest ancestor that hands the controllers to its children. */
static char *make_v2(const char *own)
{
	const char *mount =
		file_exists(CGROUPS "/cgroup.controllers") ? CGROUPS : CGROUPS "/unified";
	AUTO_FREE char *path = xstrdup(own);

	for (;;) {
		AUTO_FREE char *parent = xasprintf("%s%s", mount, path);
		AUTO_FREE char *handed = read_small(parent, "cgroup.subtree_control");
		char *made = has_word(handed, "pids", " \n") ? make_under(parent) : NULL;
		char *slash = strrchr(path, '/');

		if (made || !slash || !path[1])
			return made;
		*(slash == path ? slash + 1 : slash) = '\0';
	}
}

static void use_dir(struct cage *c, size_t i, char *dir, bool pids, bool memory)
{
	if (!dir)
		return;
	c->dirs[i] = dir;
	if (pids && write_number(dir, "pids.max", c->max_processes))
		c->pids_dir = dir;
	if (memory && !write_number(dir, "memory.max", c->max_bytes))
		(void)write_number(dir, "memory.limit_in_bytes", c->max_bytes);
}

void cage_open(struct cage *c, int64_t max_processes, int64_t max_bytes)
{
	AUTO_FREE char *own = read_small("/proc/self", "cgroup");
	char *save = NULL;

	*c = (struct cage){.max_processes = max_processes, .max_bytes = max_bytes};
	for (char *line = own ? strtok_r(own, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		controllers++;
		*path++ = '\0';
		if (has_word(controllers, "pids", ",") && !c->pids_dir)
			use_dir(c, 0, make_v1(controllers, path), true, false);
		else if (has_word(controllers, "memory", ",") && !c->dirs[1])
			use_dir(c, 1, make_v1(controllers, path), false, true);
		else if (!*controllers && !c->pids_dir && !c->dirs[0])
			use_dir(c, 0, make_v2(path), true, true);
	}
}

void cage_close(struct cage *c)
{
	for (size_t i = 0; c && i < ARRAY_SIZE(c->dirs); i++) {
		if (c->dirs[i])
			(void)rmdir(c->dirs[i]);
		free(c->dirs[i]);
		c->dirs[i] = NULL;
	}
}

static int over(const struct cage *c, struct error *e)
{
	return error_set(e, ERR_LIMIT,
		"the build started processes without end: it had more than %lld at once",
		(long long)c->max_processes);
}

/* A line "NAME N" of a file of counters; 0 where there is none. */
static int64_t counter(const char *dir, const char *file, const char *name)
{
	AUTO_FREE char *text = read_small(dir, file);
	size_t len = strlen(name);

	for (const char *p = text; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, name, len) && p[len] == ' ')
			return strtoll(p + len + 1, NULL, 10);
	return 0;
}

bool cage_starved(const struct cage *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(c->dirs); i++)
		if (c->dirs[i] &&
			(counter(c->dirs[i], "memory.events", "oom_kill") > 0 ||
				counter(c->dirs[i], "memory.oom_control", "oom_kill") > 0))
			return true;
	return false;
}

/* The parent of a process, or -1. */
static pid_t parent_of(const char *proc_dir)
{
	AUTO_FREE char *stat = read_small(proc_dir, "stat");
	const char *after = stat ? strrchr(stat, ')') : NULL;
	int parent = -1;

	return after && sscanf(after + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

static bool read_ns(const char *proc_dir, char *buf, size_t size)
{
	AUTO_FREE char *path = path_join(proc_dir, "ns/pid");
	ssize_t n = readlink(path, buf, size - 1);

	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* bubblewrap's only child is the first process of the new namespace. */
static int64_t count_namespace(struct cage *c, pid_t pid)
{
	DIR *d = opendir("/proc");
	struct dirent *de;
	int64_t n = 0;

	while (d && (de = readdir(d))) {
		char dir[300], ns[sizeof(c->pid_ns)];

		if (*de->d_name < '0' || *de->d_name > '9')
			continue;
		snprintf(dir, sizeof(dir), "/proc/%s", de->d_name);
		if (!*c->pid_ns && pid > 0 && parent_of(dir) == pid)
			(void)read_ns(dir, c->pid_ns, sizeof(c->pid_ns));
		n += *c->pid_ns && read_ns(dir, ns, sizeof(ns)) && streq(ns, c->pid_ns);
	}
	if (d)
		closedir(d);
	return n;
}

int cage_check(struct cage *c, pid_t pid, struct error *e)
{
	AUTO_FREE char *events = NULL;

	if (!c->pids_dir)
		return count_namespace(c, pid) >= c->max_processes ? over(c, e) : 0;
	events = read_small(c->pids_dir, "pids.events");
	if (events && starts_with(events, "max ") && events[4] != '0')
		return over(c, e);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/confine.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int put(const char *path, const char *text)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : write_all(fd, text, strlen(text));
}

static int join(const char *dir)
{
	AUTO_FREE char *path = path_join(dir, "cgroup.procs");

	return put(path, "0");
}

/* Lower a limit; one that is lower already stays. */
static int limit(int resource, const char *number)
{
	struct rlimit rl;
	int64_t n;

	if (parse_int64(number, 0, INT64_MAX, &n) || getrlimit(resource, &rl))
		return -EINVAL;
	rl.rlim_cur = MIN_OF(rl.rlim_max, (rlim_t)n);
	rl.rlim_max = rl.rlim_cur;
	return setrlimit(resource, &rl) ? -errno : 0;
}

static int apply(const char *arg)
{
	if (starts_with(arg, "join="))
		return join(arg + strlen("join="));
	if (starts_with(arg, "processes="))
		return limit(RLIMIT_NPROC, arg + strlen("processes="));
	if (starts_with(arg, "file_bytes="))
		return limit(RLIMIT_FSIZE, arg + strlen("file_bytes="));
	if (starts_with(arg, "data_bytes="))
		return limit(RLIMIT_DATA, arg + strlen("data_bytes="));
	return -EINVAL;
}

int confine_main(char **args)
{
	int r;

	for (; *args && !streq(*args, "--"); args++) {
		r = apply(*args);
		if (r) {
			(void)fprintf(stderr, "cannot confine the sandbox (%s): %s\n", *args,
				strerror(-r));
			return 125;
		}
	}
	if (!*args || !args[1])
		return 125;
	(void)limit(RLIMIT_CORE, "0");
	/* Where memory runs out, let the sandbox go first. */
	(void)put("/proc/self/oom_score_adj", "500");
	umask(022);
	execvp(args[1], args + 1);
	(void)fprintf(stderr, "cannot start %s: %s\n", args[1], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

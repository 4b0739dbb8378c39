/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sandbox may have, kept by the kernel where it lets us make cgroups. */
#include "agents/host/cage.h"

#include "base/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cmocka.h>

#define LIMIT_MIB 64

/* In a process of its own that joins the cage. Returns whether it was killed. */
static bool use_memory(const struct cage *c, size_t mib)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		char self[32];
		char *memory;
		int n = snprintf(self, sizeof(self), "%d", getpid());

		for (size_t i = 0; i < ARRAY_SIZE(c->dirs); i++) {
			AUTO_FREE char *path =
				c->dirs[i] ? path_join(c->dirs[i], "cgroup.procs") : NULL;

			int fd = path ? open(path, O_WRONLY) : -1;

			if (path && (fd < 0 || write(fd, self, (size_t)n) != n))
				_exit(1);
		}
		memory = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
		if (memory == MAP_FAILED)
			_exit(1);
		(void)mlock(memory, mib << 20); /* swap would let it live */
		memset(memory, 1, mib << 20);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		assert_int_equal(WTERMSIG(status), SIGKILL);
	else
		assert_int_equal(status, 0);
	return WIFSIGNALED(status);
}

static bool has_memory_limit(const struct cage *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(c->dirs); i++) {
		AUTO_FREE char *v1 =
			c->dirs[i] ? path_join(c->dirs[i], "memory.oom_control") : NULL;
		AUTO_FREE char *v2 = c->dirs[i] ? path_join(c->dirs[i], "memory.events") : NULL;

		if ((v1 && file_exists(v1)) || (v2 && file_exists(v2)))
			return true;
	}
	return false;
}

static void kill_for_want_of_memory_is_known(void **state)
{
	struct cage c;

	cage_open(&c, 100, (int64_t)LIMIT_MIB << 20);
	if (!has_memory_limit(&c)) {
		cage_close(&c);
		print_message("left out: this user may make no cgroup with a limit on memory\n");
		skip();
	}
	assert_false(use_memory(&c, LIMIT_MIB / 2));
	assert_false(cage_starved(&c));
	assert_true(use_memory(&c, 2 * LIMIT_MIB));
	assert_true(cage_starved(&c));
	cage_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kill_for_want_of_memory_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

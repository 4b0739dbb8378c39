/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/injector.h"
#include "agents/target/sysfs.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>

#define SLAB "/sys/kernel/debug/failslab"
#define PAGES "/sys/kernel/debug/fail_page_alloc"

/* verbose 1: the console tells of failures, without a stack for each. */
static const struct {
	const char *path;
	const char *value;
} settings[] = {
	{SLAB "/probability", "10"},
	{SLAB "/ignore-gfp-wait", "N"},
	{SLAB "/task-filter", "Y"},
	{SLAB "/times", "-1"},
	{SLAB "/verbose", "1"},
	{PAGES "/probability", "0"},
	{PAGES "/ignore-gfp-wait", "N"},
	{PAGES "/min-order", "0"},
	{PAGES "/verbose", "1"},
};

static int open_own(const char *path, int *ret_fd, struct error *e)
{
	*ret_fd = open(path, O_RDWR | O_CLOEXEC);
	return *ret_fd < 0
		       ? error_errno(e, "cannot open %s (the kernel needs FAULT_INJECTION)", path)
		       : 0;
}

/* Kept open: opening allocates, and would fail itself. */
int injector_open(struct injector *ret_injector, struct error *e)
{
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!file_exists(settings[i].path))
			return error_set(e, ERR_MISSING,
				"there is no %s: the kernel needs FAILSLAB, FAIL_PAGE_ALLOC and "
				"FAULT_INJECTION_DEBUG_FS",
				settings[i].path);
		err = sysfs_write(settings[i].path, settings[i].value, e);
		if (err)
			return err;
	}
	err = open_own("/proc/self/fail-nth", &ret_injector->nth, e);
	return err ? err : open_own("/proc/self/make-it-fail", &ret_injector->some, e);
}

void injector_close(struct injector *i)
{
	closep(&i->nth);
	closep(&i->some);
	*i = (struct injector)INJECTOR_INIT;
}

int injector_arm(const struct injector *i, unsigned nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(i->nth, text, (size_t)len, 0) == len ? 0 : -errno;
}

int injector_disarm(const struct injector *i, bool *ret_hit)
{
	char text[16];
	ssize_t n = pread(i->nth, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return n < 0 ? -errno : -EIO;
	text[n] = '\0';
	/* It counts down, and stands at 0 once the failure was given. */
	*ret_hit = strtoul(text, NULL, 10) == 0;
	return injector_arm(i, 0);
}

int injector_some(const struct injector *i, bool on)
{
	return pwrite(i->some, on ? "1" : "0", 1, 0) == 1 ? 0 : -errno;
}

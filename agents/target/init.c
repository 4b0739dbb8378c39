/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/init.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const struct {
	const char *type;
	const char *where;
	bool needed;
} file_systems[] = {
	{"proc", "/proc", true},
	{"sysfs", "/sys", true},
	{"devtmpfs", "/dev", true},
	{"tmpfs", "/tmp", false},
	{"debugfs", "/sys/kernel/debug", false},
	{"tracefs", "/sys/kernel/tracing", false},
};

int init_mount(struct error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(file_systems); i++) {
		const char *where = file_systems[i].where;

		(void)mkdir(where, 0755);
		if (mount(file_systems[i].type, where, file_systems[i].type, MS_NOSUID | MS_NOEXEC,
			    NULL) == 0 ||
			errno == EBUSY || !file_systems[i].needed)
			continue;
		return error_errno(e,
			"cannot mount %s on %s (the kernel's configuration must have it)",
			file_systems[i].type, where);
	}
	return 0;
}

void init_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	for (int i = 0; i < 3; i++)
		if (fd != i)
			(void)dup2(fd, i);
	if (fd > 2)
		close(fd);
}

void init_reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void init_end(void)
{
	sync();
	/* Without ACPI the kernel halts instead of powering off, and the guest would stay. */
	if (access("/sys/firmware/acpi", F_OK) == 0)
		(void)reboot(RB_POWER_OFF);
	(void)reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

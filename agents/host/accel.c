/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/accel.h"

#include "agents/host/supervise.h"
#include "agents/host/tools.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CACHE_MAX 4096
/* A guest of a few bytes is through its firmware in half a second under TCG. KVM that is there and does
 * not work may never come back, and costs the first boot of a host this long; TCG always comes back,
 * on a host with other work as late as it may be. */
#define TRY_KVM_MS 6000
#define TRY_TCG_MS 60000
#define DISK_BYTES (1024 * 1024)
#define EXIT_PORT 0xf4
#define EXIT_VALUE 0x10
#define EXIT_STATUS ((EXIT_VALUE << 1) | 1) /* what QEMU makes of it */

/* mov al, EXIT_VALUE; out EXIT_PORT, al; hlt */
static const uint8_t guest_code[] = {0xb0, EXIT_VALUE, 0xe6, EXIT_PORT, 0xf4};

/* A boot sector: the firmware runs it, so that the firmware's modes are tried as well. It does
 * not read from disks that are much smaller. */
static int write_disk(const char *path, struct error *e)
{
	AUTO_FREE uint8_t *disk = xcalloc(DISK_BYTES, 1);

	memcpy(disk, guest_code, sizeof(guest_code));
	disk[510] = 0x55;
	disk[511] = 0xaa;
	return file_write_atomic(path, disk, DISK_BYTES, 0600, e);
}

/* Boot it; 0 where it wrote to the port. */
static int try_boot(struct agent *a, const struct model *m, const char *accel, const char *disk,
	struct error *e)
{
	AUTO_ARGV struct argv cmd = {NULL, 0};
	AUTO_STRBUF struct strbuf said;
	AUTO_RUN struct run r;
	int64_t limit_ms = streq(accel, "kvm") ? TRY_KVM_MS : TRY_TCG_MS;
	char how[64];
	int res;

	sandbox_begin(&cmd, NULL);
	argv_adds(&cmd, (const char *const[]){"--ro-bind", disk, "/run/disk", NULL});
	if (streq(accel, "kvm"))
		argv_adds(&cmd, (const char *const[]){"--dev-bind", "/dev/kvm", "/dev/kvm", NULL});
	argv_add(&cmd, "--");
	model_add_accel(&cmd, m, accel);
	argv_adds(&cmd, (const char *const[]){"-m", "64", "-drive",
				"if=none,id=disk,format=raw,readonly=on,file=/run/disk", "-device",
				"virtio-blk-pci,drive=disk,bootindex=0", "-device", NULL});
	argv_addf(&cmd, "isa-debug-exit,iobase=%d,iosize=1", EXIT_PORT);
	strbuf_init(&said, 400);
	run_init(&r, &a->link, (const char *const *)cmd.v);
	r.total_ms = limit_ms;
	r.data = &said;
	if ((res = run_pipe(&r, 0, 2, run_collect, e)) || (res = supervise(&r, e)))
		return res;
	said.buf[strcspn(said.buf, "\n")] = '\0';
	if (r.how == RUN_LOST)
		return error_set(e, ERR_LINK, "%s", a->link.lost_reason);
	if (r.how == RUN_STOPPED)
		return error_set(e, ERR_STATE, "stopped: %s", a->link.stop_reason);
	if (r.how != RUN_EXITED)
		return error_set(e, ERR_TIMEOUT, "a guest of a few bytes never ran (%d s): %s",
			(int)(limit_ms / 1000), said.buf);
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != EXIT_STATUS)
		return error_set(e, ERR_CONFLICT,
			"QEMU could not run a guest of a few bytes (%s): %s",
			child_status_text(r.status, how, sizeof(how)), said.buf);
	return 0;
}

/* What the answer depends on, one line. */
static int make_key(const struct model *m, char *key, size_t size, struct error *e)
{
	AUTO_FREE char *program = tool_find(m->program);
	AUTO_FREE char *boot_id = NULL;
	struct stat st = {.st_size = 0}, kvm = {.st_size = 0};
	size_t len;
	int r;

	if (!program || stat(program, &st))
		return error_set(e, ERR_MISSING,
			"this host cannot boot: it lacks %s; run: apt "
			"install %s",
			m->program, m->package);
	r = file_read("/proc/sys/kernel/random/boot_id", 64, &boot_id, &len, e);
	if (r)
		return r;
	boot_id[strcspn(boot_id, "\n")] = '\0';
	snprintf(key, size, "%s %s %lld %lld %d %d", boot_id, program, (long long)st.st_size,
		(long long)st.st_mtim.tv_sec, stat("/dev/kvm", &kvm) ? 0 : (int)kvm.st_rdev,
		access("/dev/kvm", R_OK | W_OK));
	return 0;
}

/* KEY LF NAME LF QEMU LF WHY LF */
static bool read_cache(const char *path, const char *key, struct accel *ret_accel)
{
	AUTO_FREE char *text = NULL;
	char *lines[4], *p;
	size_t len;

	if (file_read(path, CACHE_MAX, &text, &len, NULL))
		return false;
	p = text;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char *nl = strchr(p, '\n');

		if (!nl)
			return false;
		*nl = '\0';
		lines[i] = p;
		p = nl + 1;
	}
	if (!streq(lines[0], key) || (!streq(lines[1], "kvm") && !streq(lines[1], "tcg")))
		return false;
	snprintf(ret_accel->name, sizeof(ret_accel->name), "%s", lines[1]);
	snprintf(ret_accel->qemu, sizeof(ret_accel->qemu), "%s", lines[2]);
	snprintf(ret_accel->why, sizeof(ret_accel->why), "%s", lines[3]);
	return true;
}

/* More wants to run than there are processors: what came too late may have been no fault of KVM. */
static bool is_loaded(void)
{
	double load;

	return getloadavg(&load, 1) != 1 || load > (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* *ret_sure: the answer holds until the host boots again, not only for this run of the agent. */
static int try_all(struct agent *a, const struct model *m, const char *disk, struct accel *acc,
	bool *ret_sure, struct error *e)
{
	AUTO_FREE char *version = NULL;
	struct error why = ERROR_INIT;
	int r = tool_version(&a->link, m->program, &version, e);

	if (r)
		return r;
	snprintf(acc->qemu, sizeof(acc->qemu), "%s", version);
	if (access("/dev/kvm", R_OK | W_OK))
		r = error_errno(&why, "/dev/kvm cannot be used");
	else
		r = try_boot(a, m, "kvm", disk, &why);
	*ret_sure = r != ERR_TIMEOUT || !is_loaded();
	snprintf(acc->name, sizeof(acc->name), "%s", r ? "tcg" : "kvm");
	snprintf(acc->why, sizeof(acc->why), "%s", r ? why.msg : "");
	if (r == ERR_LINK || r == ERR_STATE)
		return error_set(e, r, "%s", why.msg);
	return r ? try_boot(a, m, "tcg", disk, e) : 0;
}

int accel_find(struct agent *a, const struct model *m, struct accel *ret_accel, struct error *e)
{
	AUTO_FREE char *cache = path_join(a->root, "accel");
	AUTO_FREE char *name = xasprintf("disk-%d", getpid());
	AUTO_FREE char *disk = agent_path(a, "run", name);
	AUTO_FREE char *text = NULL;
	struct accel acc = {.name = ""};
	bool sure = false;
	char key[1024];
	int r = make_key(m, key, sizeof(key), e);

	if (r)
		return r;
	if (!read_cache(cache, key, &acc)) {
		if ((r = write_disk(disk, e)))
			return r;
		r = try_all(a, m, disk, &acc, &sure, e);
		(void)unlink(disk);
		if (r)
			return r;
		text = xasprintf("%s\n%s\n%s\n%s\n", key, acc.name, acc.qemu, acc.why);
		if (sure && (r = file_write_atomic(cache, text, strlen(text), 0600, e)))
			return r;
	}
	*ret_accel = acc;
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One guest from power on to its end (docs/internals/boots.md). */
#include "agents/host/accel.h"
#include "agents/host/agent.h"
#include "agents/host/hostload.h"
#include "agents/host/initrd.h"
#include "agents/host/model.h"
#include "agents/host/script.h"
#include "agents/host/supervise.h"
#include "agents/host/tools.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#define MAX_CMDLINE 2047 /* x86's COMMAND_LINE_SIZE without the NUL */
#define MAX_PROCESSES 1024
#define SPARE_MIB 256 /* QEMU's own memory, beside the guest's */

/* Every word the kernel has, from the first line; a panic or an oops ends the guest. */
#define FIXED_CMDLINE "console=ttyS0 loglevel=7 panic=-1 oops=panic"
/* What the kernel would draw anew in every boot. */
#define COUNTED_CMDLINE " nokaslr norandmaps"
/* The most that a pipe may hold without privileges: all that a guest says, so that it never waits
 * for its reader, which would be time from outside. */
#define COUNTED_PIPE_BYTES (1024 * 1024)

struct boot {
	struct agent *a;
	const struct model *model;
	int64_t memory_mib;
	int64_t cpus;
	int64_t first_ms;
	int64_t silence_ms;
	int64_t total_ms;
	char *cmdline;
	char *image;
	char *target;
	char *extras[INITRD_MAX_EXTRAS + 1]; /* archives behind the target; NULL at the end */
	char *dir; /* ROOT/run/boot: MODEL_RUN_DIR in the sandbox */
	struct accel accel;
	bool counted; /* the guest's time is a count of instructions */
	struct cage cage;
	struct strbuf said; /* by QEMU itself */
	int64_t started_ms;
	struct hostload load; /* of the host, when the guest started */
	bool speaking; /* the console had a byte */
};

static int read_limits(struct boot *b, struct error *e)
{
	const struct request *req = &b->a->req;
	int64_t first, silence, total;
	int r;

	if ((r = request_int(req, "memory_mib", 64, 1 << 20, 4096, &b->memory_mib, e)) ||
		(r = request_int(req, "cpus", 1, 1024, 2, &b->cpus, e)) ||
		(r = request_int(req, "boot_seconds", 1, 86400, 120, &first, e)) ||
		(r = request_int(req, "silence_seconds", 1, 86400, 120, &silence, e)) ||
		(r = request_int(req, "total_seconds", 1, 7 * 86400, 1800, &total, e)))
		return r;
	b->first_ms = first * 1000;
	b->silence_ms = silence * 1000;
	b->total_ms = total * 1000;
	return 0;
}

static int make_cmdline(struct boot *b, struct error *e)
{
	const char *profile = request_get(&b->a->req, "cmdline", "");
	const char *init = request_get(&b->a->req, "init_args", "");

	/* Ours behind the profile's: of two, the kernel takes the last. */
	b->cmdline = xasprintf("%s%s%s%s%s%s", profile, *profile ? " " : "", FIXED_CMDLINE,
		b->counted ? COUNTED_CMDLINE : "", *init ? " -- " : "", init);
	if (strlen(b->cmdline) > MAX_CMDLINE)
		return error_set(e, ERR_LIMIT,
			"the kernel command line is %zu bytes long, and the kernel takes %d",
			strlen(b->cmdline), MAX_CMDLINE);
	return 0;
}

static int read_extras(struct boot *b, struct error *e)
{
	const char *sha256;
	int r = 0;

	for (size_t i = 0; (sha256 = request_nth(&b->a->req, "extra", i)) && !r; i++) {
		if (i == INITRD_MAX_EXTRAS)
			return error_set(e, ERR_LIMIT, "more than %d archives for one guest",
				INITRD_MAX_EXTRAS);
		if (!is_sha256(sha256))
			return error_set(
				e, ERR_SYNTAX, "\"extra\" is %.80s, and must be a SHA-256", sha256);
		r = agent_blob(b->a, sha256, &b->extras[i], e);
	}
	return r;
}

static int read_params(struct boot *b, struct error *e)
{
	const struct request *req = &b->a->req;
	const char *model, *image, *target, *accel = request_get(req, "accel", "");
	const char *clock = request_get(req, "clock", "wall");
	char names[256];
	int r;

	b->counted = streq(clock, "counted");
	if (!b->counted && !streq(clock, "wall"))
		return error_set(
			e, ERR_SYNTAX, "\"clock\" is %.20s, and must be wall or counted", clock);

	if ((r = request_need(req, "model", &model, e)) ||
		(r = request_hex(req, "image", 64, &image, e)) ||
		(r = request_hex(req, "target", 64, &target, e)) || (r = read_limits(b, e)) ||
		(r = make_cmdline(b, e)))
		return r;
	b->model = model_find(model);
	if (!b->model)
		return error_set(e, ERR_MISSING,
			"there is no machine model \"%.60s\"; there are: %s", model,
			model_names(names, sizeof(names)));
	if (*accel && !streq(accel, "kvm") && !streq(accel, "tcg"))
		return error_set(
			e, ERR_SYNTAX, "\"accel\" is %.20s, and must be kvm, tcg or empty", accel);
	if ((r = tools_need(true, e)) || (r = sandbox_try(&b->a->link, e)) ||
		(r = agent_blob(b->a, image, &b->image, e)) ||
		(r = agent_blob(b->a, target, &b->target, e)))
		return r;
	return read_extras(b, e);
}

/* What the guest gets: its memory must be there, or the host would swap under the measurement. */
static int check_memory(const struct boot *b, struct error *e)
{
	AUTO_FREE char *text = NULL;
	const char *line;
	int64_t kib;
	size_t len;
	int r = file_read("/proc/meminfo", 65536, &text, &len, e);

	if (r)
		return r;
	line = strstr(text, "MemAvailable:");
	if (!line)
		return 0;
	kib = strtoll(line + strlen("MemAvailable:"), NULL, 10);
	if (kib / 1024 < b->memory_mib + SPARE_MIB)
		return error_set(e, -ENOMEM,
			"the guest wants %lld MiB, and this host has %lld MiB free; give the "
			"machine less memory_mib or end what uses the host's",
			(long long)b->memory_mib, (long long)(kib / 1024));
	return 0;
}

/* Folders of agents that were killed; the lock is ours, so no other boot is under way. */
static int remove_stale(const struct boot *b, struct error *e)
{
	AUTO_FREE char *run = path_join(b->a->root, "run");
	AUTO_FREE char *boots = path_join(run, "boot");
	int r = file_remove_tree(boots, e);

	return r ? r : file_mkdirs(boots, 0700, e);
}

static int prepare(struct boot *b, struct error *e)
{
	AUTO_FREE char *initrd = NULL, *result = NULL;
	const char *accel = request_get(&b->a->req, "accel", "");
	int r;

	if ((r = read_params(b, e)) || (r = lease_lock(b->a, "boot", e)) ||
		(r = accel_find(b->a, b->model, &b->accel, e)) || (r = check_memory(b, e)) ||
		(r = remove_stale(b, e)))
		return r;
	if (*accel)
		snprintf(b->accel.name, sizeof(b->accel.name), "%s", accel);
	if (b->counted && !streq(b->accel.name, "tcg")) {
		snprintf(b->accel.name, sizeof(b->accel.name), "tcg");
		snprintf(b->accel.why, sizeof(b->accel.why), "counted time is emulated");
	}
	b->dir = agent_path(b->a, "run", "boot");
	initrd = path_join(b->dir, "initrd");
	result = path_join(b->dir, "result");
	if ((r = initrd_write(b->target, (const char *const *)b->extras, initrd, e)))
		return r;
	if (mkfifo(result, 0600))
		return error_errno(e, "cannot make %s", result);
	return 0;
}

static void qemu_command(
	const struct boot *b, const struct cage *cage, const char *dir, struct argv *cmd)
{
	sandbox_begin(cmd, cage);
	argv_adds(cmd, (const char *const[]){"--bind", dir, MODEL_RUN_DIR, "--ro-bind", b->image,
			       MODEL_KERNEL, NULL});
	if (streq(b->accel.name, "kvm"))
		argv_adds(cmd, (const char *const[]){"--dev-bind", "/dev/kvm", "/dev/kvm", NULL});
	argv_add(cmd, "--");
	if (b->counted) {
		model_add_counted(cmd, b->model);
	} else {
		model_add_accel(cmd, b->model, b->accel.name);
		argv_add(cmd, "-smp");
		argv_addf(cmd, "%lld", (long long)b->cpus);
	}
	argv_add(cmd, "-m");
	argv_addf(cmd, "%lldM", (long long)b->memory_mib);
	argv_adds(cmd, b->model->devices);
	argv_add(cmd, "-chardev");
	argv_addf(cmd, "file,id=console,path=%s", MODEL_CONSOLE);
	argv_add(cmd, "-chardev");
	argv_addf(cmd, "file,id=result,path=%s", MODEL_RESULT);
	argv_adds(cmd, (const char *const[]){"-serial", "chardev:console", "-serial",
			       "chardev:result", "-kernel", MODEL_KERNEL, "-initrd", MODEL_INITRD,
			       "-append", b->cmdline, NULL});
}

/* The same guest by hand: its console on the terminal, its results in a file. */
static int send_script(struct boot *b, struct error *e)
{
	AUTO_FREE char *initrd = path_join(b->dir, "initrd");
	AUTO_FREE char *data = NULL, *kept = NULL;
	char sha256[SHA256_HEX];
	size_t len;
	AUTO_STRBUF struct strbuf s;
	AUTO_ARGV struct argv cmd = {NULL, 0};
	int r;

	script_begin(&s, "patchbay-boot");
	if ((r = file_read(initrd, INITRD_MAX, &data, &len, e)) ||
		(r = agent_keep(b->a, data, len, sha256, &kept, e)))
		return r;
	strbuf_adds(&s, "cp ");
	script_word(&s, kept);
	strbuf_adds(&s, " \"$dir/initrd\"\n: >\"$dir/result\"\n");
	qemu_command(b, NULL, SCRIPT_DIR, &cmd);
	script_sandboxed(&s, &cmd);
	strbuf_adds(&s, " | tee \"$dir/console\"\ncat \"$dir/result\"\n");
	script_send(&b->a->link, &s);
	return 0;
}

static void take_console(void *data, const char *buf, size_t len)
{
	struct boot *b = data;

	if (!b->speaking)
		event_stage(&b->a->link, "running");
	b->speaking = true;
	link_send(&b->a->link, FRAME_CONSOLE, buf, len);
}

static void take_result(void *data, const char *buf, size_t len)
{
	struct boot *b = data;

	link_send(&b->a->link, FRAME_RESULT, buf, len);
}

static void take_said(void *data, const char *buf, size_t len)
{
	struct boot *b = data;

	strbuf_add(&b->said, buf, len);
}

static int watch_limits(void *data, pid_t pid, struct error *e)
{
	struct boot *b = data;

	return cage_check(&b->cage, pid, e);
}

/* Where it cannot be as large, the reader is quick enough, and else the canary tells. */
static void make_room(const struct boot *b, int fd)
{
	if (b->counted)
		(void)fcntl(fd, F_SETPIPE_SZ, COUNTED_PIPE_BYTES);
}

static int run_guest(struct boot *b, struct run *r, struct error *e)
{
	AUTO_ARGV struct argv cmd = {NULL, 0};
	AUTO_FREE char *result = path_join(b->dir, "result");
	struct sysinfo si;
	int res;

	if (sysinfo(&si))
		return error_errno(e, "cannot ask for the host's memory");
	cage_open(&b->cage, MAX_PROCESSES, (int64_t)((uint64_t)si.totalram * si.mem_unit));
	qemu_command(b, &b->cage, b->dir, &cmd);
	run_init(r, &b->a->link, (const char *const *)cmd.v);
	if ((res = run_pipe(r, 0, 1, take_console, e)) || (res = run_pipe(r, 2, 2, take_said, e)))
		return res;
	/* Open for writing too, so that it has no end before QEMU opens it. */
	r->sources[1] = (struct run_source){.fd = open(result, O_RDWR | O_NONBLOCK | O_CLOEXEC),
		.first = true,
		.fn = take_result};
	if (r->sources[1].fd < 0)
		return error_errno(e, "cannot open %s", result);
	make_room(b, r->sources[0].fd);
	make_room(b, r->sources[1].fd);
	r->data = b;
	r->first_ms = b->first_ms;
	r->silence_ms = b->silence_ms;
	r->total_ms = b->total_ms;
	r->tick = watch_limits;
	r->spec.fds[3] = b->a->lock_fd;
	b->started_ms = clock_unix_ms();
	hostload_now(&b->load);
	event_stage(&b->a->link, "firmware");
	return supervise(r, e);
}

/* QEMU ends with 0 when the guest does; anything else is its own trouble. */
static int judge_qemu(struct boot *b, const struct run *r, struct error *e)
{
	char how[64];

	if (r->how == RUN_LOST)
		return error_set(e, ERR_LINK, "%s", b->a->link.lost_reason);
	if (r->how == RUN_LIMIT)
		return error_set(e, ERR_STATE, "QEMU was ended: %s", r->limit.msg);
	if (r->how == RUN_EXITED && (!WIFEXITED(r->status) || WEXITSTATUS(r->status)))
		return error_set(e, ERR_STATE, "QEMU ended by itself (%s): %.600s",
			child_status_text(r->status, how, sizeof(how)),
			b->said.len ? b->said.buf : "it said nothing");
	return 0;
}

static void send_end(struct boot *b, const struct run *r)
{
	static const char *const hows[] = {
		[RUN_EXITED] = "exited",
		[RUN_STOPPED] = "stopped",
		[RUN_FIRST] = "boot-deadline",
		[RUN_SILENCE] = "silence",
		[RUN_DEADLINE] = "deadline",
	};
	AUTO_STRBUF struct strbuf ev;

	event_stage(&b->a->link, "ended");
	strbuf_init(&ev, 65536);
	event_begin(&ev, "end");
	jsonw_str(&ev, "status", "pass");
	jsonw_str(&ev, "reason", NULL);
	jsonw_str(&ev, "how", hows[r->how]);
	jsonw_str(&ev, "accel", b->accel.name);
	jsonw_str(&ev, "accel_why", *b->accel.why ? b->accel.why : NULL);
	jsonw_str(&ev, "qemu", b->accel.qemu);
	jsonw_str(&ev, "cmdline", b->cmdline);
	jsonw_num(&ev, "seconds", (double)r->took_ms / 1000);
	jsonw_int(&ev, "started_ms", b->started_ms);
	hostload_add(&ev, &b->load);
	if (r->how == RUN_EXITED)
		jsonw_int(&ev, "exit", WEXITSTATUS(r->status));
	else
		jsonw_raw(&ev, "exit", "null");
	event_send(&b->a->link, &ev);
}

static void boot_done(struct boot *b)
{
	cage_close(&b->cage);
	strbuf_done(&b->said);
	if (b->dir)
		(void)file_remove_tree(b->dir, NULL);
	free(b->cmdline);
	free(b->image);
	free(b->target);
	for (size_t i = 0; i < INITRD_MAX_EXTRAS; i++)
		free(b->extras[i]);
	free(b->dir);
}

int agent_boot(struct agent *a, struct error *e)
{
	CLEANUP(boot_done) struct boot b = {.a = a};
	AUTO_RUN struct run r;
	int res;

	strbuf_init(&b.said, 4096);
	run_init(&r, &a->link, NULL);
	if ((res = prepare(&b, e)) || (res = send_script(&b, e)) || (res = run_guest(&b, &r, e)) ||
		(res = judge_qemu(&b, &r, e)))
		return res;
	send_end(&b, &r);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* make in the sandbox, and what its end means. */
#include "agents/host/build.h"
#include "agents/host/script.h"
#include "agents/host/wrapper.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

/* Whatever the host, its user and the time: a rebuild gives the same bytes. */
static const char *const fixed_env[] = {
	"KBUILD_BUILD_TIMESTAMP",
	"Thu Jan  1 00:00:00 UTC 1970",
	"KBUILD_BUILD_USER",
	"patchbay",
	"KBUILD_BUILD_HOST",
	"patchbay",
	"KBUILD_BUILD_VERSION",
	"1",
	"SOURCE_DATE_EPOCH",
	"0",
};

/* The tools that write down what they say, before those of the system. */
static void add_wrappers(const struct build *b, struct argv *cmd)
{
	static const char *const tools[] = {"gcc", "ld"};

	argv_adds(cmd, (const char *const[]){
			       "--setenv", "PATCHBAY_BUILD", b->nonce, "--setenv", "PATH", NULL});
	argv_addf(cmd, "%s:%s", WRAPPER_DIR, SANDBOX_PATH);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		argv_adds(cmd, (const char *const[]){"--ro-bind", b->self, NULL});
		argv_addf(cmd, "%s/%s", WRAPPER_DIR, tools[i]);
	}
}

static void add_folders(const char *src, const char *obj, struct argv *cmd)
{
	argv_adds(
		cmd, (const char *const[]){"--ro-bind", src, "/src", "--bind", obj, "/out", NULL});
}

static void add_make(const struct build *b, struct argv *cmd)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed_env); i += 2)
		argv_adds(cmd,
			(const char *const[]){"--setenv", fixed_env[i], fixed_env[i + 1], NULL});
	argv_adds(cmd, (const char *const[]){"--", "make", "-C", "/src", "O=/out", NULL});
	argv_addf(cmd, "ARCH=%s", b->arch->kbuild);
	/* Set, though to nothing: no "+" for a tree that is no tagged release. */
	argv_add(cmd, "LOCALVERSION=");
	argv_add(cmd, "-k");
	argv_addf(cmd, "-j%lld", (long long)b->jobs);
}

static void build_command(const struct build *b, const char *const *targets, struct argv *cmd)
{
	sandbox_begin(cmd, &b->cage);
	add_folders(b->src, b->obj, cmd);
	add_wrappers(b, cmd);
	add_make(b, cmd);
	argv_adds(cmd, targets);
}

static void add_fragments(const struct build *b, struct strbuf *s)
{
	const char *fragment;

	strbuf_adds(s, "cat >>\"$dir/out/.config\" <<'END-OF-FRAGMENTS'\n");
	for (size_t i = 0; (fragment = request_nth(&b->a->req, "fragment", i)); i++)
		strbuf_addf(s, "%s\n", fragment);
	strbuf_adds(s, "END-OF-FRAGMENTS\n");
}

/* The same from nothing: it needs no output folder, and leaves none of ours changed. */
void make_script(struct build *b, const char *const *targets)
{
	AUTO_STRBUF struct strbuf s;
	AUTO_ARGV struct argv cmd = {NULL, 0};

	script_begin(&s, "patchbay-build");
	strbuf_adds(
		&s, "mkdir -p \"$dir/src\" \"$dir/out\"\nGIT_INDEX_FILE=$dir/index git --git-dir=");
	script_word(&s, b->repo);
	strbuf_addf(
		&s, " --work-tree=\"$dir/src\" read-tree --reset -u %s\nkmake() {\n\t", b->commit);
	sandbox_begin(&cmd, NULL);
	add_folders(SCRIPT_DIR "/src", SCRIPT_DIR "/out", &cmd);
	add_make(b, &cmd);
	script_sandboxed(&s, &cmd);
	strbuf_addf(&s, " \"$@\"\n}\nkmake %s\n", b->config_base);
	add_fragments(b, &s);
	strbuf_adds(&s, "kmake olddefconfig\nkmake");
	for (; *targets; targets++)
		strbuf_addf(&s, " %s", *targets);
	strbuf_addf(&s, "\nsha256sum \"$dir/out/%s\"\n", b->arch->image);
	script_send(&b->a->link, &s);
}

static void take_log(void *data, const char *buf, size_t len)
{
	struct build *b = data;

	b->log_bytes += (int64_t)len;
	link_send(&b->a->link, FRAME_LOG, buf, len);
	diag_log(b, buf, len);
}

static int64_t free_bytes(const char *path)
{
	struct statvfs vfs;

	return statvfs(path, &vfs) ? INT64_MAX : (int64_t)vfs.f_bavail * (int64_t)vfs.f_frsize;
}

static int check_disk(const struct build *b, struct error *e)
{
	int64_t left = free_bytes(b->a->root);

	if (left >= BUILD_MIN_FREE)
		return 0;
	return error_set(e, -ENOSPC,
		"the host's disk is full: %lld MiB are left at %s, and a build wants %lld; make "
		"room "
		"there",
		(long long)(left >> 20), b->a->root, BUILD_MIN_FREE >> 20);
}

static int watch_limits(void *data, pid_t pid, struct error *e)
{
	struct build *b = data;
	int r = cage_check(&b->cage, pid, e);

	if (!r)
		r = check_disk(b, e);
	if (!r && b->log_bytes > BUILD_MAX_LOG)
		r = error_set(
			e, ERR_LIMIT, "the build's log went over %lld MiB", BUILD_MAX_LOG >> 20);
	return r;
}

/* make ended by itself: only its own exit 2, with nothing wrong around it, is the code's fault. */
static enum build_result judge_exit(struct build *b, int status, struct error *ret_why)
{
	char how[64];

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return BUILD_PASS;
	if (cage_check(&b->cage, 0, ret_why))
		return BUILD_FAIL;
	if (check_disk(b, ret_why))
		return BUILD_ERROR;
	if (*b->killed)
		error_set(ret_why, ERR_STATE, "the host killed the build or had no room for it: %s",
			b->killed);
	else if (b->lacks_program)
		error_set(ret_why, ERR_MISSING,
			"the build calls a program that the host does not have (%s): install it "
			"there",
			*b->not_found ? b->not_found : "make: Error 127");
	else if (cage_starved(&b->cage))
		error_set(ret_why, ERR_STATE,
			"the build had no more memory (%lld MiB are all it may have), and the "
			"kernel "
			"killed a part of it",
			(long long)(b->cage.max_bytes >> 20));
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != 2)
		error_set(ret_why, ERR_STATE, "the sandbox did not hold (%s): %.500s",
			child_status_text(status, how, sizeof(how)), b->tail.buf);
	else {
		error_set(ret_why, ERR_CONFLICT, "make failed");
		return BUILD_FAIL;
	}
	return BUILD_ERROR;
}

static enum build_result judge(struct build *b, const struct run *r, struct error *ret_why)
{
	switch (r->how) {
	case RUN_EXITED:
		return judge_exit(b, r->status, ret_why);
	case RUN_STOPPED:
		error_set(ret_why, ERR_STATE, "stopped: %s", b->a->link.stop_reason);
		return BUILD_ERROR;
	case RUN_SILENCE:
		error_set(ret_why, ERR_TIMEOUT, "the build said nothing for %lld s and was ended",
			(long long)(b->silence_ms / 1000));
		return BUILD_ERROR;
	case RUN_LIMIT:
		*ret_why = r->limit;
		return r->limit.code == ERR_LIMIT ? BUILD_FAIL : BUILD_ERROR;
	default:
		error_set(ret_why, ERR_TIMEOUT, "the build did not end within %lld s",
			(long long)(b->total_ms / 1000));
		return BUILD_ERROR;
	}
}

int make_run(struct build *b, const char *const *targets, enum build_result *ret_result,
	struct error *ret_why, struct error *e)
{
	AUTO_ARGV struct argv cmd = {NULL, 0};
	AUTO_RUN struct run r;
	int64_t left = b->start_ms + b->total_ms - clock_mono_ms();
	int res;

	run_init(&r, &b->a->link, NULL);
	if (check_disk(b, ret_why)) {
		*ret_result = BUILD_ERROR;
		return 0;
	}
	build_command(b, targets, &cmd);
	r.spec.argv = (const char *const *)cmd.v;
	r.total_ms = MAX_OF(left, 1);
	r.silence_ms = b->silence_ms;
	r.tick = watch_limits;
	r.data = b;
	r.spec.fds[3] = b->a->lock_fd;
	if ((res = run_pipe(&r, 0, 1, take_log, e)))
		return res;
	r.spec.fds[2] = r.spec.fds[1];
	if ((res = supervise(&r, e)))
		return res;
	b->make_ms += r.took_ms;
	b->cut = b->cut || r.how != RUN_EXITED;
	if (r.how == RUN_LOST)
		return error_set(e, ERR_LINK, "%s", b->a->link.lost_reason);
	*ret_result = judge(b, &r, ret_why);
	return 0;
}

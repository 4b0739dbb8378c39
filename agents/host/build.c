/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/build.h"
#include "agents/host/folder.h"
#include "agents/host/tools.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/sysinfo.h>

/* Part of every output folder's name: to be raised when what is in them changes its meaning. */
#define LAYOUT "patchbay-out 1"

static const struct arch archs[] = {
	{"x86_64", "x86_64", "bzImage", "arch/x86/boot/bzImage", "arch/x86/boot/"},
};

static int read_params(struct build *b, struct error *e)
{
	const struct request *req = &b->a->req;
	const char *arch;
	int64_t seconds, silence;
	int r;

	if ((r = request_name(req, "tree", &b->tree, e)) ||
		(r = request_hex(req, "commit", 40, &b->commit, e)) ||
		(r = request_name(req, "config_base", &b->config_base, e)) ||
		(r = request_need(req, "arch", &arch, e)) ||
		(r = request_int(req, "seconds", 1, 7 * 86400, 7200, &seconds, e)) ||
		(r = request_int(req, "silence_seconds", 1, 7 * 86400, 900, &silence, e)) ||
		(r = request_int(req, "jobs", 0, 4096, 0, &b->jobs, e)))
		return r;
	if (!ends_with(b->config_base, "config"))
		return error_set(e, ERR_SYNTAX,
			"\"config_base\" is \"%s\", and must be one of make's config targets, like "
			"tinyconfig or defconfig",
			b->config_base);
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (streq(archs[i].name, arch))
			b->arch = &archs[i];
	if (!b->arch)
		return error_set(e, ERR_MISSING, "this agent cannot build for %.40s", arch);
	b->total_ms = seconds * 1000;
	b->silence_ms = silence * 1000;
	if (!b->jobs)
		b->jobs = MAX_OF(get_nprocs(), 1);
	b->owner = "";
	return request_get(req, "owner", NULL) ? request_name(req, "owner", &b->owner, e) : 0;
}

static void make_key(struct build *b)
{
	const char *const parts[] = {LAYOUT, b->tree, b->arch->name, b->compiler, b->config_base};
	char hex[SHA256_HEX];
	const char *fragment;
	struct sha256 h;

	sha256_init(&h);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		sha256_add(&h, parts[i], strlen(parts[i]) + 1);
	for (size_t i = 0; (fragment = request_nth(&b->a->req, "fragment", i)); i++)
		sha256_add(&h, fragment, strlen(fragment) + 1);
	sha256_hex(&h, hex);
	snprintf(b->key, sizeof(b->key), "%.24s", hex);
}

static int make_nonce(struct build *b, struct error *e)
{
	uint8_t raw[16];

	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return error_errno(e, "no random numbers");
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(b->nonce + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

static int find_self(struct build *b, struct error *e)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return error_errno(e, "cannot find the agent's own file");
	path[n] = '\0';
	b->self = xstrdup(path);
	return 0;
}

static int prepare(struct build *b, struct error *e)
{
	struct agent *a = b->a;
	struct sysinfo si;
	int r;

	if ((r = read_params(b, e)) || (r = tools_need(false, e)) ||
		(r = sandbox_try(&a->link, e)) || (r = make_nonce(b, e)) || (r = find_self(b, e)) ||
		(r = tool_version(&a->link, "gcc", &b->compiler, e)))
		return r;
	make_key(b);
	b->repo = xasprintf("%s/git/%s.git", a->root, b->tree);
	b->src = agent_path(a, "src", b->tree);
	b->out = agent_path(a, "out", b->key);
	b->obj = path_join(b->out, "obj");
	if (!file_exists(b->repo))
		return error_set(e, ERR_MISSING, "there is no %s; push the tree first", b->repo);
	if ((r = lease_lock(a, "build", e)) || (r = file_mkdirs(b->obj, 0700, e)))
		return r;
	if (sysinfo(&si))
		return error_errno(e, "cannot ask for the host's memory");
	cage_open(&b->cage, 1024 + 16 * b->jobs,
		(int64_t)((uint64_t)si.totalram * si.mem_unit / 10 * 8));
	b->start_ms = clock_mono_ms();
	return 0;
}

/* Checkout, config and compile; what of it was the code's or the lab's fault is in the result. */
static int run_stages(
	struct build *b, enum build_result *ret_result, struct error *ret_why, struct error *e)
{
	const char *targets[] = {b->arch->image_target, NULL, NULL};
	AUTO_FREE char *config = NULL;
	bool killed;
	int r;

	event_stage(&b->a->link, "checkout");
	if ((r = output_admit(b, &killed, e)) || (r = tree_checkout(b, killed, e)) ||
		(r = kconfig_prepare(b, ret_result, ret_why, e)))
		return r;
	if (*ret_result != BUILD_PASS)
		return output_settle(b, *ret_result, e);
	if ((r = folder_read(b->obj, ".config", BUILD_MAX_CONFIG, &config, NULL, e)))
		return r;
	if (strstr(config, "\nCONFIG_MODULES=y\n"))
		targets[1] = "modules";
	make_script(b, targets);
	event_stage(&b->a->link, "compile");
	r = make_run(b, targets, ret_result, ret_why, e);
	return r ? r : output_settle(b, *ret_result, e);
}

/* The image into ROOT/blobs, named by its hash, whole or not at all. */
static int keep_image(struct build *b, char *hex, char **ret_path, struct error *e)
{
	AUTO_FREE char *data = NULL;
	size_t len;
	int r = folder_read(b->obj, b->arch->image, 1UL << 30, &data, &len, e);

	return r ? r : agent_keep(b->a, data, len, hex, ret_path, e);
}

static int add_tools(struct build *b, struct strbuf *ev, struct error *e)
{
	static const char *const names[] = {"ld", "make", "bwrap", "flex", "bison"};
	int r = 0;

	jsonw_begin(ev, "tools", '{');
	jsonw_str(ev, "gcc", b->compiler);
	for (size_t i = 0; i < ARRAY_SIZE(names) && !r; i++) {
		AUTO_FREE char *version = NULL;

		r = tool_version(&b->a->link, names[i], &version, e);
		if (!r)
			jsonw_str(ev, names[i], version);
	}
	jsonw_end(ev, '}');
	return r;
}

/* What a passed build has made. */
static int add_results(struct build *b, struct strbuf *ev, struct error *e)
{
	char image[SHA256_HEX], code[SHA256_HEX];
	AUTO_FREE char *path = NULL;
	int r;

	event_stage(&b->a->link, "hash");
	if ((r = keep_image(b, image, &path, e)) || (r = code_hash(b, code, e)))
		return r;
	jsonw_str(ev, "image_sha256", image);
	jsonw_str(ev, "image", path);
	jsonw_str(ev, "code_sha256", code);
	return 0;
}

static int finish(
	struct build *b, enum build_result result, const struct error *why, struct error *e)
{
	static const char *const words[] = {"pass", "fail", "error"};
	AUTO_STRBUF struct strbuf ev, dropped;
	char config[SHA256_HEX];
	int r;

	strbuf_init(&ev, FRAME_MAX);
	strbuf_init(&dropped, 65536);
	event_begin(&ev, "end");
	jsonw_str(&ev, "status", words[result]);
	jsonw_str(&ev, "reason", result == BUILD_PASS ? NULL : why->msg);
	jsonw_num(&ev, "seconds", (double)b->make_ms / 1000);
	jsonw_str(&ev, "compiler", b->compiler);
	jsonw_str(&ev, "output", b->key);
	if (folder_has(b->obj, ".config")) {
		if ((r = kconfig_hash(b, config, e)) || (r = kconfig_dropped(b, &dropped, e)))
			return r;
		jsonw_str(&ev, "config_sha256", config);
		jsonw_raw(&ev, "dropped", dropped.buf);
	}
	if (result == BUILD_PASS && (r = add_results(b, &ev, e)))
		return r;
	if ((r = add_tools(b, &ev, e)))
		return r;
	event_send(&b->a->link, &ev);
	return 0;
}

static void build_init(struct build *b, struct agent *a)
{
	*b = (struct build){.a = a};
	strbuf_init(&b->line, 4096);
	strbuf_init(&b->errors, 32768);
	strbuf_init(&b->tail, 16384);
}

static void build_done(struct build *b)
{
	cage_close(&b->cage);
	strbuf_done(&b->line);
	strbuf_done(&b->errors);
	strbuf_done(&b->tail);
	free(b->repo);
	free(b->src);
	free(b->out);
	free(b->obj);
	free(b->compiler);
	free(b->self);
}

int agent_build(struct agent *a, struct error *e)
{
	CLEANUP(build_done) struct build b;
	enum build_result result = BUILD_PASS;
	struct error why = ERROR_INIT;
	int r;

	build_init(&b, a);
	if ((r = prepare(&b, e)) || (r = run_stages(&b, &result, &why, e)))
		return r;
	if (result != BUILD_ERROR && (r = diag_send(&b, result, e)))
		return r;
	return finish(&b, result, &why, e);
}

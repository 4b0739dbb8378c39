/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds struct facts by hand, so that tests of plan, verdict and report read as tables. */
#ifndef TESTS_MAKE_FACTS_H
#define TESTS_MAKE_FACTS_H

#include "daemon/store/facts.h"

#define PROFILE_TEXT                                                                             \
	"{\"name\":\"dma\",\"clocks\":{\"wall\":{\"pairs\":5,\"max_pairs\":20}},"                \
	"\"benchmarks\":[{\"run\":\"dma-map\",\"primary\":[\"dma-map.hugetlbfs.unmap_seconds\"," \
	"\"dma-map.hugetlbfs.map_seconds\"]}],\"thresholds\":{\"wall\":0.02}}"

static inline void add_job(struct facts *f, const char *kind, enum status status, int64_t start,
	int64_t end, int64_t tool_ms)
{
	struct fact_job *j;

	f->jobs = xreallocarray(f->jobs, f->n_jobs + 1, sizeof(*f->jobs));
	j = &f->jobs[f->n_jobs++];
	*j = (struct fact_job){.id = (int64_t)f->n_jobs,
		.kind = xstrdup(kind),
		.status = status,
		.started_ms = start,
		.ended_ms = end,
		.tool_ms = tool_ms,
		.attempt = 1};
}

/* A run just received. */
static inline struct facts *make_received(void)
{
	struct error e = ERROR_INIT;
	struct facts *f = facts_new();

	f->id = 3;
	f->run = 1;
	f->title = xstrdup("vfio/type1: unpin whole folios");
	f->version = 5;
	f->state = xstrdup("received");
	f->tree = xstrdup("debian-6.12");
	f->until = xstrdup("test");
	f->created_ms = 1000000;
	if (json_parse(PROFILE_TEXT, strlen(PROFILE_TEXT), &f->profile, &e) < 0)
		abort();
	return f;
}

/* Parsed and applied: n patches. */
static inline struct facts *make_applied(int n)
{
	struct facts *f = make_received();

	add_job(f, "parse", STATUS_PASS, 1000100, 1000200, 0);
	add_job(f, "apply", STATUS_PASS, 1000200, 1000500, 0);
	f->base_commit = xstrdup("ba5e000000000000000000000000000000000000");
	f->chosen_by = xstrdup("tip");
	f->patches = xcalloc((size_t)n, sizeof(*f->patches));
	f->n_patches = (size_t)n;
	for (int i = 0; i < n; i++)
		f->patches[i] = (struct fact_patch){.n = i + 1,
			.subject = xasprintf("vfio: step %d", i + 1),
			.author_name = xstrdup("A Developer"),
			.author_email = xstrdup("dev@example.org"),
			.commit = xasprintf("c0de%036d", i + 1),
			.how = xstrdup("exact")};
	return f;
}

/* A comparison of two commits, resolved: of one commit with itself where it is the same. */
static inline struct facts *make_resolved(bool same)
{
	struct facts *f = make_received();

	f->patched_text = xstrdup("topic");
	f->base_text = xstrdup("main");
	add_job(f, "resolve", STATUS_PASS, 1000100, 1000200, 0);
	f->base_commit = xstrdup("ba5e000000000000000000000000000000000000");
	f->chosen_by = xstrdup("option");
	f->patches = xcalloc(1, sizeof(*f->patches));
	f->n_patches = 1;
	f->patches[0] = (struct fact_patch){.n = 1,
		.subject = xstrdup("vfio: a step"),
		.author_name = xstrdup("A Developer"),
		.author_email = xstrdup("dev@example.org"),
		.commit = xstrdup(
			same ? f->base_commit : "c0de000000000000000000000000000000000001")};
	return f;
}

static inline struct fact_build *add_build(struct facts *f, int patch, enum status status)
{
	struct fact_build *b;

	f->builds = xreallocarray(f->builds, f->n_builds + 1, sizeof(*f->builds));
	b = &f->builds[f->n_builds++];
	*b = (struct fact_build){.patch = patch,
		.commit = xstrdup(patch ? f->patches[patch - 1].commit : f->base_commit),
		.arch = xstrdup("x86_64"),
		.status = status,
		.seconds = 9.5};
	if (status == STATUS_PASS) {
		b->config_sha256 = xstrdup("c0f1");
		b->code_sha256 = xasprintf("code%d", patch);
		b->image_sha256 = xasprintf("image%d", patch);
		b->compiler = xstrdup("gcc 12.2.0");
	}
	add_job(f, "build", status, 1001000 + 10000 * patch, 1010000 + 10000 * patch, 8800);
	b->job_id = (int64_t)f->n_jobs;
	return b;
}

static inline struct fact_finding make_finding(
	const char *kind, const char *file, int line, const char *message)
{
	return (struct fact_finding){.kind = xstrdup(kind),
		.file = xstrdup_null(file),
		.line = line,
		.message = xstrdup(message),
		.signature = file ? xasprintf("%s %s: %s", kind, file, message) : xstrdup(message),
		.excerpt = file ? xasprintf("%s:%d:3: %s: %s\n  %d |\tcode\n      |\t^~~~\n", file,
					  line, kind, message, line)
				: xasprintf("%s\nCPU: 0\n", message),
		.fatal = strcmp(kind, "error") == 0};
}

static inline void find_in_build(
	struct fact_build *b, const char *kind, const char *file, int line, const char *message)
{
	b->findings = xreallocarray(b->findings, b->n_findings + 1, sizeof(*b->findings));
	b->findings[b->n_findings++] = make_finding(kind, file, line, message);
}

static inline void find_in_boot(struct fact_boot *b, const char *signature)
{
	b->findings = xreallocarray(b->findings, b->n_findings + 1, sizeof(*b->findings));
	b->findings[b->n_findings++] = make_finding("kernel", NULL, 0, signature);
}

static inline void add_sample(struct fact_boot *b, const char *metric, double value)
{
	struct fact_sample *s;

	b->samples = xreallocarray(b->samples, b->n_samples + 1, sizeof(*b->samples));
	s = &b->samples[b->n_samples++];
	*s = (struct fact_sample){xstrdup(metric), value, cJSON_CreateObject()};
	json_set_int(s->params, "size_mib", 1024);
	json_set_num(s->params, "backing_coverage", 1.0);
	json_set(s->params, "iterations_ns", cJSON_CreateArray());
}

/* In a stream of its own choice. */
static inline struct fact_boot *add_stream_boot(struct facts *f, enum clock clock, const char *part,
	enum side side, enum boot_role role, int pair, enum status status)
{
	struct fact_boot *b;
	int n = (int)f->n_boots;

	f->boots = xreallocarray(f->boots, f->n_boots + 1, sizeof(*f->boots));
	b = &f->boots[f->n_boots++];
	*b = (struct fact_boot){.patch = side == SIDE_BASE ? 0 : (int)f->n_patches,
		.commit = xstrdup("c0de"),
		.side = side,
		.role = role,
		.clock = clock,
		.part = xstrdup(part),
		.pair = pair,
		.seed = pair,
		.machine = xstrdup("q35-vtd"),
		.status = status,
		.started_ms = 1100000 + 15000 * n,
		.boot_id = xasprintf("boot-%d", n),
		.accel = xstrdup("tcg"),
		.seconds = 14.2};
	if (status == STATUS_FAIL)
		b->reason = xstrdup("the kernel panicked: Attempted to kill init");
	add_job(f, "boot", status, b->started_ms, b->started_ms + 14500, 14200);
	b->job_id = (int64_t)f->n_jobs;
	return b;
}

static inline struct fact_boot *add_boot(
	struct facts *f, enum side side, enum boot_role role, int pair, enum status status)
{
	return add_stream_boot(f, CLOCK_WALL, "", side, role, pair, status);
}

/* Instead of what the profile says. */
static inline void set_profile(struct facts *f, const char *text)
{
	cJSON_Delete(f->profile);
	f->profile = NULL;
	if (json_parse(text, strlen(text), &f->profile, NULL) < 0)
		abort();
}

/* Everything built, each revision other code. */
static inline struct facts *make_built(int n)
{
	struct facts *f = make_applied(n);

	for (int i = 0; i <= n; i++)
		(void)add_build(f, i, STATUS_PASS);
	return f;
}

/* Pairs of passed boots that measured one metric. */
static inline void add_measured_pairs(
	struct facts *f, const char *metric, const double *base, const double *patched, int n)
{
	for (int i = 0; i < n; i++) {
		add_sample(add_boot(f, SIDE_BASE, BOOT_PAIR, i + 1, STATUS_PASS), metric, base[i]);
		add_sample(add_boot(f, SIDE_PATCHED, BOOT_PAIR, i + 1, STATUS_PASS), metric,
			patched[i]);
	}
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/facts.h"

static const char *const status_names[] = {
	[STATUS_QUEUED] = "queued",
	[STATUS_RUNNING] = "running",
	[STATUS_PASS] = "pass",
	[STATUS_FAIL] = "fail",
	[STATUS_ERROR] = "error",
	[STATUS_SKIP] = "skip",
	[STATUS_CANCELLED] = "cancelled",
};

const char *status_name(enum status s)
{
	return status_names[s];
}

int status_parse(const char *name, enum status *ret_status)
{
	for (size_t i = 0; i < ARRAY_SIZE(status_names); i++) {
		if (streq(name, status_names[i])) {
			*ret_status = (enum status)i;
			return 0;
		}
	}
	return ERR_SYNTAX;
}

static const char *const side_names[] = {[SIDE_BASE] = "base", [SIDE_PATCHED] = "patched"};
static const char *const clock_names[] = {[CLOCK_WALL] = "wall", [CLOCK_COUNTED] = "counted"};
static const char *const role_names[] = {
	[BOOT_PAIR] = "pair", [BOOT_EXTRA] = "extra", [BOOT_CANARY] = "canary"};

const char *side_name(enum side s)
{
	return side_names[s];
}

const char *clock_name(enum clock c)
{
	return clock_names[c];
}

const char *boot_role_name(enum boot_role r)
{
	return role_names[r];
}

static size_t find_name(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(names[i], name))
			return i;
	return 0;
}

enum side side_parse(const char *name)
{
	return (enum side)find_name(side_names, ARRAY_SIZE(side_names), name);
}

enum clock clock_parse(const char *name)
{
	return (enum clock)find_name(clock_names, ARRAY_SIZE(clock_names), name);
}

enum boot_role boot_role_parse(const char *name)
{
	return (enum boot_role)find_name(role_names, ARRAY_SIZE(role_names), name);
}

struct boot_stream stream_of(const struct fact_boot *b)
{
	return (struct boot_stream){b->clock, b->part ? b->part : ""};
}

bool stream_has(const struct boot_stream *s, const struct fact_boot *b)
{
	return !s || (s->clock == b->clock && streq(s->part, stream_of(b).part));
}

struct facts *facts_new(void)
{
	return xcalloc(1, sizeof(struct facts));
}

static void need_done(struct fact_need *n)
{
	free(n->because);
	for (size_t i = 0; i < n->n_commits; i++)
		free(n->commits[i]);
	free(n->commits);
}

static void conflict_free(struct fact_conflict *c)
{
	if (!c)
		return;
	free(c->file);
	free(c->expected);
	free(c->found);
	free(c->why);
	free(c);
}

static void patch_done(struct fact_patch *p)
{
	free(p->subject);
	free(p->author_name);
	free(p->author_email);
	free(p->message_id);
	free(p->commit);
	free(p->how);
	conflict_free(p->conflict);
}

static void findings_free(struct fact_finding *findings, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(findings[i].kind);
		free(findings[i].file);
		free(findings[i].function);
		free(findings[i].message);
		free(findings[i].option);
		free(findings[i].signature);
		free(findings[i].excerpt);
	}
	free(findings);
}

static void build_done(struct fact_build *b)
{
	free(b->commit);
	free(b->arch);
	free(b->reason);
	free(b->config_sha256);
	free(b->compiler);
	free(b->image_sha256);
	free(b->code_sha256);
	free(b->artifact);
	findings_free(b->findings, b->n_findings);
}

static void boot_done(struct fact_boot *b)
{
	free(b->commit);
	free(b->part);
	free(b->machine);
	free(b->reason);
	free(b->boot_id);
	free(b->image_sha256);
	free(b->accel);
	free(b->cmdline);
	free(b->last_line);
	findings_free(b->findings, b->n_findings);
	for (size_t i = 0; i < b->n_samples; i++) {
		free(b->samples[i].metric);
		cJSON_Delete(b->samples[i].params);
	}
	free(b->samples);
}

static void arrays_done(struct facts *f)
{
	for (size_t i = 0; i < f->n_needs; i++)
		need_done(&f->needs[i]);
	free(f->needs);
	for (size_t i = 0; i < f->n_patches; i++)
		patch_done(&f->patches[i]);
	free(f->patches);
	for (size_t i = 0; i < f->n_builds; i++)
		build_done(&f->builds[i]);
	free(f->builds);
	for (size_t i = 0; i < f->n_boots; i++)
		boot_done(&f->boots[i]);
	free(f->boots);
	for (size_t i = 0; i < f->n_jobs; i++) {
		free(f->jobs[i].kind);
		free(f->jobs[i].reason);
	}
	free(f->jobs);
}

struct facts *facts_free(struct facts *f)
{
	if (!f)
		return NULL;
	arrays_done(f);
	free(f->title);
	free(f->message_id);
	free(f->state);
	free(f->verdict);
	free(f->held);
	free(f->waits);
	free(f->tree);
	free(f->base_text);
	free(f->patched_text);
	free(f->base_commit);
	free(f->chosen_by);
	free(f->base_why);
	cJSON_Delete(f->candidates);
	cJSON_Delete(f->previous);
	cJSON_Delete(f->trailers);
	cJSON_Delete(f->prerequisites);
	free(f->until);
	cJSON_Delete(f->reasons);
	cJSON_Delete(f->profile);
	cJSON_Delete(f->environment);
	free(f);
	return NULL;
}

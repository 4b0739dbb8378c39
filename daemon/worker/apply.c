/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply: needs and then the series onto a base, in the bare repository itself;
 * docs/internals/worker-protocol.md.
 */
#include "daemon/worker/worker.h"

#include "base/file.h"
#include "patches/git/am.h"
#include "patches/mail/date.h"
#include "patches/mail/mbox.h"
#include "patches/series/series.h"

struct applying {
	struct job *job;
	struct repo *repo;
	cJSON *result;
	struct oid head; /* where the next patch goes */
};

/* The base, a need or the mailbox itself is not usable: the series is held with `why`. */
static int hold(struct applying *a, const struct error *e)
{
	json_set_str(a->result, "status", "base");
	json_set_str(a->result, "why", e->msg);
	return 0;
}

/* Of a mail, a patch or a base: anything else, such as an object that is missing (ERR_MISSING), is
 * no fault of what was sent. */
static bool is_input_fault(int r)
{
	return r == ERR_CONFLICT || r == ERR_SYNTAX || r == ERR_LIMIT;
}

/* The series of a mailbox that was found whole when it was parsed. */
static int read_series(
	const char *path, struct series_set *set, const struct series **ret_series, struct error *e)
{
	AUTO_FREE char *data = NULL;
	size_t len;
	int r = file_read(path, MBOX_MAX_BYTES, &data, &len, e);

	if (!r)
		r = series_set_read(set, data, len, e);
	return r ? r : series_set_only(set, ret_series, e);
}

static cJSON *conflict_json(const struct conflict *c)
{
	cJSON *json = cJSON_CreateObject();

	json_set_str(json, "file", c->file);
	json_set_int(json, "hunk", c->hunk);
	json_set_int(json, "line", c->line);
	json_set_str(json, "expected", c->expected);
	json_set_str(json, "found", c->found);
	json_set_str(json, "why", c->why);
	return json;
}

/* One patch onto a->head. ERR_CONFLICT leaves a->head alone and tells in *patch. */
static int apply_patch(
	struct applying *a, const struct series_patch *p, cJSON *patch, struct error *e)
{
	const struct message *m = p->message;
	struct am_patch am = {.info = {.author_name = m->author_name,
				      .author_email = m->author_email,
				      .subject = m->subject,
				      .body = m->body,
				      .body_len = m->body_len},
		.diff = m->diff,
		.diff_len = m->diff_len};
	struct conflict conflict = {0};
	struct oid commit;
	enum am_how how = AM_EXACT;
	char hex[OID_HEX];
	int r;

	json_set_int(patch, "n", p->n);
	json_set_str(patch, "commit", NULL);
	json_set_str(patch, "how", NULL);
	json_set(patch, "conflict", NULL);
	r = date_parse(m->date, &am.info.author_s, &am.info.author_offset_min);
	if (r) {
		r = error_set(e, ERR_CONFLICT, "its date cannot be read: \"%.100s\"", m->date);
		conflict = (struct conflict){.file = xstrdup(""),
			.expected = xstrdup(""),
			.found = xstrdup(""),
			.why = xstrdup(e->msg)};
	} else {
		r = am_apply(a->repo, &a->head, &am, &commit, &how, &conflict, e);
	}
	if (r == ERR_CONFLICT) {
		cJSON_ReplaceItemInObjectCaseSensitive(patch, "conflict", conflict_json(&conflict));
		conflict_done(&conflict);
	}
	if (r)
		return r;
	cJSON_ReplaceItemInObjectCaseSensitive(
		patch, "commit", cJSON_CreateString(oid_hex(&commit, hex)));
	cJSON_ReplaceItemInObjectCaseSensitive(patch, "how", cJSON_CreateString(am_how_name(how)));
	a->head = commit;
	return 0;
}

/* refs/patchbay/series/ID/N: what a series needs to live on. */
static int keep(struct applying *a, int64_t series, int n, struct error *e)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "refs/patchbay/series/%lld/%d", (long long)series, n);
	return repo_set_ref(a->repo, name, &a->head, e);
}

/* A series that this one stands on, wholly or not at all. ERR_CONFLICT with the reason. */
static int apply_need(struct applying *a, const cJSON *need, cJSON *commits, struct error *e)
{
	AUTO_SERIES_SET struct series_set set;
	const struct series *series;
	const char *mbox;
	int64_t id;
	int r;

	series_set_init(&set);
	r = json_need_str(need, "mbox", &mbox, e);
	if (!r)
		r = json_need_int(need, "id", 1, INT64_MAX, &id, e);
	if (r)
		return ERR_STATE;
	r = read_series(mbox, &set, &series, e);
	if (r)
		return is_input_fault(r)
			       ? error_prefix(e, "series %lld, which it needs", (long long)id)
			       : r;
	for (size_t i = 0; i < series->n_patches; i++) {
		AUTO_JSON cJSON *patch = cJSON_CreateObject();
		char hex[OID_HEX];

		r = apply_patch(a, &series->patches[i], patch, e);
		if (r && !is_input_fault(r))
			return r;
		if (r)
			return error_prefix(e,
				"series %lld, which it needs, does not apply: patch %d/%d "
				"(\"%.80s\")",
				(long long)id, series->patches[i].n, series->total,
				series->patches[i].message->subject);
		cJSON_AddItemToArray(commits, cJSON_CreateString(oid_hex(&a->head, hex)));
	}
	return 0;
}

static int apply_needs(struct applying *a, cJSON *list, struct error *e)
{
	const cJSON *needs = json_get(a->job->doc, "needs");
	const cJSON *need;
	int r;

	json_for_each (need, needs) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddItemToArray(list, item);
		json_set_int(item, "id", json_int(need, "id", 0));
		r = apply_need(a, need, json_add_array(item, "commits"), e);
		if (r)
			return r;
	}
	return 0;
}

/* What was asked for, else what the mails say, else the tree's tip. */
static int choose_base(struct applying *a, const struct series *series, struct error *e)
{
	const char *tip;
	const char *base = json_str(a->job->doc, "base", NULL);
	const char *by = "option";
	struct error unknown = ERROR_INIT;
	char hex[OID_HEX];
	int r = json_need_str(a->job->doc, "tip", &tip, e);

	if (r)
		return ERR_STATE;
	if (!base && series->base_commit &&
		repo_commit(a->repo, series->base_commit, &a->head, &unknown) == 0) {
		base = series->base_commit;
		by = "base-commit";
	}
	if (!base) {
		base = tip;
		by = "tip";
	}
	r = repo_commit(a->repo, base, &a->head, e);
	if (r == ERR_MISSING && base != tip) {
		e->code = ERR_CONFLICT; /* nobody has to have what was asked for */
		return ERR_CONFLICT;
	}
	if (r)
		return r;
	json_set_str(a->result, "base", oid_hex(&a->head, hex));
	json_set_str(a->result, "chosen_by", by);
	return 0;
}

/* The patches in order, up to the first that does not apply. */
static int apply_series(
	struct applying *a, const struct series *series, int64_t id, struct error *e)
{
	cJSON *patches = json_add_array(a->result, "patches");
	int r = keep(a, id, 0, e);

	for (size_t i = 0; i < series->n_patches && !r; i++) {
		cJSON *patch = cJSON_CreateObject();

		cJSON_AddItemToArray(patches, patch);
		worker_progress(a->job, (int64_t)i, (int64_t)series->n_patches, "%s",
			series->patches[i].message->subject);
		r = apply_patch(a, &series->patches[i], patch, e);
		if (!r)
			r = keep(a, id, series->patches[i].n, e);
	}
	/* A patch that asks for what the lab does not make, such as a folder too large. */
	if (r == ERR_SYNTAX || r == ERR_LIMIT) {
		(void)error_prefix(
			e, "patch %d of %zu", cJSON_GetArraySize(patches), series->n_patches);
		cJSON_DeleteItemFromObjectCaseSensitive(a->result, "patches");
		return hold(a, e);
	}
	if (r && r != ERR_CONFLICT)
		return r;
	json_set_str(a->result, "status", r ? "conflict" : "applied");
	if (r)
		worker_fail(a->job, "%s", e->msg);
	return 0;
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	AUTO_SERIES_SET struct series_set set;
	AUTO_REPO struct repo *repo = NULL;
	struct applying a = {.job = job, .result = result};
	const struct series *series;
	const char *path;
	const char *mbox;
	int64_t id;
	int r;

	series_set_init(&set);
	r = json_need_str(job->doc, "repo", &path, e);
	if (!r)
		r = json_need_str(job->doc, "mbox", &mbox, e);
	if (!r)
		r = json_need_int(job->doc, "series", 1, INT64_MAX, &id, e);
	if (!r)
		r = repo_open(path, &repo, e);
	if (r)
		return r;
	a.repo = repo;
	r = read_series(mbox, &set, &series, e);
	if (!r)
		r = choose_base(&a, series, e);
	if (!r)
		r = apply_needs(&a, json_add_array(result, "needs"), e);
	if (r)
		return is_input_fault(r) ? hold(&a, e) : r;
	return apply_series(&a, series, id, e);
}

const struct worker_ops worker_apply = {"apply", run};

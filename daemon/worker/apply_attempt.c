/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The needs and then the series onto one commit. */
#include "daemon/worker/apply.h"

#include "patches/git/am.h"
#include "patches/git/staging.h"
#include "patches/mail/date.h"

void attempt_done(struct attempt *t)
{
	cJSON_Delete(t->needs);
	cJSON_Delete(t->patches);
	free(t->why);
	*t = (struct attempt){0};
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

/* One patch onto *head, which moves on. ERR_CONFLICT leaves it alone and tells in *patch. */
static int apply_patch(struct repo *repo, struct oid *head, const struct series_patch *p,
	cJSON *patch, struct error *e)
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
		r = am_apply(repo, head, &am, head, &how, &conflict, e);
		if (!r)
			r = staging_trim(repo, e);
	}
	if (r == ERR_CONFLICT) {
		json_set(patch, "conflict", conflict_json(&conflict));
		conflict_done(&conflict);
	}
	if (r)
		return r;
	json_set_str(patch, "commit", oid_hex(head, hex));
	json_set_str(patch, "how", am_how_name(how));
	return 0;
}

static int apply_need(struct attempt *t, const struct stacked *need, struct error *e)
{
	struct repo *repo = t->place->repo;
	cJSON *item = cJSON_CreateObject();
	cJSON *commits;
	char hex[OID_HEX];

	cJSON_AddItemToArray(t->needs, item);
	json_set_int(item, "id", need->id);
	commits = json_add_array(item, "commits");
	for (size_t i = 0; i < need->series->n_patches; i++) {
		const struct series_patch *p = &need->series->patches[i];
		AUTO_JSON cJSON *patch = cJSON_CreateObject();
		struct error why = ERROR_INIT;
		int r = apply_patch(repo, &t->start, p, patch, &why);

		if (r && !is_input_fault(r)) {
			*e = why;
			return r;
		}
		if (r) {
			t->status = ATTEMPT_UNUSABLE;
			t->why = xasprintf("series %lld, which it needs, does not apply: patch "
					   "%d/%d (\"%.80s\"): %s",
				(long long)need->id, p->n, need->series->total, p->message->subject,
				why.msg);
			return 0;
		}
		json_push_str(commits, oid_hex(&t->start, hex));
	}
	return 0;
}

/* The patches in order, up to the first that does not apply. */
static int apply_series(
	struct attempt *t, struct job *job, const struct series *series, struct error *e)
{
	struct oid head = t->start;

	for (size_t i = 0; i < series->n_patches; i++) {
		const struct series_patch *p = &series->patches[i];
		cJSON *patch = cJSON_CreateObject();
		struct error why = ERROR_INIT;
		int r;

		cJSON_AddItemToArray(t->patches, patch);
		worker_progress(
			job, (int64_t)i, (int64_t)series->n_patches, "%s", p->message->subject);
		r = apply_patch(t->place->repo, &head, p, patch, &why);
		if (r && !is_input_fault(r)) {
			*e = why;
			return r;
		}
		if (r) {
			/* Not a conflict: it asks for what the lab does not make, such as a folder
			 * that is too large. */
			t->status = r == ERR_CONFLICT ? ATTEMPT_CONFLICT : ATTEMPT_UNUSABLE;
			t->why = xasprintf("patch %d of %zu does not apply: %s", p->n,
				series->n_patches, why.msg);
			return 0;
		}
	}
	t->status = ATTEMPT_APPLIED;
	return 0;
}

int attempt_run(const struct applying *a, const struct place *place, const struct oid *base,
	struct attempt *ret, struct error *e)
{
	AUTO_ATTEMPT struct attempt t = {.place = place,
		.base = *base,
		.start = *base,
		.needs = cJSON_CreateArray(),
		.patches = cJSON_CreateArray()};
	int r = 0;

	/* What an attempt before this one made is of no use. */
	staging_drop(place->repo);
	for (size_t i = 0; i < a->n_needs && !r && t.status == ATTEMPT_NONE; i++)
		r = apply_need(&t, &a->needs[i], e);
	if (!r && t.status == ATTEMPT_NONE)
		r = apply_series(&t, a->job, a->own.series, e);
	if (r)
		return r;
	*ret = t;
	t = (struct attempt){0};
	return 0;
}

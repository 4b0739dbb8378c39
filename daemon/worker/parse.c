/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse: a mailbox to what was understood of it. The result is what `patchbay parse --json` prints;
 * docs/internals/worker-protocol.md.
 */
#include "daemon/worker/changes.h"
#include "daemon/worker/worker.h"

#include "base/file.h"
#include "patches/git/diff.h"
#include "patches/git/patchid.h"
#include "patches/mail/mbox.h"
#include "patches/series/series.h"

#define MAX_ANSWERS 20

static cJSON *files_json(const struct diff *d)
{
	cJSON *files = cJSON_CreateArray();

	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];

		if (f->old_name && f->new_name && !f->is_copy && !streq(f->old_name, f->new_name))
			json_push_str(files, f->old_name);
		json_push_str(files, diff_file_name(f));
	}
	return files;
}

#define MAX_RESULT (WORKER_MAX_EVENT - 4096) /* bytes; the event has a few more */

/* A patch whose diff cannot be taken apart holds its series, unless something else did already. */
static cJSON *patch_json(const struct series_patch *p, char **held, int total)
{
	const struct message *m = p->message;
	AUTO_DIFF struct diff *diff = NULL;
	cJSON *patch = cJSON_CreateObject();
	cJSON *author;
	char id[PATCH_ID_HEX];
	struct error e = ERROR_INIT;

	if (diff_parse(m->diff, m->diff_len, &diff, &e) && !*held)
		*held = xasprintf("patch %d/%d cannot be used: %s", p->n, total, e.msg);
	json_set_int(patch, "n", p->n);
	json_set_str(patch, "subject", m->subject);
	author = json_add_object(patch, "author");
	json_set_str(author, "name", m->author_name);
	json_set_str(author, "email", m->author_email);
	json_set_str(patch, "date", m->date);
	json_set_str(patch, "message_id", m->message_id);
	json_set_str(patch, "body", m->body);
	json_set_str(patch, "patch_id", patch_id(m->diff, m->diff_len, true, id) ? id : NULL);
	json_set_str(
		patch, "patch_id_unstable", patch_id(m->diff, m->diff_len, false, id) ? id : NULL);
	json_set_int(patch, "version", p->version);
	json_set(patch, "files", diff ? files_json(diff) : cJSON_CreateArray());
	return patch;
}

static void add_prerequisites(const struct series *s, cJSON *series)
{
	cJSON *list = json_add_array(series, "prerequisites");

	for (size_t i = 0; i < s->n_prerequisites; i++) {
		cJSON *p = cJSON_CreateObject();

		json_set_str(p, "kind", prerequisite_name(s->prerequisites[i].kind));
		json_set_str(p, "value", s->prerequisites[i].value);
		cJSON_AddItemToArray(list, p);
	}
}

/* null where it is not here. */
static void add_previous(const struct series *s, cJSON *series)
{
	if (s->previous)
		changes_add_previous(s->previous, s, json_add_object(series, "previous"));
	else
		json_set(series, "previous", NULL);
}

/* The mails that it answers, the nearest first: another series may be among them. */
static void add_answers(const struct message *m, cJSON *series)
{
	cJSON *list = json_add_array(series, "answers");

	for (size_t i = 0; i < m->n_references && i < MAX_ANSWERS; i++)
		json_push_str(list, m->references[i]);
}

static cJSON *series_json(const struct series *s, char **ret_held)
{
	AUTO_FREE char *held = xstrdup_null(s->held);
	cJSON *series = cJSON_CreateObject();
	cJSON *patches = cJSON_CreateArray();

	for (size_t i = 0; i < s->n_patches; i++)
		cJSON_AddItemToArray(patches, patch_json(&s->patches[i], &held, s->total));
	json_set_str(series, "title", s->title);
	json_set_int(series, "version", s->version);
	json_set_int(series, "total", s->total);
	json_set_bool(series, "complete", s->complete);
	json_set_str(series, "held", held);
	if (s->cover)
		json_set_str(json_add_object(series, "cover"), "message_id", s->cover->message_id);
	else
		json_set(series, "cover", NULL);
	json_set_str(series, "message_id", s->top->message_id);
	json_set_str(series, "sender", s->top->sender_email);
	add_answers(s->top, series);
	json_set_bool(series, "rfc", s->rfc);
	json_set_bool(series, "resend", s->resend);
	json_set_int(series, "replies", (int64_t)s->n_replies);
	json_set_str(series, "base_commit", s->base_commit);
	json_set_str(series, "change_id", s->change_id);
	add_prerequisites(s, series);
	json_set(series, "trailers", trailers_json(s));
	add_previous(s, series);
	json_set(series, "patches", patches);
	*ret_held = steal_ptr(held);
	return series;
}

static void set_to_json(const struct series_set *set, cJSON *result)
{
	AUTO_FREE char *held = NULL;
	const struct series *only = NULL;
	cJSON *series = json_add_array(result, "series");
	cJSON *ignored = json_add_array(result, "ignored");
	struct error e = ERROR_INIT;

	if (series_set_only(set, &only, &e))
		held = xstrdup(e.msg);
	for (size_t i = 0; i < set->n_series; i++) {
		AUTO_FREE char *why = NULL;

		cJSON_AddItemToArray(series, series_json(&set->series[i], &why));
		if (&set->series[i] == only)
			held = steal_ptr(why);
	}
	for (size_t i = 0; i < set->n_ignored; i++) {
		cJSON *item = cJSON_CreateObject();

		json_set_str(item, "message_id", set->ignored[i].message_id);
		json_set_str(item, "kind", ignored_name(set->ignored[i].kind));
		json_set_str(item, "why", set->ignored[i].why);
		cJSON_AddItemToArray(ignored, item);
	}
	json_set(result, "submission",
		only ? cJSON_CreateNumber((double)(only - set->series)) : NULL);
	json_set_str(result, "held", held);
}

/* Nothing that can be used was understood of it. */
static void refuse(struct job *job, cJSON *result, const char *why)
{
	json_set(result, "series", cJSON_CreateArray());
	json_set(result, "ignored", cJSON_CreateArray());
	json_set(result, "submission", NULL);
	json_set_str(result, "held", why);
	worker_fail(job, "%s", why);
}

static bool fits(const cJSON *result)
{
	AUTO_FREE char *text = json_text(result);

	return strlen(text) < MAX_RESULT;
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	AUTO_SERIES_SET struct series_set set;
	AUTO_FREE char *data = NULL;
	const char *path;
	size_t len;
	int r;

	series_set_init(&set);
	r = json_need_str(job->doc, "mbox", &path, e);
	if (r)
		return r;
	r = file_read(path, MBOX_MAX_BYTES, &data, &len, e);
	if (!r)
		r = series_set_read(&set, data, len, e);
	if (r && !is_input_fault(r))
		return r;
	if (r) {
		refuse(job, result, e->msg);
		return 0;
	}
	set_to_json(&set, result);
	if (!fits(result))
		refuse(job, result,
			"its mails hold more than 8 MiB of text besides the patches: send the "
			"series in parts");
	return 0;
}

const struct worker_ops worker_parse = {"parse", run};

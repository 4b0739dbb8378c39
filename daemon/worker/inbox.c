/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inbox: what a mailing-list archive took in since the last visit, as series;
 * docs/internals/worker-protocol.md, docs/internals/inbox.md.
 */
#include "daemon/worker/changes.h"
#include "daemon/worker/worker.h"

#include "base/file.h"
#include "base/sha256.h"
#include "patches/inbox/archive.h"
#include "patches/inbox/filter.h"
#include "patches/mail/mbox.h"

/* One visit: memory, time and the `end` event stay small however much there is to catch up with. */
#define VISIT_MAX_MAILS 2000
#define VISIT_MAX_BYTES ((size_t)64 << 20)
#define VISIT_MAX_NEW 400 /* new mails with a patch or a cover letter */
#define VISIT_MAX_ASKS 4000 /* mails that are not here and are answered */
#define SERIES_MAX_BYTES ((size_t)32 << 20) /* as of what is submitted */

struct inbox {
	struct job *job;
	struct inbox_filter filter;
	struct mails mails;
	cJSON *taken_back; /* message ids */
	size_t n_seen; /* mails of the archive */
	size_t n_kept;
	size_t bytes;
	size_t n_files; /* written */
};

static void inbox_done(struct inbox *in)
{
	free((void *)in->filter.paths.words);
	free((void *)in->filter.lists.words);
	free((void *)in->filter.allow.words);
	free((void *)in->filter.trust.words);
	mails_done(&in->mails);
}

static void note(struct inbox *in, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A line of the job's log. That it is full is no reason to end. */
static void note(struct inbox *in, const char *fmt, ...)
{
	char line[1200];
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	n = strlen(line);
	line[n++] = '\n';
	(void)worker_log(in->job, line, n, NULL);
}

/* Strings stay the document's. */
static int read_words(const cJSON *doc, const char *key, struct words *ret_words, struct error *e)
{
	const cJSON *list = json_get(doc, key);
	const char **words = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*words));
	const cJSON *item;

	ret_words->words = words;
	json_for_each (item, list) {
		if (!cJSON_IsString(item))
			return error_set(e, ERR_SYNTAX, "\"%s\" has to be a list of strings", key);
		words[ret_words->n++] = cJSON_GetStringValue(item);
	}
	return 0;
}

static int read_positions(const cJSON *doc, struct archive *a, struct error *e)
{
	const cJSON *item;

	json_for_each (item, json_get(doc, "positions")) {
		struct archive_position at = {0};
		const char *commit = json_str(item, "commit", NULL);
		int64_t epoch;
		int r = json_need_int(item, "epoch", 0, EPOCH_MAX, &epoch, e);

		if (!r && commit && oid_parse(commit, &at.last))
			r = error_set(e, ERR_SYNTAX, "\"%.60s\" is no commit", commit);
		if (r)
			return r;
		at.epoch = (int)epoch;
		a->positions =
			xreallocarray(a->positions, a->n_positions + 1, sizeof(*a->positions));
		a->positions[a->n_positions++] = at;
	}
	return 0;
}

/* Series of earlier visits that lack mails. */
static int read_open(struct inbox *in, struct error *e)
{
	const cJSON *item;

	json_for_each (item, json_get(in->job->doc, "open")) {
		AUTO_FREE char *data = NULL;
		const char *path;
		int64_t part;
		size_t len;
		int r = json_need_int(item, "part", 1, INT64_MAX, &part, e);

		if (!r)
			r = json_need_str(item, "mbox", &path, e);
		if (!r)
			r = file_read(path, MBOX_MAX_BYTES, &data, &len, e);
		if (!r)
			r = mails_add_mbox(&in->mails, data, len, part, e);
		if (r)
			return r;
	}
	return 0;
}

/* What is not for the lists that are wanted is not even parsed. */
static int on_mail(const struct archive_mail *mail, void *data)
{
	struct inbox *in = data;
	char hex[OID_HEX];
	struct error e = ERROR_INIT;
	size_t before = in->mails.n;

	in->n_seen++;
	if (!mail->data) {
		note(in, "%s: %s", oid_hex(&mail->commit, hex), mail->why);
	} else if (mail->taken_back) {
		AUTO_FREE char *id = message_find_id(mail->data, mail->len);

		note(in, "%s: the archive took %s back", oid_hex(&mail->commit, hex),
			id ? id : "a mail without message id");
		if (id) {
			mails_take_back(&in->mails, id);
			json_push_str(in->taken_back, id);
		}
	} else if (filter_has_list(&in->filter.lists, mail->data, mail->len)) {
		in->bytes += mail->len;
		if (mails_add_mbox(&in->mails, mail->data, mail->len, 0, &e))
			note(in, "%s: %s", oid_hex(&mail->commit, hex), e.msg);
		in->n_kept += in->mails.n > before;
	}
	if (in->n_seen % 100 == 0)
		worker_progress(in->job, (int64_t)in->n_seen, -1, "reading mails");
	return in->n_seen >= VISIT_MAX_MAILS || in->n_kept >= VISIT_MAX_NEW ||
	       in->bytes >= VISIT_MAX_BYTES || cJSON_GetArraySize(in->taken_back) >= VISIT_MAX_NEW;
}

static void on_fetch(const char *what, int64_t done, int64_t total, void *data)
{
	worker_progress(data, done, total, "%s", what);
}

/* Which open series its mails are from, and how many of them are new. What a partial reroll took
 * from the version before is that one's. */
static size_t list_parts(const struct inbox *in, const struct series *s, cJSON *parts, cJSON *ids)
{
	size_t n, n_new = 0;
	AUTO_FREE const struct message **all = series_own_messages(s, &n);

	for (size_t i = 0; i < n; i++) {
		const struct mails_raw *raw = mails_raw_of(&in->mails, all[i]);
		const cJSON *item;
		bool listed = false;

		if (raw->part == 0) {
			n_new++;
			if (i < n - s->n_replies)
				json_push_str(ids, all[i]->message_id);
			continue;
		}
		json_for_each (item, parts)
			listed |= (int64_t)item->valuedouble == raw->part;
		if (!listed)
			cJSON_AddItemToArray(parts, cJSON_CreateNumber((double)raw->part));
	}
	return n_new;
}

/* How many of the parts the job says this of. */
static int count_parts(const struct inbox *in, const cJSON *parts, const char *what)
{
	const cJSON *part, *item;
	int n = 0;

	json_for_each (part, parts)
		json_for_each (item, json_get(in->job->doc, "open"))
			n += json_int(item, "part", 0) == (int64_t)part->valuedouble &&
			     json_bool(item, what, false);
	return n;
}

/* A series into a file of its own, on disk, named in the result. */
static int write_series(struct inbox *in, const struct series *s, cJSON *item, struct error *e)
{
	AUTO_STRBUF struct strbuf mbox;
	AUTO_FREE char *name = xasprintf("series-%zu.mbox", ++in->n_files);
	AUTO_FREE char *path = worker_path(in->job, name);
	char sha256[SHA256_HEX];
	int r;

	strbuf_init(&mbox, SERIES_MAX_BYTES);
	r = mails_write(&in->mails, s, &mbox, e);
	if (r)
		return r;
	sha256_of(mbox.buf, mbox.len, sha256);
	json_set_str(item, "mbox", path);
	json_set_str(item, "sha256", sha256);
	json_set_int(item, "size", (int64_t)mbox.len);
	return file_write_atomic(path, mbox.buf, mbox.len, 0600, e);
}

static int tell_series(struct inbox *in, const struct series *s, cJSON *list, struct error *e)
{
	AUTO_JSON cJSON *item = cJSON_CreateObject();
	AUTO_FREE char *why = NULL;
	struct error over = ERROR_INIT;
	cJSON *parts = json_add_array(item, "parts");
	cJSON *ids = json_add_array(item, "message_ids");
	size_t n_new;
	bool complete;
	bool only_replies;
	int r;

	n_new = list_parts(in, s, parts, ids);
	complete = s->complete && (!s->loose || (n_new == 0 && count_parts(in, parts, "settled") ==
								       cJSON_GetArraySize(parts)));
	/* One that was over is here for what answers it: replies, or a version with parts of it. */
	only_replies = count_parts(in, parts, "recalled") > 0 && cJSON_GetArraySize(ids) == 0;
	if (n_new == 0 && ((cJSON_GetArraySize(parts) < 2 && !complete) || only_replies))
		return 0;
	json_set_str(item, "title", s->title);
	json_set_bool(item, "complete", complete);
	json_set_bool(item, "loose", s->complete && !complete);
	json_set_bool(item, "wanted", filter_has_path(&in->filter.paths, s));
	json_set_bool(item, "may_run", filter_may_run(&in->filter, &in->mails, s, &why));
	json_set_str(item, "why", why);
	json_set_bool(item, "only_replies", only_replies);
	if (only_replies)
		json_set(item, "trailers", trailers_json(s));
	r = write_series(in, s, item, &over);
	if (r == ERR_LIMIT) {
		note(in, "%s", over.msg);
		return 0;
	}
	if (r)
		return error_set(e, r, "%s", over.msg);
	cJSON_AddItemToArray(list, steal_ptr(item));
	return 0;
}

static bool is_here(const struct inbox *in, const char *message_id)
{
	for (size_t i = 0; i < in->mails.n; i++)
		if (streq(in->mails.set.messages[i]->message_id, message_id))
			return true;
	return false;
}

/* Mails of series that need nothing more. */
static bool *find_placed(const struct inbox *in)
{
	const struct series_set *set = &in->mails.set;
	bool *placed = xcalloc(in->mails.n + 1, sizeof(*placed));

	for (size_t i = 0; i < set->n_series; i++) {
		size_t n;
		AUTO_FREE const struct message **all = series_messages(&set->series[i], &n);

		if (!set->series[i].complete || set->series[i].loose)
			continue;
		for (size_t j = 0; j < n; j++)
			placed[mails_raw_of(&in->mails, all[j]) - in->mails.raw] = true;
	}
	return placed;
}

static bool is_asked(const cJSON *asks, const char *message_id)
{
	const cJSON *item;

	json_for_each (item, asks)
		if (streq(item->valuestring, message_id))
			return true;
	return false;
}

/*
 * What new mails answer that belong to no series here, or to half a one: if the lab knows it, it
 * comes along the next time. The nearest, and the first of the thread, which is a cover letter.
 */
static void tell_asks(const struct inbox *in, cJSON *asks)
{
	AUTO_FREE bool *placed = find_placed(in);

	for (size_t i = 0; i < in->mails.n; i++) {
		const struct message *m = in->mails.set.messages[i];
		size_t n = m->n_references;

		if (in->mails.raw[i].part || placed[i])
			continue;
		for (size_t r = 0; r < n; r += MAX_OF(n - 1, (size_t)1))
			if (!is_here(in, m->references[r]) &&
				strlen(m->references[r]) <= MAILS_MAX_ID &&
				cJSON_GetArraySize(asks) < VISIT_MAX_ASKS &&
				!is_asked(asks, m->references[r]))
				json_push_str(asks, m->references[r]);
	}
}

static int tell(struct inbox *in, const struct archive *a, cJSON *result, struct error *e)
{
	const struct series_set *set = &in->mails.set;
	cJSON *positions = json_add_array(result, "positions");
	cJSON *series = json_add_array(result, "series");
	int r = 0;

	for (size_t i = 0; i < a->n_positions; i++) {
		cJSON *item = cJSON_CreateObject();
		char hex[OID_HEX];

		cJSON_AddItemToArray(positions, item);
		json_set_int(item, "epoch", a->positions[i].epoch);
		json_set_str(item, "commit",
			oid_is_null(&a->positions[i].last) ? NULL
							   : oid_hex(&a->positions[i].last, hex));
	}
	json_set_bool(result, "more", a->more);
	json_set_bool(result, "rewritten", a->rewritten);
	json_set_int(result, "mails", (int64_t)in->n_seen);
	tell_asks(in, json_add_array(result, "asks"));
	for (size_t i = 0; i < set->n_ignored; i++)
		note(in, "%s: %s",
			set->ignored[i].message_id ? set->ignored[i].message_id : "a mail",
			set->ignored[i].why);
	for (size_t i = 0; i < set->n_series && !r; i++)
		r = tell_series(in, &set->series[i], series, e);
	return r;
}

static int read_job(struct inbox *in, struct archive *a, struct error *e)
{
	const cJSON *doc = in->job->doc;
	int r = json_need_str(doc, "address", &a->address, e);

	if (!r)
		r = json_need_str(doc, "folder", &a->folder, e);
	if (!r)
		r = json_need_int(doc, "since", INT64_MIN / 2, INT64_MAX / 2, &a->since_s, e);
	if (!r)
		r = read_words(doc, "paths", &in->filter.paths, e);
	if (!r)
		r = read_words(doc, "lists", &in->filter.lists, e);
	if (!r)
		r = read_words(doc, "allow", &in->filter.allow, e);
	if (!r)
		r = read_words(doc, "trust", &in->filter.trust, e);
	if (!r)
		r = read_positions(doc, a, e);
	return r ? r : read_open(in, e);
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	CLEANUP(inbox_done) struct inbox in = {.job = job};
	const struct import import = {.cache = job->cache, .progress = on_fetch, .data = job};
	CLEANUP(archive_done) struct archive a = {.in = &import};
	int r;

	mails_init(&in.mails);
	in.taken_back = json_add_array(result, "taken_back");
	r = read_job(&in, &a, e);
	if (!r)
		r = archive_follow(&a, on_mail, &in, e);
	if (r)
		return r;
	mails_assemble(&in.mails);
	return tell(&in, &a, result, e);
}

const struct worker_ops worker_inbox = {"inbox", run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fetch: the mails of a series that was named: by a message id or an address, from an archive over
 * HTTP, or as a range of a tree's commits. docs/internals/worker-protocol.md.
 */
#include "daemon/worker/worker.h"

#include "base/file.h"
#include "base/sha256.h"
#include "patches/git/export.h"
#include "patches/inbox/http.h"
#include "patches/inbox/lore.h"
#include "patches/inbox/mails.h"
#include "patches/mail/mbox.h"

#define FETCH_MAX_BYTES ((size_t)32 << 20) /* as of what is submitted; packed and unpacked */

/* In a file of its own, on disk, named in the result. */
static int give(struct job *job, const struct strbuf *mbox, cJSON *result, struct error *e)
{
	AUTO_FREE char *path = worker_path(job, "mbox");
	char sha256[SHA256_HEX];

	sha256_of(mbox->buf, mbox->len, sha256);
	json_set_str(result, "mbox", path);
	json_set_str(result, "sha256", sha256);
	json_set_int(result, "size", (int64_t)mbox->len);
	return file_write_atomic(path, mbox->buf, mbox->len, 0600, e);
}

static bool has_mail(const struct series *s, const char *id)
{
	size_t n;
	AUTO_FREE const struct message **all = series_messages(s, &n);

	for (size_t i = 0; i < n; i++)
		if (streq(all[i]->message_id, id))
			return true;
	return false;
}

/* Of a thread, the series that the mail belongs to; ERR_CONFLICT: it belongs to none. */
static int choose(
	const struct mails *m, const char *id, const struct series **ret_series, struct error *e)
{
	const char *why = NULL;

	for (size_t i = 0; i < m->set.n_series; i++) {
		if (!has_mail(&m->set.series[i], id))
			continue;
		*ret_series = &m->set.series[i];
		return 0;
	}
	for (size_t i = 0; i < m->set.n_ignored && !why; i++)
		if (streq(m->set.ignored[i].message_id, id))
			why = m->set.ignored[i].why;
	return error_set(e, ERR_CONFLICT, "mail %.300s belongs to no patch series: %s", id,
		why ? why : "it is not in its own thread");
}

static int fetch_thread(
	struct job *job, const char *address, const char *id, cJSON *result, struct error *e)
{
	AUTO_STRBUF struct strbuf packed;
	AUTO_STRBUF struct strbuf plain;
	AUTO_STRBUF struct strbuf mbox;
	AUTO_MAILS struct mails mails;
	const struct series *series = NULL;
	long status;
	int r;

	strbuf_init(&packed, FETCH_MAX_BYTES);
	strbuf_init(&plain, FETCH_MAX_BYTES);
	strbuf_init(&mbox, FETCH_MAX_BYTES);
	mails_init(&mails);
	worker_progress(job, 0, -1, "fetching %.500s", address);
	r = http_get(address, &packed, &status, e);
	if (r)
		return r;
	if (status == 404 || status == 410)
		return error_set(e, ERR_CONFLICT,
			"there is no mail %.300s at %.500s: is the message id right, and is it "
			"public yet?",
			id, address);
	if (status != 200)
		return error_set(e, ERR_LINK,
			"%.500s answers with status %ld: try again later, or send the mails as a "
			"file",
			address, status);
	r = http_unpack(packed.buf, packed.len, &plain, e);
	if (!r)
		r = mails_add_mbox(&mails, plain.buf, plain.len, 0, e);
	if (r)
		return error_prefix(e, "%.500s", address);
	mails_assemble(&mails);
	r = choose(&mails, id, &series, e);
	if (!r)
		r = mails_write(&mails, series, &mbox, e);
	return r ? r : give(job, &mbox, result, e);
}

/* A lab is no means to ask other hosts than its archives' for something. */
static int check_host(const struct job *job, const char *url, struct error *e)
{
	const char *archive = json_str(job->doc, "archive", "");
	const cJSON *item;

	if (http_same_host(url, archive))
		return 0;
	json_for_each (item, json_get(job->doc, "archives"))
		if (http_same_host(url, json_str(item, "address", "")))
			return 0;
	return error_set(e, ERR_CONFLICT,
		"%.300s is on no host that this lab fetches mail from: those are %.300s and the "
		"archives it follows; archives.yaml names them",
		url, archive);
}

static int fetch_url(struct job *job, const char *url, cJSON *result, struct error *e)
{
	AUTO_FREE char *address = NULL;
	AUTO_FREE char *id = NULL;
	int r = check_host(job, url, e);

	if (!r)
		r = lore_thread_of(url, &address, &id, e);
	return r ? r : fetch_thread(job, address, id, result, e);
}

static int fetch_id(struct job *job, const char *id, cJSON *result, struct error *e)
{
	AUTO_FREE char *address = NULL;
	const char *archive;
	int r = json_need_str(job->doc, "archive", &archive, e);

	if (r)
		return ERR_STATE;
	address = lore_thread(archive, id);
	return fetch_thread(job, address, id, result, e);
}

/* Mail that does not say what the commits say would be tested for something else. */
static int check_export(const struct strbuf *mbox, size_t n, struct error *e)
{
	AUTO_SERIES_SET struct series_set set;
	const struct series *series;
	int r;

	series_set_init(&set);
	r = series_set_read(&set, mbox->buf, mbox->len, e);
	if (!r)
		r = series_set_only(&set, &series, e);
	if (!r && series->n_patches != n)
		r = error_set(
			e, ERR_CONFLICT, "only %zu of %zu patches are left", series->n_patches, n);
	for (size_t i = 0; !r && i < n; i++) {
		const struct message *m = series->patches[i].message;

		/* "---" in a log message ends it, and a diff in it would be applied. */
		if (strncmp(m->diff, "---\n\ndiff --git ", 16) != 0)
			r = error_set(e, ERR_CONFLICT,
				"the log message of patch %zu/%zu has a line that mail takes for "
				"the beginning of the change",
				i + 1, n);
	}
	return r ? error_prefix(e, "the commits cannot be sent as mail") : 0;
}

static int fetch_git(struct job *job, const char *range, cJSON *result, struct error *e)
{
	AUTO_REPO struct repo *repo = NULL;
	AUTO_STRBUF struct strbuf mbox;
	const char *path, *tip;
	size_t n;
	int r = json_need_str(job->doc, "repo", &path, e);

	strbuf_init(&mbox, FETCH_MAX_BYTES);
	if (!r)
		r = json_need_str(job->doc, "tip", &tip, e);
	if (r)
		return ERR_STATE;
	r = repo_open(path, &repo, e);
	if (r)
		return ERR_STATE;
	r = export_range(repo, range, tip, &mbox, &n, e);
	if (!r)
		r = check_export(&mbox, n, e);
	return r ? r : give(job, &mbox, result, e);
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	const cJSON *source = json_get(job->doc, "source");
	const char *id = json_str(source, "message_id", NULL);
	const char *url = json_str(source, "url", NULL);
	const char *range = json_str(source, "git", NULL);
	int r;

	if (id)
		r = fetch_id(job, id, result, e);
	else if (url)
		r = fetch_url(job, url, result, e);
	else if (range)
		r = fetch_git(job, range, result, e);
	else
		return error_set(e, ERR_STATE, "the job names nothing to fetch");
	/* What was named is at fault; the rest is trouble on the way. */
	if (is_input_fault(r) || r == ERR_MISSING) {
		worker_fail(job, "%s", e->msg);
		return 0;
	}
	return r;
}

const struct worker_ops worker_fetch = {"fetch", run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/sched/inbox.h"

#define AGAIN_MS 10000
#define SPEC_MAX_BYTES (16 * 1024 * 1024)

struct store *sched_store(struct sched *s)
{
	return s->store;
}

const char *sched_incoming(const struct sched *s)
{
	return s->incoming;
}

char *sched_artifacts(const struct sched *s, int64_t job_id, int attempt)
{
	return xasprintf("%s/%lld.%d", s->artifacts, (long long)job_id, attempt);
}

char *sched_mail(const struct sched *s, const char *sha256)
{
	return path_join(s->mail, sha256);
}

bool sched_is_open(const struct sched *s, int64_t job_id)
{
	AUTO_JOB struct job_row job = {0};

	if (!job_id || job_get(s->store, job_id, &job, NULL) < 0)
		return false;
	return job.status == STATUS_QUEUED || job.status == STATUS_RUNNING;
}

char *sched_job_file(const struct sched *s, const struct job_row *job, const char *name)
{
	AUTO_FREE char *folder = NULL;

	if (job->attempt < 1)
		return NULL;
	folder = sched_artifacts(s, job->id, job->attempt);
	return path_join(folder, name);
}

/* Start jobs of one host (NULL: of none) until nothing is queued or there is no room. */
static int dispatch_to(struct sched *s, const char *host, struct error *e)
{
	while (host ? !running_on_host(s, host) : running_unbound(s) < UNBOUND_SLOTS) {
		AUTO_JOB struct job_row job = {0};
		/* Imports can take hours, and so can catching up with an archive: one of each at a
		 * time, so that mail is never behind them. Archives share what they find. */
		const struct job_left_out left_out = {
			.tree = running_kind(s, "tree"), .inbox = running_kind(s, "inbox")};
		int err = job_next(s->store, host, &left_out, &job, e);

		if (err == ERR_MISSING)
			return 0;
		if (err < 0 || (err = running_start(s, &job, e)) < 0)
			return err;
	}
	return 0;
}

static int dispatch(struct sched *s, struct error *e)
{
	struct page page = PAGE_ALL;
	int err = dispatch_to(s, NULL, e);

	if (err < 0)
		return err;
	do {
		struct host_row *hosts = NULL;
		size_t n = 0;

		err = host_list(s->store, &page, &hosts, &n, &page.after, e);
		for (size_t i = 0; i < n && err >= 0; i++)
			err = dispatch_to(s, hosts[i].name, e);
		host_free_all(hosts, n);
	} while (err >= 0 && page.after);
	return err;
}

static void on_kick(struct loop *loop, void *data)
{
	struct sched *s = data;
	struct error e = ERROR_INIT;

	if (dispatch(s, &e) < 0) {
		sched_log("jobs cannot be started: %s", e.msg);
		sched_try_again(s);
	}
}

void sched_kick(struct sched *s)
{
	loop_set_timer(s->kick, clock_mono_ms());
}

static void on_inbox(struct loop *loop, void *data)
{
	inbox_turn(data);
}

static void on_again(struct loop *loop, void *data)
{
	sched_advance_all(data);
	inbox_turn(data);
	sched_kick(data);
}

void sched_try_again(struct sched *s)
{
	loop_set_timer(s->again, clock_mono_ms() + AGAIN_MS);
}

/* Jobs that ran when the last patchbayd ended run again from their start; nothing of them was
 * stored. Those of a run that was cancelled in that moment have come to their end. */
static int take_up_job(struct sched *s, int64_t id, struct error *e)
{
	AUTO_JOB struct job_row job = {0};
	AUTO_SERIES struct series_row series = {0};
	int err = job_get(s->store, id, &job, e);

	if (err < 0)
		return err;
	if (job.series_id && (err = series_get(s->store, job.series_id, &series, e)) < 0)
		return err;
	if (job.series_id && (series.run != job.run || series.finished_ms))
		return job_set_ended(
			s->store, id, STATUS_CANCELLED, "it was cancelled", 0, 0, NULL, e);
	sched_log("job %lld (%s) was interrupted and runs again", (long long)id, job.kind);
	return job_set_interrupted(s->store, id, e);
}

static int take_up(struct sched *s, struct error *e)
{
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;
	int err = job_running(s->store, &ids, &n, e);

	for (size_t i = 0; i < n && err >= 0; i++)
		err = take_up_job(s, ids[i], e);
	return err;
}

static int make_folders(struct sched *s, struct error *e)
{
	const char *const folders[] = {s->incoming, s->artifacts, s->mail, s->trees};
	/* Uploads that never became a series. */
	int err = file_remove_tree(s->incoming, e);

	for (size_t i = 0; i < ARRAY_SIZE(folders) && err >= 0; i++)
		err = file_mkdirs(folders[i], 0700, e);
	return err;
}

static void sched_freep(struct sched **s)
{
	*s = sched_free(*s);
}

int sched_new(const struct sched_config *config, struct loop *loop, struct store *store,
	struct sched **ret_sched, struct error *e)
{
	CLEANUP(sched_freep) struct sched *s = xcalloc(1, sizeof(*s));
	int err;

	s->loop = loop;
	s->store = store;
	s->state = xstrdup(config->state);
	s->share = xstrdup(config->share);
	s->worker = xstrdup(config->worker);
	s->cache = xstrdup(config->cache);
	s->incoming = path_join(s->state, "incoming");
	s->artifacts = path_join(s->state, "artifacts");
	s->mail = path_join(s->artifacts, "mail");
	s->trees = path_join(s->state, "trees");
	s->kick = loop_add_timer(loop, -1, on_kick, s);
	s->again = loop_add_timer(loop, -1, on_again, s);
	s->inbox = loop_add_timer(loop, clock_mono_ms(), on_inbox, s);
	if ((err = make_folders(s, e)) < 0 || (err = take_up(s, e)) < 0)
		return err;
	sched_advance_all(s);
	sched_kick(s);
	*ret_sched = steal_ptr(s);
	return 0;
}

struct sched *sched_free(struct sched *s)
{
	if (!s)
		return NULL;
	running_free_all(s);
	while (s->observers)
		sched_unobserve(s->observers);
	loop_remove(s->kick);
	loop_remove(s->again);
	loop_remove(s->inbox);
	free(s->state);
	free(s->share);
	free(s->worker);
	free(s->cache);
	free(s->incoming);
	free(s->artifacts);
	free(s->mail);
	free(s->trees);
	free(s->recalled);
	free(s);
	return NULL;
}

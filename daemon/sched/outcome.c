/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job came to goes into the store, in one transaction; then those who wait go on. */
#include "daemon/sched/inbox.h"

static int store_findings(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e)
{
	const cJSON *item;
	int n = 0;

	json_for_each (item, o->findings) {
		int err = finding_insert(s->store, job->id, ++n, item, e);

		if (err < 0)
			return err;
	}
	return 0;
}

static int store_samples(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e)
{
	const cJSON *item;
	int n = 0;

	json_for_each (item, o->samples) {
		int err = sample_insert(s->store, job->id, ++n, item, e);

		if (err < 0)
			return err;
	}
	return 0;
}

static int hold(struct sched *s, const struct job_row *job, bool input_at_fault, struct error *e,
	const char *why)
{
	return series_set_held(s->store, job->series_id, job->run,
		why ? why : "no reason was given", input_at_fault, e);
}

/* The one that the worker found to be what was meant, which it is where there is one only. */
static const cJSON *submission_of(const cJSON *result)
{
	const cJSON *list = json_get(result, "series");
	int64_t i = json_int(result, "submission", cJSON_GetArraySize(list) == 1 ? 0 : -1);

	return i < 0 || i > INT32_MAX ? NULL : cJSON_GetArrayItem(list, (int)i);
}

/* One complete series, or held: nothing in it, several, a part of it missing. */
static int store_parse(
	struct sched *s, const struct job_row *job, struct outcome *o, struct error *e)
{
	const cJSON *list = json_get(o->result, "series");
	const cJSON *series = submission_of(o->result);
	const cJSON *ignored = json_get(o->result, "ignored");
	int n = cJSON_GetArraySize(list);
	AUTO_SERIES struct series_row row = {0};
	const char *held;
	AUTO_FREE char *why = NULL;
	int err;

	if (o->status == STATUS_FAIL)
		return hold(s, job, true, e, o->reason);
	if (n == 0) {
		const char *first = json_str(cJSON_GetArrayItem(ignored, 0), "why", NULL);

		why = xasprintf("there is no patch in what was sent%s%s: send a mail or an mbox as "
				"`git format-patch` writes it",
			first ? ": " : "", first ? first : "");
		return hold(s, job, true, e, why);
	}
	if (!series) {
		held = json_str(o->result, "held", NULL);
		if (held)
			return hold(s, job, true, e, held);
		why = xasprintf("what was sent holds %d series: send each by itself, and say with "
				"--needs which goes before which",
			n);
		return hold(s, job, true, e, why);
	}
	err = series_set_parsed(s->store, job->series_id, job->run, series, e);
	if (err < 0)
		return err;
	err = series_get(s->store, job->series_id, &row, e);
	if (err < 0)
		return err;
	held = json_str(series, "held", NULL);
	if (held && row.archive && !json_bool(series, "complete", true)) {
		why = xasprintf("%.*s; it goes on when the archive has more",
			(int)strcspn(held, ";"), held);
		held = why;
	}
	if (cJSON_GetArraySize(json_get(series, "patches")) == 0)
		return hold(s, job, true, e,
			held ? held
			     : "there is a cover letter and no patch: send the patches with it");
	if (held || !json_bool(series, "complete", true))
		return hold(s, job, false, e,
			held ? held : "some of its patches are missing: send all of them");
	return versions_settle(s, job, series, o, e);
}

static int store_apply(
	struct sched *s, const struct job_row *job, struct outcome *o, struct error *e)
{
	int err;

	if (!o->result)
		return 0;
	err = series_set_applied(s->store, job->series_id, job->run, o->result, e);
	if (err >= 0 && streq(json_str(o->result, "status", NULL), "base"))
		return hold(
			s, job, false, e, json_str(o->result, "why", "its base cannot be made"));
	return err < 0 ? err : needs_wake(s, job->series_id, &o->woken, &o->n_woken, e);
}

static int store_resolve(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e)
{
	if (o->status == STATUS_FAIL)
		return hold(s, job, true, e, o->reason);
	return series_set_resolved(s->store, job->series_id, job->run, o->result, e);
}

/* What was named has come: it is parsed as if it had been sent. */
static int store_fetch(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e)
{
	AUTO_ORIGIN struct origin_row origin = {0};
	const char *sha256 = json_str(o->result, "sha256", NULL);
	bool there = false;
	int err;

	if (o->status == STATUS_FAIL)
		return hold(s, job, true, e, o->reason);
	if (!sha256)
		return error_set(e, -EINVAL, "it names no mail");
	err = sched_keep_mail(s, json_str(o->result, "mbox", ""), sha256, e);
	if (err < 0 || (err = origin_get(s->store, job->series_id, &origin, &there, e)) < 0)
		return err;
	origin.fetched = true;
	err = origin_put(s->store, job->series_id, &origin, e);
	return err < 0 ? err
		       : series_set_mail(s->store, job->series_id, sha256,
				 json_int(o->result, "size", 0), e);
}

static int store_tree(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e)
{
	AUTO_TREE struct tree_row tree = {0};
	const char *tip = json_str(o->result, "tip", NULL);
	int err = tree_get(s->store, job->tree, &tree, e);

	if (err < 0)
		return err;
	if (o->status == STATUS_PASS && tip)
		return tree_set_tip(s->store, tree.id, tip, json_str(o->result, "version", NULL),
			clock_unix_ms(), e);
	return tree_set_failed(
		s->store, tree.id, o->reason ? o->reason : "the worker named no tip", e);
}

static int store_probe(
	struct sched *s, const struct job_row *job, const struct outcome *o, struct error *e)
{
	const cJSON *facts = json_get(o->result, "facts");

	if (o->status == STATUS_PASS && facts)
		return host_set_facts(s->store, job->host, facts, clock_unix_ms(), e);
	return host_set_failed(
		s->store, job->host, o->reason ? o->reason : "the worker named no facts", e);
}

static int store_by_kind(
	struct sched *s, const struct job_row *job, struct outcome *o, struct error *e)
{
	bool said = o->status == STATUS_PASS || o->status == STATUS_FAIL;
	int err = 0;

	if (streq(job->kind, "tree"))
		return store_tree(s, job, o, e);
	if (streq(job->kind, "probe"))
		return store_probe(s, job, o, e);
	if (streq(job->kind, "inbox"))
		return inbox_store(s, job, o, e);
	if (streq(job->kind, "fetch"))
		return said ? store_fetch(s, job, o, e) : 0;
	if (streq(job->kind, "parse"))
		return said ? store_parse(s, job, o, e) : 0;
	if (streq(job->kind, "apply"))
		return said ? store_apply(s, job, o, e) : 0;
	if (streq(job->kind, "resolve"))
		return said ? store_resolve(s, job, o, e) : 0;
	if (o->result)
		err = streq(job->kind, "build") ? build_set_result(s->store, job->id, o->result, e)
						: boot_set_result(s->store, job->id, o->result, e);
	/* What a lab in trouble measured or compiled is no evidence; what a kernel said is. */
	if (err >= 0 && (said || streq(job->kind, "boot")))
		err = store_findings(s, job, o, e);
	return err >= 0 && said ? store_samples(s, job, o, e) : err;
}

static int store_all(struct sched *s, const struct job_row *job, struct outcome *o, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	int err = store_begin(s->store, &tx, e);

	if (err < 0)
		return err;
	err = job_set_ended(
		s->store, job->id, o->status, o->reason, o->tool_ms, o->log_size, o->result, e);
	if (err >= 0 && o->status != STATUS_CANCELLED)
		err = store_by_kind(s, job, o, e);
	return err < 0 ? err : store_commit(&tx, e);
}

static void tell_owner(struct sched *s, const struct job_row *job)
{
	if (job->tree) {
		AUTO_TREE struct tree_row tree = {0};

		if (tree_get(s->store, job->tree, &tree, NULL) >= 0)
			sched_notify_row(s, CHANGE_TREE, tree.id);
	} else if (streq(job->kind, "probe")) {
		AUTO_HOST struct host_row host = {0};

		if (host_get(s->store, job->host, &host, NULL) >= 0)
			sched_notify_row(s, CHANGE_HOST, host.id);
	}
}

/* A host on which the lab has trouble is looked at anew: the next series goes to one that is well. */
static void look_at_host(struct sched *s, const struct job_row *job, const struct outcome *o)
{
	AUTO_HOST struct host_row row = {0};
	struct error e = ERROR_INIT;

	if (o->status != STATUS_ERROR || !job->host || streq(job->kind, "probe"))
		return;
	if (sched_host_probe(s, job->host, &row, &e) < 0)
		sched_log("host %s cannot be probed: %s", job->host, e.msg);
}

int outcome_store(struct sched *s, const struct job_row *job, struct outcome *o, struct error *e)
{
	int err = 0;

	if (streq(job->kind, "inbox") && o->status == STATUS_PASS)
		err = inbox_take(s, job, o, e);
	if (err >= 0)
		err = store_all(s, job, o, e);
	/* These codes are about what the worker said, the others about the disk. */
	if (err == ERR_CONFLICT || err == ERR_MISSING || err == ERR_STATE || err == ERR_SYNTAX ||
		err == -EINVAL) {
		int64_t log_size = o->log_size;
		char *reason = xasprintf(
			"the %s worker's result does not fit: %s", job->kind, e ? e->msg : "");

		outcome_done(o);
		o->status = STATUS_ERROR;
		o->reason = reason;
		o->log_size = log_size;
		err = store_all(s, job, o, e);
	}
	if (err < 0)
		return err;
	sched_log("job %lld (%s) %s%s%s", (long long)job->id, job->kind, status_name(o->status),
		o->reason ? ": " : "", o->reason ? o->reason : "");
	sched_notify_job(s, job);
	tell_owner(s, job);
	look_at_host(s, job, o);
	if (job->archive)
		inbox_turn(s);
	if (job->series_id && o->status != STATUS_CANCELLED) {
		sched_advance(s, job->series_id);
		if (streq(job->kind, "parse") || streq(job->kind, "apply"))
			sched_advance_dependents(s, job->series_id);
		for (size_t i = 0; i < o->n_woken; i++)
			sched_advance(s, o->woken[i]);
		for (size_t i = 0; i < o->n_superseded; i++) {
			running_cancel(s, o->superseded[i]);
			sched_advance(s, o->superseded[i]);
		}
	}
	return 0;
}

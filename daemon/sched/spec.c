/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Job documents: docs/internals/worker-protocol.md. */
#include "daemon/config/benchmarks.h"
#include "daemon/sched/inbox.h"
#include "daemon/store/version.h"

/* Seconds a worker may take; what the host does has limits of its own, from the profile, and the
 * lab needs time around it: pushing a whole tree takes a minute. */
#define FETCH_SECONDS 900
#define PARSE_SECONDS 120
#define APPLY_SECONDS 900
#define RESOLVE_SECONDS 300
#define TREE_SECONDS (4 * 3600)
#define PROBE_SECONDS 300
#define BUILD_MARGIN_SECONDS 1200
#define BOOT_MARGIN_SECONDS 300

static int add_mail(
	const struct sched *s, cJSON *spec, const struct series_row *series, struct error *e)
{
	AUTO_FREE char *mail = sched_mail(s, series->mail_sha256);

	if (!file_exists(mail))
		return error_set(e, -ENOENT, "the mail of series %lld is gone: %s",
			(long long)series->id, mail);
	json_set_str(spec, "mbox", mail);
	return 0;
}

static int parse_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	AUTO_SERIES struct series_row series = {0};
	int err = series_get(s->store, job->series_id, &series, e);

	*ret_seconds = PARSE_SECONDS;
	return err < 0 ? err : add_mail(s, spec, &series, e);
}

/* Where a message id is looked for, and what a git range is taken out of. */
static int fetch_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	AUTO_SERIES struct series_row series = {0};
	AUTO_TREE struct tree_row tree = {0};
	AUTO_JSON cJSON *config = NULL;
	int err = series_get(s->store, job->series_id, &series, e);

	*ret_seconds = FETCH_SECONDS;
	if (err < 0 || (err = tree_get(s->store, series.tree, &tree, e)) < 0 ||
		(err = inbox_config(s, &config, e)) < 0)
		return err;
	json_set(spec, "source", steal_ptr(series.source));
	json_set_str(spec, "archive", json_str(config, "fetch", NULL));
	json_set(spec, "archives", cJSON_DetachItemFromObjectCaseSensitive(config, "archives"));
	json_set_str(spec, "repo", tree.path);
	json_set_str(spec, "tip", series.tip);
	return 0;
}

static int add_needs(struct sched *s, cJSON *spec, int64_t series_id, struct error *e)
{
	cJSON *list = json_add_array(spec, "needs");
	AUTO_FREE int64_t *ids = NULL;
	size_t n = 0;
	int err = series_needs(s->store, series_id, &ids, &n, e);

	for (size_t i = 0; i < n && err >= 0; i++) {
		AUTO_SERIES struct series_row need = {0};
		cJSON *item = cJSON_CreateObject();

		cJSON_AddItemToArray(list, item);
		json_set_int(item, "id", ids[i]);
		err = series_get(s->store, ids[i], &need, e);
		if (err >= 0)
			err = add_mail(s, item, &need, e);
	}
	return err;
}

static void add_tree(cJSON *list, const struct tree_row *tree, const char *tip)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddItemToArray(list, item);
	json_set_str(item, "name", tree->name);
	json_set_str(item, "repo", tree->path);
	json_set_str(item, "tip", tip);
}

/* The tree that was asked for, else all that there are, in the order they were added. */
static int add_trees(struct sched *s, cJSON *spec, const struct series_row *series, struct error *e)
{
	AUTO_TREE struct tree_row tree = {0};
	struct page page = PAGE_ALL;
	cJSON *list = json_add_array(spec, "trees");
	bool any = false;
	int err = series_any_tree(s->store, series->id, &any, e);

	if (err < 0 || (err = tree_get(s->store, series->tree, &tree, e)) < 0)
		return err;
	if (!any) {
		add_tree(list, &tree, series->tip);
		return 0;
	}
	do {
		struct tree_row *rows = NULL;
		size_t n = 0;

		err = tree_list(s->store, &page, &rows, &n, &page.after, e);
		for (size_t i = 0; err >= 0 && i < n; i++)
			if (rows[i].tip)
				add_tree(list, &rows[i], rows[i].tip);
		tree_free_all(rows, n);
	} while (err >= 0 && page.after);
	return err;
}

/* Those that no series of the lab has: the tree may. */
static int add_prerequisites(
	struct sched *s, cJSON *spec, const struct job_row *job, struct error *e)
{
	cJSON *list = json_add_array(spec, "prerequisites");
	struct prerequisite_row *rows = NULL;
	size_t n = 0;
	int err = prerequisite_list(s->store, job->series_id, job->run, &rows, &n, e);

	for (size_t i = 0; i < n && err >= 0; i++) {
		cJSON *item;
		int64_t id = 0;
		int64_t held = 0;

		if (rows[i].found)
			continue;
		err = prerequisite_find(s->store, job->series_id, &rows[i], &id, &held, e);
		item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		json_set_int(item, "n", rows[i].n);
		json_set_str(item, "kind", rows[i].kind);
		json_set_str(item, "value", rows[i].value);
		json_set(item, "held", held ? cJSON_CreateNumber((double)held) : NULL);
	}
	prerequisite_free_all(rows, n);
	return err;
}

/* The version before, so that the worker can say what became of its patches. */
static int add_previous(
	struct sched *s, cJSON *spec, const struct series_row *series, struct error *e)
{
	AUTO_SERIES struct series_row old = {0};
	AUTO_FREE char *path = NULL;
	cJSON *previous;
	int64_t id;
	int err = version_previous(s->store, series->id, series->run, &id, e);

	if (err < 0 || !id || (err = series_get(s->store, id, &old, e)) < 0)
		return err;
	path = sched_mail(s, old.mail_sha256);
	previous = json_add_object(spec, "previous");
	json_set_int(previous, "id", old.id);
	json_set_str(previous, "mbox", path);
	return 0;
}

static int apply_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	AUTO_SERIES struct series_row series = {0};
	int err = series_get(s->store, job->series_id, &series, e);

	if (err < 0 || (err = add_trees(s, spec, &series, e)) < 0 ||
		(err = add_prerequisites(s, spec, job, e)) < 0)
		return err;
	json_set_str(spec, "base", series.base_text);
	json_set_int(spec, "series", series.id);
	*ret_seconds = APPLY_SECONDS;
	if ((err = add_mail(s, spec, &series, e)) < 0 ||
		(err = add_previous(s, spec, &series, e)) < 0)
		return err;
	return add_needs(s, spec, series.id, e);
}

static int resolve_spec(struct sched *s, const struct job_row *job, cJSON *spec,
	int64_t *ret_seconds, struct error *e)
{
	AUTO_SERIES struct series_row series = {0};
	AUTO_TREE struct tree_row tree = {0};
	int err = series_get(s->store, job->series_id, &series, e);

	if (err < 0 || (err = tree_get(s->store, series.tree, &tree, e)) < 0)
		return err;
	json_set_str(spec, "tree", tree.name);
	json_set_str(spec, "repo", tree.path);
	json_set_str(spec, "base", series.base_text);
	json_set_str(spec, "patched", series.patched_text);
	json_set_int(spec, "series", series.id);
	*ret_seconds = RESOLVE_SECONDS;
	return 0;
}

static int tree_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	AUTO_TREE struct tree_row tree = {0};
	int err = tree_get(s->store, job->tree, &tree, e);

	if (err < 0)
		return err;
	json_set_str(spec, "name", tree.name);
	json_set_str(spec, "repo", tree.path);
	json_set(spec, "source", steal_ptr(tree.source));
	*ret_seconds = TREE_SECONDS;
	return 0;
}

static int add_host(struct sched *s, cJSON *spec, const char *name, struct error *e)
{
	AUTO_HOST struct host_row host = {0};
	cJSON *o;
	int err = host_get(s->store, name, &host, e);

	if (err < 0)
		return err;
	o = json_add_object(spec, "host");
	json_set_str(o, "name", host.name);
	json_set_str(o, "address", host.address);
	json_set_int(o, "port", host.port);
	json_set_str(o, "user", host.user);
	json_set_str(o, "key", host.key);
	json_set_str(o, "host_key", host.host_key);
	json_set_str(o, "root", host.root);
	return 0;
}

static int probe_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	*ret_seconds = PROBE_SECONDS;
	return add_host(s, spec, job->host, e);
}

/* Whose code is built. What strangers' code did to an output folder is undone before it is used for
 * others; a base may be the tree's own, as both sides of a comparison, which the worker finds out. */
static void add_owner(struct sched *s, const struct job_row *job, const char *tip, cJSON *spec)
{
	AUTO_FREE char *owner =
		xasprintf("%s.series-%lld", store_lab(s->store), (long long)job->series_id);

	json_set_str(spec, "owner", owner);
	json_set_str(spec, "tip", job->patch == 0 || job->of_comparison ? tip : NULL);
}

static int build_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	AUTO_SERIES struct series_row series = {0};
	AUTO_TREE struct tree_row tree = {0};
	AUTO_FREE char *ref =
		xasprintf("refs/patchbay/series/%lld/%d", (long long)job->series_id, job->patch);
	const cJSON *limits;
	cJSON *o;
	int err = series_get(s->store, job->series_id, &series, e);

	if (err < 0 || (err = tree_get(s->store, series.tree, &tree, e)) < 0 ||
		(err = add_host(s, spec, job->host, e)) < 0)
		return err;
	limits = json_get(series.profile, "limits");
	json_set_str(spec, "repo", tree.path);
	json_set_str(spec, "tree", tree.name);
	json_set_str(spec, "commit", job->commit);
	json_set_str(spec, "ref", ref);
	json_set_str(spec, "arch", job->arch);
	add_owner(s, job, tree.tip, spec);
	json_set(spec, "config", cJSON_Duplicate(json_get(series.profile, "config"), true));
	o = json_add_object(spec, "limits");
	json_set_int(o, "seconds", json_int(limits, "build_seconds", 3600));
	json_set_int(o, "silence_seconds", json_int(limits, "build_silence_seconds", 600));
	*ret_seconds = json_int(limits, "build_seconds", 3600) + BUILD_MARGIN_SECONDS;
	return 0;
}

static int add_machine(struct sched *s, cJSON *spec, const char *name, struct error *e)
{
	AUTO_MACHINE struct machine_row machine = {0};
	cJSON *o;
	int err = machine_get(s->store, name, &machine, e);

	if (err < 0)
		return err;
	o = json_add_object(spec, "machine");
	json_set_str(o, "name", machine.name);
	json_set_str(o, "kind", machine.kind);
	json_set_str(o, "model", machine.model);
	json_set_int(o, "memory_mib", machine.memory_mib);
	json_set_int(o, "cpus", machine.cpus);
	return 0;
}

/* The image is the one that this run built of the same commit. */
static int add_image(const struct facts *f, const struct job_row *job, cJSON *spec, struct error *e)
{
	for (size_t i = 0; i < f->n_builds; i++) {
		const struct fact_build *b = &f->builds[i];

		if (b->patch != job->patch || b->status != STATUS_PASS)
			continue;
		json_set_str(spec, "image", b->artifact);
		json_set_str(spec, "image_sha256", b->image_sha256);
		return 0;
	}
	return error_set(e, ERR_STATE, "there is no image of patch %d to boot", job->patch);
}

static int boot_spec(struct sched *s, const struct job_row *job, cJSON *spec, int64_t *ret_seconds,
	struct error *e)
{
	AUTO_FACTS struct facts *f = NULL;
	const cJSON *limits;
	cJSON *o;
	int err = facts_load(s->store, job->series_id, job->run, FACTS_JUDGED, &f, e);

	if (err < 0 || (err = add_host(s, spec, job->host, e)) < 0 ||
		(err = add_machine(s, spec, job->machine, e)) < 0 ||
		(err = add_image(f, job, spec, e)) < 0)
		return err;
	limits = json_get(f->profile, "limits");
	json_set_str(spec, "cmdline", json_str(f->profile, "cmdline", ""));
	json_set_int(spec, "seed", job->seed);
	json_set_str(spec, "clock", job->clock);
	if (json_get(f->profile, "checker"))
		json_set_str(spec, "checker", json_str(f->profile, "checker", NULL));
	if (json_get(f->profile, "tests"))
		json_set(spec, "tests", cJSON_Duplicate(json_get(f->profile, "tests"), true));
	json_set(spec, "benchmarks",
		benchmarks_of_boot(f->profile, job->clock, job->part ? job->part : ""));
	o = json_add_object(spec, "limits");
	json_set_int(o, "boot_seconds", json_int(limits, "boot_seconds", 60));
	json_set_int(o, "silence_seconds", json_int(limits, "silence_seconds", 60));
	json_set_int(o, "total_seconds", json_int(limits, "total_seconds", 600));
	*ret_seconds = json_int(limits, "total_seconds", 600) + BOOT_MARGIN_SECONDS;
	return 0;
}

int spec_new(struct sched *s, const struct job_row *job, const char *artifacts, cJSON **ret_spec,
	int64_t *ret_seconds, struct error *e)
{
	static const struct {
		const char *kind;
		int (*add)(struct sched *s, const struct job_row *job, cJSON *spec,
			int64_t *ret_seconds, struct error *e);
	} kinds[] = {
		{"tree", tree_spec},
		{"inbox", inbox_spec},
		{"fetch", fetch_spec},
		{"parse", parse_spec},
		{"apply", apply_spec},
		{"resolve", resolve_spec},
		{"probe", probe_spec},
		{"build", build_spec},
		{"boot", boot_spec},
	};
	AUTO_JSON cJSON *spec = cJSON_CreateObject();

	json_set_int(spec, "job", job->id);
	json_set_str(spec, "kind", job->kind);
	json_set_int(spec, "attempt", job->attempt);
	json_set_int(spec, "epoch", job->epoch);
	json_set_str(spec, "lab", store_lab(s->store));
	json_set_str(spec, "artifacts", artifacts);
	json_set_str(spec, "cache", s->cache);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int err;

		if (!streq(kinds[i].kind, job->kind))
			continue;
		err = kinds[i].add(s, job, spec, ret_seconds, e);
		if (err < 0)
			return err;
		*ret_spec = steal_ptr(spec);
		return 0;
	}
	return error_set(e, -EINVAL, "no worker does jobs of kind %s", job->kind);
}

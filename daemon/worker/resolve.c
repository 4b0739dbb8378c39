/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolve: two revisions become commits that are kept; docs/internals/worker-protocol.md. */
#include "daemon/worker/worker.h"

#include "patches/git/commit.h"

struct resolving {
	struct job *job;
	const char *tree; /* the job's, by name */
	struct repo *repo;
	int64_t series;
};

/* refs/patchbay/series/ID/N: what is compared lives on, whatever becomes of its branch. */
static int keep(const struct resolving *a, int n, const struct oid *commit, struct error *e)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "refs/patchbay/series/%lld/%d", (long long)a->series, n);
	return repo_set_ref(a->repo, name, commit, e);
}

/* One side: side_name is its member in the job and in the result, n its revision. A revision that
 * is not there is what was asked for, not the lab: *ret_there stays false. */
static int resolve(const struct resolving *a, const char *side_name, int n, cJSON *result,
	bool *ret_there, struct error *e)
{
	CLEANUP(commit_says_done) struct commit_says says = {0};
	cJSON *side, *author;
	const char *asked;
	struct oid commit;
	char hex[OID_HEX];
	int r = json_need_str(a->job->doc, side_name, &asked, e);

	if (r)
		return r;
	if (repo_commit(a->repo, asked, &commit, NULL)) {
		worker_fail(a->job,
			"tree %s has no commit \"%.100s\": if it is new, `patchbay tree fetch %s` "
			"gets it; else name it as git log shows it",
			a->tree, asked, a->tree);
		return 0;
	}
	r = commit_read(a->repo, &commit, &says, e);
	if (!r)
		r = keep(a, n, &commit, e);
	if (r)
		return r;
	side = json_add_object(result, side_name);
	json_set_str(side, "commit", oid_hex(&commit, hex));
	json_set_str(side, "subject", says.subject);
	author = json_add_object(side, "author");
	json_set_str(author, "name", says.author_name);
	json_set_str(author, "email", says.author_email);
	*ret_there = true;
	return 0;
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	AUTO_REPO struct repo *repo = NULL;
	struct resolving a = {.job = job};
	bool there = false;
	const char *path;
	int r = json_need_str(job->doc, "repo", &path, e);

	if (!r)
		r = json_need_str(job->doc, "tree", &a.tree, e);
	if (!r)
		r = json_need_int(job->doc, "series", 1, INT64_MAX, &a.series, e);
	if (!r)
		r = repo_open(path, &repo, e);
	a.repo = repo;
	if (!r)
		r = resolve(&a, "base", 0, result, &there, e);
	if (!r && there)
		r = resolve(&a, "patched", 1, result, &there, e);
	return r;
}

const struct worker_ops worker_resolve = {"resolve", run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree: import or fetch what the lab follows; docs/internals/worker-protocol.md. */
#include "daemon/worker/worker.h"

#include "base/file.h"
#include "patches/git/import.h"

static void on_progress(const char *what, int64_t done, int64_t total, void *data)
{
	worker_progress(data, done, total, "%s", what);
}

static int run(struct job *job, cJSON *result, struct error *e)
{
	AUTO_FREE char *cache = xstrdup_null(job->cache);
	AUTO_FREE char *version = NULL;
	const cJSON *source = json_get(job->doc, "source");
	const char *package = json_str(source, "deb", NULL);
	const char *url = json_str(source, "git", NULL);
	struct import in = {.progress = on_progress, .data = job};
	const char *repo;
	struct oid tip;
	char hex[OID_HEX];
	int r = json_need_str(job->doc, "repo", &repo, e);

	if (r)
		return r;
	if (!cache)
		cache = path_cache();
	in.cache = cache;
	if (package)
		r = import_deb(&in, package, repo, &tip, &version, e);
	else if (url)
		r = import_git(&in, url, repo, &tip, e);
	else
		r = error_set(e, ERR_SYNTAX,
			"the tree has no source: it needs a Debian package or a git address");
	if (r)
		return r;
	json_set_str(result, "tip", oid_hex(&tip, hex));
	json_set_str(result, "version", version);
	return 0;
}

const struct worker_ops worker_tree = {"tree", run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/push.h"

#include "base/clock.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <git2.h>

#define MAX_TIPS 16 /* commits that are offered to the host as whole */
#define STALL_MS 60000

/* Both files of a pack; the index last, for it is what makes git see the pack. */
static int carry_pack(const struct host_push *push, struct ssh *s, const char *folder,
	const char *name, struct error *e)
{
	static const char *const kinds[] = {"pack", "idx"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		AUTO_FREE char *here = xasprintf("%s/%s.%s", folder, name, kinds[i]);
		AUTO_FREE char *there =
			xasprintf("%s/objects/pack/%s.%s", push->remote_path, name, kinds[i]);
		int r = ssh_upload(s, here, there, 0444, STALL_MS, e);

		if (r && r != -EEXIST)
			return error_prefix(e, "sending the tree's packs");
	}
	return 0;
}

static int carry_packs(const struct host_push *push, struct ssh *s, struct error *e)
{
	AUTO_FREE char *folder = path_join(push->repo, "objects/pack");
	DIR *dir = opendir(folder);
	struct dirent *d;
	int r = 0;

	if (!dir)
		return 0;
	while (!r && (d = readdir(dir))) {
		AUTO_FREE char *name = NULL;

		if (!starts_with(d->d_name, "pack-") || !ends_with(d->d_name, ".idx"))
			continue;
		name = xstrndup(d->d_name, strlen(d->d_name) - strlen(".idx"));
		r = carry_pack(push, s, folder, name, e);
	}
	closedir(dir);
	return r;
}

/* The commit, and the tips of the branches here: full ids, separated by spaces. */
static int list_tips(const struct host_push *push, struct strbuf *tips, struct error *e)
{
	git_reference_iterator *it = NULL;
	git_repository *repo = NULL;
	git_reference *ref = NULL;
	int n = 1;

	strbuf_adds(tips, push->commit);
	git_libgit2_init();
	if (!git_repository_open_bare(&repo, push->repo) &&
		!git_reference_iterator_glob_new(&it, repo, "refs/heads/*")) {
		while (n < MAX_TIPS && !git_reference_next(&ref, it)) {
			const git_oid *id = git_reference_target(ref);
			char hex[GIT_OID_HEXSZ + 1];

			if (id) {
				strbuf_addf(tips, " %s", git_oid_tostr(hex, sizeof(hex), id));
				n++;
			}
			git_reference_free(ref);
		}
	}
	git_reference_iterator_free(it);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return tips->overflow ? error_set(e, ERR_LIMIT, "too many branches") : 0;
}

int push_seed(const struct host_push *push, struct ssh *s, struct error *e)
{
	static const char script[] = "repo=$1; shift; for id; do git --git-dir=\"$repo\" rev-list "
				     "--objects --quiet \"$id\" "
				     "2>/dev/null && git --git-dir=\"$repo\" update-ref "
				     "\"refs/patchbay/seed/$id\" \"$id\"; "
				     "done; true";
	AUTO_STRBUF struct strbuf tips, command;
	AUTO_FREE char *out = NULL;
	struct ssh_exit x;
	int r = carry_packs(push, s, e);

	strbuf_init(&tips, 4096);
	strbuf_init(&command, 16384);
	if (!r)
		r = list_tips(push, &tips, e);
	if (r)
		return r;
	strbuf_adds(&command, "exec sh -c ");
	strbuf_add_quoted(&command, script);
	strbuf_adds(&command, " sh ");
	strbuf_add_quoted(&command, push->remote_path);
	strbuf_addf(&command, " %s", tips.buf);
	return ssh_run(s, command.buf, 65536, push->deadline_ms, &out, &x, e);
}

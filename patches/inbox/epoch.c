/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/epoch.h"

#include "base/file.h"
#include "patches/git/repo_internal.h"
#include "patches/inbox/http.h"

#define MAX_ADVERTISEMENT ((size_t)1 << 20)
/* The archive's clock is that of its mails' Received lines: it may step back this many mails. */
#define MAX_DISORDER 1000

static bool is_remote(const char *archive)
{
	return starts_with(archive, "http://") || starts_with(archive, "https://");
}

/* Without the slashes at its end. */
static int stem_len(const char *archive)
{
	size_t len = strlen(archive);

	while (len > 1 && archive[len - 1] == '/')
		len--;
	return (int)len;
}

static char *epoch_address(const char *archive, int n)
{
	return is_remote(archive) ? xasprintf("%.*s/%d", stem_len(archive), archive, n)
				  : xasprintf("%.*s/git/%d.git", stem_len(archive), archive, n);
}

char *epoch_folder(const char *folder, int n)
{
	return xasprintf("%s/%d.git", folder, n);
}

int epoch_exists(const char *archive, int n, bool *ret_exists, struct error *e)
{
	AUTO_FREE char *address = epoch_address(archive, n);
	AUTO_FREE char *refs = NULL;
	AUTO_STRBUF struct strbuf body;
	long status;
	int r;

	strbuf_init(&body, MAX_ADVERTISEMENT);
	if (!is_remote(archive)) {
		*ret_exists = file_exists(address);
		return 0;
	}
	refs = xasprintf("%s/info/refs?service=git-upload-pack", address);
	r = http_get(refs, &body, &status, e);
	if (r)
		return r;
	if (status != 200 && status != 404 && status != 410)
		return error_set(e, ERR_LINK,
			"%s answers with status %ld: the next visit asks again", refs, status);
	*ret_exists = status == 200;
	return 0;
}

int epoch_fetch(const struct import *in, const char *archive, int n, const char *folder,
	struct repo **ret_repo, struct oid *ret_tip, struct error *e)
{
	AUTO_FREE char *address = epoch_address(archive, n);
	AUTO_FREE char *path = epoch_folder(folder, n);
	int r = import_git(in, address, path, ret_tip, e);

	if (r == ERR_MISSING)
		*ret_tip = (struct oid){0};
	else if (r)
		return r;
	return repo_open(path, ret_repo, e);
}

void epoch_list_done(struct epoch_list *list)
{
	if (list)
		free(list->mails);
}

/* The mail of a commit; false: it has none. */
static bool mail_of(git_commit *commit, struct epoch_mail *ret_mail)
{
	const git_tree_entry *entry;
	git_tree *tree = NULL;
	bool found = false;

	if (git_commit_tree(&tree, commit) < 0)
		return false;
	entry = git_tree_entry_byname(tree, "m");
	ret_mail->taken_back = !entry;
	if (!entry)
		entry = git_tree_entry_byname(tree, "d");
	if (entry && git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
		ret_mail->commit = from_git(git_commit_id(commit));
		ret_mail->blob = from_git(git_tree_entry_id(entry));
		ret_mail->committed_s = git_commit_time(commit);
		found = true;
	}
	git_tree_free(tree);
	return found;
}

static int read_commit(
	struct repo *repo, const struct oid *id, git_commit **ret_commit, struct error *e)
{
	git_oid git = to_git(id);
	char hex[OID_HEX];

	if (git_commit_lookup(ret_commit, repo->git, &git) < 0)
		return repo_error(
			e, ERR_STATE, "commit %s of the archive cannot be read", oid_hex(id, hex));
	return 0;
}

/* Back from tip, along first parents, to stop or to mails that are older than since_s. */
static int walk(struct repo *repo, const struct oid *tip, const struct oid *stop, int64_t since_s,
	struct epoch_list *list, struct error *e)
{
	struct oid at = *tip;
	size_t old = 0;

	while (!oid_equal(&at, stop) && old < MAX_DISORDER) {
		struct epoch_mail mail;
		git_commit *commit;
		const git_oid *parent;
		int r = read_commit(repo, &at, &commit, e);

		if (r)
			return r;
		if (list->n == EPOCH_MAX_COMMITS) {
			git_commit_free(commit);
			return error_set(e, ERR_LIMIT,
				"epoch %s has more than the limit of %d mails", repo->path,
				EPOCH_MAX_COMMITS);
		}
		if (git_commit_time(commit) < since_s) {
			old++;
		} else if (mail_of(commit, &mail)) {
			list->mails = xgrow(list->mails, list->n, sizeof(*list->mails));
			list->mails[list->n++] = mail;
		}
		parent = git_commit_parent_id(commit, 0);
		list->all = !parent && !old;
		at = parent ? from_git(parent) : *stop;
		git_commit_free(commit);
	}
	return 0;
}

/* Where two histories parted. *ret_base is null where they have nothing in common, or where the
 * old one is not here any more. */
static int find_base(struct repo *repo, const struct oid *tip, const struct oid *last,
	struct oid *ret_base, struct error *e)
{
	git_oid a = to_git(tip), b = to_git(last), base;
	int r = git_merge_base(&base, repo->git, &a, &b);

	*ret_base = (struct oid){0};
	if (r == 0)
		*ret_base = from_git(&base);
	else if (r != GIT_ENOTFOUND)
		return repo_error(e, ERR_STATE, "the history of %s cannot be read", repo->path);
	return 0;
}

static int by_content(const void *a, const void *b)
{
	const struct epoch_mail *x = a, *y = b;

	if (x->taken_back != y->taken_back)
		return x->taken_back ? 1 : -1;
	return memcmp(x->blob.id, y->blob.id, sizeof(x->blob.id));
}

/* Only what is newer than the newest mail of the old history. */
static void keep_behind(struct epoch_list *list, struct epoch_list *old)
{
	if (!old->n)
		return;
	qsort(old->mails, old->n, sizeof(*old->mails), by_content);
	for (size_t i = 0; i < list->n; i++) {
		if (!bsearch(&list->mails[i], old->mails, old->n, sizeof(*old->mails), by_content))
			continue;
		list->n = i;
		return;
	}
}

int epoch_news(struct repo *repo, const struct oid *tip, const struct oid *last, int64_t since_s,
	struct epoch_list *ret_list, struct error *e)
{
	AUTO_EPOCH_LIST struct epoch_list old = {0};
	AUTO_EPOCH_LIST struct epoch_list list = {0};
	struct oid base = {0};
	git_oid git = to_git(last);
	bool here = !oid_is_null(last) && git_odb_exists(repo->odb, &git);
	int r = 0;

	list.all = true;
	if (oid_is_null(tip)) {
		*ret_list = list;
		return 0;
	}
	if (here)
		r = find_base(repo, tip, last, &base, e);
	list.rewritten = !oid_is_null(last) && !(here && oid_equal(&base, last));
	if (!r)
		r = walk(repo, tip, &base, here ? INT64_MIN : since_s, &list, e);
	if (!r && here && list.rewritten)
		r = walk(repo, last, &base, INT64_MIN, &old, e);
	if (r)
		return r;
	keep_behind(&list, &old);
	*ret_list = list;
	list = (struct epoch_list){0};
	return 0;
}

int epoch_read(struct repo *repo, const struct epoch_mail *mail, size_t max, char **ret_data,
	size_t *ret_len, struct error *e)
{
	git_oid id = to_git(&mail->blob);
	git_object_t type;
	char hex[OID_HEX];
	size_t size;

	if (git_odb_read_header(&size, &type, repo->odb, &id) < 0)
		return repo_error(
			e, ERR_MISSING, "mail %s cannot be read", oid_hex(&mail->commit, hex));
	if (size > max)
		return error_set(e, ERR_LIMIT, "mail %s has %zu bytes, the limit is %zu",
			oid_hex(&mail->commit, hex), size, max);
	return repo_read_blob(repo, &mail->blob, ret_data, ret_len, e);
}

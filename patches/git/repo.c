/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/repo_internal.h"

#include "base/file.h"

/* Trees that a series touches are read for every patch: keep them. */
#define TREE_CACHE_BYTES (512 * 1024)

static int start_library(struct error *e)
{
	static bool started;
	static const int levels[] = {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
		GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_PROGRAMDATA};

	if (started)
		return 0;
	if (git_libgit2_init() < 0)
		return repo_error(e, ERR_STATE, "libgit2 does not start");
	/* What a user configured for git must not change what the lab makes of a patch. */
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		(void)git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
	(void)git_libgit2_opts(
		GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_TREE, (size_t)TREE_CACHE_BYTES);
	/* zlib's sums tell of a damaged disk; to hash each object that is read takes longer than all
	 * the rest of applying a patch. */
	(void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	/* A power cut must leave no empty objects behind references that the store knows of. */
	(void)git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
	started = true;
	return 0;
}

int repo_error(struct error *e, int code, const char *fmt, ...)
{
	const git_error *last = git_error_last();
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(
		e, code, "%s: %s", what, last && last->message ? last->message : "no reason given");
}

static int adopt(git_repository *git, const char *path, struct repo **ret_repo, struct error *e)
{
	struct repo *r = xcalloc(1, sizeof(*r));

	r->git = git;
	r->path = xstrdup(path);
	if (git_repository_odb(&r->odb, git) < 0) {
		(void)repo_free(r);
		return repo_error(
			e, ERR_STATE, "the object database of \"%s\" does not open", path);
	}
	*ret_repo = r;
	return 0;
}

int repo_open(const char *path, struct repo **ret_repo, struct error *e)
{
	git_repository *git = NULL;
	int r = start_library(e);

	if (r)
		return r;
	r = git_repository_open_ext(
		&git, path, GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE, NULL);
	if (r < 0)
		return repo_error(e, r == GIT_ENOTFOUND ? ERR_MISSING : ERR_STATE,
			"the git repository \"%s\" does not open", path);
	return adopt(git, path, ret_repo, e);
}

int repo_ensure(const char *path, struct repo **ret_repo, struct error *e)
{
	git_repository_init_options options;
	git_repository *git = NULL;
	struct error missing = ERROR_INIT;
	int r = repo_open(path, ret_repo, &missing);

	if (r != ERR_MISSING) {
		if (r)
			*e = missing;
		return r;
	}
	if (git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION) < 0)
		return repo_error(e, ERR_STATE, "libgit2 is of another version");
	options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH |
			GIT_REPOSITORY_INIT_NO_REINIT;
	options.initial_head = "main";
	if (git_repository_init_ext(&git, path, &options) < 0)
		return repo_error(e, ERR_STATE, "cannot make a git repository at \"%s\"", path);
	return adopt(git, path, ret_repo, e);
}

struct repo *repo_free(struct repo *r)
{
	if (!r)
		return NULL;
	git_odb_free(r->odb);
	git_repository_free(r->git);
	free(r->path);
	free(r);
	return NULL;
}

const char *repo_path(const struct repo *r)
{
	return r->path;
}

const char *oid_hex(const struct oid *id, char hex[OID_HEX])
{
	for (size_t i = 0; i < sizeof(id->id); i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", id->id[i]);
	return hex;
}

int oid_parse(const char *hex, struct oid *ret_id)
{
	git_oid id;

	if (strlen(hex) != GIT_OID_HEXSZ || git_oid_fromstr(&id, hex) < 0)
		return ERR_SYNTAX;
	*ret_id = from_git(&id);
	return 0;
}

bool oid_equal(const struct oid *a, const struct oid *b)
{
	return memcmp(a->id, b->id, sizeof(a->id)) == 0;
}

bool oid_is_null(const struct oid *id)
{
	static const struct oid null;

	return oid_equal(id, &null);
}

int repo_commit(struct repo *r, const char *revision, struct oid *ret_commit, struct error *e)
{
	git_object *object = NULL;
	git_object *commit = NULL;
	int status = git_revparse_single(&object, r->git, revision);

	if (status == 0)
		status = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
	if (status == 0)
		*ret_commit = from_git(git_object_id(commit));
	git_object_free(object);
	git_object_free(commit);
	if (status < 0)
		return error_set(e, ERR_MISSING,
			"there is no commit \"%.100s\" in the tree; see its branches and tags with "
			"git -C %s log",
			revision, r->path);
	return 0;
}

int repo_tree_of(struct repo *r, const struct oid *commit, struct oid *ret_tree, struct error *e)
{
	git_oid id = to_git(commit);
	git_commit *c = NULL;
	char hex[OID_HEX];

	if (git_commit_lookup(&c, r->git, &id) < 0)
		return repo_error(e, ERR_MISSING, "commit %s cannot be read", oid_hex(commit, hex));
	*ret_tree = from_git(git_commit_tree_id(c));
	git_commit_free(c);
	return 0;
}

int repo_set_ref(struct repo *r, const char *name, const struct oid *commit, struct error *e)
{
	git_oid id = to_git(commit);
	git_reference *ref = NULL;

	if (git_reference_create(&ref, r->git, name, &id, 1, NULL) < 0)
		return repo_error(e, ERR_STATE, "cannot write the reference \"%s\"", name);
	git_reference_free(ref);
	return 0;
}

int repo_get_ref(struct repo *r, const char *name, struct oid *ret_commit, struct error *e)
{
	git_oid id;

	if (git_reference_name_to_id(&id, r->git, name) < 0)
		return repo_error(e, ERR_MISSING, "there is no reference \"%s\"", name);
	*ret_commit = from_git(&id);
	return 0;
}

int repo_refresh(struct repo *r, struct error *e)
{
	if (git_odb_refresh(r->odb) < 0)
		return repo_error(
			e, ERR_STATE, "the object database of \"%s\" does not open", r->path);
	return 0;
}

int repo_read_blob(
	struct repo *r, const struct oid *id, char **ret_data, size_t *ret_len, struct error *e)
{
	git_oid git = to_git(id);
	git_odb_object *object = NULL;
	char hex[OID_HEX];
	size_t len;

	if (git_odb_read(&object, r->odb, &git) < 0 ||
		git_odb_object_type(object) != GIT_OBJECT_BLOB) {
		git_odb_object_free(object);
		return repo_error(e, ERR_MISSING, "blob %s cannot be read", oid_hex(id, hex));
	}
	len = git_odb_object_size(object);
	if (len > REPO_MAX_BLOB) {
		git_odb_object_free(object);
		return error_set(e, ERR_LIMIT, "blob %s has %zu bytes, the limit is %zu",
			oid_hex(id, hex), len, REPO_MAX_BLOB);
	}
	*ret_data = xmalloc(len + 1);
	memcpy(*ret_data, git_odb_object_data(object), len);
	(*ret_data)[len] = '\0';
	*ret_len = len;
	git_odb_object_free(object);
	return 0;
}

static int write_object(struct repo *r, const char *data, size_t len, git_object_t type,
	const struct oid *like, struct oid *ret_id, struct error *e)
{
	if (staging_write(r, data, len, type, like, ret_id) < 0)
		return repo_error(
			e, ERR_STATE, "cannot write to the git repository \"%s\"", r->path);
	return 0;
}

int repo_write_blob(struct repo *r, const char *data, size_t len, const struct oid *like,
	struct oid *ret_id, struct error *e)
{
	return write_object(r, data, len, GIT_OBJECT_BLOB, like, ret_id, e);
}

int repo_write_commit(
	struct repo *r, const char *text, size_t len, struct oid *ret_id, struct error *e)
{
	return write_object(r, text, len, GIT_OBJECT_COMMIT, NULL, ret_id, e);
}

void blob_id(const char *data, size_t len, struct oid *ret_id)
{
	git_oid id = {{0}};

	(void)git_odb_hash(&id, data, len, GIT_OBJECT_BLOB);
	*ret_id = from_git(&id);
}

int repo_find_blob(struct repo *r, const char *prefix, struct oid *ret_id)
{
	size_t len = strlen(prefix);
	git_blob *blob = NULL;
	git_oid id;

	if (len < GIT_OID_MINPREFIXLEN || len > GIT_OID_HEXSZ ||
		git_oid_fromstrn(&id, prefix, len) < 0 ||
		git_blob_lookup_prefix(&blob, r->git, &id, len) < 0)
		return ERR_MISSING;
	*ret_id = from_git(git_blob_id(blob));
	git_blob_free(blob);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/import.h"

#include "base/child.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "patches/git/import_internal.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define OUTPUT_MAX 16384
#define HEAD_REF "refs/heads/main"

/* A Debian source package and where its tarball is. */
struct package {
	char *version;
	char *tarball;
	char *unpacked; /* a folder to remove afterwards, or NULL */
};

static void package_done(struct package *p)
{
	free(p->version);
	free(p->tarball);
	if (p->unpacked)
		(void)file_remove_tree(p->unpacked, NULL);
	free(p->unpacked);
}
#define AUTO_PACKAGE CLEANUP(package_done)

static bool is_package_name(const char *s)
{
	return strlen(s) >= 2 && strlen(s) < 200 && s[0] != '-' && s[0] != '.' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == strlen(s);
}

/* Runs to the end; its output without the last newline. ERR_STATE with what it said. */
static int run(const char *const argv[], const char *cwd, char **ret_output, struct error *e)
{
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_FREE char *output = NULL;
	char text[64];
	int status;
	int r;

	spec.cwd = cwd;
	r = child_run(&spec, OUTPUT_MAX, -1, &output, &status, e);
	if (r)
		return r;
	output[strcspn(output, "\n")] = status ? output[strcspn(output, "\n")] : '\0';
	if (status)
		return error_set(e, ERR_STATE, "%s: %s: %s", argv[0],
			child_status_text(status, text, sizeof(text)), output);
	*ret_output = steal_ptr(output);
	return 0;
}

/* PACKAGE.tar.xz in the folder, or another compression. Heap, or NULL. */
static char *find_tarball(const char *folder, const char *package)
{
	static const char *const kinds[] = {"xz", "zst", "bz2", "gz"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		char *path = xasprintf("%s/%s.tar.%s", folder, package, kinds[i]);

		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

/* The package as it is installed. ERR_MISSING where it is not. */
static int find_installed(const char *package, struct package *ret, struct error *e)
{
	const char *const argv[] = {
		"dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package, NULL};
	AUTO_FREE char *output = NULL;
	int r = run(argv, NULL, &output, e);

	if (r)
		return r == ERR_STATE ? ERR_MISSING : r;
	assert(output);
	if (!starts_with(output, "installed "))
		return ERR_MISSING;
	ret->tarball = find_tarball("/usr/src", package);
	if (!ret->tarball)
		return ERR_MISSING;
	ret->version = xstrdup(output + strlen("installed "));
	return 0;
}

/* The one .deb of the package in the folder. Heap, or NULL. */
static char *find_deb(const char *folder, const char *package)
{
	AUTO_FREE char *prefix = xasprintf("%s_", package);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char *found = NULL;

	while (dir && !found && (entry = readdir(dir)))
		if (starts_with(entry->d_name, prefix) && ends_with(entry->d_name, ".deb"))
			found = path_join(folder, entry->d_name);
	if (dir)
		(void)closedir(dir);
	return found;
}

/* The package as apt gives it out, unpacked into the cache. */
static int download(
	const struct import *in, const char *package, struct package *ret, struct error *e)
{
	const char *const get[] = {"apt-get", "-q", "download", package, NULL};
	AUTO_FREE char *folder =
		xasprintf("%s/trees/%s.download-%d", in->cache, package, (int)getpid());
	AUTO_FREE char *output = NULL;
	AUTO_FREE char *deb = NULL;
	AUTO_FREE char *version = NULL;
	AUTO_FREE char *src = path_join(folder, "root/usr/src");
	AUTO_FREE char *root = path_join(folder, "root");
	int r = file_mkdirs(folder, 0755, e);

	if (r)
		return r;
	ret->unpacked = xstrdup(folder);
	in->progress("downloading the package", 0, -1, in->data);
	r = run(get, folder, &output, e);
	if (r)
		return error_prefix(e,
			"the package \"%s\" is not installed and cannot be downloaded (install it "
			"with apt-get install %s)",
			package, package);
	deb = find_deb(folder, package);
	if (!deb)
		return error_set(e, ERR_MISSING, "apt-get downloaded no package \"%s\"", package);
	in->progress("unpacking the package", 0, -1, in->data);
	free(steal_ptr(output));
	r = run((const char *const[]){"dpkg-deb", "-x", deb, root, NULL}, NULL, &output, e);
	if (!r)
		r = run((const char *const[]){"dpkg-deb", "-f", deb, "Version", NULL}, NULL,
			&version, e);
	if (r)
		return r;
	ret->tarball = find_tarball(src, package);
	if (!ret->tarball)
		return error_set(e, ERR_MISSING,
			"the package \"%s\" has no /usr/src/%s.tar.xz in it", package, package);
	ret->version = steal_ptr(version);
	return 0;
}

/* The version belongs into file names: ':' and '~' are fine there, '/' is in no version. */
static char *cache_name(const struct import *in, const char *package, const struct package *p)
{
	struct stat st = {0};

	assert(p->tarball);
	(void)stat(p->tarball, &st);
	return xasprintf("%s/trees/deb-%s-%s-%lld.git", in->cache, package, p->version,
		(long long)st.st_size);
}

/* Import into a folder of its own; the name appears when it is whole. */
static int fill_cache(const struct import *in, const char *package, const struct package *p,
	const char *cached, struct error *e)
{
	AUTO_FREE char *part = xasprintf("%s.part", cached);
	AUTO_FREE char *message = xasprintf("%s %s\n", package, p->version);
	struct repo *repo = NULL;
	int r = file_remove_tree(part, e); /* of an import that was killed */

	if (!r)
		r = repo_ensure(part, &repo, e);
	repo = repo_free(repo);
	if (!r)
		r = tar_import(in, p->tarball, part, HEAD_REF, message, e);
	if (!r && rename(part, cached))
		r = error_errno(e, "cannot rename \"%s\"", part);
	if (r)
		(void)file_remove_tree(part, NULL);
	return r;
}

/* One importer of a package at a time: the second one finds the work done. */
static int lock_cache(const struct import *in, const char *package, int *ret_fd, struct error *e)
{
	AUTO_FREE char *folder = path_join(in->cache, "trees");
	AUTO_FREE char *path = xasprintf("%s/%s.lock", folder, package);
	AUTO_CLOSE int fd = -1;
	int r = file_mkdirs(folder, 0755, e);

	if (r)
		return r;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_errno(e, "cannot open \"%s\"", path);
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return error_errno(e, "cannot lock \"%s\"", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int link_or_copy(const char *from, const char *to, struct error *e)
{
	if (link(from, to) == 0 || errno == EEXIST)
		return 0;
	return file_copy(from, to, 0444, e);
}

/* The packs of a cached import into the lab's repository; the index last, as git does. */
static int link_packs(const char *cached, const char *repo_path, struct error *e)
{
	AUTO_FREE char *from = path_join(cached, "objects/pack");
	AUTO_FREE char *to = path_join(repo_path, "objects/pack");
	static const char *const kinds[] = {".pack", ".idx"};
	int r = file_mkdirs(to, 0755, e);

	for (size_t kind = 0; kind < ARRAY_SIZE(kinds) && !r; kind++) {
		DIR *dir = opendir(from);
		struct dirent *entry;

		if (!dir)
			return error_errno(e, "cannot read \"%s\"", from);
		while (!r && (entry = readdir(dir))) {
			AUTO_FREE char *a = path_join(from, entry->d_name);
			AUTO_FREE char *b = path_join(to, entry->d_name);

			if (ends_with(entry->d_name, kinds[kind]))
				r = link_or_copy(a, b, e);
		}
		(void)closedir(dir);
	}
	return r;
}

/* The commit of a cached import; ERR_MISSING where there is none or it is not whole. */
static int open_cached(const char *cached, struct oid *ret_tip, struct error *e)
{
	AUTO_REPO struct repo *repo = NULL;
	struct oid tree;
	int r = repo_open(cached, &repo, e);

	if (!r)
		r = repo_get_ref(repo, HEAD_REF, ret_tip, e);
	return r ? r : repo_tree_of(repo, ret_tip, &tree, e);
}

int import_deb(const struct import *in, const char *package, const char *repo_path,
	struct oid *ret_tip, char **ret_version, struct error *e)
{
	AUTO_PACKAGE struct package p = {0};
	AUTO_FREE char *cached = NULL;
	AUTO_REPO struct repo *repo = NULL;
	AUTO_CLOSE int lock = -1;
	struct error unused = ERROR_INIT;
	int r;

	if (!is_package_name(package))
		return error_set(
			e, ERR_SYNTAX, "\"%.100s\" is no name of a Debian package", package);
	r = lock_cache(in, package, &lock, e);
	if (r)
		return r;
	r = find_installed(package, &p, e);
	if (r == ERR_MISSING)
		r = download(in, package, &p, e);
	if (r)
		return r;
	cached = cache_name(in, package, &p);
	if (open_cached(cached, ret_tip, &unused)) {
		r = file_remove_tree(cached, e);
		if (!r)
			r = fill_cache(in, package, &p, cached, e);
		if (!r)
			r = open_cached(cached, ret_tip, e);
		if (r)
			return r;
	}
	r = repo_ensure(repo_path, &repo, e);
	if (!r)
		r = link_packs(cached, repo_path, e);
	if (!r)
		r = repo_refresh(repo, e);
	if (!r)
		r = repo_set_ref(repo, HEAD_REF, ret_tip, e);
	if (!r)
		*ret_version = steal_ptr(p.version);
	return r;
}

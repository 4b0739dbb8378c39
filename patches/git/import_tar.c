/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/import_internal.h"

#include "base/child.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "patches/git/diff.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#define READ_BYTES ((size_t)1 << 20)
#define MAX_FILE ((size_t)1 << 30)
#define MAX_FILES 2000000
#define COMPLAINT_MAX 4096

struct tar_file {
	char *path;
	unsigned mode;
	size_t mark; /* of its blob; 0: link is another file's path */
	char *link;
};

struct tar {
	struct archive *archive;
	const char *name; /* of the tarball, for sentences */
	FILE *out; /* to git fast-import */
	char *buf;
	struct tar_file *files;
	size_t n;
	size_t room;
	size_t marks;
	int64_t newest_s;
};

static void tar_done(struct tar *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->files[i].path);
		free(t->files[i].link);
	}
	free(t->files);
	free(t->buf);
	(void)archive_read_free(t->archive);
	if (t->out)
		(void)fclose(t->out);
}
#define AUTO_TAR CLEANUP(tar_done)

static int tar_error(struct tar *t, struct error *e)
{
	const char *why = archive_error_string(t->archive);

	return error_set(e, ERR_SYNTAX, "the tarball \"%s\" cannot be read: %s", t->name,
		why ? why : "no reason given");
}

/* fast-import went away: what it said comes from its standard error. */
static int gone(struct tar *t, struct error *e)
{
	(void)t;
	return error_set(e, ERR_STATE, "git fast-import ended early");
}

/* Below the tarball's first folder; NULL for that folder itself. */
static const char *inner_path(const char *path)
{
	while (starts_with(path, "./"))
		path += 2;
	path = strchr(path, '/');
	return path && path[1] ? path + 1 : NULL;
}

static int add_file(
	struct tar *t, const char *path, unsigned mode, const char *link, struct error *e)
{
	int r = path_check(path, e);

	if (r)
		return r;
	if (t->n == MAX_FILES)
		return error_set(e, ERR_LIMIT, "the tarball \"%s\" has more than %d files", t->name,
			MAX_FILES);
	if (t->n == t->room) {
		t->room = t->room ? t->room * 2 : 1024;
		t->files = xreallocarray(t->files, t->room, sizeof(*t->files));
	}
	t->files[t->n++] =
		(struct tar_file){xstrdup(path), mode, link ? 0 : ++t->marks, xstrdup_null(link)};
	return 0;
}

/* A blob whose bytes are the entry's. */
static int send_content(struct tar *t, int64_t size, struct error *e)
{
	int64_t sent = 0;

	if (size < 0 || (size_t)size > MAX_FILE)
		return error_set(e, ERR_LIMIT, "a file in \"%s\" is longer than %zu bytes", t->name,
			MAX_FILE);
	if (fprintf(t->out, "blob\nmark :%zu\ndata %lld\n", t->marks, (long long)size) < 0)
		return gone(t, e);
	while (sent < size) {
		la_ssize_t n = archive_read_data(t->archive, t->buf, READ_BYTES);

		if (n <= 0)
			return tar_error(t, e);
		if (fwrite(t->buf, 1, (size_t)n, t->out) != (size_t)n)
			return gone(t, e);
		sent += n;
	}
	return fputc('\n', t->out) < 0 ? gone(t, e) : 0;
}

static int send_text(struct tar *t, const char *text, struct error *e)
{
	return fprintf(t->out, "blob\nmark :%zu\ndata %zu\n%s\n", t->marks, strlen(text), text) < 0
		       ? gone(t, e)
		       : 0;
}

static int take_entry(struct tar *t, struct archive_entry *entry, struct error *e)
{
	const char *path = archive_entry_pathname(entry);
	const char *hard = archive_entry_hardlink(entry);
	const char *link = archive_entry_symlink(entry);
	unsigned type = archive_entry_filetype(entry);
	bool exec = archive_entry_perm(entry) & 0100;
	int r;

	t->newest_s = MAX_OF(t->newest_s, (int64_t)archive_entry_mtime(entry));
	path = path ? inner_path(path) : NULL;
	if (!path || type == AE_IFDIR)
		return 0;
	if (hard) {
		hard = inner_path(hard);
		return hard ? add_file(t, path, exec ? DIFF_MODE_EXEC : DIFF_MODE_FILE, hard, e)
			    : 0;
	}
	if (type == AE_IFLNK && link) {
		r = add_file(t, path, DIFF_MODE_LINK, NULL, e);
		return r ? r : send_text(t, link, e);
	}
	if (type != AE_IFREG)
		return error_set(e, ERR_SYNTAX, "\"%s\" in \"%s\" is neither a file nor a link",
			path, t->name);
	r = add_file(t, path, exec ? DIFF_MODE_EXEC : DIFF_MODE_FILE, NULL, e);
	return r ? r : send_content(t, archive_entry_size(entry), e);
}

static int open_tar(struct tar *t, const char *tarball, struct error *e)
{
	t->name = tarball;
	t->archive = archive_read_new();
	t->buf = xmalloc(READ_BYTES);
	if (!t->archive || archive_read_support_filter_all(t->archive) != ARCHIVE_OK ||
		archive_read_support_format_tar(t->archive) != ARCHIVE_OK)
		return error_set(e, ERR_STATE, "libarchive does not start");
	if (archive_read_open_filename(t->archive, tarball, READ_BYTES) != ARCHIVE_OK)
		return tar_error(t, e);
	return 0;
}

static int send_blobs(struct tar *t, const struct import *in, struct error *e)
{
	struct archive_entry *entry;
	int status;
	int r = 0;

	while (!r && (status = archive_read_next_header(t->archive, &entry)) != ARCHIVE_EOF) {
		if (status < ARCHIVE_WARN)
			return tar_error(t, e);
		r = take_entry(t, entry, e);
		if (t->n % 2000 == 0)
			in->progress("importing files", (int64_t)t->n, -1, in->data);
	}
	if (!r && !t->n)
		r = error_set(e, ERR_SYNTAX, "there are no files in \"%s\"", t->name);
	return r;
}

/* A path in quotes, as fast-import reads it. */
static void send_path(struct tar *t, const char *path)
{
	(void)fputc('"', t->out);
	for (; *path; path++) {
		if (*path == '"' || *path == '\\')
			(void)fputc('\\', t->out);
		if (*path == '\n')
			(void)fputs("\\n", t->out);
		else
			(void)fputc(*path, t->out);
	}
	(void)fputc('"', t->out);
}

static int send_commit(struct tar *t, const char *ref, const char *message, struct error *e)
{
	(void)fprintf(t->out,
		"commit %s\nauthor " IMPORT_IDENT " %lld +0000\ncommitter " IMPORT_IDENT
		" %lld +0000\ndata %zu\n%s",
		ref, (long long)t->newest_s, (long long)t->newest_s, strlen(message), message);
	for (size_t i = 0; i < t->n; i++) {
		const struct tar_file *f = &t->files[i];

		if (f->link) {
			(void)fputs("C ", t->out);
			send_path(t, f->link);
			(void)fputc(' ', t->out);
		} else {
			(void)fprintf(t->out, "M %o :%zu ", f->mode, f->mark);
		}
		send_path(t, f->path);
		(void)fputc('\n', t->out);
	}
	(void)fputs("\ndone\n", t->out);
	return fflush(t->out) ? gone(t, e) : 0;
}

/* fast-import with a pipe to its input, its complaints going to a file that has no name. */
static int start_import(const char *repo_path, struct child *ret_child, FILE **ret_in,
	int *ret_complaints, struct error *e)
{
	const char *const argv[] = {"git", "-C", repo_path, "-c", "core.compression=1", "-c",
		"fastimport.unpackLimit=0", "fast-import", "--quiet", "--done", "--depth=0", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CLOSE int complaints = memfd_create("fast-import", MFD_CLOEXEC);
	int pipe_fds[2];
	int r;

	if (complaints < 0)
		return error_errno(e, "cannot make a memory file");
	if (pipe2(pipe_fds, O_CLOEXEC))
		return error_errno(e, "cannot make a pipe");
	spec.fds[0] = pipe_fds[0];
	spec.fds[2] = complaints;
	r = child_start(&spec, ret_child, e);
	(void)close(pipe_fds[0]);
	*ret_in = r ? NULL : fdopen(pipe_fds[1], "w");
	if (r || !*ret_in) {
		(void)close(pipe_fds[1]);
		return r ? r : error_errno(e, "cannot write to git fast-import");
	}
	*ret_complaints = steal_fd(&complaints);
	return 0;
}

/* The first line of what it complained about, for our sentence. */
static int import_failed(int complaints, int status, struct error *e)
{
	char text[64];
	char said[COMPLAINT_MAX];
	ssize_t n = pread(complaints, said, sizeof(said) - 1, 0);

	said[n > 0 ? n : 0] = '\0';
	said[strcspn(said, "\n")] = '\0';
	return error_set(e, ERR_STATE, "git fast-import: %s: %s",
		child_status_text(status, text, sizeof(text)), said);
}

int tar_import(const struct import *in, const char *tarball, const char *repo_path, const char *ref,
	const char *message, struct error *e)
{
	AUTO_TAR struct tar t = {0};
	AUTO_CHILD struct child child = CHILD_INIT;
	AUTO_CLOSE int complaints = -1;
	int status = 0;
	int r = open_tar(&t, tarball, e);

	if (!r)
		r = start_import(repo_path, &child, &t.out, &complaints, e);
	if (r)
		return r;
	r = send_blobs(&t, in, e);
	if (!r) {
		in->progress("writing the commit", (int64_t)t.n, (int64_t)t.n, in->data);
		r = send_commit(&t, ref, message, e);
	}
	if (r && r != ERR_STATE)
		return r;
	(void)fclose(t.out);
	t.out = NULL;
	if (child_wait(&child, -1, &status, e))
		return ERR_STATE;
	return status ? import_failed(complaints, status, e) : r;
}

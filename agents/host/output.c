/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an output folder may be trusted with. The manifest tells every file as the last good build of
 * the tree's own code left it. What a killed build or somebody else's series did to the folder since
 * is undone before it is used again: what is not as the manifest tells it goes, and make builds it.
 *
 * ctime tells a change: unlike mtime nobody can set it.
 */
#include "agents/host/build.h"
#include "agents/host/folder.h"

#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#define MARKER "building"
#define OWNER "owner"
#define MANIFEST "manifest"
#define KEPT_COMMIT "kept.commit"
#define MANIFEST_HEAD "patchbay-manifest 1\n"
#define MAX_MANIFEST (256UL << 20)
#define MAX_OWNER 300
#define FOLDER "folder " /* and its mode */

/* Without their old text, make would take every option as changed. */
static const struct {
	const char *name; /* in obj */
	const char *copy; /* in out */
} kept[] = {{".config", "kept.config"}, {"include/config/auto.conf", "kept.auto.conf"}};

struct entry {
	const char *name;
	const char *state;
	bool there; /* still as it was */
};

struct manifest {
	struct build *b;
	char *text;
	struct entry *entries; /* sorted by name */
	size_t n;
};

static void manifest_done(struct manifest *m)
{
	free(m->text);
	free(m->entries);
}

/* "INODE SIZE CTIME": what differs as soon as anything was done to the file. A folder's times follow
 * from what is in it. */
static void describe(const struct stat *st, char *buf, size_t size)
{
	if (S_ISDIR(st->st_mode)) {
		snprintf(buf, size, FOLDER "%o", (unsigned)st->st_mode);
		return;
	}
	snprintf(buf, size, "%" PRIuMAX " %jd %jd.%09ld", (uintmax_t)st->st_ino,
		(intmax_t)st->st_size, (intmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static int list_file(void *data, const char *name, const struct stat *st, struct error *e)
{
	struct strbuf *text = data;
	char state[100];

	/* Its name would not come back from the list, so it is no part of it. */
	if (strchr(name, '\n'))
		return 0;
	describe(st, state, sizeof(state));
	if (strbuf_addf(text, "%s\t%s\n", state, name))
		return error_set(e, ERR_LIMIT, "the list of what a build made is over %lu MiB",
			MAX_MANIFEST >> 20);
	return 0;
}

/* A file as it is elsewhere, or no file. */
static int copy(const char *from, const char *name, const char *to, const char *as, struct error *e)
{
	AUTO_FREE char *path = path_join(to, as);
	AUTO_FREE char *text = NULL;
	size_t len;
	int r = folder_read(from, name, BUILD_MAX_CONFIG, &text, &len, e);

	if (r == ERR_MISSING)
		return file_remove_tree(path, e);
	return r ? r : file_write_atomic(path, text, len, 0600, e);
}

static int keep_copies(struct build *b, struct error *e)
{
	int r = copy(b->out, BUILD_CONFIG_COMMIT, b->out, KEPT_COMMIT, e);

	for (size_t i = 0; i < ARRAY_SIZE(kept) && !r; i++)
		r = copy(b->obj, kept[i].name, b->out, kept[i].copy, e);
	return r;
}

static int manifest_save(struct build *b, struct error *e)
{
	AUTO_FREE char *path = path_join(b->out, MANIFEST);
	AUTO_STRBUF struct strbuf text;
	int r;

	strbuf_init(&text, MAX_MANIFEST);
	strbuf_adds(&text, MANIFEST_HEAD);
	/* Killed between these, the new copies meet the old list: then they differ, and go back to
	 * what they are. */
	if ((r = keep_copies(b, e)) || (r = folder_walk(b->obj, list_file, &text, e)))
		return r;
	return file_write_atomic(path, text.buf, text.len, 0600, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int manifest_load(struct manifest *m, struct error *e)
{
	size_t len, room = 0;
	char *p;
	int r = folder_read(m->b->out, MANIFEST, MAX_MANIFEST, &m->text, &len, e);

	if (r)
		return r;
	if (!starts_with(m->text, MANIFEST_HEAD))
		return error_set(e, ERR_SYNTAX, "%s/%s is none", m->b->out, MANIFEST);
	p = m->text + strlen(MANIFEST_HEAD);
	while (*p) {
		char *tab = strchr(p, '\t'), *nl = tab ? strchr(tab, '\n') : NULL;

		if (!nl)
			return error_set(e, ERR_SYNTAX, "%s/%s is cut", m->b->out, MANIFEST);
		*tab = *nl = '\0';
		if (m->n == room) {
			room = room ? 2 * room : 1024;
			m->entries = xreallocarray(m->entries, room, sizeof(*m->entries));
		}
		m->entries[m->n++] = (struct entry){.name = tab + 1, .state = p};
		p = nl + 1;
	}
	if (m->n)
		qsort(m->entries, m->n, sizeof(*m->entries), by_name);
	return 0;
}

static struct entry *find(const struct manifest *m, const char *name)
{
	const struct entry key = {.name = name};

	return m->n ? bsearch(&key, m->entries, m->n, sizeof(key), by_name) : NULL;
}

static int remove_changed(void *data, const char *name, const struct stat *st, struct error *e)
{
	struct manifest *m = data;
	AUTO_FREE char *path = NULL;
	struct entry *known = find(m, name);
	char state[100];

	describe(st, state, sizeof(state));
	if (known && streq(known->state, state)) {
		known->there = true;
		return 0;
	}
	path = path_join(m->b->obj, name);
	if (!known || !S_ISDIR(st->st_mode) || !starts_with(known->state, FOLDER))
		return file_remove_tree(path, e);
	known->there = true;
	return chmod(path, (mode_t)strtoul(known->state + strlen(FOLDER), NULL, 8) & 07777)
		       ? error_errno(e, "cannot change the mode of %s", path)
		       : 0;
}

/* Where what the compiler said of an object is lost, it has to say it again. */
static int remove_mute(struct manifest *m, struct error *e)
{
	int r;

	for (size_t i = 0; i < m->n; i++) {
		AUTO_FREE char *object = NULL, *path = NULL;

		if (m->entries[i].there || !(object = diag_object(m->entries[i].name)))
			continue;
		path = path_join(m->b->obj, object);
		if ((r = file_remove_tree(path, e)))
			return r;
	}
	return 0;
}

static bool is_there(const struct manifest *m, const char *name)
{
	const struct entry *known = find(m, name);

	return known && known->there;
}

static int put_back_kept(struct manifest *m, struct error *e)
{
	const struct build *b = m->b;
	AUTO_FREE char *dir = path_join(b->obj, "include/config");
	int r = file_mkdirs(dir, 0755, e);

	if (!r)
		r = copy(b->out, KEPT_COMMIT, b->out, BUILD_CONFIG_COMMIT, e);
	for (size_t i = 0; i < ARRAY_SIZE(kept) && !r; i++)
		if (!is_there(m, kept[i].name))
			r = copy(b->out, kept[i].copy, b->obj, kept[i].name, e);
	return r;
}

/* Back to what the manifest tells. A folder that has none, or that cannot be walked through (folders
 * without permission, paths too long to be named), starts anew. */
static int restore(struct build *b, struct error *e)
{
	CLEANUP(manifest_done) struct manifest m = {.b = b};

	if (manifest_load(&m, NULL) || folder_walk(b->obj, remove_changed, &m, NULL) ||
		remove_mute(&m, NULL) || put_back_kept(&m, NULL))
		return folder_empty(b->obj, e);
	return 0;
}

static int forget(struct build *b, const char *name, struct error *e)
{
	AUTO_FREE char *path = path_join(b->out, name);

	return unlink(path) && errno != ENOENT ? error_errno(e, "cannot remove %s", path) : 0;
}

static int note(struct build *b, const char *name, const char *text, struct error *e)
{
	AUTO_FREE char *path = path_join(b->out, name);

	return file_write_atomic(path, text, strlen(text), 0600, e);
}

int output_admit(struct build *b, bool *ret_killed, struct error *e)
{
	AUTO_FREE char *owner = NULL;
	int r = folder_read(b->out, OWNER, MAX_OWNER, &owner, NULL, e);

	if (r && r != ERR_MISSING)
		return r;
	*ret_killed = folder_has(b->out, MARKER);
	if ((*ret_killed || (owner && !streq(owner, b->owner))) && (r = restore(b, e)))
		return r;
	if ((r = *b->owner ? note(b, OWNER, b->owner, e) : forget(b, OWNER, e)))
		return r;
	return note(b, MARKER, b->commit, e);
}

int output_settle(struct build *b, enum build_result result, struct error *e)
{
	int r;

	if (result == BUILD_ERROR || b->cut)
		return 0;
	if (result == BUILD_PASS && !*b->owner && (r = manifest_save(b, e)))
		return r;
	return forget(b, MARKER, e);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether an object in the output folder is part of the build, or was left by another commit that
 * made it from a source which is still there. kbuild keeps the command of each thing it made in
 * .NAME.cmd: an object that belongs to the kernel is named by an archive or a link, and that
 * archive by the next one, up to the top.
 */
#include "agents/host/build.h"
#include "agents/host/folder.h"

#include "base/file.h"

#define MAX_CMD (4 * 1024 * 1024)

static const char *const archives[] = {"built-in.a", "lib.a"};

/* The command itself is the first line; what follows are the headers it read. */
static bool names_word(const struct build *b, const char *cmd, const char *word)
{
	static const char separators[] = " \t\"';";
	AUTO_FREE char *text = NULL;
	size_t n = strlen(word);

	if (folder_read(b->obj, cmd, MAX_CMD, &text, NULL, NULL))
		return false;
	text[strcspn(text, "\n")] = '\0';
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, separators);
		const char *w = len > 2 && starts_with(p, "./") ? p + 2 : p;

		if (len - (size_t)(w - p) == n && !strncmp(w, word, n))
			return true;
		p += len;
		p += strspn(p, separators);
	}
	return false;
}

/* The archive's command in a folder ("" is the top). */
static char *archive_cmd(const char *dir, const char *archive)
{
	return xasprintf("%s%s.%s.cmd", dir, *dir ? "/" : "", archive);
}

/* Whether an archive of that folder names the file, in full or from there. */
static bool archived_in(const struct build *b, const char *dir, const char *file)
{
	size_t skip = *dir ? strlen(dir) + 1 : 0;

	for (size_t i = 0; i < ARRAY_SIZE(archives); i++) {
		AUTO_FREE char *cmd = archive_cmd(dir, archives[i]);

		if (names_word(b, cmd, file) || names_word(b, cmd, file + skip))
			return true;
	}
	return !*dir && names_word(b, ".vmlinux.a.cmd", file);
}

struct search {
	const struct build *b;
	const char *dir;
	const char *object;
	bool found;
};

/* Any other command of the same folder: a composite object, a program, a vDSO. */
static int look_in_cmd(void *data, const char *name, const struct stat *st, struct error *e)
{
	struct search *s = data;
	AUTO_FREE char *path = path_join(s->dir, name);
	const char *base = s->object + strlen(s->dir) + 1;
	AUTO_FREE char *own = xasprintf(".%s.cmd", base);

	if (s->found || !S_ISREG(st->st_mode) || strchr(name, '/') || !ends_with(name, ".cmd") ||
		streq(name, own))
		return 0;
	s->found = names_word(s->b, path, s->object) || names_word(s->b, path, base);
	return 0;
}

static bool used_nearby(const struct build *b, const char *dir, const char *object)
{
	AUTO_FREE char *full = path_join(b->obj, dir);
	struct search s = {.b = b, .dir = dir, .object = object};

	(void)folder_walk(full, look_in_cmd, &s, NULL);
	return s.found;
}

static bool has_archive(const struct build *b, const char *dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(archives); i++) {
		AUTO_FREE char *cmd = archive_cmd(dir, archives[i]);

		if (folder_has(b->obj, cmd))
			return true;
	}
	return false;
}

/* Whether one of the folder's archives is named by an archive further up. Where nothing further
 * up has an archive at all, there is nothing to say no. */
static bool reaches_top(const struct build *b, const char *dir)
{
	AUTO_FREE char *up = xstrdup(dir);
	bool asked = false;

	while (*up) {
		char *slash = strrchr(up, '/');

		*(slash ? slash : up) = '\0';
		if (!has_archive(b, up))
			continue;
		asked = true;
		for (size_t i = 0; i < ARRAY_SIZE(archives); i++) {
			AUTO_FREE char *archive = path_join(dir, archives[i]);

			if (archived_in(b, up, archive))
				return !*up || reaches_top(b, up);
		}
	}
	return !asked;
}

bool object_is_live(const struct build *b, const char *object)
{
	const char *slash = strrchr(object, '/');
	AUTO_FREE char *dir = slash ? xstrndup(object, (size_t)(slash - object)) : NULL;

	/* Without an archive it is no folder of the kernel proper: a program, the boot loader. */
	if (!dir || !ends_with(object, ".o") || !has_archive(b, dir))
		return true;
	return (archived_in(b, dir, object) || used_nearby(b, dir, object)) && reaches_top(b, dir);
}

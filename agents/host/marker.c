/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The marker of a build under way. Found at the start of the next one, it says that the last was
 * killed: what that one wrote may be half-written and yet newer than its sources, so it goes.
 */
#include "agents/host/build.h"
#include "agents/host/folder.h"

#include "base/file.h"

#include <errno.h>

#define MARKER "building"

struct sweep {
	const char *obj;
	struct timespec since; /* what is no older goes; tv_sec 0: nothing */
	bool config_touched;
};

static bool no_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec >= b->tv_nsec);
}

/* ctime: unlike mtime nobody can set it. */
static bool is_new(const struct sweep *s, const struct stat *st)
{
	return s->since.tv_sec && no_older(&st->st_ctim, &s->since);
}

static int look_for_config(void *data, const char *name, const struct stat *st, struct error *e)
{
	struct sweep *s = data;

	if (is_new(s, st) && (streq(name, ".config") || streq(name, "include/config/auto.conf")))
		s->config_touched = true;
	return 0;
}

/* A compiler killed between open and write leaves an object of no bytes, which make takes as up
 * to date; that goes in any case. */
static int sweep_file(void *data, const char *name, const struct stat *st, struct error *e)
{
	const struct sweep *s = data;
	AUTO_FREE char *path = NULL;

	if (!is_new(s, st) && !(S_ISREG(st->st_mode) && !st->st_size && ends_with(name, ".o")))
		return 0;
	path = path_join(s->obj, name);
	if (unlink(path) && errno != ENOENT)
		return error_errno(e, "cannot remove %s, left by a killed build", path);
	return 0;
}

int marker_recover(struct build *b, bool *ret_found, struct error *e)
{
	AUTO_FREE char *path = path_join(b->out, MARKER);
	struct sweep s = {.obj = b->obj};
	struct stat st;

	*ret_found = !lstat(path, &st);
	if (*ret_found) {
		s.since = st.st_ctim;
		/* What a changed option touched is not told by times alone: all of it again. */
		if (folder_walk(b->obj, look_for_config, &s, NULL) || s.config_touched)
			return folder_empty(b->obj, e);
	}
	/* A build can leave folders that cannot be read, or paths too long to be named: they are not to
	 * spoil every build after it. */
	return folder_walk(b->obj, sweep_file, &s, NULL) ? folder_empty(b->obj, e) : 0;
}

int marker_set(struct build *b, struct error *e)
{
	AUTO_FREE char *path = path_join(b->out, MARKER);
	AUTO_FREE char *text = xasprintf("%s\n", b->commit);

	return file_write_atomic(path, text, strlen(text), 0600, e);
}

int marker_clear(struct build *b, struct error *e)
{
	AUTO_FREE char *path = path_join(b->out, MARKER);

	return unlink(path) && errno != ENOENT ? error_errno(e, "cannot remove %s", path) : 0;
}

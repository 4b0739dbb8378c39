/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * objtool and modpost warn about objects, and only when those are made. Their lines are taken from
 * the log and put with what the compiler said of the same object.
 */
#include "agents/host/build.h"
#include "agents/host/folder.h"
#include "agents/host/wrapper.h"

#include "base/file.h"

#include <fcntl.h>

#define LINKED "vmlinux.o" /* what modpost looks at */

/* "drivers/a.o: warning: objtool: f+0x1: …": the object, heap; or NULL. */
static char *object_in(const char *line)
{
	const char *colon = strstr(line, ": warning: objtool: ");

	if (starts_with(line, "WARNING: modpost: "))
		return xstrdup(LINKED);
	if (!colon)
		colon = strstr(line, ": error: objtool: ");
	if (!colon || colon - line < 3 || strncmp(colon - 2, ".o", 2) != 0 || *line == '/')
		return NULL;
	return xstrndup(line, (size_t)(colon - line));
}

/* Whether the file begins with this run's header. */
static bool is_ours(const struct build *b, int fd)
{
	AUTO_FREE char *want = xasprintf("patchbay-diag 1 %s ", b->nonce);
	char have[64];
	ssize_t n = pread(fd, have, sizeof(have), 0);

	return n >= (ssize_t)strlen(want) && !strncmp(have, want, strlen(want));
}

void diag_attach(struct build *b, const char *line)
{
	AUTO_FREE char *object = object_in(line);
	AUTO_FREE char *path = object ? wrapper_diag_path(object) : NULL;
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (!object || !folder_has(b->obj, object))
		return;
	fd = folder_open(b->obj, path, O_RDWR | O_CREAT | O_APPEND, NULL);
	if (fd < 0 || fstat(fd, &st) || st.st_size > WRAPPER_MAX)
		return;
	if (!is_ours(b, fd) &&
		(ftruncate(fd, 0) || dprintf(fd, "patchbay-diag 1 %s ok -\n", b->nonce) < 0))
		return;
	(void)dprintf(fd, "%s\n", line);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/upload.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>

#define PREFIX "upload-"
#define FLUSH_STEP (4 * 1024 * 1024)

int upload_begin(struct upload *u, enum upload_kind kind, uint64_t limit, const char *folder,
	struct error *e)
{
	u->kind = kind;
	u->limit = limit;
	strbuf_init(&u->text, kind == UPLOAD_JSON ? (size_t)limit : 0);
	sha256_init(&u->hash);
	if (kind != UPLOAD_FILE)
		return 0;
	u->path = xasprintf("%s/" PREFIX "XXXXXX", folder);
	u->fd = mkostemp(u->path, O_CLOEXEC);
	if (u->fd < 0) {
		int code = error_errno(e, "cannot make a file in %s for the upload", folder);

		free(steal_ptr(u->path));
		return code;
	}
	return 0;
}

int upload_add(struct upload *u, const void *data, size_t len, struct error *e)
{
	int r;

	if (len > u->limit - u->bytes)
		return error_set(e, ERR_LIMIT, "the body is longer than the limit of %llu bytes",
			(unsigned long long)u->limit);
	u->bytes += len;
	if (u->kind == UPLOAD_JSON)
		return strbuf_add(&u->text, data, len);
	if (u->kind != UPLOAD_FILE)
		return 0;
	sha256_add(&u->hash, data, len);
	r = write_all(u->fd, data, len);
	if (r < 0) {
		errno = -r;
		return error_errno(
			e, "cannot write %s; free some space and send it again", u->path);
	}
	/* Spread the writing out, so that the last fsync does not hold up the loop. */
	if (u->bytes - u->flushed >= FLUSH_STEP) {
		(void)sync_file_range(u->fd, (off_t)u->flushed, (off_t)(u->bytes - u->flushed),
			SYNC_FILE_RANGE_WRITE);
		u->flushed = u->bytes;
	}
	return 0;
}

void upload_finish(struct upload *u)
{
	if (u->kind != UPLOAD_FILE)
		return;
	sha256_hex(&u->hash, u->sha256);
	close(steal_fd(&u->fd));
}

void upload_done(struct upload *u)
{
	if (u->fd >= 0)
		close(steal_fd(&u->fd));
	if (u->path)
		(void)unlink(u->path);
	free(steal_ptr(u->path));
	strbuf_done(&u->text);
}

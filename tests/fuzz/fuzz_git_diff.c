/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The diff parser, binary patches and patch ids. */
#include "patches/git/binary.h"
#include "patches/git/diff.h"
#include "patches/git/patchid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_file(const struct diff_file *f)
{
	struct error e = ERROR_INIT;

	if ((f->old_name && path_check(f->old_name, &e)) ||
		(f->new_name && path_check(f->new_name, &e)) || (!f->old_name && !f->new_name))
		abort();
	if (f->binary == BINARY_LITERAL || f->binary == BINARY_DELTA) {
		AUTO_FREE char *out = NULL;
		size_t len;

		(void)binary_apply(f, "old content", 11, &out, &len, &e);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_DIFF struct diff *d = NULL;
	struct error e = ERROR_INIT;
	char id[PATCH_ID_HEX];

	(void)patch_id((const char *)data, size, true, id);
	(void)patch_id((const char *)data, size, false, id);
	if (diff_parse((const char *)data, size, &d, &e))
		return 0;
	for (size_t i = 0; i < d->n_files; i++)
		check_file(&d->files[i]);
	return 0;
}

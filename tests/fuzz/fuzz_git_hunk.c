/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hunk search: a file, a line "%%", a diff; its hunks go onto the file. */
#include "patches/git/hunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void apply(struct image *img, const struct diff_file *f)
{
	for (size_t i = 0; i < f->n_hunks; i++) {
		const struct hunk *h = &f->hunks[i];
		size_t before = img->n;
		long offset = 0;

		if (image_apply(img, h, &offset) == 0) {
			if (img->n + h->old_count != before + h->new_count)
				abort();
			continue;
		}
		struct conflict c;

		image_explain(img, "file", h, &c);
		if (!c.why || !c.expected || !c.found || c.line < 1)
			abort();
		conflict_done(&c);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n%%\n";
	const char *text = (const char *)data;
	const char *split = memmem(text, size, mark, 4);
	AUTO_DIFF struct diff *d = NULL;
	struct error e = ERROR_INIT;
	struct image img;
	char *joined;
	size_t len;

	if (!split || diff_parse(split + 4, size - (size_t)(split + 4 - text), &d, &e))
		return 0;
	image_init(&img, text, (size_t)(split + 1 - text));
	for (size_t i = 0; i < d->n_files; i++)
		apply(&img, &d->files[i]);
	joined = image_join(&img, &len);
	if (strlen(joined) > len)
		abort();
	free(joined);
	image_done(&img);
	return 0;
}

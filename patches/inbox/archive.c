/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/archive.h"

#include "base/file.h"

void archive_done(struct archive *a)
{
	free(a->positions);
	a->positions = NULL;
	a->n_positions = 0;
}

static struct archive_position *position_of(struct archive *a, int epoch)
{
	for (size_t i = 0; i < a->n_positions; i++)
		if (a->positions[i].epoch == epoch)
			return &a->positions[i];
	a->positions = xreallocarray(a->positions, a->n_positions + 1, sizeof(*a->positions));
	a->positions[a->n_positions] = (struct archive_position){.epoch = epoch};
	return &a->positions[a->n_positions++];
}

/* An epoch that is over and seen is not asked for again: its mirror goes, and so does one that
 * still holds what was purged. The next visit fetches the latter anew. */
static void forget_mirror(const struct archive *a, int epoch)
{
	AUTO_FREE char *path = epoch_folder(a->folder, epoch);

	(void)file_remove_tree(path, NULL);
}

struct visit {
	struct archive *a;
	archive_mail_fn fn;
	void *data;
	bool first; /* nothing was seen before */
};

/* Oldest first, from the end of the list. */
static void tell(struct visit *v, int epoch, struct repo *repo, const struct epoch_list *list)
{
	struct archive_position *at = position_of(v->a, epoch);

	for (size_t i = list->n; i-- > 0 && !v->a->more;) {
		const struct epoch_mail *m = &list->mails[i];
		AUTO_FREE char *data = NULL;
		struct error why = ERROR_INIT;
		struct archive_mail mail = {
			.epoch = epoch, .commit = m->commit, .taken_back = m->taken_back};

		if (epoch_read(repo, m, ARCHIVE_MAX_MAIL, &data, &mail.len, &why))
			mail.why = why.msg;
		mail.data = data;
		at->last = m->commit;
		v->a->more = v->fn(&mail, v->data) && i > 0;
	}
}

static int visit_epoch(struct visit *v, int epoch, struct error *e)
{
	struct archive *a = v->a;
	AUTO_EPOCH_LIST struct epoch_list list = {0};
	AUTO_REPO struct repo *repo = NULL;
	struct oid last = position_of(a, epoch)->last;
	struct oid tip;
	int r = epoch_fetch(a->in, a->address, epoch, a->folder, &repo, &tip, e);

	if (r || oid_equal(&tip, &last))
		return r;
	/* An epoch that began while the archive was followed is new from its first mail on. */
	r = epoch_news(repo, &tip, &last, oid_is_null(&last) && !v->first ? INT64_MIN : a->since_s,
		&list, e);
	if (r)
		return r;
	tell(v, epoch, repo, &list);
	if (!a->more)
		position_of(a, epoch)->last = tip;
	if (list.rewritten) {
		a->rewritten = true;
		forget_mirror(a, epoch);
	}
	return 0;
}

/* The newest epoch there is. */
static int find_newest(struct archive *a, int *ret_epoch, struct error *e)
{
	int n = 0;
	bool there = true;

	for (; there && n <= EPOCH_MAX; n += there) {
		int r = epoch_exists(a->address, n, &there, e);

		if (r)
			return r;
	}
	if (n == 0)
		return error_set(e, ERR_MISSING,
			"there is no public-inbox archive (version 2) at %s: name the list's http "
			"or https address, or the archive's folder",
			a->address);
	*ret_epoch = n - 1;
	return 0;
}

/* The epoch in which the mails since since_s begin: the newest that is not all younger. */
static int find_first(struct archive *a, int *ret_epoch, struct error *e)
{
	int r = find_newest(a, ret_epoch, e);

	while (!r) {
		AUTO_EPOCH_LIST struct epoch_list list = {0};
		AUTO_REPO struct repo *repo = NULL;
		struct oid tip;

		r = epoch_fetch(a->in, a->address, *ret_epoch, a->folder, &repo, &tip, e);
		if (!r)
			r = epoch_news(repo, &tip, &(struct oid){0}, a->since_s, &list, e);
		if (r || *ret_epoch == 0 || !list.all)
			break;
		--*ret_epoch;
	}
	return r;
}

int archive_follow(struct archive *a, archive_mail_fn fn, void *data, struct error *e)
{
	struct visit v = {.a = a, .fn = fn, .data = data, .first = a->n_positions == 0};
	int epoch = 0;
	bool next;
	int r = file_mkdirs(a->folder, 0700, e);

	a->more = a->rewritten = false;
	for (size_t i = 0; i < a->n_positions; i++)
		epoch = MAX_OF(epoch, a->positions[i].epoch);
	if (!r && v.first)
		r = find_first(a, &epoch, e);
	if (r)
		return r;
	do {
		/* Asked before the fetch: an epoch whose successor is there does not grow. */
		r = epoch_exists(a->address, epoch + 1, &next, e);
		if (!r)
			r = visit_epoch(&v, epoch, e);
		if (!r && next && !a->more)
			forget_mirror(a, epoch);
		epoch++;
	} while (!r && next && !a->more);
	return r;
}

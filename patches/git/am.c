/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/am.h"

#include "patches/git/merge.h"

const char *am_how_name(enum am_how how)
{
	static const char *const names[] = {"exact", "offset", "merge", "already-in"};

	return names[how];
}

/* What concerns the mail and no file. */
static int refuse(struct conflict *c, struct error *e)
{
	*c = (struct conflict){.file = xstrdup(""),
		.expected = xstrdup(""),
		.found = xstrdup(""),
		.why = xstrdup(e->msg)};
	return ERR_CONFLICT;
}

/* What the hunk missed stays what is told; why no merge helped is added. */
static void add_why(struct conflict *c, const struct conflict *merge)
{
	char *why = xasprintf("%s; nor by a three-way merge: %s%s%s", c->why,
		streq(c->file, merge->file) ? "" : merge->file,
		streq(c->file, merge->file) || !*merge->file ? "" : ": ", merge->why);

	free(c->why);
	c->why = why;
}

/* The tree that the diff makes of another, by whichever way works first. */
static int apply_tree(struct repo *r, const struct oid *tree, const struct diff *diff,
	struct oid *ret_tree, enum am_how *ret_how, struct conflict *ret_conflict, struct error *e)
{
	AUTO_CHANGES struct changes changes = {0};
	struct conflict merge_conflict = {0};
	struct tree_source source;
	int status;

	tree_source_init(&source, r, tree);
	status = diff_apply(diff, &source.source, &changes, ret_conflict, e);
	if (status == 0) {
		*ret_how = changes.offset ? AM_OFFSET : AM_EXACT;
		return changes_write(&changes, r, tree, ret_tree, e);
	}
	if (status != ERR_CONFLICT)
		return status;
	status = merge_apply(r, tree, diff, ret_tree, &merge_conflict, e);
	if (status == ERR_CONFLICT)
		add_why(ret_conflict, &merge_conflict);
	conflict_done(&merge_conflict);
	if (status)
		return status;
	conflict_done(ret_conflict);
	*ret_how = oid_equal(tree, ret_tree) ? AM_ALREADY_IN : AM_MERGE;
	return 0;
}

int am_apply(struct repo *r, const struct oid *parent, const struct am_patch *patch,
	struct oid *ret_commit, enum am_how *ret_how, struct conflict *ret_conflict,
	struct error *e)
{
	AUTO_DIFF struct diff *diff = NULL;
	struct oid tree;
	struct oid result;
	int status;

	*ret_conflict = (struct conflict){0};
	status = diff_parse(patch->diff, patch->diff_len, &diff, e);
	if (status)
		return refuse(ret_conflict, e);
	status = repo_tree_of(r, parent, &tree, e);
	if (!status)
		status = apply_tree(r, &tree, diff, &result, ret_how, ret_conflict, e);
	if (status == ERR_CONFLICT && !ret_conflict->why)
		return refuse(ret_conflict, e);
	if (status)
		return status;
	if (*ret_how == AM_ALREADY_IN) {
		*ret_commit = *parent;
		return 0;
	}
	status = commit_write(r, &patch->info, &result, parent, ret_commit, e);
	return status == ERR_SYNTAX || status == ERR_LIMIT ? refuse(ret_conflict, e) : status;
}

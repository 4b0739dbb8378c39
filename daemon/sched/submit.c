/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs on series. */
#include "daemon/report/report.h"
#include "daemon/sched/internal.h"
#include "daemon/store/version.h"
#include "base/sha256.h"
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#define DEFAULT_PROFILE "dma"
#define REVISION_MAX_BYTES 200

/* A revision that git could take, and nothing that it could take for an option. NULL is fine. */
static int check_revision(const char *what, const char *revision, struct error *e)
{
	size_t len = revision ? strlen(revision) : 0;

	if (!revision)
		return 0;
	if (len == 0 || len > REVISION_MAX_BYTES || revision[0] == '-')
		return error_set(e, ERR_SYNTAX,
			"%s has to be a revision of the tree: a commit id, a tag or a branch",
			what);
	for (const char *p = revision; *p; p++)
		if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 127 || strchr("?*[\\:", *p))
			return error_set(e, ERR_SYNTAX,
				"%s '%s' has a character that no revision has", what, revision);
	return 0;
}

static bool is_commit_id(const char *text)
{
	return text && strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static int check_tree(const struct tree_row *tree, struct error *e)
{
	if (tree->tip)
		return 0;
	if (streq(tree->state, "error"))
		return error_set(e, ERR_STATE,
			"tree %s was never imported (%s): mend that, then `patchbay tree fetch %s`",
			tree->name, tree->reason ? tree->reason : "no reason was given",
			tree->name);
	return error_set(e, ERR_STATE,
		"tree %s is still being imported: see `patchbay job show %lld`, and submit again "
		"when it is done",
		tree->name, (long long)tree->job_id);
}

/* A tree that can be used; of several, one that stands in until apply has chosen. *ret_tips: what the
 * choice is between, by name and tip; NULL where there is none. */
static int find_tree(struct sched *s, const char *name, struct tree_row *ret_tree, char **ret_tips,
	struct error *e)
{
	struct page page = {0, PAGE_MAX};
	struct tree_row *rows = NULL;
	size_t n = 0, usable = 0, first = 0;
	AUTO_FREE char *tips = xstrdup("");
	int err;

	if (name) {
		err = tree_get(s->store, name, ret_tree, e);
		return err < 0 ? err : check_tree(ret_tree, e);
	}
	err = tree_list(s->store, &page, &rows, &n, &page.after, e);
	if (err < 0)
		return err;
	for (size_t i = n; i > 0; i--) {
		char *more;

		if (!rows[i - 1].tip)
			continue;
		first = i - 1;
		usable++;
		more = xasprintf("%s %s %s", rows[first].name, rows[first].tip, tips);
		free(tips);
		tips = more;
	}
	if (n == 0)
		err = error_set(e, ERR_MISSING,
			"there is no tree to apply it to: add one with `patchbay tree add`");
	else
		err = check_tree(&rows[first], e);
	if (err >= 0)
		err = tree_get(s->store, rows[first].name, ret_tree, e);
	if (err >= 0 && usable > 1)
		*ret_tips = steal_ptr(tips);
	tree_free_all(rows, n);
	return err;
}

/* What cannot be run is refused now, not found out after an hour. */
static int check_machine(struct sched *s, const cJSON *profile, struct error *e)
{
	AUTO_MACHINE struct machine_row machine = {0};
	int err = machine_choose(s->store, json_str(profile, "arch", "x86_64"),
		json_get(json_get(profile, "machines"), "tags"), &machine, e);

	if (err != ERR_MISSING)
		return err;
	e->code = ERR_STATE;
	return error_prefix(e, "profile %s cannot run here", json_str(profile, "name", ""));
}

static int check_needs(struct sched *s, const struct submit_opts *o, struct error *e)
{
	if (o->n_needs > SUBMIT_MAX_NEEDS)
		return error_set(e, ERR_LIMIT, "a series can need at most %d others, not %zu",
			SUBMIT_MAX_NEEDS, o->n_needs);
	for (size_t i = 0; i < o->n_needs; i++) {
		AUTO_SERIES struct series_row need = {0};
		int err = series_get(s->store, o->needs[i], &need, e);

		if (err < 0)
			return error_prefix(e, "needs");
		if (need.patched_text)
			return error_set(e, ERR_MISSING,
				"needs: %lld is a comparison of two commits, and only a series can "
				"go before another",
				(long long)need.id);
	}
	return 0;
}

static int check_mail(const struct submit_opts *o, struct error *e)
{
	if (o->mail_size == 0)
		return error_set(e, ERR_SYNTAX,
			"what was sent is empty: send a mail or an mbox with patches");
	if (o->mail_size > SUBMIT_MAX_BYTES)
		return error_set(e, ERR_LIMIT, "what was sent has %lld bytes, and %d are the limit",
			(long long)o->mail_size, SUBMIT_MAX_BYTES);
	return 0;
}

/* What is sent or named, as far as it can be judged without looking at it. */
static int check_content(const struct submit_opts *o, struct error *e)
{
	int err = o->source || o->patched ? 0 : check_mail(o, e);

	if (!err && !streq(o->until, "apply") && !streq(o->until, "build") &&
		!streq(o->until, "test"))
		err = error_set(e, ERR_SYNTAX, "until is apply, build or test, not '%s'", o->until);
	if (!err && o->patched && !o->base)
		err = error_set(e, ERR_SYNTAX,
			"two revisions are compared: base and patched; only one was named");
	if (!err)
		err = check_revision("the base", o->base, e);
	return err ? err : check_revision("the second revision", o->patched, e);
}

/* A comparison is of one tree: nothing else tells which. */
static int check_one_tree(const struct submit_opts *o, const char *tips, struct error *e)
{
	if (!o->patched || !tips)
		return 0;
	return error_set(e, ERR_SYNTAX,
		"there are several trees: say with `tree` (--tree) in which the revisions are");
}

/* Whole commit ids mean the same wherever the tip is. */
static bool is_fixed(const struct series_row *row)
{
	return is_commit_id(row->base_text) &&
	       (!row->patched_text || is_commit_id(row->patched_text));
}

/* One hash over all that decides what the answer will be. */
static void set_dedup(struct series_row *row, const struct submit_opts *o, const char *tips)
{
	AUTO_JSON cJSON *key = cJSON_CreateArray();
	AUTO_FREE char *text = NULL;
	char hash[SHA256_HEX];
	const char *const parts[] = {
		row->mail_sha256,
		tips ? NULL : row->tree,
		row->base_text,
		is_fixed(row) ? NULL
		: tips	      ? tips
			      : row->tip,
		row->until,
		row->no_inherit ? "no-inherit" : "inherit",
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		cJSON_AddItemToArray(
			key, parts[i] ? cJSON_CreateString(parts[i]) : cJSON_CreateNull());
	cJSON_AddItemToArray(key, cJSON_Duplicate(row->profile, true));
	/* What an archive has waits where what was sent does not. */
	if (o->found)
		cJSON_AddItemToArray(key, cJSON_CreateString("found"));
	if (o->source)
		cJSON_AddItemToArray(key, cJSON_Duplicate(o->source, true));
	if (o->patched)
		cJSON_AddItemToArray(key, cJSON_CreateString(o->patched));
	for (size_t i = 0; i < o->n_needs; i++)
		cJSON_AddItemToArray(key, cJSON_CreateNumber((double)o->needs[i]));
	text = json_text(key);
	sha256_of(text, strlen(text), hash);
	row->dedup = xstrdup(hash);
}

int sched_draw(int64_t *ret_draw, struct error *e)
{
	if (getrandom(ret_draw, sizeof(*ret_draw), 0) != sizeof(*ret_draw))
		return error_errno(e, "drawing a random number");
	return 0;
}

int sched_keep_mail(struct sched *s, const char *from, const char *sha256, struct error *e)
{
	AUTO_FREE char *path = sched_mail(s, sha256);
	AUTO_CLOSE int folder = open(s->mail, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int fd = open(from, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && file_exists(path))
		return 0;
	if (fd < 0 || fsync(fd) < 0)
		return error_errno(e, "storing %s", from);
	if (rename(from, path) < 0)
		return error_errno(e, "moving %s to %s", from, path);
	if (folder < 0 || fsync(folder) < 0)
		return error_errno(e, "storing %s", path);
	return 0;
}

/* Where it is from, if it was not sent as a file. */
static int insert_origin(struct sched *s, const struct submit_opts *o, int64_t id, struct error *e)
{
	struct origin_row origin = {.source = (cJSON *)o->source};
	int err;

	if (!o->source && !o->found)
		return 0;
	if (o->found) {
		origin.fetched = true;
		origin.waits = (char *)o->found->waits;
		o->found->part->series_id = id;
		err = part_put(
			s->store, o->found->part, o->found->message_ids, &o->found->part->id, e);
		if (err < 0)
			return err;
	}
	return origin_put(s->store, id, &origin, e);
}

static int insert(struct sched *s, const struct submit_opts *o, struct series_row *row,
	bool any_tree, int64_t *ret_id, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	int err = o->mail_path ? sched_keep_mail(s, o->mail_path, o->mail_sha256, e) : 0;

	if (err < 0 || (err = sched_draw(&row->draw, e)) < 0 ||
		(err = store_begin(s->store, &tx, e)) < 0)
		return err;
	err = series_insert(s->store, row, o->needs, o->n_needs, ret_id, e);
	if (err >= 0 && any_tree)
		err = series_set_any_tree(s->store, *ret_id, e);
	if (err >= 0 && o->keep_older)
		err = version_keep_older(s->store, *ret_id, e);
	if (err >= 0)
		err = insert_origin(s, o, *ret_id, e);
	if (err < 0 || (err = store_commit(&tx, e)) < 0)
		return err;
	sched_advance(s, *ret_id);
	return 0;
}

static int submit(struct sched *s, const struct submit_opts *o, struct series_row *ret_row,
	bool *ret_created, struct error *e)
{
	AUTO_SERIES struct series_row row = {0};
	AUTO_TREE struct tree_row tree = {0};
	AUTO_FREE char *tips = NULL;
	int64_t id;
	bool created = false;
	int err;

	if ((err = check_content(o, e)) < 0 || (err = find_tree(s, o->tree, &tree, &tips, e)) < 0 ||
		(err = check_one_tree(o, tips, e)) < 0 || (err = check_needs(s, o, e)) < 0 ||
		(err = sched_profile(s, o->profile, &row.profile, e)) < 0)
		return err;
	if (!streq(o->until, "apply") && (err = check_machine(s, row.profile, e)) < 0)
		return err;
	row.mail_sha256 = xstrdup(o->mail_sha256);
	row.mail_size = o->mail_size;
	row.tree = xstrdup(tree.name);
	row.tip = xstrdup(tree.tip);
	row.base_text = xstrdup_null(o->base);
	row.patched_text = xstrdup_null(o->patched);
	row.profile_name = xstrdup(o->profile);
	row.until = xstrdup(o->until);
	row.no_inherit = o->no_inherit;
	set_dedup(&row, o, tips);
	/* What an archive has is known by its mails. */
	err = o->found ? ERR_MISSING : series_find(s->store, row.dedup, &id, e);
	if (err == ERR_MISSING) {
		created = true;
		err = insert(s, o, &row, tips != NULL, &id, e);
	} else if (err >= 0 && o->mail_path) {
		(void)unlink(o->mail_path);
	}
	if (err < 0 || (err = series_get(s->store, id, ret_row, e)) < 0)
		return err;
	*ret_created = created;
	return 0;
}

int sched_submit(struct sched *s, const struct submit_opts *opts, struct series_row *ret_row,
	bool *ret_created, struct error *e)
{
	struct submit_opts o = *opts;
	struct error own = ERROR_INIT;
	char nothing[SHA256_HEX];

	sha256_of("", 0, nothing);
	if (o.source || o.patched) {
		o.mail_sha256 = nothing;
		o.mail_size = 0;
	}
	o.until = o.until ? o.until : "test";
	o.profile = o.profile ? o.profile : DEFAULT_PROFILE;
	return submit(s, &o, ret_row, ret_created, e ? e : &own);
}

/* What was held may have lacked mails that have come since. */
static int fetch_again(struct sched *s, const struct series_row *row, struct error *e)
{
	AUTO_ORIGIN struct origin_row origin = {0};
	bool there = false;
	int err = 0;

	if (!row->source || !streq(row->state, "held"))
		return 0;
	err = origin_get(s->store, row->id, &origin, &there, e);
	origin.fetched = false;
	return err < 0 ? err : origin_put(s->store, row->id, &origin, e);
}

int sched_rerun(struct sched *s, int64_t series_id, struct series_row *ret_row, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	AUTO_SERIES struct series_row row = {0};
	int64_t number;
	int run;
	int err = series_get(s->store, series_id, &row, e);

	if (err < 0)
		return err;
	if (!row.finished_ms)
		return error_set(e, ERR_STATE,
			"%s %lld has not finished: wait for it, or cancel it first",
			series_noun(&row), (long long)series_id);
	if ((err = sched_draw(&number, e)) < 0 || (err = store_begin(s->store, &tx, e)) < 0 ||
		(err = fetch_again(s, &row, e)) < 0 ||
		(err = series_add_run(s->store, series_id, number, &run, e)) < 0 ||
		(err = store_commit(&tx, e)) < 0)
		return err;
	sched_advance(s, series_id);
	return series_get(s->store, series_id, ret_row, e);
}

static int approve(struct sched *s, int64_t series_id, struct error *e)
{
	AUTO_SERIES struct series_row row = {0};
	AUTO_ORIGIN struct origin_row origin = {0};
	AUTO_TX struct tx tx = TX_INIT;
	bool there = false;
	int64_t number = 0;
	int run;
	int err = sched_draw(&number, e);

	if (err < 0 || (err = store_begin(s->store, &tx, e)) < 0 ||
		(err = series_get(s->store, series_id, &row, e)) < 0 ||
		(err = origin_get(s->store, series_id, &origin, &there, e)) < 0)
		return err;
	if (!origin.waits)
		return error_set(e, ERR_STATE,
			"series %lld does not wait for an approval; it is %s", (long long)series_id,
			row.state);
	/* Nobody approves of what has not come. */
	if (streq(row.state, "held") && !streq(row.held, origin.waits))
		return error_set(e, ERR_STATE, "series %lld cannot be approved of yet: %s",
			(long long)series_id, row.held);
	free(steal_ptr(origin.waits));
	if ((err = origin_put(s->store, series_id, &origin, e)) < 0 ||
		(row.finished_ms &&
			(err = series_add_run(s->store, series_id, number, &run, e)) < 0))
		return err;
	return store_commit(&tx, e);
}

int sched_approve(struct sched *s, int64_t series_id, struct series_row *ret_row, struct error *e)
{
	int err = approve(s, series_id, e);

	if (err < 0)
		return err;
	sched_advance(s, series_id);
	return series_get(s->store, series_id, ret_row, e);
}

static int cancel(struct sched *s, int64_t series_id, struct error *e)
{
	AUTO_SERIES struct series_row row = {0};
	AUTO_TX struct tx tx = TX_INIT;
	int err = store_begin(s->store, &tx, e);

	if (err < 0 || (err = series_get(s->store, series_id, &row, e)) < 0)
		return err;
	if (row.finished_ms)
		return error_set(e, ERR_STATE, "%s %lld has finished already: it is %s",
			series_noun(&row), (long long)series_id, row.state);
	err = versions_cancel(s, &row, "It was cancelled.", e);
	if (err < 0)
		return err;
	return store_commit(&tx, e);
}

int sched_cancel(struct sched *s, int64_t series_id, struct series_row *ret_row, struct error *e)
{
	int err = cancel(s, series_id, e);

	if (err < 0)
		return err;
	running_cancel(s, series_id);
	sched_advance(s, series_id);
	return series_get(s->store, series_id, ret_row, e);
}

int sched_report(struct sched *s, int64_t series_id, cJSON **ret_report, struct error *e)
{
	AUTO_FACTS struct facts *f = NULL;
	AUTO_VERDICT struct verdict *v = NULL;
	int err = facts_load(s->store, series_id, 0, FACTS_SHOWN, &f, e);

	if (err < 0)
		return err;
	v = verdict_new(f);
	*ret_report = report_json(f, v);
	return 0;
}

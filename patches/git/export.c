/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/export.h"

#include "patches/git/repo_internal.h"

#define WORD_BYTES 39 /* of text in one encoded word; their length is limited to 75 */
#define MAX_REVISION 1000

struct commits {
	git_oid base;
	git_oid *ids; /* in the order to apply */
	size_t n;
};

static void commits_done(struct commits *c)
{
	free(c->ids);
}

static void add_base64(struct strbuf *out, const unsigned char *p, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		unsigned v = (unsigned)p[i] << 16;

		v |= i + 1 < len ? (unsigned)p[i + 1] << 8 : 0;
		v |= i + 2 < len ? p[i + 2] : 0;
		(void)strbuf_addc(out, digits[v >> 18]);
		(void)strbuf_addc(out, digits[v >> 12 & 63]);
		(void)strbuf_addc(out, i + 1 < len ? digits[v >> 6 & 63] : '=');
		(void)strbuf_addc(out, i + 2 < len ? digits[v & 63] : '=');
	}
}

static bool is_plain(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > 126)
			return false;
	return !strstr(text, "=?");
}

/* Text in a header: as it is, or in encoded words (RFC 2047) that each hold whole characters. */
static void add_text(struct strbuf *out, const char *text)
{
	size_t len = strlen(text);

	if (is_plain(text)) {
		(void)strbuf_adds(out, text);
		return;
	}
	while (len) {
		size_t n = MIN_OF(len, WORD_BYTES);

		while (n > 1 && n < len && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
		(void)strbuf_adds(out, "=?UTF-8?B?");
		add_base64(out, (const unsigned char *)text, n);
		(void)strbuf_adds(out, "?=");
		text += n;
		len -= n;
		if (len)
			(void)strbuf_adds(out, "\n ");
	}
}

static void add_date(struct strbuf *out, const git_time *t)
{
	time_t local = (time_t)(t->time + (int64_t)t->offset * 60);
	char text[64];
	struct tm tm;

	if (!gmtime_r(&local, &tm) || !strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S", &tm))
		(void)strcpy(text, "Thu, 01 Jan 1970 00:00:00");
	(void)strbuf_addf(out, "Date: %s %c%02d%02d\n", text, t->offset < 0 ? '-' : '+',
		abs(t->offset) / 60, abs(t->offset) % 60);
}

/* One more '>' before what a reader would take for a separator, or for one that was quoted. */
static void add_quoted(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		size_t quotes = strspn(text, ">");

		if (starts_with(text + quotes, "From "))
			(void)strbuf_addc(out, '>');
		(void)strbuf_add(out, text, n);
		(void)strbuf_addc(out, '\n');
		text += n + (text[n] == '\n');
	}
}

static void add_head(struct strbuf *out, git_commit *commit, size_t n, const struct commits *all)
{
	const git_signature *author = git_commit_author(commit);
	const char *summary = git_commit_summary(commit);
	const char *body = git_commit_body(commit);

	(void)strbuf_adds(out, "From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: ");
	add_text(out, author->name);
	(void)strbuf_addf(out, " <%s>\n", author->email);
	add_date(out, &author->when);
	(void)strbuf_addf(out, "Subject: [PATCH %zu/%zu] ", n + 1, all->n);
	add_text(out, summary ? summary : "");
	(void)strbuf_addf(out, "\nMessage-ID: <%s@patchbay.invalid>\n",
		git_oid_tostr_s(git_commit_id(commit)));
	if (n)
		(void)strbuf_addf(
			out, "In-Reply-To: <%s@patchbay.invalid>\n", git_oid_tostr_s(&all->ids[0]));
	/* The From in the body ends the headers that a body may begin with. */
	(void)strbuf_addf(out,
		"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
		"Content-Transfer-Encoding: 8bit\n\nFrom: %s <%s>\n\n",
		author->name, author->email);
	if (body)
		add_quoted(out, body);
	(void)strbuf_adds(out, "---\n\n");
}

/* False: the commit changes no file. */
static int add_diff(
	struct repo *r, git_commit *commit, struct strbuf *out, bool *ret_any, struct error *e)
{
	git_diff_options options;
	git_commit *parent = NULL;
	git_tree *old = NULL, *new = NULL;
	git_diff *diff = NULL;
	git_buf text = {0};
	int rc = git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);

	options.flags = GIT_DIFF_SHOW_BINARY;
	options.id_abbrev = GIT_OID_HEXSZ;
	if (rc >= 0 && git_commit_parentcount(commit))
		rc = git_commit_parent(&parent, commit, 0);
	if (rc >= 0 && parent)
		rc = git_commit_tree(&old, parent);
	if (rc >= 0)
		rc = git_commit_tree(&new, commit);
	if (rc >= 0)
		rc = git_diff_tree_to_tree(&diff, r->git, old, new, &options);
	if (rc >= 0)
		rc = git_diff_to_buf(&text, diff, GIT_DIFF_FORMAT_PATCH);
	if (rc >= 0) {
		*ret_any = text.size > 0;
		(void)strbuf_add(out, text.ptr, text.size);
	}
	git_buf_dispose(&text);
	git_diff_free(diff);
	git_tree_free(old);
	git_tree_free(new);
	git_commit_free(parent);
	return rc < 0 ? repo_error(e, ERR_STATE, "the change of %s cannot be read",
				git_oid_tostr_s(git_commit_id(commit)))
		      : 0;
}

static int look_up(struct repo *r, const char *revision, git_oid *ret_id, struct error *e)
{
	struct oid id;
	int err = repo_commit(r, revision, &id, e);

	if (!err)
		*ret_id = to_git(&id);
	return err;
}

/* The two ends of a range. */
static int find_ends(struct repo *r, const char *range, const char *tip, git_oid *ret_from,
	git_oid *ret_to, struct error *e)
{
	const char *dots = strstr(range, "..");
	AUTO_FREE char *from = dots ? xstrndup(range, (size_t)(dots - range)) : NULL;
	git_oid top;
	int err;

	if (strlen(range) > MAX_REVISION || (dots && (dots[2] == '.' || !dots[2] || dots == range)))
		return error_set(e, ERR_CONFLICT,
			"\"%.200s\" is no range: write A..B, or a revision", range);
	err = look_up(r, dots ? dots + 2 : range, ret_to, e);
	if (err)
		return err;
	if (from)
		return look_up(r, from, ret_from, e);
	err = look_up(r, tip, &top, e);
	if (err)
		return err;
	if (git_merge_base(ret_from, r->git, &top, ret_to) < 0)
		return error_set(e, ERR_CONFLICT,
			"\"%.200s\" and the tree's tip have no commit in common: write A..B",
			range);
	return 0;
}

static int list_commits(struct repo *r, const git_oid *from, const git_oid *to,
	struct commits *ret_commits, struct error *e)
{
	git_revwalk *walk = NULL;
	git_oid id;
	int rc = git_revwalk_new(&walk, r->git);

	if (rc >= 0)
		rc = git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
	if (rc >= 0)
		rc = git_revwalk_push(walk, to);
	if (rc >= 0)
		rc = git_revwalk_hide(walk, from);
	while (rc >= 0 && (rc = git_revwalk_next(&id, walk)) == 0 &&
		ret_commits->n <= EXPORT_MAX_COMMITS) {
		ret_commits->ids =
			xgrow(ret_commits->ids, ret_commits->n, sizeof(*ret_commits->ids));
		ret_commits->ids[ret_commits->n++] = id;
	}
	git_revwalk_free(walk);
	if (rc < 0 && rc != GIT_ITEROVER)
		return repo_error(e, ERR_STATE, "the history of \"%s\" cannot be read", r->path);
	if (ret_commits->n > EXPORT_MAX_COMMITS)
		return error_set(e, ERR_LIMIT,
			"there are more than %d commits in it: name a shorter range",
			EXPORT_MAX_COMMITS);
	return 0;
}

/* Leaves out what changes no file; refuses merges. */
static int check_commits(struct repo *r, struct commits *c, struct error *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		git_commit *commit = NULL;
		git_commit *parent = NULL;
		unsigned parents;
		bool same = false;

		if (git_commit_lookup(&commit, r->git, &c->ids[i]) < 0)
			return repo_error(e, ERR_STATE, "commit %s cannot be read",
				git_oid_tostr_s(&c->ids[i]));
		parents = git_commit_parentcount(commit);
		if (parents == 1 && git_commit_parent(&parent, commit, 0) == 0) {
			same = git_oid_equal(
				git_commit_tree_id(parent), git_commit_tree_id(commit));
			if (i == 0)
				c->base = *git_commit_id(parent);
		}
		git_commit_free(parent);
		git_commit_free(commit);
		if (parents != 1)
			return error_set(e, ERR_CONFLICT,
				"commit %s is %s: only a line of commits can be a series",
				git_oid_tostr_s(&c->ids[i]),
				parents ? "a merge" : "a first commit");
		if (!same)
			c->ids[kept++] = c->ids[i];
	}
	c->n = kept;
	return c->n ? 0
		    : error_set(e, ERR_CONFLICT, "there is no commit in it that changes a file");
}

static int add_mail(
	struct repo *r, const struct commits *c, size_t n, struct strbuf *out, struct error *e)
{
	git_commit *commit = NULL;
	bool any = false;
	int err;

	if (git_commit_lookup(&commit, r->git, &c->ids[n]) < 0)
		return repo_error(
			e, ERR_STATE, "commit %s cannot be read", git_oid_tostr_s(&c->ids[n]));
	add_head(out, commit, n, c);
	err = add_diff(r, commit, out, &any, e);
	git_commit_free(commit);
	(void)strbuf_adds(out, "-- \npatchbay\n");
	if (n == 0)
		(void)strbuf_addf(out, "\nbase-commit: %s\n", git_oid_tostr_s(&c->base));
	(void)strbuf_addc(out, '\n');
	return err;
}

int export_range(struct repo *r, const char *range, const char *tip, struct strbuf *out,
	size_t *ret_n, struct error *e)
{
	CLEANUP(commits_done) struct commits commits = {0};
	git_oid from, to;
	int err = find_ends(r, range, tip, &from, &to, e);

	if (!err)
		err = list_commits(r, &from, &to, &commits, e);
	if (!err)
		err = check_commits(r, &commits, e);
	for (size_t i = 0; i < commits.n && !err; i++)
		err = add_mail(r, &commits, i, out, e);
	if (!err && out->overflow)
		err = error_set(e, ERR_LIMIT,
			"its mails have more than the limit of %zu bytes: name a shorter range",
			out->max);
	if (!err)
		*ret_n = commits.n;
	return err;
}

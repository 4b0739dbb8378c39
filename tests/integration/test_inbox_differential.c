/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same patches through Patchbay and through git: `git mailinfo`, `git patch-id --stable` and
 * `git am -3` say what is right. Once on files that are made to be difficult, once on real ones of
 * packages that every machine with git and a C compiler has. PATCHBAY_DIFFERENTIAL=SEED,PATCHES asks
 * for other patches than the usual ones, PATCHBAY_DIFFERENTIAL_TREE=REPOSITORY for patches to the
 * HEAD of that repository (a bare one, which is only read) instead.
 */
#include "base/child.h"
#include "base/file.h"
#include "patches/git/am.h"
#include "patches/git/patchid.h"
#include "patches/mail/date.h"
#include "patches/mail/mbox.h"
#include "patches/mail/message.h"
#include "patches/git/staging.h"
#include "mail_dress.h"
#include "patch_files.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#define PATCHES 2000 /* to real files */
#define MADE_PATCHES 600
#define MAILINFO_STEP 20 /* a process for each would take too long */
#define MAIL_MAX ((size_t)256 << 20)

/* Of a repository: so that patches meet each other, and not one of the tree's files ten times. */
#define TREE_FILES(patches) MIN_OF((patches) / 4 + 100, (size_t)2000)

struct lab {
	char *folder;
	char *made; /* bare: where the patches are made */
	char *tree; /* a work tree that has the base only: git's */
	char *bare; /* the same: ours */
	char *mbox;
	char base[OID_HEX];
	size_t patches;
	bool real; /* the files are */
	const char *source; /* the repository that they are from, or NULL */
};

static const char *const env[] = {"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_EDITOR=false", "TZ=UTC",
	"LC_ALL=C", NULL};

/* Runs git in a folder; input and output are files, or NULL. Returns its exit status. */
static int git_run(const char *cwd, const char *input, const char *output, const char *const argv[])
{
	struct child_spec spec = CHILD_SPEC(argv);
	struct child child = CHILD_INIT;
	struct error e = ERROR_INIT;
	int status = 0;

	spec.cwd = cwd;
	spec.env = env;
	if (input)
		spec.fds[0] = open(input, O_RDONLY | O_CLOEXEC);
	if (output)
		spec.fds[1] = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (child_start(&spec, &child, &e) || child_wait(&child, -1, &status, &e))
		fail_msg("%s: %s", argv[1], e.msg);
	closep(&spec.fds[0]);
	closep(&spec.fds[1]);
	return status;
}

#define GIT(cwd, input, output, ...) \
	git_run(cwd, input, output, (const char *const[]){"git", __VA_ARGS__, NULL})
#define GIT_OK(...) assert_int_equal(GIT(__VA_ARGS__), 0)

static char *slurp(const char *path, size_t *ret_len)
{
	struct error e = ERROR_INIT;
	char *data = NULL;

	if (file_read(path, MAIL_MAX, &data, ret_len, &e))
		fail_msg("%s", e.msg);
	return data;
}

static void spill(const char *path, const char *data, size_t len)
{
	struct error e = ERROR_INIT;

	if (file_write_atomic(path, data, len, 0644, &e))
		fail_msg("%s", e.msg);
}

/* A sixth of the patches each: what people's settings make of the same change. */
static void write_mails(struct lab *lab, struct maker *m)
{
	static const char *const settings[6][4] = {{"-M", "-U3", "--stat", "--encoding=UTF-8"},
		{"-C", "-C", "--find-copies-harder", "--encoding=UTF-8"},
		{"-M", "-U1", "--patience", "--encoding=ISO-8859-1"},
		{"--no-renames", "-U7", "--summary", "--encoding=UTF-8"},
		{"-M20%", "-U3", "--minimal", "--encoding=UTF-8"},
		{"-B", "-M", "--histogram", "--encoding=UTF-8"}};
	AUTO_FREE char *list = path_join(lab->folder, "list");
	AUTO_FREE char *part = path_join(lab->folder, "part");
	struct strbuf names[6];
	struct strbuf all;

	strbuf_init(&all, MAIL_MAX);
	for (size_t i = 0; i < 6; i++)
		strbuf_init(&names[i], 1 << 20);
	for (size_t n = 2; n < lab->patches + 2; n++)
		(void)strbuf_addf(&names[maker_below(m, 6)], "refs/patches/%zu\n", n);
	for (size_t i = 0; i < 6; i++) {
		/* A whole kernel is too much to look for copies in. */
		bool harder = i == 1 && !lab->source;
		size_t len;
		char *mails;

		spill(list, names[i].buf, names[i].len);
		GIT_OK(lab->made, list, part, "log", "--no-walk=unsorted", "--stdin",
			"--format=email", "-p", i == 3 ? "--full-index" : "--abbrev=12", "--binary",
			settings[i][0], settings[i][1], i == 1 && !harder ? "-C" : settings[i][2],
			settings[i][3]);
		mails = slurp(part, &len);
		dress_mails(m, mails, len, &all);
		free(mails);
		strbuf_done(&names[i]);
	}
	spill(lab->mbox, all.buf, all.len);
	strbuf_done(&all);
}

static void fill_base(struct lab *lab, struct maker *m, char root[OID_HEX])
{
	struct error e = ERROR_INIT;

	*root = '\0';
	if (lab->source) {
		if (maker_take_repository(m, lab->source, TREE_FILES(lab->patches), root, &e))
			fail_msg("%s", e.msg);
	} else if (lab->real) {
		/* linux-libc-dev, perl-modules (git needs it), and what is binary: tzdata */
		maker_take_folder(m, "/usr/include/linux", 200);
		maker_take_folder(m, "/usr/share/perl", 200);
		maker_take_folder(m, "/usr/share/zoneinfo", 20);
	} else {
		maker_make_base(m);
	}
	print_message("%zu files, %zu patches\n", m->n_base, lab->patches);
	assert_true(m->n_base >= 300 || lab->source);
}

/* Three repositories: one to make the patches in, and what git and we apply them to. */
static void make_repositories(struct lab *lab, const char *stream)
{
	const char *from = lab->source ? lab->source : "made.git";

	if (lab->source)
		GIT_OK(lab->folder, NULL, NULL, "clone", "-q", "--bare", "--shared", lab->source,
			"made.git");
	else
		GIT_OK(lab->folder, NULL, NULL, "init", "-q", "--bare", "made.git");
	GIT_OK(lab->made, stream, NULL, "fast-import", "--quiet");
	if (!lab->source) {
		GIT_OK(lab->made, NULL, NULL, "update-ref", "refs/heads/main", "refs/patches/1");
		GIT_OK(lab->made, NULL, NULL, "symbolic-ref", "HEAD", "refs/heads/main");
	}
	GIT_OK(lab->folder, NULL, NULL, "clone", "-q", "--single-branch",
		lab->source ? "--shared" : "--no-local", from, "tree");
	GIT_OK(lab->folder, NULL, NULL, "clone", "-q", "--bare", "--single-branch",
		lab->source ? "--shared" : "--no-local", from, "bare.git");
}

static int set_up(void **state, bool real)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));
	const char *wish = getenv("PATCHBAY_DIFFERENTIAL");
	unsigned long long seed = 20261130;
	AUTO_FREE char *stream = NULL;
	AUTO_FREE char *one = NULL;
	char root[OID_HEX];
	struct maker m;
	size_t len;
	char *id;

	lab->patches = real ? PATCHES : MADE_PATCHES;
	lab->real = real;
	lab->source = real ? getenv("PATCHBAY_DIFFERENTIAL_TREE") : NULL;
	if (wish && sscanf(wish, "%llu,%zu", &seed, &lab->patches) < 1)
		fail_msg("PATCHBAY_DIFFERENTIAL is SEED,PATCHES");
	lab->folder = xstrdup("/tmp/patchbay-differential-XXXXXX");
	assert_non_null(mkdtemp(lab->folder));
	lab->made = path_join(lab->folder, "made.git");
	lab->tree = path_join(lab->folder, "tree");
	lab->bare = path_join(lab->folder, "bare.git");
	lab->mbox = path_join(lab->folder, "mbox");
	stream = path_join(lab->folder, "stream");
	one = path_join(lab->folder, "id");
	maker_init(&m, seed);
	fill_base(lab, &m, root);
	maker_run(&m, root, lab->patches);
	spill(stream, m.out.buf, m.out.len);
	make_repositories(lab, stream);
	GIT_OK(lab->made, NULL, one, "rev-parse", "refs/patches/1");
	id = slurp(one, &len);
	(void)snprintf(lab->base, sizeof(lab->base), "%.40s", id);
	free(id);
	write_mails(lab, &m);
	maker_done(&m);
	*state = lab;
	return 0;
}

static int set_up_made(void **state)
{
	return set_up(state, false);
}

static int set_up_real(void **state)
{
	return set_up(state, true);
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	if (!getenv("PATCHBAY_KEEP"))
		(void)file_remove_tree(lab->folder, NULL);
	else
		print_message("kept: %s\n", lab->folder);
	free(lab->folder);
	free(lab->made);
	free(lab->tree);
	free(lab->bare);
	free(lab->mbox);
	free(lab);
	return 0;
}

/* Calls back for every mail of the lab's mailbox. */
typedef void (*mail_fn)(const struct strbuf *raw, struct message *m, void *data);

static void each_mail(const struct lab *lab, mail_fn fn, void *data)
{
	struct mbox mbox;
	struct strbuf raw;
	struct error e = ERROR_INIT;
	size_t len;
	AUTO_FREE char *mails = slurp(lab->mbox, &len);

	strbuf_init(&raw, MAIL_MAX);
	assert_int_equal(mbox_init(&mbox, mails, len, MAIL_MAX, SIZE_MAX, &e), 0);
	while (mbox_next(&mbox, &raw, &e) > 0) {
		AUTO_MESSAGE struct message *m = NULL;

		if (message_parse(raw.buf, raw.len, &m, &e))
			fail_msg("message %zu: %s", mbox.count, e.msg);
		fn(&raw, m, data);
	}
	assert_int_equal(mbox.count, lab->patches);
	strbuf_done(&raw);
}

struct reading {
	const struct lab *lab;
	size_t n;
	struct strbuf ids; /* ours, one a line */
	struct strbuf diffs; /* for git patch-id */
};

static void same_bytes(const char *path, const char *data, size_t len, size_t n, const char *what)
{
	size_t git_len;
	AUTO_FREE char *git = slurp(path, &git_len);

	if (git_len != len || memcmp(git, data, len) != 0)
		fail_msg("%s of message %zu: git has\n%s\nwe have\n%s", what, n, git, data);
}

static void compare_reading(const struct strbuf *raw, struct message *m, void *data)
{
	struct reading *r = data;
	AUTO_FREE char *mail = path_join(r->lab->folder, "mail");
	AUTO_FREE char *msg = path_join(r->lab->folder, "msg");
	AUTO_FREE char *patch = path_join(r->lab->folder, "patch");
	AUTO_FREE char *info = path_join(r->lab->folder, "info");
	AUTO_FREE char *ours = xasprintf("Author: %s\nEmail: %s\nSubject: %s\nDate: %s\n\n",
		m->author_name, m->author_email, m->subject, m->date);
	char id[PATCH_ID_HEX];

	r->n++;
	(void)strbuf_addf(&r->diffs, "From %040zu\n", r->n);
	(void)strbuf_add(&r->diffs, m->diff, m->diff_len);
	if (patch_id(m->diff, m->diff_len, true, id))
		(void)strbuf_addf(&r->ids, "%s %040zu\n", id, r->n);
	if (r->n % MAILINFO_STEP)
		return;
	spill(mail, raw->buf, raw->len);
	GIT_OK(r->lab->folder, mail, info, "mailinfo", msg, patch);
	same_bytes(info, ours, strlen(ours), r->n, "the information");
	same_bytes(msg, m->body, m->body_len, r->n, "the body");
	same_bytes(patch, m->diff, m->diff_len, r->n, "the diff");
}

static void reads_mail_as_git_does(void **state)
{
	struct reading r = {.lab = *state};
	AUTO_FREE char *diffs = path_join(r.lab->folder, "diffs");
	AUTO_FREE char *ids = path_join(r.lab->folder, "ids");

	strbuf_init(&r.ids, 1 << 24);
	strbuf_init(&r.diffs, MAIL_MAX);
	each_mail(r.lab, compare_reading, &r);
	spill(diffs, r.diffs.buf, r.diffs.len);
	GIT_OK(r.lab->folder, diffs, ids, "patch-id", "--stable");
	same_bytes(ids, r.ids.buf, r.ids.len, 0, "the patch ids");
	strbuf_done(&r.ids);
	strbuf_done(&r.diffs);
}

struct applying {
	struct repo *repo;
	struct oid head;
	size_t how[4];
	size_t conflicts;
};

static void apply_one(const struct strbuf *raw, struct message *m, void *data)
{
	struct applying *a = data;
	struct am_patch patch = {.info = {.author_name = m->author_name,
					 .author_email = m->author_email,
					 .subject = m->subject,
					 .body = m->body,
					 .body_len = m->body_len},
		.diff = m->diff,
		.diff_len = m->diff_len};
	struct conflict conflict = {0};
	struct error e = ERROR_INIT;
	struct oid commit;
	enum am_how how;
	int r;

	(void)raw;
	if (date_parse(m->date, &patch.info.author_s, &patch.info.author_offset_min))
		fail_msg("no date: %s", m->date);
	r = am_apply(a->repo, &a->head, &patch, &commit, &how, &conflict, &e);
	if (!r)
		r = staging_trim(a->repo, &e);
	if (r && r != ERR_CONFLICT)
		fail_msg("%s: %s", m->subject, e.msg);
	if (r) {
		assert_non_null(conflict.why);
		if (getenv("PATCHBAY_KEEP"))
			print_message("%s: %s: %s\n", m->subject, conflict.file, conflict.why);
		a->conflicts++;
	} else {
		a->how[how]++;
		a->head = commit;
	}
	conflict_done(&conflict);
}

/* git am goes on after each patch that it refuses. */
static void git_am(const struct lab *lab)
{
	int status = GIT(lab->tree, NULL, NULL, "am", "-q", "-3", lab->mbox);

	for (size_t i = 0; status && i <= lab->patches; i++)
		status = GIT(lab->tree, NULL, NULL, "am", "-q", "--skip");
	assert_int_equal(status, 0);
}

/* Records that end in NUL: the first that differ are told, the rest follows from them. */
static void same_commits(const char *theirs, const char *ours)
{
	size_t len[2];
	AUTO_FREE char *git = slurp(theirs, &len[0]);
	AUTO_FREE char *text = slurp(ours, &len[1]);
	const char *a = git;
	const char *b = text;
	size_t n = 1;

	for (; a < git + len[0] && b < text + len[1] && streq(a, b); n++) {
		a += strlen(a) + 1;
		b += strlen(b) + 1;
	}
	if (a < git + len[0] || b < text + len[1])
		fail_msg("commit %zu: git has\n%s\nwe have\n%s", n, a < git + len[0] ? a : "none",
			b < text + len[1] ? b : "none");
}

static void applies_as_git_does(void **state)
{
	static const char format[] = "--format=%T %an <%ae> %ad %s%n%B";
	struct lab *lab = *state;
	struct applying a = {0};
	struct error e = ERROR_INIT;
	AUTO_FREE char *theirs = path_join(lab->folder, "theirs");
	AUTO_FREE char *ours = path_join(lab->folder, "ours");
	AUTO_FREE char *range = NULL;
	char hex[OID_HEX];

	if (repo_open(lab->bare, &a.repo, &e) || staging_start(a.repo, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(oid_parse(lab->base, &a.head), 0);
	each_mail(lab, apply_one, &a);
	if (staging_keep(a.repo, &e))
		fail_msg("%s", e.msg);
	(void)repo_free(a.repo);
	git_am(lab);
	range = xasprintf("%s..%s", lab->base, oid_hex(&a.head, hex));
	GIT_OK(lab->bare, NULL, ours, "log", "-z", "--reverse", format, range);
	free(steal_ptr(range));
	range = xasprintf("%s..HEAD", lab->base);
	GIT_OK(lab->tree, NULL, theirs, "log", "-z", "--reverse", format, range);
	print_message("%zu exact, %zu at an offset, %zu merged, %zu already in, %zu conflicts\n",
		a.how[AM_EXACT], a.how[AM_OFFSET], a.how[AM_MERGE], a.how[AM_ALREADY_IN],
		a.conflicts);
	same_commits(theirs, ours);
	/* The comparison is worth something only where all ways were gone. */
	for (size_t i = 0; i < 3; i++)
		assert_true(a.how[i] > lab->patches / 100);
	assert_true(a.conflicts > lab->patches / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_mail_as_git_does),
		cmocka_unit_test(applies_as_git_does),
	};
	int failed = 0;

	if (!getenv("PATCHBAY_DIFFERENTIAL_TREE"))
		failed = cmocka_run_group_tests_name(
			"files that are made", tests, set_up_made, tear_down);
	return failed + cmocka_run_group_tests_name("real files", tests, set_up_real, tear_down);
}

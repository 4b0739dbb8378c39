/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test: programs of the lab's own, which the initramfs holds below /tests (docs/internals/tests.md).
 * What they print is passed on as it comes; what it means is for the other side to say.
 */
#include "agents/target/usertest.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/jsonw.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define LIST "kselftest-list.txt"
#define MAX_LIST (256 * 1024)
#define MAX_PROGRAMS 500
#define MAX_SECONDS 86400
#define MAX_OUTPUT (1024 * 1024) /* of one program */
#define CHUNK 8192 /* six times that, escaped, is still a line */
#define IDLE_MS 1000 /* after which what was printed is passed on, though it is less */

struct usertest {
	const char *name; /* of the benchmark */
	const char *folder; /* where tests are */
	const char *test;
	struct channel *out;
	int64_t seconds; /* for each program */
	char *programs[MAX_PROGRAMS]; /* below folder/test; "" is that itself */
	size_t n;
};

static void add_program(struct usertest *t, const char *path)
{
	if (t->n < MAX_PROGRAMS)
		t->programs[t->n] = xstrdup(path);
	t->n++;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

/* "iommu:iommufd" a line, as `make -C tools/testing/selftests install` writes it. */
static void read_list(struct usertest *t, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':');

		if (!colon || colon == line || !colon[1] || strstr(line, ".."))
			continue;
		*colon = '/';
		add_program(t, line);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The programs right in the folder. */
static void read_folder(struct usertest *t, const char *folder)
{
	DIR *dir = opendir(folder);

	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		AUTO_FREE char *path = path_join(folder, entry->d_name);

		if (is_program(path))
			add_program(t, entry->d_name);
	}
	closedir(dir);
	if (t->n)
		qsort(t->programs, MIN_OF(t->n, (size_t)MAX_PROGRAMS), sizeof(*t->programs),
			by_name);
}

static int find_programs(struct usertest *t, struct error *e)
{
	AUTO_FREE char *folder = path_join(t->folder, t->test);
	AUTO_FREE char *list = path_join(folder, LIST);
	AUTO_FREE char *text = NULL;

	if (is_program(folder))
		add_program(t, "");
	else if (file_exists(list) && file_read(list, MAX_LIST, &text, NULL, e))
		return e->code;
	else if (text)
		read_list(t, text);
	else
		read_folder(t, folder);
	if (t->n > MAX_PROGRAMS)
		return error_set(
			e, ERR_LIMIT, "%s holds more than %d programs", folder, MAX_PROGRAMS);
	if (!t->n)
		return error_set(e, ERR_MISSING,
			"the guest has no program at %s: it must be executable, or be a folder of "
			"executables or one with a " LIST,
			folder);
	return 0;
}

static void begin(struct strbuf *sb, const char *type, const char *label)
{
	strbuf_init(sb, CHANNEL_MAX_RECORD + 1);
	jsonw_begin(sb, NULL, '{');
	jsonw_str(sb, "type", type);
	jsonw_str(sb, "test", label);
}

static void put_output(struct usertest *t, const char *label, const char *text, size_t len)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "output", label);
	jsonw_strn(&sb, "text", text, len);
	jsonw_end(&sb, '}');
	channel_put(t->out, sb.buf, sb.len);
}

/* status: what it exited with; -1: it did not. */
static void put_exit(struct usertest *t, const char *label, int status, const char *how)
{
	AUTO_STRBUF struct strbuf sb;

	begin(&sb, "exit", label);
	jsonw_int(&sb, "status", status);
	jsonw_str(&sb, "how", how);
	jsonw_end(&sb, '}');
	channel_put(t->out, sb.buf, sb.len);
}

struct output {
	int fd;
	size_t total;
	char held[CHUNK];
	size_t n_held;
};

static void pass_on(struct usertest *t, const char *label, struct output *o)
{
	if (o->n_held)
		put_output(t, label, o->held, o->n_held);
	o->n_held = 0;
}

/* False at the end, and when nothing more is there for now. */
static bool take(struct usertest *t, const char *label, struct output *o)
{
	ssize_t n = read(o->fd, o->held + o->n_held, sizeof(o->held) - o->n_held);

	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	if (o->total < MAX_OUTPUT)
		o->n_held += (size_t)n;
	o->total += (size_t)n;
	if (o->n_held == sizeof(o->held))
		pass_on(t, label, o);
	return true;
}

/* Its output until its end, or until its time is over. What it left behind may hold the pipe open
 * longer. */
static void follow(struct usertest *t, const char *label, struct child *child, struct output *o)
{
	int64_t deadline_ms = clock_mono_ms() + t->seconds * 1000;
	struct pollfd fds[] = {
		{.fd = o->fd, .events = POLLIN}, {.fd = child->pidfd, .events = POLLIN}};

	while (!(fds[1].revents & POLLIN)) {
		int r, left = clock_poll_ms(deadline_ms);

		if (!left)
			break;
		r = poll(fds, ARRAY_SIZE(fds), o->n_held ? MIN_OF(left, IDLE_MS) : left);
		if (r < 0 && errno != EINTR)
			break;
		if (r == 0)
			pass_on(t, label, o);
		if (r > 0 && fds[0].revents && !take(t, label, o))
			fds[0].fd = -1;
	}
	while (take(t, label, o))
		;
	pass_on(t, label, o);
}

static void end_program(struct usertest *t, const char *label, struct child *child)
{
	char how[100];
	int status = 0;
	struct error e = ERROR_INIT;

	/* Without waiting: it has ended, or its time is over. */
	if (child_wait(child, clock_mono_ms(), &status, &e)) {
		(void)snprintf(how, sizeof(how), "no end after %lld s", (long long)t->seconds);
		put_exit(t, label, -1, how);
		return;
	}
	(void)child_status_text(status, how, sizeof(how));
	put_exit(t, label, WIFEXITED(status) ? WEXITSTATUS(status) : -1, how);
}

static void run_program(struct usertest *t, const char *program)
{
	AUTO_FREE char *label = *program ? xasprintf("%s/%s", t->test, program) : xstrdup(t->test);
	AUTO_FREE char *path = path_join(t->folder, label);
	AUTO_FREE char *folder = xstrdup(path);
	const char *const argv[] = {path, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CHILD struct child child = CHILD_INIT;
	struct error e = ERROR_INIT;
	struct output o = {.fd = -1};
	int ends[2];

	*strrchr(folder, '/') = '\0';
	spec.cwd = folder;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		channel_problem(
			t->out, t->name, label, PROBLEM_LAB, "no pipe: %s", strerror(errno));
		return;
	}
	spec.fds[1] = spec.fds[2] = ends[1];
	o.fd = ends[0];
	(void)fcntl(o.fd, F_SETFL, O_NONBLOCK);
	if (child_start(&spec, &child, &e)) {
		channel_problem(t->out, t->name, label, PROBLEM_LAB,
			"%s (the guest has no shell and no libraries but what the test brings)",
			e.msg);
	} else {
		close(ends[1]);
		ends[1] = -1;
		follow(t, label, &child, &o);
		end_program(t, label, &child);
	}
	if (o.total > MAX_OUTPUT)
		channel_problem(t->out, t->name, label, PROBLEM_LAB, "it printed more than %d KiB",
			MAX_OUTPUT / 1024);
	closep(&ends[0]);
	closep(&ends[1]);
}

/* Benchmarks are pinned to one processor; a test that races needs all. */
static void unpin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < CPU_SETSIZE; i++)
		CPU_SET(i, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

void usertest_run(const char *folder, const struct run_spec *spec, struct channel *out)
{
	struct usertest t = {
		.name = spec->name, .folder = folder, .test = run_option(spec, "test"), .out = out};
	struct error e = ERROR_INIT;
	int err = run_option_int(spec, "seconds", 1, MAX_SECONDS, 60, &t.seconds, &e);

	if (!err && (!t.test || strchr(t.test, '/') || *t.test == '.'))
		err = error_set(&e, ERR_SYNTAX, "test= must name what is below %s", folder);
	if (!err)
		err = find_programs(&t, &e);
	if (err)
		channel_problem(out, t.name, t.test, PROBLEM_LAB, "%s", e.msg);
	for (size_t i = 0; i < MIN_OF(t.n, (size_t)MAX_PROGRAMS); i++) {
		if (!err)
			run_program(&t, t.programs[i]);
		free(t.programs[i]);
	}
}

static void run(const struct run_spec *spec, struct channel *out)
{
	unpin();
	usertest_run("/tests", spec, out);
}

static const char *const options[] = {"test", "seconds", NULL};

const struct bench_ops bench_usertest = {
	.name = "test",
	.options = options,
	.run = run,
};

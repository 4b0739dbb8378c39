/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/wrapper.h"

#include "agents/host/sandbox.h"
#include "base/file.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* Names this program answers to inside a sandbox. ld warns too, and only when it links. */
static const char *const names[] = {"gcc", "ld"};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool wrapper_is_meant(const char *argv0)
{
	for (size_t i = 0; argv0 && i < ARRAY_SIZE(names); i++)
		if (streq(base_name(argv0), names[i]))
			return true;
	return false;
}

char *wrapper_diag_path(const char *object)
{
	const char *name = base_name(object);

	return xasprintf("%.*s.%s.diag", (int)(name - object), object, name);
}

/* Outputs of questions to the compiler: cc-option's, tools/build's features. */
static bool is_question(const char *object)
{
	return strstr(object, ".tmp_") || strstr(object, "/feature/") || ends_with(object, ".tmp");
}

/* The object this command makes, or NULL where it makes none that counts. */
static const char *find_object(char **argv)
{
	const char *o = NULL;

	for (size_t i = 1; argv[i]; i++)
		if (streq(argv[i], "-o") && argv[i + 1])
			o = argv[++i];
	if (!o || (*o == '/' && !starts_with(o, "/out/")) || is_question(o))
		return NULL;
	return o;
}

/* Where the source lies in the sandbox, heap; "-" where the command names none. */
static char *find_source(char **argv)
{
	const char *source = NULL;
	char cwd[4096];

	for (size_t i = 1; argv[i]; i++)
		if (*argv[i] != '-' && (ends_with(argv[i], ".c") || ends_with(argv[i], ".S")))
			source = argv[i];
	if (!source || *source == '/' || !getcwd(cwd, sizeof(cwd)))
		return xstrdup(source ? source : "-");
	return path_join(cwd, source);
}

static void become(char **argv)
{
	const char *name = base_name(argv[0]);

	/* The compiler's own children shall find the real ones. */
	setenv("PATH", SANDBOX_PATH, 1);
	execvp(name, argv);
	(void)fprintf(stderr, "cannot start %s: %s\n", name, strerror(errno));
	_exit(127);
}

/* All of standard error: kept up to the limit and written in one piece, then passed as it comes. */
static void relay(int fd, struct strbuf *kept)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		if (!kept->overflow && strbuf_add(kept, buf, (size_t)n)) {
			(void)write_all(STDERR_FILENO, kept->buf, kept->len);
			strbuf_adds(kept, "\n");
		}
		if (kept->overflow)
			(void)write_all(STDERR_FILENO, buf, (size_t)n);
	}
	if (!kept->overflow)
		(void)write_all(STDERR_FILENO, kept->buf, kept->len);
}

static const char *status_word(int status, const char *said)
{
	if (WIFSIGNALED(status) || strstr(said, "Killed signal terminated program") ||
		strstr(said, "out of memory allocating") ||
		strstr(said, "virtual memory exhausted") || strstr(said, "No space left on device"))
		return "killed";
	return WEXITSTATUS(status) ? "failed" : "ok";
}

static void keep(
	const char *object, const char *source, const char *status, const struct strbuf *said)
{
	AUTO_FREE char *path = wrapper_diag_path(object);
	const char *build = getenv("PATCHBAY_BUILD");
	AUTO_CLOSE int fd = -1;

	if (!said->len) {
		(void)unlink(path);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return;
	(void)dprintf(fd, "patchbay-diag 1 %s %s %s\n", build ? build : "-", status, source);
	(void)write_all(fd, said->buf, said->len);
}

int wrapper_main(char **argv)
{
	const char *object = find_object(argv);
	AUTO_FREE char *source = find_source(argv);
	AUTO_STRBUF struct strbuf said;
	int fds[2], status = 0;
	const char *word;
	pid_t pid;

	strbuf_init(&said, WRAPPER_MAX);
	if (!object || pipe2(fds, O_CLOEXEC))
		become(argv);
	pid = fork();
	if (pid < 0) {
		(void)fprintf(stderr, "%s: cannot fork: %s\n", argv[0], strerror(errno));
		return 1;
	}
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		become(argv);
	}
	close(fds[1]);
	relay(fds[0], &said);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	word = status_word(status, said.buf);
	keep(object, source, word, &said);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
